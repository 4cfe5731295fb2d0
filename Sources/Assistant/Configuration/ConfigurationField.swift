import JSON

/// What a value of the file may be. The reader checks values by it and the schema is made of it, so that the two cannot
/// differ.
indirect enum ConfigurationShape: Sendable {
  /// A text of at least so many characters.
  case text(least: Int)
  /// A name for requests: 1 to 64 ASCII letters, digits, dots, hyphens and underscores.
  case name
  case integer(ClosedRange<Int>)
  case word([String])
  case flag
  case list(ConfigurationShape, most: Int)
  case object([ConfigurationField])
  /// A JSON Schema.
  case schema
  /// A regular expression of the subset of `JSONPattern`.
  case pattern
}

/// A field of the file or of an object in it.
struct ConfigurationField: Sendable {
  let name: String
  let shape: ConfigurationShape
  /// One or two sentences for the schema.
  let summary: String
  var isRequired = false
  /// Without a good value the whole object is not what was meant, and is left out.
  var isEssential = false
  /// What holds when it is absent; nil when that is no value.
  var standard: JSONValue?

  static func required(_ name: String, _ shape: ConfigurationShape, _ summary: String) -> ConfigurationField {
    ConfigurationField(name: name, shape: shape, summary: summary, isRequired: true, isEssential: true)
  }

  /// May be absent, but must be good when it is there.
  static func essential(_ name: String, _ shape: ConfigurationShape, _ summary: String) -> ConfigurationField {
    ConfigurationField(name: name, shape: shape, summary: summary, isEssential: true)
  }

  static func optional(
    _ name: String, _ shape: ConfigurationShape, _ summary: String, default standard: JSONValue? = nil
  ) -> ConfigurationField {
    ConfigurationField(name: name, shape: shape, summary: summary, standard: standard)
  }
}

extension ConfigurationShape {
  private static let namePattern = "^[A-Za-z0-9._-]{1,64}$"

  /// As JSON Schema says it.
  var schema: JSONObject {
    switch self {
    case .text(let least):
      JSONObject([("type", "string")] + (least > 0 ? [("minLength", .number(JSONNumber(least)))] : []))
    case .name: JSONObject([("type", "string"), ("pattern", .string(Self.namePattern))])
    case .integer(let range):
      JSONObject([
        ("type", "integer"), ("minimum", .number(JSONNumber(range.lowerBound))),
        ("maximum", .number(JSONNumber(range.upperBound))),
      ])
    case .word(let words): JSONObject([("enum", .array(words.map(JSONValue.string)))])
    case .flag: JSONObject([("type", "boolean")])
    case .list(let shape, let most):
      JSONObject([
        ("type", "array"), ("items", .object(shape.schema)), ("maxItems", .number(JSONNumber(most))),
      ])
    case .object(let fields): Self.schema(of: fields)
    case .schema: JSONObject([("type", ["object", "boolean"])])
    case .pattern: JSONObject([("type", "string"), ("minLength", 1)])
    }
  }

  private static func schema(of fields: [ConfigurationField]) -> JSONObject {
    let properties = fields.map { field in
      var schema = JSONObject([("description", .string(field.summary))])
      for member in field.shape.schema.members { schema.append(member.name, member.value) }
      if let standard = field.standard { schema.append("default", standard) }
      return (field.name, JSONValue.object(schema))
    }
    var result = JSONObject([("type", "object"), ("properties", .object(JSONObject(properties)))])
    let required = fields.filter(\.isRequired).map { JSONValue.string($0.name) }
    if !required.isEmpty { result.append("required", .array(required)) }
    result.append("additionalProperties", false)
    return result
  }

  /// The value with its absent members at their defaults.
  func filled(_ value: JSONValue) -> JSONValue {
    switch (self, value) {
    case (.object(let fields), .object(let object)):
      var result = JSONObject()
      for field in fields {
        let present = object[field.name].map { field.shape.filled($0) }
        if let value = present ?? field.filledStandard { result.append(field.name, value) }
      }
      return .object(result)
    case (.list(let shape, _), .array(let values)):
      return .array(values.filter { $0 != .null }.map { shape.filled($0) })
    case (.object, _), (.list, _), (.text, _), (.name, _), (.integer, _), (.word, _), (.flag, _), (.schema, _),
      (.pattern, _):
      return value
    }
  }
}

extension ConfigurationField {
  fileprivate var filledStandard: JSONValue? { standard.map { shape.filled($0) } }
}
