/// A message while it is typed: its text, the place of the cursor, what came before it. It reads and writes nothing
/// itself; keys come in, and `layout` says what is to be seen.
public struct LineEditor: Sendable {
  /// What a key has led to.
  public enum Outcome: Sendable, Equatable {
    /// The screen is to be drawn again.
    case changed
    case ignored
    /// The message is complete.
    case submitted(String)
    /// Ctrl-C; what was typed is gone.
    case interrupted(wasEmpty: Bool)
    /// Ctrl-D where there was nothing.
    case ended
    /// Ctrl-Z.
    case suspended
    /// Ctrl-L.
    case clearsScreen
    /// Tab: the caller finds what may follow, and calls `complete`.
    case wantsCompletion
  }

  public let prompt: String
  private(set) var characters: [Character] = []
  /// Before which of the characters; their number behind the last.
  private(set) var cursor = 0
  /// What Ctrl-K, Ctrl-U and Ctrl-W have taken away last.
  private var killed = ""
  var recall: Recall
  var search: Search?

  /// - Parameter history: earlier messages, the oldest first.
  public init(prompt: String, history: [String] = []) {
    self.prompt = prompt
    recall = Recall(history)
  }

  public var text: String { String(characters) }
  public var textBeforeCursor: String { String(characters[..<cursor]) }

  public mutating func handle(_ key: Key) -> Outcome {
    if search != nil, let outcome = handleSearch(key) { return outcome }
    switch key {
    case .text(let text), .paste(let text):
      insert(text)
      return .changed
    case .control(let letter): return handleControl(letter)
    case .alt(let letter): return handleAlt(letter)
    case .enter: return enter()
    case .lineFeed:
      insert("\n")
      return .changed
    case .tab: return .wantsCompletion
    case .backspace: return remove(cursor - 1..<cursor)
    case .delete: return remove(cursor..<cursor + 1)
    case .left: return move(to: cursor - 1)
    case .right: return move(to: cursor + 1)
    case .wordLeft: return move(to: wordStart)
    case .wordRight: return move(to: wordEnd)
    case .home: return move(to: lineStart)
    case .end: return move(to: lineEnd)
    case .up: return moveUp()
    case .down: return moveDown()
    case .escape: return .ignored
    }
  }

  private mutating func handleControl(_ letter: Character) -> Outcome {
    switch letter {
    case "a": return move(to: lineStart)
    case "e": return move(to: lineEnd)
    case "b": return move(to: cursor - 1)
    case "f": return move(to: cursor + 1)
    case "p": return moveUp()
    case "n": return moveDown()
    case "k": return kill(cursor..<(lineEnd == cursor ? cursor + 1 : lineEnd))
    case "u": return kill((lineStart == cursor ? cursor - 1 : lineStart)..<cursor)
    case "w": return kill(blankSeparatedStart..<cursor)
    case "y":
      insert(killed)
      return .changed
    case "t": return transpose()
    case "l": return .clearsScreen
    case "r":
      search = Search(in: recall)
      return .changed
    case "c":
      let wasEmpty = characters.isEmpty
      replace(with: "")
      recall.leave()
      return .interrupted(wasEmpty: wasEmpty)
    case "d":
      if characters.isEmpty { return .ended }
      return remove(cursor..<cursor + 1)
    case "z": return .suspended
    case _: return .ignored
    }
  }

  private mutating func handleAlt(_ letter: Character) -> Outcome {
    switch letter {
    case "b": return move(to: wordStart)
    case "f": return move(to: wordEnd)
    case "d": return kill(cursor..<wordEnd)
    case "\u{7F}": return kill(wordStart..<cursor)
    case _: return .ignored
    }
  }

  private mutating func enter() -> Outcome {
    // A backslash at the end asks for another line, as in a shell.
    if cursor == characters.count, characters.last == "\\" {
      _ = remove(cursor - 1..<cursor)
      insert("\n")
      return .changed
    }
    return .submitted(text)
  }

