import Assistant
import TestSupport
import Testing

/// Where texts are cut: sentences by table, and what holds for every text.
@Suite struct TextSplitterTests {
  /// The sentences of a text are divided by `|` in the row.
  private func check(_ marked: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let expected = marked.unicodeScalars.split(separator: "|").map { Array($0) }
    let text = Array(expected.joined())
    let found = TextSplitter.sentences(in: text[...]).map { Array(text[$0]) }
    #expect(found == expected, "\(found.map(Self.string))", sourceLocation: sourceLocation)
  }

  private static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
  }

  @Test(arguments: [
    "One. |Two! |Three? |Four… |Five", "No end", "Wait... |What?! |Yes.", "Wait ... what", "a. b. c", "How? |fine! |ok",
    "Dr. Smith met Mrs. Jones. |They spoke.", "J. R. R. Tolkien wrote it. |He did.", "It was I. |So what.",
    "Costs are 3.5 million. |In 1990. |Then 2.", "See example.org for more. |Or www.a.b, it said.",
    "Use e.g. Apples, i.e. Fruit. |Done.", "Das ist z. B. Unsinn, d.h. Quatsch. |Ja.", "approx. five. |Six.",
    "He said “Stop.” |Then left.", "“Really?” he asked. |“Yes.” |(Nobody knew.) |[1] Next.", "Who?), he said. |Me.",
    "*Bold end.* |Next. |_So._ |Yes.", "¿Qué? |¡No! |Sí.", "Ja. |«Bon.» |„Da.“ |Du.",
    "今日は晴れ。|明日は雨！|「本当？」|はい。", "你好。|你好", "これは3.5です。|次。", "مرحبا. |كيف؟ |نعم",
    "नमस्ते। |कैसे हो?", "First line\nstill first. |Second", "- one\n|- two\n|- three", "1. One\n|2. Two\n|10) Ten",
    "# Head\n|Text goes on.", "Items:\n|• a\n|• b\n  more of b\n|• c", "End.\n\n|\"New\"",
    "end.\n\n|lower", "a\n\n|b", "- Aa.\r\n|- Bb.\r\nmore\r\n\r\n|Cc", "Aa.\r\n|Bb.\r\n\r\n|Cc", "", " ", "\n\n", "...",
    "? ", "Mr.", "Hm. |X", "1990. |The", "Plan 9. |Next",
  ])
  func sentences(_ row: String) { check(row) }

  @Test(arguments: [
    ["One\ntwo"], ["One\n\n", "Two"], ["One\n \t\n\n", "Two\n"], ["\n\nOne\n\n", "Two\n\n\n"],
    ["One\r\n\r\n", "  Two"],
    ["One\u{2028}\u{2028}", "Two"], [" \n \n"], ["a\r\r", "b"], ["a\r\nb"],
  ])
  func paragraphs(_ expected: [String]) {
    let text = Array(expected.joined().unicodeScalars)
    #expect(TextSplitter.paragraphs(in: text[...]).map { Self.string(text[$0]) } == expected)
  }

  private static let alphabet: [String] = [
    "a", "Bc", "word", " ", "  ", "\n", "\n\n", "\r\n", "\t", ".", "!", "?", "…", "...", "。", "！", "你", "日本", "😀", "👩‍👩‍👧",
    "e\u{301}", "\u{301}", "\"", "”", "(", ")", "Dr", "3", "1.", "- ", "# ", "|", "שלום", "\u{2029}", "\u{0}", "i.e.",
  ]

  /// Every scalar is in exactly one part, no part is too long, and nothing that fits is cut.
  @Test func everyTextIsCoveredByItsParts() {
    var random = SplitMix64(seed: 7)
    for _ in 0..<150 {
      let string = (0..<random.int(in: 0..<200)).map { _ in random.pick(Self.alphabet) }.joined()
      let text = Array(string.unicodeScalars)
      let density = TokenDensity(tokens: random.int(in: 0..<400), in: string)
      let limit = Double(random.int(in: 1..<60))
      let parts = TextParts.parts(of: text[...], limit: limit, density: density)
      #expect(parts.map { Self.string(text[$0]) }.joined().hasSameScalars(as: string))
      for (left, right) in zip(parts, parts.dropFirst()) { #expect(left.upperBound == right.lowerBound) }
      for part in parts {
        let body = Self.trimmed(text[part])
        #expect(density.tokens(in: body) <= limit + 0.001 || body.count == 1)
        if parts.count > 1 { #expect(!body.isEmpty) }
      }
      let borders = Set(parts.dropLast().map(\.upperBound))
      var units = TextSplitter.paragraphs(in: text[...])
      units += units.flatMap { TextSplitter.sentences(in: text[$0]) }
      for unit in units where density.tokens(in: text[unit]) <= limit {
        let cuts = borders.filter { unit.lowerBound < $0 && $0 < unit.upperBound }
        // White space that goes with a neighbour is no cut.
        for cut in cuts {
          let isInside =
            text[unit.lowerBound..<cut].contains { !$0.properties.isWhitespace }
            && text[cut..<unit.upperBound].contains { !$0.properties.isWhitespace }
          #expect(!isInside, "\(string.debugDescription) at \(cut)")
        }
      }
    }
  }

  private static func trimmed(_ text: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> {
    var body = text.drop { $0.properties.isWhitespace }
    while let last = body.last, last.properties.isWhitespace { body.removeLast() }
    return body
  }

  @Test func partsAreOfAboutTheSameSize() {
    let string = (0..<100).map { "Sentence number \($0) is here. " }.joined()
    let text = Array(string.unicodeScalars)
    let density = TokenDensity(tokens: 1_000, in: string)
    let parts = TextParts.parts(of: text[...], limit: 300, density: density)
    #expect(parts.count == 4)
    for part in parts { #expect((200.0...300.0).contains(density.tokens(in: text[part]))) }
  }

  /// Texts without an end in sight, of a length that a request may have; quadratic work would take hours for them.
  @Test(arguments: ["a", "a ", "\n", ". ", "(", "- \n", "a.\n\n", "e\u{301}", "。", "\"", "1. "])
  func hostileTextsTakeLinearTime(_ unit: String) {
    let string = String(repeating: unit, count: (1 << 19) / unit.utf8.count)
    let text = Array(string.unicodeScalars)
    let density = TokenDensity(tokens: text.count, in: string)
    let start = ContinuousClock.now
    let parts = TextParts.parts(of: text[...], limit: 500, density: density)
    #expect(parts.first?.lowerBound == 0 && parts.last?.upperBound == text.count)
    #expect(start.duration(to: .now) < .seconds(60))
  }
}

extension String {
  fileprivate func hasSameScalars(as other: String) -> Bool { unicodeScalars.elementsEqual(other.unicodeScalars) }
}
