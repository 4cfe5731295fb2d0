import AssistantProtocol

/// A document's text as UTF-8 with the places where its lines begin. LF, CRLF and a lone CR end a line (LSP 3.17, "Text
/// Documents").
package struct DocumentText: Sendable, Equatable {
  package private(set) var bytes: [UInt8]
  /// Ascending; the first is 0. After a line end at the end of the text there is one more, empty line.
  private var lineStarts: [Int]

  package init(_ text: String) {
    bytes = Array(text.utf8)
    lineStarts = [0]
    lineStarts += (1..<max(1, bytes.count + 1)).lazy.filter(beginsLine)
  }

  package var count: Int { bytes.count }
  package var lineCount: Int { lineStarts.count }
  package var string: String { string(in: 0..<bytes.count) }

  package func string(in range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The line end that the document uses: its first one, LF when it has none.
  package var lineEnd: String {
    guard lineStarts.count > 1 else { return "\n" }
    return string(in: lineEndRange(of: 0))
  }

  package mutating func replace(_ range: Range<Int>, with new: [UInt8]) {
    bytes.replaceSubrange(range, with: new)
    // A line start depends on the bytes on both sides of it, so those at both borders are looked at again.
    let first = max(1, firstLine { $0 >= range.lowerBound })
    let last = max(first, firstLine { $0 > range.upperBound })
    let end = range.lowerBound + new.count
    let found = (max(1, range.lowerBound)..<max(1, end + 1)).filter { $0 <= bytes.count && beginsLine($0) }
    lineStarts.replaceSubrange(first..<last, with: found)
    let shift = new.count - range.count
    if shift != 0 {
      for index in (first + found.count)..<lineStarts.count { lineStarts[index] += shift }
    }
  }

  private func beginsLine(_ offset: Int) -> Bool {
    let before = bytes[offset - 1]
    return before == Byte.lineFeed
      || before == Byte.carriageReturn && !(offset < bytes.count && bytes[offset] == Byte.lineFeed)
  }

  /// The index of the first line whose start has a property that all later ones have too.
  private func firstLine(where isBeyond: (Int) -> Bool) -> Int {
    var (low, high) = (0, lineStarts.count)
    while low < high {
      let middle = (low + high) / 2
      if isBeyond(lineStarts[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

// MARK: - Lines and positions

extension DocumentText {
  /// The line that holds the offset; a line end belongs to the line that it ends.
  package func line(at offset: Int) -> Int { firstLine { $0 > offset } - 1 }

  /// A line without its end.
  package func content(ofLine line: Int) -> Range<Int> { lineStarts[line]..<lineEndRange(of: line).lowerBound }

  /// Where the line's end stands; empty in the last line.
  private func lineEndRange(of line: Int) -> Range<Int> {
    guard line + 1 < lineStarts.count else { return bytes.count..<bytes.count }
    let next = lineStarts[line + 1]
    let isPair = next >= 2 && bytes[next - 1] == Byte.lineFeed && bytes[next - 2] == Byte.carriageReturn
    return next - (isPair && next - 2 >= lineStarts[line] ? 2 : 1)..<next
  }

  package func isBlank(line: Int) -> Bool { isBlank(content(ofLine: line)) }

  /// Whether there is nothing but white space.
  package func isBlank(_ range: Range<Int>) -> Bool { trimmed(range).isEmpty }

  /// The range without white space at its ends; empty, at its start, when there is nothing else.
  package func trimmed(_ range: Range<Int>) -> Range<Int> {
    var start = range.lowerBound
    while start < range.upperBound {
      let scalar = scalar(at: start)
      guard scalar.properties.isWhitespace else { break }
      start += UTF8.width(scalar)
    }
    if start == range.upperBound { return range.lowerBound..<range.lowerBound }
    var end = range.upperBound
    while end > start {
      var before = end - 1
      while before > start, Byte.isContinuation(bytes[before]) { before -= 1 }
      guard scalar(at: before).properties.isWhitespace else { break }
      end = before
    }
    return start..<end
  }

  private func scalar(at offset: Int) -> Unicode.Scalar {
    String(decoding: bytes[offset..<min(bytes.count, offset + Byte.length(of: bytes[offset]))], as: UTF8.self)
      .unicodeScalars.first ?? "\u{FFFD}"
  }

  /// The offset of a position. What lies outside is taken for the nearest place inside: a character beyond the line for
  /// the line's end, a line beyond the text for the text's end, a place inside a scalar for the scalar's start.
  package func offset(of position: Position, in encoding: PositionEncoding) -> Int {
    guard position.line >= 0 else { return 0 }
    guard position.line < lineStarts.count else { return bytes.count }
    let line = content(ofLine: position.line)
    var (offset, units) = (line.lowerBound, 0)
    while offset < line.upperBound {
      units += encoding.length(ofScalarWith: bytes[offset])
      if units > position.character { break }
      offset += Byte.length(of: bytes[offset])
    }
    return offset
  }

  /// The position of an offset; between the two bytes of CRLF it is the line's end.
  package func position(of offset: Int, in encoding: PositionEncoding) -> Position {
    let line = line(at: offset)
    let content = content(ofLine: line)
    var units = 0
    for byte in bytes[content.lowerBound..<min(offset, content.upperBound)] where !Byte.isContinuation(byte) {
      units += encoding.length(ofScalarWith: byte)
    }
    return Position(line: line, character: units)
  }

  /// The offsets of a range; one whose ends are exchanged is turned round.
  package func offsets(of range: DocumentRange, in encoding: PositionEncoding) -> Range<Int> {
    let (start, end) = (offset(of: range.start, in: encoding), offset(of: range.end, in: encoding))
    return min(start, end)..<max(start, end)
  }

  package func range(_ offsets: Range<Int>, in encoding: PositionEncoding) -> DocumentRange {
    DocumentRange(
      start: position(of: offsets.lowerBound, in: encoding), end: position(of: offsets.upperBound, in: encoding))
  }
}
