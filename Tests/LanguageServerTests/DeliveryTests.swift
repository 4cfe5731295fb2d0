import AssistantProtocol
import JSON
import LanguageServer
import Testing

@Suite struct DeliveryTests {
  /// A text with the selection between brackets, and what it is after the delivery.
  private func check(
    _ marked: String, _ delivery: Delivery, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let start = marked.utf8.count - marked.drop { $0 != "[" }.utf8.count
    let end = marked.utf8.count - marked.drop { $0 != "]" }.utf8.count - 1
    let text = String(marked.filter { $0 != "[" && $0 != "]" })
    for encoding in PositionEncoding.allCases {
      var replica = Replica(text)
      replica.apply(document(text, encoding).edits(for: delivery, at: start..<end), encoding)
      #expect(Array(replica.text.utf8) == Array(expected.utf8), sourceLocation: sourceLocation)
    }
  }

  @Test func rewriting() {
    check("😀 say [gonna go] 😀", .rewrite([Hunk(0..<5, "going to")]), "😀 say going to go 😀")
    check("a [b c d] e", .rewrite([Hunk(0..<1, "é"), Hunk(4..<5, "日")]), "a é c 日 e")
    check("a [ b\n] e", .replace("x\ny"), "a  x\ny\n e")
    check("a\r\n[b]", .replace("x\ny"), "a\r\nx\r\ny")
  }

  @Test func blocks() {
    check("[one]", .insertAbove("S"), "S\n\none")
    check("a\n\n[one]\n", .insertAbove("S"), "a\n\nS\n\none\n")
    check("a\n[one\ntwo]\n", .insertAbove("S"), "a\n\nS\n\none\ntwo\n")
    check("a\r\n\r\nb [one]", .insertAbove("S\nT"), "a\r\n\r\nS\r\nT\r\n\r\nb one")
    check("[\n\none]", .insertAbove("S"), "\n\nS\n\none")
    check("[one]", .insertBelow("I"), "one\n\nI")
    check("[one]\n", .insertBelow("I"), "one\n\nI\n")
    check("[one\n]two\n", .insertBelow("I"), "one\n\nI\n\ntwo\n")
    check("[on]e\n\ntwo", .insertBelow("I\nJ"), "one\n\nI\nJ\n\ntwo")
    check("one\r\n[two]\r\nthree", .insertBelow("I\nJ"), "one\r\ntwo\r\n\r\nI\r\nJ\r\n\r\nthree")
    check("[]", .insertBelow("I"), "I")
    check("one\n[]", .insertBelow("I"), "one\n\nI")
    check("one\n\n[]\ntwo", .insertBelow("I"), "one\n\nI\n\ntwo")
  }

  @Test func hunksOfAnAnswer() {
    func check(
      _ source: String, _ text: String, _ edits: [TextEdit], _ expected: [Hunk],
      _ encoding: PositionEncoding = .utf8, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let hunks = Hunk.hunks(from: source, to: text, edits, in: encoding)
      #expect(hunks == expected, sourceLocation: sourceLocation)
    }
    check("a b c", "a b c", [], [])
    let two = [TextEdit(start: 0, end: 1, newText: "x"), TextEdit(start: 4, end: 5, newText: "z")]
    check("a b c", "x b z", two, [Hunk(0..<1, "x"), Hunk(4..<5, "z")])
    check("😀b c", "😀x c", [TextEdit(start: 2, end: 3, newText: "x")], [Hunk(4..<5, "x")], .utf16)
    check("😀b c", "😀x c", [TextEdit(start: 1, end: 2, newText: "x")], [Hunk(4..<5, "x")], .utf32)
    // What does not make the text of the source is not believed.
    check("a b c", "a x c", [], [Hunk(2..<3, "x")])
    check("a b c", "a x c", two, [Hunk(2..<3, "x")])
    check("a b c", "x b z", two.reversed(), [Hunk(0..<5, "x b z")])
    check("a b c", "a x c", [TextEdit(start: 2, end: 90, newText: "x c")], [Hunk(2..<3, "x")])
    check("é", "e", [TextEdit(start: 1, end: 2, newText: "e")], [Hunk(0..<2, "e")])
    check("a\r\nb", "a\rb", [TextEdit(start: 2, end: 3, newText: "")], [Hunk(1..<3, "\r")])
  }

  @Test func languages() {
    let expected: [(String, TextFormat)] = [
      ("markdown", .markdown), ("org", .org), ("latex", .latex), ("plaintex", .latex), ("swift", .plaintext),
      ("", .plaintext),
    ]
    for (language, format) in expected { #expect(TextFormat(languageID: language) == format) }
  }
}
