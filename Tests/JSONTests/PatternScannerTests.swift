import JSON
import TestSupport
import Testing

/// Searching a text that arrives piece by piece.
@Suite struct PatternScannerTests {
  private static let rows: [(pattern: String, text: String, isCaseIgnored: Bool, match: Range<Int>?)] = [
    ("cat", "a cat", false, 2..<5), ("cat", "a Cat", false, nil), ("cat", "a cAt", true, 2..<5),
    ("CAT", "a cat", true, 2..<5), ("[A-C]x", "bx", true, 0..<2), ("äh", "ÄH", true, 0..<2),
    ("σοφος", "ΣΟΦΟΣ", true, 0..<5), ("ΣΟΦΟΣ", "σοφος", true, 0..<5), ("miss", "miſs", true, 0..<4),
    ("KELVIN", "\u{212A}elvin", true, 0..<6), ("\u{212A}elvin", "kelvin", true, 0..<6), ("µ", "\u{3BC}", true, 0..<1),
    ("ǅ", "Ǆ", true, 0..<1), ("istanbul", "İSTANBUL", true, 0..<8), ("straße", "STRAẞE", true, 0..<6),
    ("a|b", "xyb", false, 2..<3),
    ("^cat", "a cat", false, nil), ("^cat", "cats", false, 0..<3), ("cat$", "cats", false, nil),
    ("cat$", "a cat", false, 2..<5), ("^a$", "a", false, 0..<1), ("^a$", "aa", false, nil),
    ("a+b", "caab", false, 1..<4), ("\\d{4}-\\d{4}", "x 1234-5678 y", false, 2..<11),
    ("aab", "aaab", false, 1..<4), ("a.c|b", "axb", false, 2..<3),
    ("a[^b]*b", "a" + String(repeating: "c", count: 40), false, nil),
    ("👩‍🚀", "an 👩‍🚀", false, 3..<6), ("(a|aa)$", "aaa", false, 1..<3),
  ]

  @Test(arguments: rows.indices) func theFirstMatchIsFoundHoweverTheTextComes(_ index: Int) throws {
    let row = Self.rows[index]
    let pattern = try JSONPattern(row.pattern)
    var random = SplitMix64(seed: UInt64(index))
    for _ in 0..<8 {
      var scanner = PatternScanner(pattern, ignoresCase: row.isCaseIgnored)
      var rest = Array(row.text.unicodeScalars)[...]
      var read = 0
      while !rest.isEmpty {
        let count = Int.random(in: 1...min(3, rest.count), using: &random)
        var piece = String.UnicodeScalarView()
        piece.append(contentsOf: rest.prefix(count))
        scanner.append(String(piece))
        rest = rest.dropFirst(count)
        read += count
        // What is let go before a match is whole is never part of it.
        if case .searching(let border) = scanner.state {
          #expect(border <= min(read, row.match?.lowerBound ?? read))
        }
      }
      let found: Range<Int>? = if case .found(let range) = scanner.stateAtEnd { range } else { nil }
      #expect(found == row.match)
    }
  }

  /// The scanner and the matcher are two ways to the same answer.
  @Test func itAgreesWithTheMatcher() throws {
    let patterns = ["ab", "a(b|c)*d", "^a.b", "b$", "^(a|b)+$", "[^a]b?c{2}", "a{2,3}|dd", "(^a|b)c", "(a|b$)"]
    var random = SplitMix64(seed: 7)
    for text in patterns {
      let pattern = try JSONPattern(text)
      for _ in 0..<400 {
        let count = Int.random(in: 0...9, using: &random)
        let sample = String((0..<count).map { _ in "abcd\n".randomElement(using: &random) ?? "a" })
        var scanner = PatternScanner(pattern)
        scanner.append(sample)
        let isFound = if case .found = scanner.stateAtEnd { true } else { false }
        #expect(isFound == pattern.matches(sample), "\(text) in \(sample.debugDescription)")
      }
    }
  }

  @Test func onlyWhatMayBeginAMatchIsHeldBack() throws {
    var scanner = PatternScanner(try JSONPattern("secret"))
    for (piece, border) in [("the s", 4), ("e", 4), ("t of se", 11), ("cre", 11)] {
      scanner.append(piece)
      #expect(scanner.state == .searching(border: border))
    }
    scanner.append("t")
    #expect(scanner.state == .found(11..<17))
  }

  /// No expression makes it slow: the work for a scalar is bounded by the expression's size.
  @Test func evilExpressionsAreLinear() throws {
    var scanner = PatternScanner(try JSONPattern("(a+)+(a+)+b"))
    scanner.append(String(repeating: "a", count: 100_000))
    #expect(scanner.state == .searching(border: 0))
  }
}
