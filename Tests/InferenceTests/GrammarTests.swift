import Inference
import Testing

/// What each kind of node lets pass, by table.
@Suite struct GrammarTests {
  private struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var make: @Sendable (inout Grammar) -> Grammar.NodeID
    var accepted: [String]
    var refused: [String]
    /// The shortest string of all.
    var shortest: String
    var testDescription: String { name }
  }

  private static let cases: [Case] = [
    Case(
      name: "literal", make: { $0.add(.literal(Array("abc".utf8))) }, accepted: ["abc"],
      refused: ["", "ab", "abcd", "abd", "Abc"], shortest: "abc"),
    Case(
      name: "empty literal", make: { $0.add(.literal([])) }, accepted: [""], refused: ["a"], shortest: ""),
    Case(
      name: "sequence",
      make: { g in g.add(.sequence([g.text("a"), g.add(.literal([])), g.text("bc"), g.add(.sequence([]))])) },
      accepted: ["abc"], refused: ["a", "bc", "abcabc"], shortest: "abc"),
    Case(
      name: "choice of like beginnings",
      make: { g in g.add(.choice(["true", "tr", "t!", "nil"].map { g.text($0) })) },
      accepted: ["true", "tr", "t!", "nil"], refused: ["", "t", "tru", "trnil"], shortest: "tr"),
    Case(
      name: "words", make: { $0.add(.words(["car", "cart", "dog", "cat", "cat"].map { Array($0.utf8) })) },
      accepted: ["car", "cart", "cat", "dog"], refused: ["", "ca", "carts", "do"], shortest: "car"),
    Case(
      name: "list", make: { g in g.add(.list(item: g.digits(), separator: [44], minimum: 2, maximum: 3)) },
      accepted: ["1,2", "12,3,456"], refused: ["", "1", "1,", "1,,2", "1,2,3,4", ",1,2"], shortest: "0,0"),
    Case(
      name: "list from none", make: { g in g.add(.list(item: g.digits(), separator: [44], minimum: 0, maximum: nil)) },
      accepted: ["", "1", "1,2,3,4,5,6,7,8"], refused: [",", "1,", "1 2"], shortest: ""),
    Case(
      name: "list of none", make: { g in g.add(.list(item: g.digits(), separator: [44], minimum: 0, maximum: 0)) },
      accepted: [""], refused: ["1"], shortest: ""),
    Case(
      name: "list without separator",
      make: { g in g.add(.list(item: g.text("ab"), separator: [], minimum: 1, maximum: 3)) },
      accepted: ["ab", "abab", "ababab"], refused: ["", "aba", "abababab"], shortest: "ab"),
    Case(
      name: "list of items that may be empty",
      make: { g in
        let item = g.add(.choice([g.text("x"), g.add(.literal([]))]))
        return g.add(.list(item: item, separator: [59], minimum: 3, maximum: 3))
      }, accepted: [";;", "x;;x", "x;x;x"], refused: ["", ";", ";;;", "xx;;"], shortest: ";;"),
    Case(
      name: "members",
      make: { g in
        let members = [("a", false), ("b", true), ("c", false), ("d", true), ("e", false)]
        return g.add(.members(members.map { (node: g.text($0.0), isRequired: $0.1) }, separator: [44]))
      }, accepted: ["b,d", "a,b,d", "b,c,d", "a,b,c,d,e", "b,d,e"],
      refused: ["", "a", "a,d", "d,b", "b", "b,d,", ",b,d", "b,c", "b,,d", "b,b,d"], shortest: "b,d"),
    Case(
      name: "optional members",
      make: { g in
        g.add(.members(["a", "b", "c"].map { (node: g.text($0), isRequired: false) }, separator: [44]))
      }, accepted: ["", "a", "c", "a,c", "a,b,c", "b,c"], refused: [",", "a,", "b,a", "ab"], shortest: ""),
    Case(
      name: "counted characters", make: { $0.characters(2, 3) },
      accepted: ["ab", "abc", "éé", "😀a😀", "\\nb", "\\n\\n\\n"],
      refused: ["", "a", "é", "abcd", "éééé", "\\n\\n\\nn", "\\", "a\\"], shortest: "!!"),
    Case(
      name: "recursion",
      make: { g in
        let value = g.reserve()
        let items = g.add(.list(item: value, separator: [44], minimum: 0, maximum: nil))
        g.define(value, .choice([g.digits(), g.add(.sequence([g.text("["), items, g.text("]")]))]))
        return value
      }, accepted: ["1", "[]", "[[],[1,[2]]]", "[[[[[[]]]]]]"], refused: ["", "[", "[1", "[1,]", "]", "[]]"],
      shortest: "0"),
  ]

  @Test(arguments: cases) private func languages(_ example: Case) throws {
    var grammar = Grammar()
    grammar.root = example.make(&grammar)
    let follower = try GrammarFollower(grammar)
    for text in example.accepted { #expect(accepts(follower, text), "\(text) should pass") }
    for text in example.refused { #expect(!accepts(follower, text), "\(text) should not pass") }
    #expect(String(decoding: follower.shortestCompletion(), as: UTF8.self) == example.shortest)
    for text in example.accepted { expectShortestEnds(follower, text) }
  }

  private func accepts(_ follower: GrammarFollower, _ text: String) -> Bool {
    var follower = follower
    return follower.advance(text.utf8) == text.utf8.count && follower.isComplete
  }

  /// After each byte the shortest completion completes, and is no longer than what really came.
  private func expectShortestEnds(_ start: GrammarFollower, _ text: String) {
    var follower = start
    let bytes = Array(text.utf8)
    for (index, byte) in bytes.enumerated() {
      #expect(follower.advance([byte]) == 1)
      var copy = follower
      let completion = copy.shortestCompletion()
      #expect(completion.count <= bytes.count - index - 1)
      #expect(completion.isEmpty == follower.isComplete)
      #expect(copy.advance(completion) == completion.count && copy.isComplete)
    }
  }

  @Test func whatMustFollow() throws {
    var grammar = Grammar()
    let choice = grammar.add(.choice([grammar.text("true"), grammar.text("trap")]))
    grammar.root = grammar.add(.sequence([grammar.text("{\"key\":"), choice, grammar.text("}")]))
    var follower = try GrammarFollower(grammar)
    #expect(follower.forcedBytes() == Array("{\"key\":tr".utf8))
    #expect(follower.forcedBytes(limit: 3) == Array("{\"k".utf8))
    _ = follower.advance("{\"key\":tru".utf8)
    #expect(follower.forcedBytes() == Array("e}".utf8))
    _ = follower.advance("e}".utf8)
    #expect(follower.isComplete && follower.isExhausted && follower.forcedBytes().isEmpty)
  }

  @Test func refusedGrammars() {
    func error(_ make: (inout Grammar) -> Grammar.NodeID?) -> ConstraintError? {
      var grammar = Grammar()
      grammar.root = make(&grammar)
      do {
        _ = try GrammarFollower(grammar)
        return nil
      } catch {
        return error
      }
    }
    #expect(error { _ in nil } == .undefined)
    #expect(error { $0.reserve() } == .undefined)
    #expect(error { $0.add(.choice([])) } == .emptyLanguage(node: 0))
    #expect(error { $0.add(.words([])) } == .emptyLanguage(node: 0))
    #expect(error { $0.characters(3, 2) } == .emptyLanguage(node: 0))
    #expect(
      error { g in g.add(.list(item: g.text("a"), separator: [], minimum: 3, maximum: 2)) } == .emptyLanguage(node: 1))
    // A recursion without an end, to the left, through what may be empty, and a repetition of nothing.
    #expect(
      error { g in
        let list = g.reserve()
        g.define(list, .sequence([g.text("a"), list]))
        return list
      } != nil)
    #expect(
      error { g in
        let sum = g.reserve()
        g.define(sum, .choice([g.add(.sequence([sum, g.text("+")])), g.text("1")]))
        return sum
      }.map(isEndless) == true)
    #expect(
      error { g in
        let loop = g.reserve()
        let optional = g.add(.choice([g.add(.literal([])), g.text("a")]))
        g.define(loop, .choice([g.add(.sequence([optional, loop])), g.text("b")]))
        return loop
      }.map(isEndless) == true)
    #expect(
      error { g in g.add(.list(item: g.add(.literal([])), separator: [], minimum: 0, maximum: nil)) }
        == .endless(node: 1))
    #expect(error { g in g.add(.choice((0..<300).map { g.text("a\($0)") })) }.map(isTooComplex) == true)
    #expect(
      error { g in
        g.add(.list(item: g.text(String(repeating: "a", count: 1000)), separator: [], minimum: 1_000_000, maximum: nil))
      }.map(isTooComplex) == true)
  }

  private func isEndless(_ error: ConstraintError) -> Bool {
    if case .endless = error { true } else { false }
  }

  private func isTooComplex(_ error: ConstraintError) -> Bool {
    if case .tooComplex = error { true } else { false }
  }

  @Test func recursionHasABound() throws {
    var grammar = Grammar()
    let value = grammar.reserve()
    let items = grammar.add(.list(item: value, separator: [44], minimum: 0, maximum: nil))
    grammar.define(value, .sequence([grammar.text("["), items, grammar.text("]")]))
    grammar.root = value
    grammar.recursionLimit = 64
    var follower = try GrammarFollower(grammar)
    #expect(follower.advance(String(repeating: "[", count: 100).utf8) == 64)
    #expect(follower.forcedBytes() == [93])
    #expect(follower.advance([44]) == 0)
    let completion = follower.shortestCompletion()
    #expect(completion == Array(repeating: 93, count: 64))
    #expect(follower.advance(completion) == 64)
    #expect(follower.isExhausted)
  }

  @Test func countersAtTheirLimits() throws {
    for (minimum, maximum) in [(0, 2_500), (2_500, nil), (2_400, 2_500)] as [(Int, Int?)] {
      var grammar = Grammar()
      let text = grammar.characters(minimum, maximum)
      grammar.root = grammar.add(.sequence([text, grammar.text("\"")]))
      var follower = try GrammarFollower(grammar)
      #expect(follower.shortestCompletion().count == minimum + 1)
      for count in 0..<2_500 {
        var copy = follower
        #expect(copy.advance([34]) == (count >= minimum ? 1 : 0))
        if count % 250 == 249 {
          #expect(follower.shortestCompletion().count == max(0, minimum - count) + 1)
        }
        #expect(follower.advance("é".utf8) == 2)
      }
      var copy = follower
      #expect(copy.advance("é".utf8) == (maximum == nil ? 2 : 0))
      #expect(follower.advance([34]) == 1 && follower.isExhausted)
    }
  }

  @Test func twentyThousandWords() throws {
    var grammar = Grammar()
    let words = (0..<20_000).map { Array("value number \($0)".utf8) }
    grammar.root = grammar.add(.words(words))
    let follower = try GrammarFollower(grammar)
    for index in stride(from: 0, to: 20_000, by: 997) {
      var copy = follower
      #expect(copy.advance(words[index]) == words[index].count && copy.isComplete)
      #expect(copy.isExhausted == (index == 0 || index >= 2_000))
    }
    var copy = follower
    #expect(copy.advance("value number 20000".utf8) == 17)
  }
}

