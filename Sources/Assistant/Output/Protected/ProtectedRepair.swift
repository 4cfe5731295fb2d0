/// Puts protected strings back where a model wrote them nearly right: in other case, with other spaces or quotes, a
/// number with other separators. Only when there is exactly one such place.
package enum ProtectedRepair {
  /// Longer texts are not searched, and of many strings only the first: each costs a walk through the text.
  private static let mostBytes = 200_000
  private static let mostStrings = 200

  package static func repaired(_ text: String, lost: [String]) -> String {
    guard !lost.isEmpty, text.utf8.count <= mostBytes else { return text }
    var result = Folded(text)
    for string in lost.prefix(mostStrings) where ProtectedText.place(of: string, in: result.text) == nil {
      guard let range = place(of: string, in: result) else { continue }
      result = Folded(result.text.replacingSubrange(range, with: string))
    }
    return result.text
  }

  /// A text, the same without what does not count, and where each scalar of that was.
  private struct Folded {
    let text: String
    var scalars: [Unicode.Scalar] = []
    var places: [String.Index] = []

    init(_ text: String) {
      self.text = text
      for index in text.unicodeScalars.indices {
        for scalar in ProtectedRepair.folded(text.unicodeScalars[index]) {
          scalars.append(scalar)
          places.append(index)
        }
      }
    }
  }

  /// The one place that is the string but for what does not count.
  private static func place(of string: String, in folded: Folded) -> Range<String.Index>? {
    let text = folded.text
    if let link = linkPlace(of: string, in: text) { return link }
    let wanted = Self.core(of: string)
    guard wanted.count >= 2 else { return nil }
    let (scalars, places) = (folded.scalars, folded.places)
    var found: Range<String.Index>?
    guard scalars.count >= wanted.count else { return nil }
    for start in 0...(scalars.count - wanted.count)
    where scalars[start] == wanted[0] && scalars[start..<start + wanted.count].elementsEqual(wanted) {
      let range = places[start]..<text.unicodeScalars.index(after: places[start + wanted.count - 1])
      guard isWhole(range, in: text) else { continue }
      if found != nil { return nil }
      found = Self.withMarks(range, in: text, of: string)
    }
    return found
  }

  /// No letter or digit before or behind, that would make it part of something else.
  private static func isWhole(_ range: Range<String.Index>, in text: String) -> Bool {
    let scalars = text.unicodeScalars
    if range.lowerBound > text.startIndex, scalars[scalars.index(before: range.lowerBound)].isWordPart { return false }
    return range.upperBound == text.endIndex || !scalars[range.upperBound].isWordPart
  }

  /// With the marks around it that the string has itself, such as the backticks of code.
  private static func withMarks(
    _ range: Range<String.Index>, in text: String, of string: String
  ) -> Range<String.Index> {
    var (start, end) = (range.lowerBound, range.upperBound)
    let scalars = text.unicodeScalars
    let quotes: Set<Unicode.Scalar> = ["`", "'", "\"", "“", "”", "‘", "’", "<", ">", "|", "$", "{", "}", "*", "_"]
    for scalar in string.unicodeScalars.prefix(while: { !$0.isWordPart }).reversed() {
      guard quotes.contains(scalar), start > text.startIndex else { break }
      let before = scalars.index(before: start)
      guard quotes.contains(scalars[before]) else { break }
      start = before
    }
    for scalar in string.unicodeScalars.reversed().prefix(while: { !$0.isWordPart }).reversed() {
      guard quotes.contains(scalar), end < text.endIndex, quotes.contains(scalars[end]) else { break }
      end = scalars.index(after: end)
    }
    return start..<end
  }

  private static func core(of string: String) -> [Unicode.Scalar] { string.unicodeScalars.flatMap(folded) }

  /// Nothing for white space, quotes and what groups digits; else the scalar in lower case.
  private static func folded(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    if scalar.isWordPart || scalar == "-" || scalar == "/" || scalar == "." || scalar == ":" {
      return Array(scalar.properties.lowercaseMapping.unicodeScalars)
    }
    return []
  }

  /// A link whose words were changed and whose address was kept.
  private static func linkPlace(of string: String, in text: String) -> Range<String.Index>? {
    guard string.hasSuffix(")"), let middle = string.firstRange(of: "](") else { return nil }
    let address = String(string[middle.lowerBound...])
    guard let first = text.byteRange(of: address, from: text.startIndex),
      text.byteRange(of: address, from: first.upperBound) == nil,
      let open = text[..<first.lowerBound].lastIndex(of: "["), !text[open..<first.lowerBound].contains("]")
    else { return nil }
    return open..<first.upperBound
  }
}

extension String {
  fileprivate func replacingSubrange(_ range: Range<Index>, with text: String) -> String {
    var result = self
    result.replaceSubrange(range, with: text)
    return result
  }
}
