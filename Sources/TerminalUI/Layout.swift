/// What of a message is to be seen on a screen of a certain size.
public struct Layout: Sendable, Equatable {
  public var rows: [String]
  /// Where the cursor is, within the rows.
  public var cursorRow: Int
  public var cursorColumn: Int

  public init(rows: [String], cursorRow: Int, cursorColumn: Int) {
    self.rows = rows
    self.cursorRow = cursorRow
    self.cursorColumn = cursorColumn
  }
}

extension LineEditor {
  private static let tab = "    "

  /// Breaks prompt and text into rows. The first begins with the prompt, the other lines of a message are indented as
  /// far. What does not fit the height is left out, but never the row with the cursor.
  public func layout(width: Int, height: Int = .max) -> Layout {
    let width = max(2, width)
    var (prompt, characters, cursor) = (self.prompt, self.characters, self.cursor)
    if let search {
      prompt = "\(search.hasFailed ? "not found" : "search") “\(search.query)”: "
      characters = Array(search.found ?? text)
      cursor = characters.count
    }
    var rows: [[String]] = [[]]
    var column = 0
    var place = (row: 0, column: 0)
    func put(_ piece: String, _ pieceWidth: Int) {
      if column + pieceWidth > width {
        rows.append([])
        column = 0
      }
      rows[rows.count - 1].append(piece)
      column += pieceWidth
    }
    for character in prompt { put(String(character), DisplayWidth.of(character)) }
    // A narrow window has no room for an indent.
    let indent = DisplayWidth.of(prompt) <= width / 4 ? DisplayWidth.of(prompt) : 0
    for index in 0...characters.count {
      let character = index < characters.count ? characters[index] : " "
      let (piece, pieceWidth) =
        character == "\t" ? (Self.tab, Self.tab.count) : (String(character), DisplayWidth.of(character))
      if index == cursor {
        // A cursor behind a full row stands at the start of the next one.
        let wraps = character == "\n" ? column >= width : column + max(1, pieceWidth) > width
        place = wraps ? (rows.count, 0) : (rows.count - 1, column)
      }
      guard index < characters.count else { break }
      if character == "\n" {
        if place == (rows.count, 0) { rows.append([]) }
        rows.append(indent > 0 ? [String(repeating: " ", count: indent)] : [])
        column = indent
      } else {
        put(piece, pieceWidth)
      }
    }
    if place.row == rows.count { rows.append([]) }
    let height = max(1, height)
    let first = max(0, min(place.row - height / 2, rows.count - height))
    let shown = rows[first..<min(rows.count, first + height)]
    return Layout(rows: shown.map { $0.joined() }, cursorRow: place.row - first, cursorColumn: place.column)
  }
}

/// What a terminal must be sent to show one layout in the place of another.
public enum Painter {
  /// - Parameters:
  ///   - old: what is shown; nil when the cursor stands at the start of an empty row.
  ///   - decorate: adds what takes no room, such as colours, to the first row.
  public static func show(
    _ new: Layout, inPlaceOf old: Layout?, width: Int, decorate: (String) -> String = { $0 }
  ) -> String {
    var text = start(of: old, width: width) + "\u{1B}[J"
    let rows = new.rows.enumerated().map { $0.offset == 0 ? decorate($0.element) : $0.element }
    // A row that is full leaves the cursor on it until something follows: the line feed goes to the next one.
    text += rows.joined(separator: "\r\n")
    text += up(new.rows.count - 1 - new.cursorRow) + "\r" + right(new.cursorColumn)
    return text
  }

  /// Leaves the layout on the screen, and goes to the row below it.
  public static func leave(_ layout: Layout) -> String {
    let below = layout.rows.count - 1 - layout.cursorRow
    return (below > 0 ? "\u{1B}[\(below)B" : "") + "\r\n"
  }

  /// To the first row of what is shown. A window that became narrower has broken rows in two.
  private static func start(of old: Layout?, width: Int) -> String {
    guard let old else { return "\r" }
    let above = old.rows[..<old.cursorRow].reduce(0) { $0 + max(1, (DisplayWidth.of($1) + width - 1) / width) }
    return up(above + old.cursorColumn / max(1, width)) + "\r"
  }

  private static func up(_ count: Int) -> String { count > 0 ? "\u{1B}[\(count)A" : "" }
  private static func right(_ count: Int) -> String { count > 0 ? "\u{1B}[\(count)C" : "" }
}
