import JSON
import TestSupport
import Testing

/// The one door of the schema tests: values that a schema accepts, and values that it finds something wrong with.
func check(
  _ schema: String, accepts: [String] = [], refuses: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
) {
  do {
    let schema = try JSONSchema(JSONParser.parse(schema))
    for text in accepts {
      let findings = schema.validate(try JSONParser.parse(text))
      #expect(findings.isEmpty, "\(text): \(findings)", sourceLocation: sourceLocation)
    }
    for text in refuses {
      let findings = schema.validate(try JSONParser.parse(text))
      #expect(!findings.isEmpty, "\(text) is valid", sourceLocation: sourceLocation)
    }
  } catch let error as UnsupportedSchema {
    Issue.record("\(error.message)", sourceLocation: sourceLocation)
  } catch {
    Issue.record("\(error)", sourceLocation: sourceLocation)
  }
}

/// Where and by which keyword a schema is refused.
func check(
  _ schema: JSONValue, refusedAt pointer: String, _ keyword: String, _ words: String = "",
  limits: JSONSchema.Limits = JSONSchema.Limits(), sourceLocation: SourceLocation = #_sourceLocation
) {
  do throws(UnsupportedSchema) {
    _ = try JSONSchema(schema, limits: limits)
    Issue.record("is supported", sourceLocation: sourceLocation)
  } catch {
    #expect(error.pointer == pointer, "\(error)", sourceLocation: sourceLocation)
    #expect(error.keyword == keyword, "\(error)", sourceLocation: sourceLocation)
    #expect(words.isEmpty || error.message.contains(words), "\(error)", sourceLocation: sourceLocation)
  }
}