  // MARK: Changing the text

  mutating func replace(with text: String) {
    characters = Array(text)
    cursor = characters.count
  }

  /// Inserts at the cursor. A mark joins the character before it, and so may the parts of an emoji.
  mutating func insert(_ text: String) {
    let start = max(0, cursor - 1)
    let end = min(characters.count, cursor + 1)
    let before = String(characters[start..<cursor]) + text
    let joined = Array(before + String(characters[cursor..<end]))
    characters.replaceSubrange(start..<end, with: joined)
    cursor = start + min(Array(before).count, joined.count)
  }

  private mutating func remove(_ range: Range<Int>) -> Outcome {
    let range = range.clamped(to: 0..<characters.count)
    guard !range.isEmpty else { return .ignored }
    let start = max(0, range.lowerBound - 1)
    let end = min(characters.count, range.upperBound + 1)
    let before = String(characters[start..<range.lowerBound])
    // What is left on both sides may be one character now.
    let joined = Array(before + String(characters[range.upperBound..<end]))
    characters.replaceSubrange(start..<end, with: joined)
    cursor = start + min(Array(before).count, joined.count)
    return .changed
  }

  private mutating func kill(_ range: Range<Int>) -> Outcome {
    let range = range.clamped(to: 0..<characters.count)
    guard !range.isEmpty else { return .ignored }
    killed = String(characters[range])
    return remove(range)
  }

  /// Exchanges the characters around the cursor, at the end of a line the last two.
  private mutating func transpose() -> Outcome {
    let right = cursor == lineEnd ? cursor - 1 : cursor
    guard right > lineStart else { return .ignored }
    characters.swapAt(right - 1, right)
    cursor = right + 1
    return .changed
  }

  // MARK: Moving

  mutating func move(to place: Int) -> Outcome {
    guard place != cursor, (0...characters.count).contains(place) else { return .ignored }
    cursor = place
    return .changed
  }

  /// Of the line that the cursor is in.
  private var lineStart: Int { (characters[..<cursor].lastIndex(of: "\n") ?? -1) + 1 }
  private var lineEnd: Int { characters[cursor...].firstIndex(of: "\n") ?? characters.count }

  private var wordStart: Int {
    let end = characters[..<cursor].lastIndex(where: Self.isOfWord).map { $0 + 1 } ?? 0
    return characters[..<end].lastIndex { !Self.isOfWord($0) }.map { $0 + 1 } ?? 0
  }

  private var wordEnd: Int {
    let start = characters[cursor...].firstIndex(where: Self.isOfWord) ?? characters.count
    return characters[start...].firstIndex { !Self.isOfWord($0) } ?? characters.count
  }

  /// Of what Ctrl-W takes away, which only white space ends.
  private var blankSeparatedStart: Int {
    let end = characters[..<cursor].lastIndex { !$0.isWhitespace }.map { $0 + 1 } ?? 0
    return characters[..<end].lastIndex(where: \.isWhitespace).map { $0 + 1 } ?? 0
  }

  private static func isOfWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }

  /// To the line above; in the first one to the message before.
  private mutating func moveUp() -> Outcome {
    if lineStart > 0 {
      let column = cursor - lineStart
      let end = lineStart - 1
      let start = (characters[..<end].lastIndex(of: "\n") ?? -1) + 1
      return move(to: min(start + column, end))
    }
    guard let earlier = recall.earlier(than: text) else { return .ignored }
    replace(with: earlier)
    return .changed
  }

  private mutating func moveDown() -> Outcome {
    if lineEnd < characters.count {
      let column = cursor - lineStart
      let start = lineEnd + 1
      let end = characters[start...].firstIndex(of: "\n") ?? characters.count
      return move(to: min(start + column, end))
    }
    guard let later = recall.later(than: text) else { return .ignored }
    replace(with: later)
    return .changed
  }
}
