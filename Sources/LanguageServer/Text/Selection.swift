/// What a person means with the range that an editor sends.
package enum Selection: Sendable, Equatable {
  case text(Range<Int>)
  /// Nothing is selected: the paragraph that the cursor stands in.
  case paragraph(Range<Int>)
  /// Nothing is selected and the cursor stands in no paragraph, or what is selected is white space.
  case nothing

  package var range: Range<Int>? {
    switch self {
    case .text(let range), .paragraph(let range): range
    case .nothing: nil
    }
  }
}

extension DocumentText {
  /// An empty range is a cursor, and so is one character: the cursor of Helix and Kakoune is a selection of one.
  package func selection(in range: Range<Int>) -> Selection {
    guard isCursor(range) else { return isBlank(range) ? .nothing : .text(range) }
    return paragraph(around: line(at: range.lowerBound)).map(Selection.paragraph) ?? .nothing
  }

  /// Whether the range is empty or holds one character, of however many scalars.
  package func isCursor(_ range: Range<Int>) -> Bool {
    // A character of more bytes than that is somebody's joke, and a selection.
    range.count <= 64 && string(in: range).count <= 1
  }

  /// The lines around this one up to the next blank ones, without the last line's end; nil in a blank line.
  private func paragraph(around line: Int) -> Range<Int>? {
    guard !isBlank(line: line) else { return nil }
    var (first, last) = (line, line)
    while first > 0, !isBlank(line: first - 1) { first -= 1 }
    while last + 1 < lineCount, !isBlank(line: last + 1) { last += 1 }
    return content(ofLine: first).lowerBound..<content(ofLine: last).upperBound
  }
}
