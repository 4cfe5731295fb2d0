import Assistant
import TestSupport
import Testing

/// Edits make the new text of the old one, whatever the texts.
@Suite struct EditTests {
  private static func apply(_ changes: [WordDiff.Change], to text: String) -> String {
    var bytes = Array(text.utf8)
    for change in changes.reversed() { bytes.replaceSubrange(change.range, with: Array(change.text.utf8)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func editsAreSmall() {
    let rows: [(String, String, [WordDiff.Change])] = [
      ("same", "same", []), ("", "new", [.init(range: 0..<0, text: "new")]),
      ("old", "", [.init(range: 0..<3, text: "")]),
      ("a b c", "a x c", [.init(range: 2..<3, text: "x")]), ("a b c", "a b c d", [.init(range: 5..<5, text: " d")]),
      (
        "They is here, I thinks.", "They are here, I think.",
        [.init(range: 5..<7, text: "are"), .init(range: 16..<22, text: "think")]
      ),
      ("é", "e\u{301}", [.init(range: 0..<2, text: "e\u{301}")]), ("a\r\nb", "a\nb", [.init(range: 1..<3, text: "\n")]),
    ]
    for (old, new, changes) in rows { #expect(WordDiff.changes(from: old, to: new) == changes, "\(old) → \(new)") }
  }

  @Test func editsMakeTheNewText() {
    let alphabet = [
      "a", "b", "word", " ", "  ", "\n", "\r\n", ".", "你", "好", "😀", "👩‍👩‍👧", "é", "e\u{301}", "\u{FE0F}", "7",
    ]
    var random = SplitMix64(seed: 5)
    for round in 0..<500 {
      func text() -> String {
        (0..<Int.random(in: 0...40, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "" }.joined()
      }
      let (old, new) = (text(), text())
      let changes = WordDiff.changes(from: old, to: new)
      #expect(Self.apply(changes, to: old).hasSameBytes(as: new), "round \(round)")
      for (change, next) in zip(changes, changes.dropFirst()) {
        #expect(change.range.upperBound < next.range.lowerBound)
      }
      for change in changes {
        let border = old.utf8.index(old.startIndex, offsetBy: change.range.lowerBound)
        #expect(border.samePosition(in: old.unicodeScalars) != nil)
      }
    }
  }

  /// Much work is bounded: then one change says it all.
  @Test func hugeDifferencesAreOneEdit() {
    let old = (0..<15_000).map { "a\($0)" }.joined(separator: " ")
    let new = (0..<15_000).map { "b\($0)" }.joined(separator: " ")
    let changes = WordDiff.changes(from: "x " + old + " y", to: "x " + new + " y")
    #expect(changes.count == 1)
    #expect(Self.apply(changes, to: "x " + old + " y") == "x " + new + " y")
  }
}
