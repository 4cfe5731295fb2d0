import Synchronization

/// Finds the strings of a text that have to be the same in every rewriting of it: numbers and dates, addresses, links,
/// code, short strong emphasis, LaTeX, emoji, tags and placeholders, and what the caller names.
package enum ProtectedText {
  /// Each string once, in the order of the text. Strings of the caller's that the text does not hold are left out.
  /// - Parameter language: what the text is written in, as an editor names it.
  package static func find(in text: String, protect: [String] = [], language: String? = nil) -> [String] {
    var scanner = ProtectedScanner(text, syntax: Syntax(language: language))
    var found = protect.filter { !$0.isBlank && text.hasBytes(of: $0) }
    found += scanner.scan()
    var seen = Set<[UInt8]>()
    return found.filter { seen.insert(Array($0.utf8)).inserted }
  }

  /// Those of the strings that the text does not hold.
  package static func lost(_ strings: [String], in text: String) -> [String] {
    strings.filter { place(of: $0, in: text) == nil }
  }

  /// Where the text holds the string byte for byte; a number not as a part of a longer one, and a day or month that
  /// began a sentence perhaps inside one.
  static func place(of string: String, in text: String) -> Range<String.Index>? {
    exactPlace(of: string, in: text) ?? CalendarName.insideSentence(string).flatMap { exactPlace(of: $0, in: text) }
  }

  private static func exactPlace(of string: String, in text: String) -> Range<String.Index>? {
    var from = text.startIndex
    while let range = text.byteRange(of: string, from: from) {
      if stands(range, in: text) { return range }
      from = text.unicodeScalars.index(after: range.lowerBound)
    }
    return nil
  }

  /// Whether a string that begins or ends with a digit stands there with no other digit beside it.
  private static func stands(_ range: Range<String.Index>, in text: String) -> Bool {
    let scalars = text.unicodeScalars
    if scalars[range.lowerBound].isDigit, range.lowerBound > text.startIndex,
      scalars[scalars.index(before: range.lowerBound)].isDigit
    {
      return false
    }
    guard range.upperBound < text.endIndex else { return true }
    return !(scalars[scalars.index(before: range.upperBound)].isDigit && scalars[range.upperBound].isDigit)
  }
}

/// The protected strings of a text, looked for when they are first asked for: the engine may refuse the text before.
final class ProtectedStrings: Sendable {
  private let found = Mutex<[String]?>(nil)
  private let find: @Sendable () -> [String]

  init(_ text: String, protect: [String], language: String?) {
    find = { ProtectedText.find(in: text, protect: protect, language: language) }
  }

  var all: [String] {
    found.withLock { known in
      let all = known ?? find()
      known = all
      return all
    }
  }
}

extension String {
  /// Whether the string occurs byte for byte.
  func hasBytes(of other: String) -> Bool { byteRange(of: other, from: startIndex) != nil }

  /// The next place of the string, byte for byte, at the border of scalars.
  func byteRange(of other: String, from start: String.Index) -> Range<String.Index>? {
    Self.byteRange(of: other, in: utf8[start...])
  }

  /// The first place of a string in bytes.
  static func byteRange(of other: String, in bytes: Substring.UTF8View) -> Range<String.Index>? {
    guard let first = other.utf8.first else { return nil }
    var index = bytes.startIndex
    while let candidate = bytes[index...].firstIndex(of: first) {
      var (here, there) = (candidate, other.utf8.startIndex)
      while here < bytes.endIndex, there < other.endIndex, bytes[here] == other.utf8[there] {
        here = bytes.index(after: here)
        there = other.utf8.index(after: there)
      }
      if there == other.endIndex { return candidate..<here }
      index = bytes.index(after: candidate)
    }
    return nil
  }
}
