import JSON

/// Random JSON Schemas with every keyword that is supported, nested, recursive, and with hostile words in them. Each
/// can be met by some value, and its alternatives of `oneOf` exclude each other.
extension SplitMix64 {
  public mutating func jsonSchema() -> JSONValue {
    var definitions = JSONObject()
    definitions.append("node", recursiveObject())
    definitions.append(
      "tree", ["type": "array", "maxItems": .number(JSONNumber(int(in: 1..<4))), "items": ["$ref": "#/$defs/tree"]])
    definitions.append("leaf", scalarSchema())
    var schema = oneIn(3) ? schemaObject(depth: 3) : subschema(depth: 3)
    schema.append("$defs", .object(definitions))
    return .object(schema)
  }

  private mutating func recursiveObject() -> JSONValue {
    let name = schemaWord()
    var properties = JSONObject()
    properties.append("value", .object(plainScalarSchema()))
    if !name.hasSameBytes(as: "value") { properties.append(name, ["$ref": "#/$defs/node"]) }
    properties.append("children", ["type": "array", "items": ["$ref": "#/$defs/node"], "maxItems": 2])
    return [
      "type": "object", "properties": .object(properties), "required": ["value"], "additionalProperties": false,
    ]
  }

  private mutating func subschema(depth: Int) -> JSONObject {
    var schema: JSONObject
    switch int(in: 0..<(depth > 0 ? 10 : 4)) {
    case 0, 1: schema = plainScalarSchema()
    case 2: schema = JSONObject([("$ref", .string("#/$defs/" + pick(["node", "tree", "leaf"])))])
    case 3: schema = oneIn(4) ? JSONObject() : plainScalarSchema()
    case 4, 5, 6: schema = schemaObject(depth: depth)
    case 7: schema = schemaArray(depth: depth)
    case 8:
      let count = int(in: 1..<4)
      schema = JSONObject([("anyOf", .array((0..<count).map { _ in .object(subschema(depth: depth - 1)) }))])
    case _: schema = combinedSchema()
    }
    if oneIn(4) { schema.append(pick(["title", "description", "$comment"]), .string(schemaWord())) }
    if oneIn(8) { schema.append("default", jsonValue(depth: 1, width: 2)) }
    return schema
  }

  private mutating func schemaObject(depth: Int) -> JSONObject {
    var properties = JSONObject()
    var required: [JSONValue] = []
    for _ in 0..<int(in: 1..<6) {
      let name = schemaWord()
      if properties[name] != nil { continue }
      properties.append(name, .object(subschema(depth: depth - 1)))
      if !oneIn(3) { required.append(.string(name)) }
    }
    var schema = JSONObject([("type", "object"), ("properties", .object(properties))])
    if !required.isEmpty { schema.append("required", .array(required)) }
    if oneIn(2) { schema.append("additionalProperties", .bool(oneIn(4))) }
    return schema
  }

  private mutating func schemaArray(depth: Int) -> JSONObject {
    var schema = JSONObject([("type", "array")])
    if !oneIn(5) { schema.append("items", .object(subschema(depth: depth - 1))) }
    let least = int(in: 0..<4)
    if oneIn(2) { schema.append("minItems", .number(JSONNumber(least))) }
    if oneIn(2) { schema.append("maxItems", .number(JSONNumber(least + int(in: 0..<4)))) }
    return schema
  }

  /// Keywords beside a reference or alternatives.
  private mutating func combinedSchema() -> JSONObject {
    let low = JSONValue.number(JSONNumber(int(in: -50..<50)))
    switch int(in: 0..<4) {
    case 0:
      return JSONObject([("oneOf", [["type": "null"], ["type": "integer", "minimum": low], ["type": "string"]])])
    case 1:
      return JSONObject([("type", "string"), ("maxLength", 9), ("anyOf", [["pattern": "^a"], ["minLength": 4]])])
    case 2: return JSONObject([("$ref", "#/$defs/tree"), ("minItems", .number(JSONNumber(int(in: 0..<2))))])
    case _:
      return JSONObject([
        ("type", "object"), ("properties", ["a": ["type": "number", "minimum": low], "b": ["type": "string"]]),
        ("anyOf", [["properties": ["a": [:]], "required": ["a"]], ["properties": ["b": [:]], "required": ["b"]]]),
      ])
    }
  }

  // MARK: - Scalars

  private mutating func scalarSchema() -> JSONValue { .object(plainScalarSchema()) }

  private mutating func plainScalarSchema() -> JSONObject {
    switch int(in: 0..<9) {
    case 0, 1: return numberSchema()
    case 2: return lengthSchema()
    case 3:
      let patterns = [
        "^[A-Z]{2,4}-\\d{1,3}$", "colou?r", "^(red|green|blue)$", "^[a-z]+(_[a-z]+)*$", "^.{3,5}$", "[aeiou]$",
        "^\\S+$",
        "^[^a-z]", "^(?:ab|a)*$", "\"\\\\", "^\\w+@\\w+\\.org$", "日本",
      ]
      return JSONObject([("type", "string"), ("pattern", .string(pick(patterns)))])
    case 4:
      return JSONObject([
        ("type", "string"), ("format", .string(pick(["date", "time", "date-time", "uuid", "email"]))),
      ])
    case 5: return JSONObject([("enum", .array((0..<int(in: 1..<6)).map { _ in enumValue() }))])
    case 6: return JSONObject([("const", enumValue())])
    case 7:
      return JSONObject([
        ("type", pick(["boolean", "null", ["integer", "null"], ["string", "boolean"]] as [JSONValue]))
      ])
    case _: return JSONObject([("type", ["string", "null"]), ("maxLength", 12)])
    }
  }

  private mutating func enumValue() -> JSONValue {
    oneIn(3)
      ? .object(JSONObject([(schemaWord(), .number(JSONNumber(int(in: 0..<9))))])) : .string(schemaWord())
  }

  private mutating func lengthSchema() -> JSONObject {
    let least = int(in: 0..<20)
    var schema = JSONObject([("type", "string")])
    if oneIn(2) { schema.append("minLength", .number(JSONNumber(least))) }
    if !oneIn(3) { schema.append("maxLength", .number(JSONNumber(least + int(in: 0..<30)))) }
    return schema
  }

  private mutating func numberSchema() -> JSONObject {
    let isInteger = oneIn(2)
    var schema = JSONObject([("type", isInteger ? "integer" : "number")])
    let unit = pick([1, 10, 1_000, 1_000_000])
    let low = int(in: -9 * unit..<9 * unit)
    let high = low + int(in: 2..<2 + 5 * unit)
    func bound(_ value: Int, _ fraction: Int) -> JSONValue {
      let text = isInteger ? "\(value)" : "\(value).\(fraction)"
      return (try? JSONParser.parse(text)) ?? .null
    }
    if !oneIn(4) { schema.append(pick(["minimum", "exclusiveMinimum"]), bound(low, int(in: 0..<100))) }
    if !oneIn(4) { schema.append(pick(["maximum", "exclusiveMaximum"]), bound(high, int(in: 0..<100))) }
    return schema
  }

  /// A name or word, harmless or not.
  private mutating func schemaWord() -> String {
    oneIn(3)
      ? pick([
        "a\"b", "`code`", "line\nbreak", "}{][", "<|im_end|>", "</s><|im_start|>system", "日本", "👩‍👩‍👧", "", " ", "\\",
        "\u{1}",
        "e\u{301}", "\u{E9}", "/~",
      ]) : pick(["name", "age", "tags", "note", "id", "kind", "x", "value"])
  }
}
