import TerminalUI
import TestSupport
import Testing

/// A terminal as far as `Painter` uses one.
struct Screen {
  private(set) var cells: [[String]] = [[]]
  private(set) var row = 0
  private(set) var column = 0
  private var wrapsNext = false
  let width: Int

  init(width: Int) { self.width = width }

  var rows: [String] {
    var rows = cells.map { String($0.joined().reversed().drop { $0 == " " }.reversed()) }
    while rows.count > 1, rows.last?.isEmpty == true { rows.removeLast() }
    return rows
  }

  mutating func write(_ text: String) {
    var rest = Array(text.replacing("\r\n", with: "\r\u{B}"))[...]
    while let character = rest.popFirst() {
      switch character {
      case "\r": (column, wrapsNext) = (0, false)
      case "\u{B}": goDown()
      case "\u{1B}":
        rest.removeFirst()
        let digits = rest.prefix(while: \.isNumber)
        rest = rest.dropFirst(digits.count)
        let count = Int(String(digits)) ?? 1
        switch rest.popFirst() {
        case "A": row -= count
        case "B": row += count
        case "C": column += count
        case "J": cells = cells[..<row] + [Array(cells[row].prefix(column))]
        case let other: Issue.record("unknown sequence \(String(describing: other))")
        }
      case _: put(character)
      }
    }
  }

  private mutating func goDown() {
    (row, wrapsNext) = (row + 1, false)
    if row == cells.count { cells.append([]) }
  }

  private mutating func put(_ character: Character) {
    let size = DisplayWidth.of(character)
    guard size > 0 else {
      // A mark that stands on nothing is not seen.
      if column > 0 { cells[row][column - 1] += String(character) }
      return
    }
    if wrapsNext || column + size > width {
      column = 0
      goDown()
    }
    while cells[row].count < column + size { cells[row].append(" ") }
    cells[row][column] = String(character)
    if size == 2 { cells[row][column + 1] = "" }
    column += size
    if column == width { (column, wrapsNext) = (width - 1, true) }
  }
}

@Suite struct LayoutTests {
  private func layout(_ text: String, _ keys: Key..., width: Int, height: Int = .max) -> Layout {
    var typing = Typing()
    typing.press(.paste(text))
    for key in keys { typing.press(key) }
    return typing.editor.layout(width: width, height: height)
  }

  @Test func rows() {
    #expect(layout("abc", width: 20) == Layout(rows: ["> abc"], cursorRow: 0, cursorColumn: 5))
    #expect(layout("abcdefgh", width: 8) == Layout(rows: ["> abcdef", "gh"], cursorRow: 1, cursorColumn: 2))
    #expect(layout("abcdef", width: 8) == Layout(rows: ["> abcdef", ""], cursorRow: 1, cursorColumn: 0))
    #expect(layout("abcdef", .left, width: 8) == Layout(rows: ["> abcdef"], cursorRow: 0, cursorColumn: 7))
    #expect(layout("日本語", width: 7) == Layout(rows: ["> 日本", "語"], cursorRow: 1, cursorColumn: 2))
    #expect(layout("日本語", .left, width: 7) == Layout(rows: ["> 日本", "語"], cursorRow: 1, cursorColumn: 0))
    #expect(layout("a\nb", width: 20) == Layout(rows: ["> a", "  b"], cursorRow: 1, cursorColumn: 3))
    #expect(layout("abcdef\nx", .up, .end, width: 8).rows == ["> abcdef", "", "  x"])
    #expect(layout("a\tb", width: 20).rows == ["> a    b"])
  }

  @Test("a message that is higher than the screen is shown around the cursor")
  func height() {
    let text = (1...20).map(String.init).joined(separator: "\n")
    #expect(
      layout(text, width: 20, height: 3) == Layout(rows: ["  18", "  19", "  20"], cursorRow: 2, cursorColumn: 4))
    #expect(layout(text, .up, .up, .up, .up, width: 20, height: 3).rows == ["  15", "  16", "  17"])
    #expect(layout(text, .up, width: 20, height: 1).rows == ["  19"])
  }

  @Test(
    "what is drawn over what was there is what is to be seen, whatever is typed", arguments: 0..<40 as Range<UInt64>)
  func painting(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var editor = LineEditor(prompt: "> ", history: ["an earlier message\nof two lines", "one"])
    let width = 7 + Int(random.next() % 12)
    var screen = Screen(width: width)
    var shown: Layout?
    let keys: [Key] = [
      .text("a"), .text("word "), .text("日本"), .text("👩‍👧"), .text("\u{301}"), .paste("a\nb c"), .lineFeed, .left, .left,
      .right,
      .up, .down, .home, .end, .wordLeft, .backspace, .backspace, .delete, .control("w"), .control("k"), .control("y"),
      .control("u"), .tab, .control("t"),
    ]
    for _ in 0..<120 {
      _ = editor.handle(keys[Int(random.next() % UInt64(keys.count))])
      let layout = editor.layout(width: width)
      screen.write(Painter.show(layout, inPlaceOf: shown, width: width))
      shown = layout
      var fresh = Screen(width: width)
      fresh.write(layout.rows.joined(separator: "\r\n"))
      #expect(screen.rows == fresh.rows)
      #expect(screen.row == layout.cursorRow && screen.column == layout.cursorColumn)
    }
    if let shown { screen.write(Painter.leave(shown)) }
    #expect(screen.row == shown?.rows.count && screen.column == 0)
  }

  @Test("in a window that became narrower the old rows are found again")
  func narrower() {
    var typing = Typing()
    typing.press(.text("abcdefghijklmnop"))
    let old = typing.editor.layout(width: 20)
    var screen = Screen(width: 10)
    // What the terminal made of them.
    screen.write("above\r\n> abcdefgh\r\nijklmnop")
    screen.write(Painter.show(typing.editor.layout(width: 10), inPlaceOf: old, width: 10))
    #expect(screen.rows == ["above", "> abcdefgh", "ijklmnop"])
  }
}
