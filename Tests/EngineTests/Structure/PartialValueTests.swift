import Engine
import Inference
import JSON
import TestSupport
import Testing

import struct TestSupport.SplitMix64

@Suite struct PartialValueTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var schema: String
    /// What comes, piece by piece, and what is to be seen after it.
    var steps: [(piece: String, value: JSONValue?)]
    var testDescription: String { schema }
  }

  static let cases = [
    Case(
      schema: #"{"type":"string"}"#, steps: [("\"", ""), ("ab", "ab"), ("\\", "ab"), ("n", "ab\n"), ("\"", "ab\n")]),
    Case(schema: #"{"type":"string"}"#, steps: [("\"\\u00", ""), ("1", ""), ("f", "\u{1F}"), ("👍\"", "\u{1F}👍")]),
    Case(schema: #"{"enum":["a","abc"]}"#, steps: [("\"", nil), ("a", nil), ("\"", "a")]),
    Case(schema: #"{"const":"abc"}"#, steps: [("\"ab", nil), ("c\"", "abc")]),
    Case(schema: #"{"pattern":"^a+$"}"#, steps: [("\"aa", nil), ("\"", "aa")]),
    Case(schema: #"{"format":"date"}"#, steps: [("\"2025-01-0", nil), ("1\"", "2025-01-01")]),
    Case(schema: #"{"type":"boolean"}"#, steps: [("tru", nil), ("e", true)]),
    Case(
      schema: #"{"items":{"type":"integer"}}"#, steps: [("[", []), ("1", []), ("2", []), (",", [12]), ("3]", [12, 3])]),
    Case(
      schema:
        #"{"properties":{"k":{"enum":["ab"]},"s":{"type":"string"},"n":{"type":"number"},"o":{"properties":{}}}}"#,
      steps: [
        ("{", [:]), ("\"k\":\"a", [:]), ("b\"", ["k": "ab"]), (",\"s\":\"", ["k": "ab", "s": ""]),
        ("x", ["k": "ab", "s": "x"]), ("\",\"n\":1.", ["k": "ab", "s": "x"]), ("5,", ["k": "ab", "s": "x", "n": 1.5]),
        ("\"o\":{", ["k": "ab", "s": "x", "n": 1.5, "o": [:]]), ("}}", ["k": "ab", "s": "x", "n": 1.5, "o": [:]]),
      ]),
    Case(schema: #"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, steps: [("\"a", "a"), ("\"", "a")]),
    Case(schema: #"{"anyOf":[{"type":"string"},{"enum":["a"]}]}"#, steps: [("\"a", nil), ("\"", "a")]),
    Case(
      schema: ##"{"$defs":{"n":{"properties":{"n":{"$ref":"#/$defs/n"},"t":{"type":"string"}}}},"$ref":"#/$defs/n"}"##,
      steps: [("{\"n\":{\"t\":\"a", ["n": ["t": "a"]]), ("\"}", ["n": ["t": "a"]])]),
  ]

  @Test(arguments: cases) func shows(_ test: Case) throws {
    var partial = PartialValue(try JSONSchema(JSONParser.parse(test.schema)))
    for step in test.steps {
      partial.take(Array(step.piece.utf8))
      #expect(partial.value == step.value, "after \(step.piece)")
    }
  }

  @Test func numbersAtTheEndAreComplete() throws {
    var partial = PartialValue(try JSONSchema(["type": "integer"]))
    partial.take(Array("42".utf8))
    #expect(partial.value == nil)
    partial.finish()
    #expect(partial.value == 42)
  }

  /// Values of 150 random schemas: each that is seen is part of the next, and the last is the value.
  @Test func everyPrefixIsConsistent() throws {
    for seed in 0..<150 {
      var random = SplitMix64(seed: UInt64(seed))
      let schema = try JSONSchema(random.jsonSchema())
      let text = try #require(try randomText(of: schema, &random), "not UTF-8")
      let final = try JSONParser.parse(text)
      var partial = PartialValue(schema)
      var last: JSONValue?
      for scalar in text.unicodeScalars {
        let version = partial.version
        partial.take(Array(String(scalar).utf8))
        let value = partial.value
        if version == partial.version { #expect(value == last) }
        if let last { #expect(value.map { last.isPart(of: $0) } == true, "\(text)") }
        if let value { #expect(value.isPart(of: final), "\(text)") }
        last = value
      }
      partial.finish()
      #expect(partial.value == final, "\(text)")
    }
  }

  /// A value of 200 KB in 50,000 pieces.
  @Test func workIsLinear() throws {
    var partial = PartialValue(try JSONSchema(["type": "array", "items": ["type": "string"]]))
    let start = ContinuousClock.now
    partial.take(Array("[".utf8))
    for _ in 0..<25_000 {
      partial.take(Array("\"abc".utf8))
      partial.take(Array("def\",".utf8))
    }
    #expect(partial.value.map { if case .array(let items) = $0 { items.count } else { 0 } } == 25_000)
    #expect(ContinuousClock.now - start < .seconds(4))
  }
}

extension JSONValue {
  /// Whether a later value can follow this one: the same, with more members, items, or the rest of a string.
  func isPart(of later: JSONValue) -> Bool {
    switch (self, later) {
    case (.string(let a), .string(let b)): return b.utf8.starts(with: a.utf8)
    case (.array(let a), .array(let b)): return a.count <= b.count && zip(a, b).allSatisfy { $0.isPart(of: $1) }
    case (.object(let a), .object(let b)):
      return a.count <= b.count
        && zip(a.members, b.members).allSatisfy { $0.name.hasSameBytes(as: $1.name) && $0.value.isPart(of: $1.value) }
    case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): return self == later
    }
  }
}

/// A text that the schema's grammar allows: random bytes, wrong ones tried first, and the shortest end after a while.
func randomText(of schema: JSONSchema, _ random: inout SplitMix64) throws -> String? {
  var follower = try GrammarFollower(SchemaGrammar(schema).grammar)
  let favourites = Array("{}[]\",:abcxyz0123456789.-\\é日 ".utf8)
  var bytes: [UInt8] = []
  let length = random.int(in: 1..<300)
  while bytes.count < length, !follower.isExhausted {
    if follower.isComplete, random.oneIn(20) { break }
    let forced = follower.forcedBytes()
    if !forced.isEmpty {
      #expect(follower.advance(forced) == forced.count)
      bytes += forced
      continue
    }
    var byte = random.oneIn(4) ? UInt8(random.int(in: 0..<256)) : random.pick(favourites)
    while !follower.advance(byte) { byte = random.oneIn(3) ? random.pick(favourites) : byte &+ 1 }
    bytes.append(byte)
  }
  let end = follower.shortestCompletion()
  #expect(follower.advance(end) == end.count && follower.isComplete)
  return String(validating: bytes + end, as: UTF8.self)
}
