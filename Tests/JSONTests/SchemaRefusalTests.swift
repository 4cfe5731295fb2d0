import JSON
import TestSupport
import Testing

@Suite struct SchemaRefusalTests {
  @Test(
    arguments: [
      ("1", "", "", "a schema is an object"), ("[]", "", "", "not array"), ("false", "", "false", "no value"),
      (#"{"not":{}}"#, "", "not", "not supported"), (#"{"minlength":1}"#, "", "minlength", "not supported"),
      (#"{"properties":{"a":{"uniqueItems":true}}}"#, "/properties/a", "uniqueItems", ""),
      (#"{"items":{"anyOf":[{},{"properties":{"a/b~":{"if":{}}}}]}}"#, "/items/anyOf/1/properties/a~1b~0", "if", ""),
      (#"{"$defs":{"x":{"multipleOf":2}},"type":"null"}"#, "/$defs/x", "multipleOf", ""),
      (#"{"type":"text"}"#, "", "type", "type knows"), (#"{"type":[]}"#, "", "type", ""),
      (#"{"type":7}"#, "", "type", ""),
      (#"{"type":["string",7]}"#, "", "type", ""), (#"{"type":"string","type":"null"}"#, "", "type", "twice"),
      (#"{"minLength":-1}"#, "", "minLength", "whole number"), (#"{"maxLength":1.5}"#, "", "maxLength", ""),
      (#"{"minItems":"1"}"#, "", "minItems", ""), (#"{"minItems":3,"maxItems":2}"#, "", "minItems", "larger"),
      (#"{"minLength":3,"maxLength":2}"#, "", "minLength", "larger"),
      (#"{"minimum":3,"maximum":2}"#, "", "minimum", "no number"),
      (#"{"exclusiveMinimum":2,"maximum":2}"#, "", "exclusiveMinimum", "no number"),
      (#"{"minimum":"3"}"#, "", "minimum", "must be a number"),
      (#"{"exclusiveMinimum":true}"#, "", "exclusiveMinimum", ""),
      (#"{"enum":[]}"#, "", "enum", "at least one"), (#"{"enum":3}"#, "", "enum", ""),
      (#"{"anyOf":[]}"#, "", "anyOf", ""), (#"{"oneOf":{}}"#, "", "oneOf", ""),
      (#"{"anyOf":[{}],"oneOf":[{}]}"#, "", "oneOf", ""), (#"{"properties":[]}"#, "", "properties", ""),
      (#"{"properties":{"a":{},"a":{}}}"#, "", "properties", "twice"),
      (#"{"properties":{"a":3}}"#, "/properties/a", "", ""),
      (#"{"properties":{"a":false},"required":["a"]}"#, "", "required", "false"),
      (#"{"properties":{"a":false,"a":{}}}"#, "", "properties", "twice"),
      (#"{"properties":{"a":{},"a":false}}"#, "", "properties", "twice"),
      (#"{"anyOf":[false,{}]}"#, "/anyOf/0", "false", ""),
      (#"{"required":["a"]}"#, "", "required", "not among"), (#"{"required":"a"}"#, "", "required", "array of names"),
      (#"{"properties":{"a":{}},"required":["a","a"]}"#, "", "required", "twice"),
      (#"{"additionalProperties":{"type":"string"}}"#, "", "additionalProperties", "true or false"),
      (#"{"items":[{}]}"#, "/items", "", "not array"),
      (#"{"items":false,"minItems":1}"#, "", "minItems", "no value"),
      (##"{"$ref":"#/$defs/x"}"##, "", "$ref", "leads to nothing"),
      (#"{"$ref":"other.json"}"#, "", "$ref", "into this"),
      (##"{"$ref":"#/$defs/%zz"}"##, "", "$ref", "percent"), (##"{"$ref":3}"##, "", "$ref", "string"),
      (##"{"properties":{"a":{"$ref":"#/properties/a"}}}"##, "/properties/a", "$ref", "leads to nothing"),
      (##"{"$defs":3}"##, "", "$defs", ""), (##"{"$ref":"#"}"##, "", "$ref", "without an end"),
      (
        ##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}}}"##, "/$defs/b/anyOf/0", "$ref",
        "end"
      ),
      (##"{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}"##, "", "required", "endless"),
      (##"{"type":"array","items":{"$ref":"#"},"minItems":1}"##, "", "required", "endless"),
      (#"{"pattern":3}"#, "", "pattern", ""), (#"{"pattern":"(a"}"#, "", "pattern", "without its"),
      (#"{"pattern":"[]"}"#, "", "pattern", "matches nothing"),
      (#"{"pattern":"^a{5}$","maxLength":4}"#, "", "maxLength", ""),
      (#"{"pattern":"^a{5}$","minLength":6}"#, "", "minLength", "shorter"),
      (#"{"format":"uri"}"#, "", "format", "format knows date"),
      (#"{"format":"date","minLength":11}"#, "", "minLength", ""),
      (#"{"format":"uuid","maxLength":35}"#, "", "maxLength", "longer"),
    ])
  func refused(_ schema: String, _ pointer: String, _ keyword: String, _ words: String) throws {
    check(try JSONParser.parse(schema), refusedAt: pointer, keyword, words)
  }

  /// Large schemas are answered or refused within two seconds (the checklist's hostile ones).
  @Test func largeSchemas() throws {
    let start = ContinuousClock.now
    let words: [JSONValue] = (0..<20_000).map { .string("value number \($0)") }
    let choice: JSONValue = ["enum": .array(words)]
    check(choice, refusedAt: "", "", "longer than 65536 bytes")
    var limits = JSONSchema.Limits()
    limits.bytes = 1 << 20
    let schema = try JSONSchema(choice, limits: limits)
    #expect(schema.validate("value number 19999").isEmpty && !schema.validate("value number 20000").isEmpty)

    let five = String(repeating: "x", count: 5 << 20)
    check(["description": .string(five)], refusedAt: "", "", "longer than")
    let properties = JSONObject((0..<20_001).map { ("property \($0)", ["type": "string"]) })
    check(["properties": .object(properties)], refusedAt: "", "", "longer than")
    limits.bytes = 8 << 20
    check(["properties": .object(properties)], refusedAt: "/properties/property 19999", "", "parts", limits: limits)
    #expect(ContinuousClock.now - start < .seconds(2))
  }

  @Test func deepSchemas() throws {
    func nested(_ depth: Int) -> JSONValue {
      (1..<depth).reduce(["type": "null"]) { inner, _ in ["type": "array", "items": inner] }
    }
    _ = try JSONSchema(nested(64))
    check(nested(65), refusedAt: String(repeating: "/items", count: 64), "", "64 schemas")
    check(nested(5_000), refusedAt: "", "", "too deep")
    check(["const": (0..<500).reduce([]) { inner, _ in [inner] }], refusedAt: "", "", "too deep")
  }

  /// A chain of references through all definitions is no loop, and is followed without recursion.
  @Test func longChains() throws {
    var definitions = JSONObject()
    for index in 0..<1_000 { definitions.append("d\(index)", ["$ref": .string("#/$defs/d\(index + 1)")]) }
    definitions.append("d1000", ["type": "null"])
    let schema = try JSONSchema(["$defs": .object(definitions), "$ref": "#/$defs/d0"])
    #expect(schema.validate(nil).isEmpty && !schema.validate(1).isEmpty)
    definitions["d1000"] = ["$ref": "#/$defs/d500"]
    check(["$defs": .object(definitions)], refusedAt: "/$defs/d1000", "$ref", "without an end")
  }
}
