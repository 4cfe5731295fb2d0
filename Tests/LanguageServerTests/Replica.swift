import AssistantProtocol
import JSON
import LanguageServer

/// A text as an editor holds it, written as simply as can be: the measure for what the face makes of the same changes.
struct Replica {
  var scalars: [Unicode.Scalar]

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  var text: String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }

  /// The lines as ranges of scalars, without their ends.
  var lines: [Range<Int>] {
    var lines: [Range<Int>] = []
    var (start, index) = (0, 0)
    while index < scalars.count {
      if scalars[index] == "\r" || scalars[index] == "\n" {
        lines.append(start..<index)
        if scalars[index] == "\r", index + 1 < scalars.count, scalars[index + 1] == "\n" { index += 1 }
        start = index + 1
      }
      index += 1
    }
    return lines + [start..<scalars.count]
  }

  /// The scalar before which a position lies.
  func index(of position: Position, _ encoding: PositionEncoding) -> Int {
    let lines = lines
    guard position.line < lines.count else { return scalars.count }
    var (index, units) = (lines[position.line].lowerBound, 0)
    while index < lines[position.line].upperBound, units + encoding.length(of: scalars[index]) <= position.character {
      units += encoding.length(of: scalars[index])
      index += 1
    }
    return index
  }

  func position(of index: Int, _ encoding: PositionEncoding) -> Position {
    let lines = lines
    let line = lines.lastIndex { $0.lowerBound <= index } ?? 0
    let end = min(index, lines[line].upperBound)
    return Position(
      line: line, character: scalars[lines[line].lowerBound..<end].reduce(0) { $0 + encoding.length(of: $1) })
  }

  /// Makes edits that all mean the text as it is, as `workspace/applyEdit` wants it.
  mutating func apply(_ edits: [DocumentEdit], _ encoding: PositionEncoding) {
    for edit in edits.reversed() {
      let range = index(of: edit.range.start, encoding)..<index(of: edit.range.end, encoding)
      scalars.replaceSubrange(range, with: edit.newText.unicodeScalars)
    }
  }
}

extension DocumentRange {
  init(_ startLine: Int, _ startCharacter: Int, _ endLine: Int, _ endCharacter: Int) {
    self.init(
      start: Position(line: startLine, character: startCharacter), end: Position(line: endLine, character: endCharacter)
    )
  }
}

/// A document with that text, version 1.
func document(_ text: String, _ encoding: PositionEncoding = .utf16, language: String = "markdown") -> Document {
  Document(uri: "file:///a", languageID: language, version: 1, text: text, encoding: encoding)
}
