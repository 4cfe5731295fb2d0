import Engine
import EngineProtocol
import Inference
import JSON

/// What holding a model to a form costs: compiling a schema, and finding the tokens that may follow.
let structureBenchmark = Benchmark(name: "structure", summary: "constrained decoding, 49,152 made-up tokens") {
  let vocabulary = SyntheticVocabulary(count: 49_152)
  var trie = vocabulary.trie()
  report("trie", times(5) { trie = vocabulary.trie() })

  let schema: JSONValue = [
    "type": "object",
    "properties": [
      "title": ["type": "string", "maxLength": 60],
      "kind": ["enum": ["story", "letter", "note", "list"]],
      "people": ["type": "array", "items": ["type": "string", "maxLength": 20], "minItems": 2, "maxItems": 4],
      "year": ["type": "integer", "minimum": 1800, "maximum": 2100],
      "day": ["type": "string", "format": "date"],
      "summary": ["type": "string", "minLength": 100, "maxLength": 200],
    ],
    "required": ["title", "kind", "people", "year", "day", "summary"], "additionalProperties": false,
  ]
  var constraint = try compiled(schema, trie)
  report("schema of six members, compiled", try times(9) { constraint = try compiled(schema, trie) })
  let words: JSONValue = ["enum": .array((0..<20_000).map { .string("value \($0 * 7919 % 20_011)") })]
  report("enum of 20,000 values, compiled", try times(3) { _ = try compiled(words, trie) })
  for (place, bytes) in [
    ("inside a string", #"{"title":"a"#), ("at a key", "{"), ("in an enum", #"{"title":"","kind":""#),
    ("in a number", #"{"title":"","kind":"note","people":["",""],"year":"#),
    ("in a date", #"{"title":"","kind":"note","people":["",""],"year":1900,"day":""#),
  ] {
    let count = constraint.countTokens(after: Array(bytes.utf8)) ?? 0
    report("mask \(place), \(count) tokens", times(9) { _ = constraint.countTokens(after: Array(bytes.utf8)) })
  }
  for unit in TextShape.Unit.allCases {
    let shape = TextShape(unit, count: unit == .headline ? 1 : 3)
    report(
      "shape \(unit.rawValue), compiled",
      try times(5) { _ = try Constraint(ShapeGrammar.make(shape), vocabulary: trie) })
  }
}

private func times(_ count: Int, _ work: () throws -> Void) rethrows -> Spread {
  Spread(try (0..<count).map { _ in try milliseconds(work) })
}

private func report(_ what: String, _ times: Spread) { print("  \(what): \(times) ms") }

private func compiled(_ source: JSONValue, _ trie: TokenTrie) throws -> Constraint {
  var limits = JSONSchema.Limits()
  limits.bytes = 1 << 20
  return try Constraint(SchemaGrammar(JSONSchema(source, limits: limits)).grammar, vocabulary: trie)
}

/// All bytes, then pieces of words as a trained vocabulary has them: most short, half of them after a space.
private struct SyntheticVocabulary {
  let tokens: [[UInt8]]

  init(count: Int) {
    var tokens = (0...255).map { [UInt8($0)] }
    var random = RandomGenerator(seed: 1)
    func next(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    while tokens.count < count {
      var token: [UInt8] = next(2) == 0 ? [0x20] : []
      for _ in 0..<(2 + next(4) + next(4)) { token.append(0x61 + UInt8(min(next(26), next(26)))) }
      tokens.append(token)
    }
    self.tokens = tokens
  }

  func trie() -> TokenTrie {
    TokenTrie(tokenCount: tokens.count, bytes: { tokens[Int($0)] }, isUsable: { _ in true })
  }
}
