import Engine
import Inference
import JSON
import TestSupport
import Testing

/// Follows texts against the grammar of a schema: whole ones that are let through, and ones that are stopped.
func check(
  _ schema: String, writes: [String] = [], neverWrites: [String] = [],
  sourceLocation: SourceLocation = #_sourceLocation
) {
  do {
    let schema = try JSONSchema(JSONParser.parse(schema))
    let follower = try GrammarFollower(SchemaGrammar(schema).grammar)
    for (texts, expected) in [(writes, true), (neverWrites, false)] {
      for text in texts {
        var copy = follower
        let count = copy.advance(text.utf8)
        let isWhole = count == text.utf8.count && copy.isComplete
        #expect(isWhole == expected, "\(text): \(count) bytes", sourceLocation: sourceLocation)
        if isWhole {
          #expect(schema.validate(try JSONParser.parse(text)).isEmpty, "\(text)", sourceLocation: sourceLocation)
        }
      }
    }
  } catch {
    Issue.record("\(error)", sourceLocation: sourceLocation)
  }
}

@Suite struct SchemaGrammarTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var schema: String
    var writes: [String]
    var neverWrites: [String]
    var testDescription: String { schema }

    init(_ schema: String, _ writes: [String], _ neverWrites: [String]) {
      self.schema = schema
      self.writes = writes
      self.neverWrites = neverWrites
    }
  }

  static let keywords = [
    Case("{}", ["null", "1.5", #""a""#, #"[1,"a"]"#], ["{}", "", " 1", "1 "]),
    Case(#"{"type":"null"}"#, ["null"], ["0", "nul", "null "]),
    Case(#"{"type":"boolean"}"#, ["true", "false"], ["True", "0"]),
    Case(#"{"type":["integer","null"]}"#, ["7", "null"], ["7.0", "\"7\""]),
    Case(
      #"{"type":"integer"}"#, ["0", "-1", "123456789012345", "-999999999999999"],
      ["-0", "01", "1.0", "1e3", "+1", "1234567890123456"]),
    Case(
      #"{"type":"integer","minimum":-5,"maximum":17}"#, ["-5", "-1", "0", "9", "10", "17"], ["-6", "18", "-10", "170"]),
    Case(#"{"type":"integer","exclusiveMinimum":9,"exclusiveMaximum":101}"#, ["10", "99", "100"], ["9", "101", "1"]),
    Case(
      #"{"type":"integer","minimum":995,"maximum":12003}"#, ["995", "999", "1000", "12003", "9999"],
      ["994", "12004", "0"]),
    Case(#"{"type":"integer","minimum":0.5,"maximum":1.5}"#, ["1"], ["0", "2"]),
    Case(#"{"type":"integer","minimum":-3,"maximum":-2}"#, ["-3", "-2"], ["-1", "2", "0", "-4"]),
    Case(
      #"{"type":"integer","minimum":1e20}"#, ["100000000000000000000", "999999999999999999999"],
      ["99999999999999999999"]),
    Case(
      #"{"type":"number"}"#, ["0", "0.5", "-0.5", "12.125", "999999999.999999"],
      ["-0", "-0.0", ".5", "1.", "1e5", "00.5"]),
    Case(
      #"{"type":"number","minimum":0,"maximum":1}"#, ["0", "0.0", "0.999999", "1", "1.0"],
      ["1.000001", "-0.1", "2", "-0"]),
    Case(
      #"{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}"#, ["0.000001", "0.5"],
      ["0", "0.0", "1", "0.000000"]),
    Case(
      #"{"type":"number","minimum":-1.25,"maximum":10.5}"#, ["-1.25", "-1", "-0.5", "0", "9.99", "10.5", "10.50"],
      ["-1.26", "-2", "10.51", "11"]),
    Case(
      #"{"type":"number","minimum":99.5,"maximum":100.25}"#, ["99.5", "99.75", "100", "100.25"],
      ["99", "99.4", "100.3", "101"]),
    Case(
      #"{"type":"number","minimum":0.1,"exclusiveMaximum":0.1000001}"#, ["0.1", "0.10000005"],
      ["0.1000001", "0.2", "0"]),
    Case(
      #"{"type":"string"}"#, [#""""#, #""é👍 \"\\\n\t""#], ["\"\n\"", #""\x""#, #""\u0000""#, "\"\u{7F}\"", #""a"#]),
    Case(#"{"type":"string","minLength":2,"maxLength":3}"#, [#""ab""#, #""日本語""#, #""\n\"""#], [#""a""#, #""abcd""#]),
    Case(#"{"type":"string","maxLength":0}"#, [#""""#], [#""a""#]),
    Case(#"{"type":"string","pattern":"^[A-Z]{2}-\\d+$"}"#, [#""AB-1""#], [#""AB-""#, #""ab-1""#, #""xAB-1""#]),
    Case(#"{"pattern":"b"}"#, [#""b""#, #""abc""#], [#""ac""#, "1"]),
    Case(
      #"{"pattern":"^[\"\\\\\\n\\u0001]$"}"#, [#""\"""#, #""\\""#, #""\n""#, #""\u0001""#], [#""a""#, "\"\u{1}\""]),
    Case(#"{"pattern":"^(aa)*$","minLength":3,"maxLength":5}"#, [#""aaaa""#], [#""aaa""#, #""aaaaaa""#, #""aa""#]),
    Case(
      #"{"format":"date"}"#, [#""2024-02-29""#, #""2000-02-29""#, #""0001-12-31""#],
      [#""2025-02-29""#, #""1900-02-29""#, #""0000-01-01""#, #""2025-04-31""#, #""2025-00-01""#, #""2025-13-01""#]),
    Case(
      #"{"format":"time"}"#, [#""23:59:59Z""#, #""00:00:00.125+05:30""#],
      [#""24:00:00Z""#, #""12:00""#, #""12:00:60Z""#]),
    Case(#"{"format":"date-time"}"#, [#""2024-02-29T10:00:00Z""#], [#""2023-02-29T10:00:00Z""#, #""2024-02-29""#]),
    Case(#"{"format":"uuid"}"#, [#""123e4567-e89b-12d3-a456-426614174000""#], [#""123e4567""#]),
    Case(
      #"{"format":"email","maxLength":12}"#, [#""a.b@c.org""#], [#""a..b@c.org""#, #""abcdefgh@i.org""#, #""a@b""#]),
    Case(
      #"{"enum":["a","ab",1,1.0,null,{"x":[1, 2]}]}"#, [#""a""#, #""ab""#, "1", "null", #"{"x":[1,2]}"#],
      ["1.0", #""b""#]),
    Case(#"{"const":"`}<|im_end|>\n\""}"#, [#""`}<|im_end|>\n\"""#], [#""x""#]),
    Case(#"{"type":"string","enum":[1,"a",null],"minLength":1}"#, [#""a""#], ["1", "null"]),
    Case(
      #"{"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":3}"#, ["[1]", "[1,2,3]"],
      ["[]", "[1,2,3,4]", "[1,]"]),
    Case(#"{"maxItems":0}"#, ["[]"], ["[1]"]),
    Case(#"{"items":false,"maxItems":3}"#, ["[]"], ["[1]"]),
    Case(
      #"{"type":"array","items":{"type":"null"}}"#, ["[]"],
      ["[" + Array(repeating: "null", count: 33).joined(separator: ",") + "]"]),
    Case(
      #"""
      {"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"null"},"c":{"type":"boolean"}},
      "required":["b"]}
      """#,
      [#"{"b":null}"#, #"{"a":1,"b":null}"#, #"{"b":null,"c":true}"#, #"{"a":1,"b":null,"c":true}"#],
      ["{}", #"{"a":1}"#, #"{"b":null,"a":1}"#, #"{"b":null,}"#, #"{"b":null,"d":1}"#, #"{"b": null}"#]),
    Case(#"{"properties":{},"additionalProperties":false}"#, ["{}"], [#"{"a":1}"#]),
    Case(
      #"{"properties":{"a":false,"b":{"type":"null"}}}"#, ["{}", #"{"b":null}"#], [#"{"a":1}"#, #"{"a":1,"b":null}"#]),
    Case(
      ##"{"$defs":{"n":{"properties":{"a":false}}},"$ref":"#/$defs/n","properties":{"a":{},"b":{"type":"null"}}}"##,
      ["{}", #"{"b":null}"#], [#"{"a":1}"#]),
    Case(
      #"{"properties":{"\"`}{\n<|im_end|>":{"const":1}},"required":["\"`}{\n<|im_end|>"]}"#,
      [#"{"\"`}{\n<|im_end|>":1}"#], ["{}"]),
    Case(
      #"{"anyOf":[{"const":"ab"},{"type":"string","maxLength":1},{"type":"integer"}]}"#, [#""ab""#, #""x""#, "5"],
      [#""xy""#]),
    Case(#"{"oneOf":[{"type":"null"},{"type":"boolean"}]}"#, ["null", "true"], ["1"]),
    Case(
      ##"""
      {"$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"n":{"$ref":"#/$defs/n"}},
      "required":["v"]}},"$ref":"#/$defs/n"}
      """##,
      [#"{"v":1}"#, #"{"v":1,"n":{"v":2,"n":{"v":3}}}"#], [#"{"v":1,"n":{}}"#, #"{"v":1,"n":1}"#]),
    Case(##"{"type":"array","maxItems":2,"items":{"$ref":"#"}}"##, ["[]", "[[],[[]]]"], ["[1]", "[[],[],[]]"]),
    Case(
      ##"{"$defs":{"s":{"type":"string","maxLength":3}},"$ref":"#/$defs/s","minLength":2}"##, [#""ab""#],
      [#""a""#, #""abcd""#]),
    Case(
      #"""
      {"type":"object","properties":{"a":{"type":"number"},"b":{}},"additionalProperties":false,
      "anyOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},
      {"properties":{"b":{"const":1}},"required":["b"]}]}
      """#,
      [#"{"a":1}"#, #"{"b":1}"#, #"{"a":1.5,"b":1}"#, #"{"a":1,"b":null}"#], ["{}", #"{"a":1.5}"#, #"{"b":2}"#]),
    Case(
      #"{"minimum":0,"anyOf":[{"type":"integer"},{"type":"number","maximum":0.5}]}"#, ["3", "0.25"], ["-1", "0.75"]),
    Case(
      ##"""
      {"$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n","type":"object"}}}},
      "$ref":"#/$defs/n"}
      """##,
      ["{}", #"{"n":{"n":{}}}"#], [#"{"n":1}"#]),
  ]

  @Test(arguments: keywords) func keyword(_ test: Case) {
    check(test.schema, writes: test.writes, neverWrites: test.neverWrites)
  }

  /// What is supported when it is read and cannot be turned into a grammar all the same.
  @Test(arguments: [
    (#"{"properties":{"a":{"type":"object"}}}"#, "/properties/a", "properties"),
    (#"{"enum":["a"],"type":"integer"}"#, "", "enum"), (#"{"const":"a","minLength":2}"#, "", "const"),
    (#"{"minLength":1000000}"#, "", "minLength"), (#"{"type":"array","minItems":1000000}"#, "", "minItems"),
    (#"{"type":"integer","minimum":0.2,"maximum":0.8}"#, "", "minimum"),
    (#"{"exclusiveMinimum":0,"maximum":1e-30}"#, "", "exclusiveMinimum"),
    (#"{"items":{"pattern":"a","format":"date"}}"#, "/items", "format"),
    (#"{"pattern":"a.{15}b.{15}c"}"#, "", "pattern"),
    (
      ##"{"$defs":{"i":{"type":"integer"}},"properties":{"a":{"$ref":"#/$defs/i","type":"string"}}}"##, "/properties/a",
      "$ref"
    ),
    (#"{"maxLength":1,"anyOf":[{"minLength":2}]}"#, "", "anyOf"),
  ])
  func refused(_ schema: String, _ pointer: String, _ keyword: String) throws {
    let schema = try JSONSchema(JSONParser.parse(schema))
    do throws(UnsupportedSchema) {
      _ = try SchemaGrammar(schema)
      Issue.record("is supported")
    } catch {
      #expect(error.pointer == pointer && error.keyword == keyword, "\(error)")
    }
  }

  /// The values of a recursion end before a parser's limit of depth.
  @Test func recursionHasABottom() throws {
    let schema = try JSONSchema(
      JSONParser.parse(
        ##"""
        {"$defs":{"n":{"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#/$defs/n"}}}}},
        "$ref":"#/$defs/n"}
        """##
      ))
    var follower = try GrammarFollower(SchemaGrammar(schema).grammar)
    var text: [UInt8] = []
    while text.count < 10_000, follower.advance(#"{"a":["#.utf8) == 6 { text += #"{"a":["#.utf8 }
    #expect((60...800).contains(text.count))
    text += follower.shortestCompletion()
    #expect(schema.validate(try JSONParser.parse(text)).isEmpty)
  }

  @Test func largeSchemas() throws {
    var limits = JSONSchema.Limits()
    limits.bytes = 8 << 20
    let words: [JSONValue] = (0..<20_000).map { .string("value number \($0)") }
    var follower = try GrammarFollower(SchemaGrammar(try JSONSchema(["enum": .array(words)], limits: limits)).grammar)
    #expect(follower.advance("\"value number 19999\"".utf8) == 20 && follower.isComplete)

    var nested: JSONValue = ["type": "string", "maxLength": 100_000]
    for _ in 0..<20 {
      nested = ["type": "object", "properties": ["a": nested, "b": nested, "c": nested], "required": ["b"]]
      if JSONWriter.bytes(of: nested).count > 20_000 { break }
    }
    let optionals = try GrammarFollower(
      SchemaGrammar(try JSONSchema(["type": "array", "maxItems": 100_000, "items": nested])).grammar)
    #expect(!optionals.isComplete)
  }

  /// `^((a|b){7})*$` with a minimum needs a row for each character. Members that say the same share them; of members
  /// that differ only a few have room.
  @Test func countedTextsHaveOneBoundTogether() throws {
    func compile(_ count: Int, minimum: (Int) -> Int) throws {
      let members = JSONObject(
        (0..<count).map { index -> (String, JSONValue) in
          ("\(index)", ["pattern": "^((a|b){7})*$", "minLength": JSONValue.number(JSONNumber(minimum(index)))])
        })
      let schema = try JSONSchema(["properties": .object(members)])
      _ = try GrammarFollower(SchemaGrammar(schema).grammar)
    }
    try compile(200) { _ in 99_995 }
    try compile(2) { 99_000 + $0 }
    #expect(throws: ConstraintError.tooComplex("counted patterns with too many states")) {
      try compile(200) { 99_000 + $0 }
    }
  }

  /// Patterns of many states each.
  @Test func patternsHaveOneBoundTogether() throws {
    func make(_ count: Int) throws -> SchemaGrammar {
      let members = JSONObject(
        (0..<count).map { ("\($0)", ["pattern": .string("^(a|b)*a(a|b){9}\($0)$")]) as (String, JSONValue) })
      return try SchemaGrammar(try JSONSchema(["properties": .object(members)]))
    }
    _ = try make(2)
    let refusal = #expect(throws: UnsupportedSchema.self) { try make(1_000) }
    #expect(refusal?.keyword == "pattern")
  }
}
