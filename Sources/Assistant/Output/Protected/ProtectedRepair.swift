/// Puts protected strings back where a model wrote them nearly right: in other case, with other spaces or quotes, a
/// number with other separators. Only when there is exactly one such place.
package enum ProtectedRepair {
  /// Longer texts are not searched: each string would cost a walk through all of it.
  private static let mostBytes = 200_000

  package static func repaired(_ text: String, lost: [String]) -> String {
    guard text.utf8.count <= mostBytes else { return text }
    var result = text
    for string in lost where ProtectedText.place(of: string, in: result) == nil {
      guard let range = place(of: string, in: result) else { continue }
      result.replaceSubrange(range, with: string)
    }
    return result
  }

  /// The one place that is the string but for what does not count.
  private static func place(of string: String, in text: String) -> Range<String.Index>? {
    if let link = linkPlace(of: string, in: text) { return link }
    let wanted = Self.core(of: string)
    guard wanted.count >= 2 else { return nil }
    // The text without what does not count, and where each scalar was.
    var (scalars, places): ([Unicode.Scalar], [String.Index]) = ([], [])
    for index in text.unicodeScalars.indices {
      for scalar in Self.folded(text.unicodeScalars[index]) {
        scalars.append(scalar)
        places.append(index)
      }
    }
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
    let quotes: Set<Unicode.Scalar> = ["`", "'", "\"", "“", "”", "‘", "’", "<", ">", "|", "$", "{", "}"]
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
