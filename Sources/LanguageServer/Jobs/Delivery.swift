import AssistantProtocol

/// What is done with an answer.
package enum Delivery: Sendable, Equatable {
  /// Parts of the selection are written anew.
  case rewrite([Hunk])
  /// The selection is replaced, without the white space at its ends.
  case replace(String)
  /// A block of its own stands before or behind the selection.
  case insertAbove(String)
  case insertBelow(String)
  case newDocument(String)
  case show(String)
}

/// A part of a source text, in UTF-8, and what stands there instead.
package struct Hunk: Sendable, Equatable {
  package var range: Range<Int>
  package var text: String
  package init(_ range: Range<Int>, _ text: String) {
    self.range = range
    self.text = text
  }

  /// What makes `text` of `source`. The assistant's own changes are taken where they do just that; else one part that
  /// holds all differences.
  package static func hunks(
    from source: String, to text: String, _ edits: [TextEdit], in encoding: PositionEncoding
  ) -> [Hunk] {
    let (old, new) = (Array(source.utf8), Array(text.utf8))
    if old == new { return [] }
    if let offsets = encoding.offsets(of: edits.flatMap { [$0.start, $0.end] }, in: old) {
      let hunks = edits.indices.map { Hunk(offsets[2 * $0]..<offsets[2 * $0 + 1], edits[$0].newText) }
      if hunks.allSatisfy({ !splitsLineEnd($0.range, old) }), applying(hunks, to: old) == new { return hunks }
    }
    let (range, rest) = DocumentText(source).smallest(0..<old.count, new)
    return [Hunk(range, String(decoding: rest, as: UTF8.self))]
  }

  private static func applying(_ hunks: [Hunk], to old: [UInt8]) -> [UInt8] {
    var (result, place): ([UInt8], Int) = ([], 0)
    for hunk in hunks {
      result += old[place..<hunk.range.lowerBound]
      result += hunk.text.utf8
      place = hunk.range.upperBound
    }
    return result + old[place...]
  }

  /// Whether a border lies inside CRLF, where no position is.
  private static func splitsLineEnd(_ range: Range<Int>, _ bytes: [UInt8]) -> Bool {
    [range.lowerBound, range.upperBound].contains { place in
      place > 0 && place < bytes.count && bytes[place] == Byte.lineFeed && bytes[place - 1] == Byte.carriageReturn
    }
  }
}

extension Document {
  /// The edits that deliver to a range as it is now; none for what is no edit of this document.
  package func edits(for delivery: Delivery, at range: Range<Int>) -> [DocumentEdit] {
    switch delivery {
    case .rewrite(let hunks):
      return hunks.map { hunk in
        edit(range.lowerBound + hunk.range.lowerBound..<range.lowerBound + hunk.range.upperBound, hunk.text)
      }
    case .replace(let new): return [edit(text.trimmed(range), withLineEnds(new))]
    case .insertAbove(let block): return [insertion(of: block, above: text.trimmed(range))]
    case .insertBelow(let block): return [insertion(of: block, below: text.trimmed(range))]
    case .newDocument, .show: return []
    }
  }

  private func edit(_ range: Range<Int>, _ newText: String) -> DocumentEdit {
    DocumentEdit(range: text.range(range, in: encoding), newText: newText)
  }

  /// Before the first line of the range, with a blank line on either side.
  private func insertion(of block: String, above range: Range<Int>) -> DocumentEdit {
    let (line, end) = (text.line(at: range.lowerBound), text.lineEnd)
    let isApart = line == 0 || text.isBlank(line: line - 1)
    let start = text.content(ofLine: line).lowerBound
    return edit(start..<start, (isApart ? "" : end) + withLineEnds(block) + end + end)
  }

  /// Behind the last line of the range, with a blank line on either side.
  private func insertion(of block: String, below range: Range<Int>) -> DocumentEdit {
    let (line, end) = (text.line(at: range.upperBound), text.lineEnd)
    let isApart = line + 1 == text.lineCount || text.isBlank(line: line + 1)
    let place = text.content(ofLine: line).upperBound
    let before = text.isBlank(line: line) ? (line == 0 || text.isBlank(line: line - 1) ? "" : end) : end + end
    return edit(place..<place, before + withLineEnds(block) + (isApart ? "" : end))
  }

  /// A text of the assistant's with the document's line ends.
  package func withLineEnds(_ block: String) -> String {
    block.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.joined(separator: text.lineEnd)
  }
}