extension Grammar {
  mutating func text(_ string: String) -> NodeID { add(.literal(Array(string.utf8))) }

  /// One decimal digit or more.
  mutating func digits() -> NodeID {
    machine(.repeated(.byte(48...57), minimum: 1, maximum: nil))
  }

  mutating func machine(_ language: RegularLanguage, minimum: Int = 0, maximum: Int? = nil) -> NodeID {
    guard let machine = try? ByteMachine(language) else { return add(.choice([])) }
    return add(.machine(machine, minimum: minimum, maximum: maximum))
  }

  /// Characters of `RegularLanguage.characters`, counted.
  mutating func characters(_ minimum: Int, _ maximum: Int?) -> NodeID {
    machine(.characters, minimum: minimum, maximum: maximum)
  }
}

extension RegularLanguage {
  /// Any characters but controls, space, quote and backslash, or a backslash and one of n, t and the two.
  static var characters: RegularLanguage {
    let tail = RegularLanguage.byte(0x80...0xBF)
    let scalar = RegularLanguage.choice([
      .byte(0x21...0x21), .byte(0x23...0x5B), .byte(0x5D...0x7E), .sequence([.byte(0xC2...0xDF), tail]),
      .sequence([.byte(0xE0...0xE0), .byte(0xA0...0xBF), tail]), .sequence([.byte(0xE1...0xEC), tail, tail]),
      .sequence([.byte(0xED...0xED), .byte(0x80...0x9F), tail]), .sequence([.byte(0xEE...0xEF), tail, tail]),
      .sequence([.byte(0xF0...0xF0), .byte(0x90...0xBF), tail, tail]),
      .sequence([.byte(0xF1...0xF3), tail, tail, tail]),
      .sequence([.byte(0xF4...0xF4), .byte(0x80...0x8F), tail, tail]),
      .sequence([.bytes([0x5C]), .choice([.bytes([0x6E]), .bytes([0x74]), .bytes([0x22]), .bytes([0x5C])])]),
    ])
    return .repeated(.character(scalar), minimum: 0, maximum: nil)
  }
}
