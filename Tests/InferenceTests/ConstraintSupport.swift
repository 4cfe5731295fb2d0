import Inference
import Testing

/// A vocabulary for constrained outputs: an end, all bytes, and tokens that span parts of a document.
enum Pieces {
  static let all: [[UInt8]] =
    [[]] + (0..<256).map { [UInt8($0)] }
    + [
      "{\"", "\":", "\":\"", "\",\"", "\"}", "},{", "\"],\"", "[\"", "]}", "name", "the", "and", "12", "34", "é", "日本",
      "\"name\":", "true", "false", "abab", "\"}]", ",,", "no\"", "\\n",
    ].map { Array($0.utf8) }
    + [[0xC3, 0xA9, 0x22], [0x98, 0x80], [0xF0, 0x9F], [0x22, 0xF0]]

  static let trie = TokenTrie(
    tokenCount: all.count, bytes: { all[Int($0)] }, isUsable: { $0 != ScriptedModel.end })

  static func model(_ behaviour: ScriptedModel.Behaviour, contextSize: Int = 8192) -> ScriptedModel {
    ScriptedModel(contextSize: contextSize, pieces: all, behaviour: behaviour)
  }
}

/// Grammars at random, of every kind of node.
struct RandomGrammar {
  var random: RandomGenerator
  var grammar = Grammar()
  private var recursive: [Grammar.NodeID] = []

  init(seed: UInt64) {
    random = RandomGenerator(seed: seed)
    let top = grammar.reserve()
    recursive = [top]
    let body = node(depth: 0)
    // The way out of the recursion.
    grammar.define(
      top, .choice([grammar.text("."), grammar.add(.sequence([grammar.text("("), body, grammar.text(")")]))]))
    grammar.root = top
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private mutating func word() -> [UInt8] {
    Array(["a", "ab", "name", "\"", "é", "日", "😀", "{", "12", "the", "}", ",", "xy\""][number(0...12)].utf8)
  }

  private mutating func node(depth: Int) -> Grammar.NodeID {
    let kind = number(0...(depth > 3 ? 2 : 8))
    switch kind {
    case 0: return grammar.add(.literal(word()))
    case 1: return grammar.add(.words((0...number(0...6)).map { _ in word() + word() }))
    case 2:
      let minimum = number(0...6)
      return grammar.characters(minimum, number(0...3) == 0 ? nil : minimum + number(0...6))
    case 3, 4: return grammar.add(.sequence((0..<number(1...4)).map { _ in node(depth: depth + 1) }))
    case 5: return grammar.add(.choice((0..<number(1...4)).map { _ in node(depth: depth + 1) }))
    case 6:
      let minimum = number(0...3)
      let item = grammar.add(.sequence([grammar.text("-"), node(depth: depth + 1)]))
      let separator: [UInt8] = number(0...1) == 0 ? [] : [44]
      let maximum = number(0...2) == 0 ? nil : minimum + number(0...3)
      return grammar.add(.list(item: item, separator: separator, minimum: minimum, maximum: maximum))
    case 7:
      let members = (0..<number(1...5)).map { _ in (node: node(depth: depth + 1), isRequired: number(0...1) == 0) }
      return grammar.add(.members(members, separator: [44]))
    default: return grammar.add(.sequence([grammar.text("<"), recursive[0]]))
    }
  }
}

extension Grammar {
  /// `{"name":"…","kind":"…","list":[…]}` with a free text, words and numbers: about what a schema becomes.
  static func document(text maximum: Int? = 40) -> Grammar {
    var grammar = Grammar()
    let free = grammar.characters(1, maximum)
    let name = grammar.add(.sequence([grammar.text("\"name\":\""), free, grammar.text("\"")]))
    let words = grammar.add(.words(["\"true\"", "\"false\"", "\"the\""].map { Array($0.utf8) }))
    let kind = grammar.add(.sequence([grammar.text("\"kind\":"), words]))
    let items = grammar.add(.list(item: grammar.digits(most: 6), separator: [44], minimum: 1, maximum: 8))
    let list = grammar.add(.sequence([grammar.text("\"list\":["), items, grammar.text("]")]))
    let members = grammar.add(
      .members(
        [(node: name, isRequired: true), (node: kind, isRequired: false), (node: list, isRequired: true)],
        separator: [44]))
    grammar.root = grammar.add(.sequence([grammar.text("{"), members, grammar.text("}")]))
    return grammar
  }

  mutating func digits(most: Int) -> NodeID {
    machine(.repeated(.byte(48...57), minimum: 1, maximum: most))
  }
}

/// Whether a grammar lets these bytes pass as a whole.
func isAccepted(_ bytes: [UInt8], by grammar: Grammar) throws -> Bool {
  var follower = try GrammarFollower(grammar)
  return follower.advance(bytes) == bytes.count && follower.isComplete
}