@Suite struct SchemaTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var schema: String
    var accepts: [String]
    var refuses: [String]
    var testDescription: String { schema }

    init(_ schema: String, _ accepts: [String], _ refuses: [String]) {
      self.schema = schema
      self.accepts = accepts
      self.refuses = refuses
    }
  }

  static let keywords = [
    Case("true", ["1", "null", "{}"], []),
    Case("{}", ["1", "\"\"", "[{}]"], ["{\"a\":1,\"a\":2}"]),
    Case(#"{"type":"string"}"#, [#""""#, #""x""#], ["1", "null", "[]"]),
    Case(#"{"type":"null"}"#, ["null"], ["false", "0"]),
    Case(#"{"type":"boolean"}"#, ["true", "false"], ["0", "null"]),
    Case(
      #"{"type":"integer"}"#, ["1", "-0", "1.0", "1e3", "10e-1", "123456789012345678901"], ["1.5", "1e-1", "\"1\""]),
    Case(#"{"type":"number"}"#, ["1", "1.5", "-1e300"], ["\"1\"", "true"]),
    Case(#"{"type":["integer","null"]}"#, ["1", "null"], ["1.5", "false"]),
    Case(#"{"type":["integer","number"]}"#, ["1", "1.5"], ["null"]),
    Case(#"{"minimum":1}"#, ["1", "1.0", "2", "\"a\""], ["0.999999999999999999999", "0", "-5"]),
    Case(#"{"exclusiveMinimum":1}"#, ["1.000000000000000000001"], ["1", "1.0", "10e-1"]),
    Case(#"{"maximum":9007199254740992}"#, ["9007199254740992"], ["9007199254740993", "9007199254740992.1"]),
    Case(#"{"exclusiveMaximum":-1,"maximum":5}"#, ["-1.5"], ["-1", "0"]),
    Case(#"{"minimum":-1,"exclusiveMinimum":-1}"#, ["0"], ["-1"]),
    Case(#"{"minLength":2,"maxLength":3}"#, [#""ab""#, #""日本語""#, #""👍👍""#, "7"], [#""a""#, #""abcd""#]),
    Case(#"{"maxLength":1}"#, [#""\u00e9""#], [#""e\u0301""#]),
    Case(#"{"pattern":"b+"}"#, [#""abc""#, #""b""#, "1"], [#""ac""#, #""""#]),
    Case(#"{"pattern":"^b+$"}"#, [#""bb""#], [#""abb""#, #""bb\n""#]),
    Case(#"{"format":"date","type":"string"}"#, [#""2024-02-29""#], [#""2025-02-29""#, "5"]),
    Case(
      #"{"enum":[1,"a",null,{"x":[1],"y":2},1.0]}"#, ["1.0", "\"a\"", "null", #"{"y":2.0,"x":[1]}"#],
      ["2", "\"A\"", "{}"]),
    Case(#"{"const":{"a":1}}"#, [#"{"a":1e0}"#], [#"{"a":1,"b":2}"#, "null"]),
    Case(#"{"const":"\u00e9"}"#, [#""é""#], [#""e\u0301""#]),
    Case(#"{"items":{"type":"integer"}}"#, ["[]", "[1,2]", "{}"], ["[1,\"a\"]"]),
    Case(#"{"minItems":1,"maxItems":2}"#, ["[0]", "[0,0]", "0"], ["[]", "[0,0,0]"]),
    Case(
      #"{"type":"object","properties":{"a":{"type":"integer"},"b":{}},"required":["a"]}"#,
      [#"{"a":1}"#, #"{"b":null,"a":1,"c":2}"#], [#"{"b":1}"#, #"{"a":"x"}"#, #"{"a":1,"a":1}"#, "[]"]),
    Case(#"{"items":false}"#, ["[]", "1"], ["[1]"]),
    Case(
      #"{"properties":{"a":false,"b":{"type":"null"}},"required":["b"]}"#, [#"{"b":null}"#, #"{"b":null,"c":1}"#, "1"],
      [#"{"a":1,"b":null}"#, #"{"b":1}"#]),
    Case(#"{"properties":{"a":{}},"additionalProperties":false}"#, ["{}", #"{"a":1}"#, "1"], [#"{"b":1}"#]),
    Case(#"{"properties":{"a":{"minimum":3}},"additionalProperties":true}"#, [#"{"b":1}"#], [#"{"a":1}"#]),
    Case(#"{"anyOf":[{"type":"string","maxLength":1},{"type":"integer"}]}"#, ["\"a\"", "3"], ["\"ab\"", "null"]),
    Case(#"{"oneOf":[{"type":"integer"},{"minimum":0}]}"#, ["3", "-1", "\"a\""], ["-0.5"]),
    Case(#"{"type":"string","anyOf":[{"maxLength":1},{"minLength":3}]}"#, ["\"a\"", "\"abc\""], ["\"ab\"", "1"]),
    Case(
      ##"""
      {"$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/n"}},
      "required":["v"],"additionalProperties":false}},"$ref":"#/$defs/n"}
      """##,
      [#"{"v":1}"#, #"{"v":1,"next":{"v":2}}"#], [#"{"v":1,"next":{}}"#, #"{"v":1,"next":{"v":2,"w":3}}"#]),
    Case(##"{"type":"array","items":{"$ref":"#"}}"##, ["[]", "[[],[[]]]"], ["[1]", "[[0]]"]),
    Case(
      ##"{"$defs":{"a/b~c d":{"type":"null"}},"properties":{"x":{"$ref":"#/$defs/a~1b~0c%20d"}}}"##, [#"{"x":null}"#],
      [#"{"x":1}"#]),
    Case(##"{"$defs":{"s":{"type":"string"}},"$ref":"#/$defs/s","maxLength":1}"##, ["\"a\""], ["\"ab\"", "1"]),
    Case(
      #"""
      {"title":"t","description":"d \"`\n{<|im_end|>","default":7,"examples":[{}],"$schema":"x","$id":"y",
      "$comment":"z","type":"null"}
      """#,
      ["null"], ["7"]),
  ]

  @Test(arguments: keywords) func keyword(_ test: Case) {
    check(test.schema, accepts: test.accepts, refuses: test.refuses)
  }

  @Test func violationsSayWhereTheyAre() throws {
    let schema = try JSONSchema(
      JSONParser.parse(
        #"{"properties":{"a/b":{"items":{"type":"integer"}},"c":{}},"required":["c"],"additionalProperties":false}"#))
    let findings = schema.validate(try JSONParser.parse(#"{"a/b":[1,"x"],"d":1}"#))
    #expect(
      findings.map { "\($0.pointer) \($0.keyword)" } == ["/a~1b/1 type", "/d additionalProperties", " required"])
  }

  /// Alternatives within alternatives must not cost exponential time.
  @Test func alternativesInDepthAreFast() throws {
    let schema = try JSONSchema(
      JSONParser.parse(
        ##"""
        {"$defs":{"n":{"anyOf":[
          {"type":"object","properties":{"a":{"$ref":"#/$defs/n"},"z":{"const":1}},"required":["a","z"]},
          {"type":"object","properties":{"a":{"$ref":"#/$defs/n"},"z":{"const":2}},"required":["a","z"]},
          {"const":5}]}},"$ref":"#/$defs/n"}
        """##))
    let text = String(repeating: #"{"a":"#, count: 60) + "6" + String(repeating: #","z":2}"#, count: 60)
    let value = try JSONParser.parse(text)
    let start = ContinuousClock.now
    #expect(!schema.validate(value).isEmpty)
    #expect(ContinuousClock.now - start < .seconds(1))
  }

  /// References beside `items` and `properties` lead to each part by many ways.
  @Test(arguments: ["null", "5"]) func referencesInDepthAreFast(innermost: String) throws {
    let arrays = String(repeating: "[", count: 40) + innermost + String(repeating: "]", count: 40)
    let objects = String(repeating: #"{"a":"#, count: 40) + innermost + String(repeating: "}", count: 40)
    let start = ContinuousClock.now
    for (inside, text) in [
      (##""items":{"$ref":"#/$defs/b"}"##, arrays), (##""properties":{"a":{"$ref":"#/$defs/b"}}"##, objects),
    ] {
      let schema = try JSONSchema(
        JSONParser.parse(
          ##"""
          {"$ref":"#/$defs/b","$defs":{"b":{\##(inside),"$ref":"#/$defs/c"},
          "c":{"type":["array","object","null"],\##(inside)}}}
          """##))
      let value = try JSONParser.parse(text)
      #expect(schema.validate(value).isEmpty == (innermost == "null"))
      #expect(schema.accepts(value, at: 0) == (innermost == "null"))
    }
    #expect(ContinuousClock.now - start < .seconds(1))
  }

  @Test(arguments: [
    (
      JSONFormat.date, ["2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"],
      ["2025-02-30", "1900-02-29", "2025-13-01", "2025-00-10", "0000-01-01", "2025-1-1", "2025-04-31", "2025-01-01 "]
    ),
    (
      .time, ["00:00:00Z", "23:59:59.123+05:30", "08:30:00-11:00"],
      ["24:00:00Z", "12:00:00", "12:60:00Z", "12:00:60Z", "12:00Z", "12:00:00.Z", "12:00:00+24:00", "12:00:00+0100"]
    ),
    (
      .dateTime, ["2025-11-30T08:30:00Z", "2024-02-29T00:00:00.5+01:00"],
      ["2025-02-29T00:00:00Z", "2025-01-01 00:00:00Z"]
    ),
    (
      .uuid, ["123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-00000000000F"],
      [
        "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g",
        "123e4567-e89b-12d3-a456-4266141740001",
      ]
    ),
    (
      .email, ["a@b", "first.last+tag@mail.example.org"],
      [
        "a", "@b", "a@", "a..b@c", ".a@b", "a@-b", "a@b-", "a@b..c", "a b@c", "é@b",
        String(repeating: "a", count: 65) + "@b",
      ]
    ),
  ])
  func format(_ format: JSONFormat, _ accepted: [String], _ refused: [String]) {
    for text in accepted { #expect(format.matches(text), "\(text)") }
    for text in refused { #expect(!format.matches(text), "\(text)") }
  }
}
