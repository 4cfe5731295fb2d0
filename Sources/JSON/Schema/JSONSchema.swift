/// A JSON Schema (2020-12), as far as a model can be held to it. Made from its JSON form, refused as a whole when it
/// says something that is not supported; no keyword that constrains is ever passed over.
///
/// What is a little narrower than the specification: `oneOf` means `anyOf`; `$ref` leads to the root (`#`) or into
/// `$defs` (`definitions`) of the same schema; `items` is one schema; `additionalProperties` is true, false or absent;
/// every name in `required` is among the `properties`; `true` and `{}` stand for any value; `false` may stand
/// for `items` and for properties that are not required, and is refused elsewhere.
public struct JSONSchema: Sendable {
  /// The keywords that constrain values. The rest of those that are read are annotations, `JSONSchema.annotations`.
  public static let keywords = [
    "type", "properties", "required", "additionalProperties", "items", "minItems", "maxItems", "enum", "const", "anyOf",
    "oneOf", "$ref", "$defs", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
    "pattern", "format",
  ]

  /// Keywords without a meaning for values.
  public static let annotations = [
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$schema", "$id",
    "definitions",
  ]

  /// How large a schema may be.
  public struct Limits: Sendable {
    /// Bytes of its compact text.
    public var bytes = 64 << 10
    /// Subschemas within each other, and JSON values within each other in `enum` and the like.
    public var depth = 64
    public init() {}
  }

  /// The JSON form it was made from.
  public let source: JSONValue
  /// The schema itself first, then its subschemas in the order in which they are written.
  public let nodes: [JSONSchemaNode]

  /// - Throws: `UnsupportedSchema` for the first thing that is not supported, is malformed or cannot be met by any
  ///   value.
  public init(_ source: JSONValue, limits: Limits = Limits()) throws(UnsupportedSchema) {
    try SchemaSize.check(source, limits)
    var parser = SchemaParser(maxDepth: limits.depth)
    nodes = try parser.parse(source)
    self.source = source
    try SchemaChecks.check(nodes)
  }

  /// What of the value is not as the schema says; nothing when it is valid. At most twenty findings.
  public func validate(_ value: JSONValue) -> [SchemaViolation] {
    var validator = SchemaValidator(nodes: nodes, value: value)
    return validator.validate()
  }

  /// Whether the value is as the subschema says.
  public func accepts(_ value: JSONValue, at node: JSONSchemaNode.ID) -> Bool {
    var validator = SchemaValidator(nodes: nodes, value: value)
    return validator.accepts(at: node)
  }
}

/// A schema, or a part of one, that the engine does not hold a model to. Becomes `unsupportedSchema` at the wire.
public struct UnsupportedSchema: Error, Equatable {
  /// Where: a JSON pointer (RFC 6901) into the schema; empty for the schema itself.
  public var pointer: String
  /// Which keyword is meant; empty when it is the schema as a whole.
  public var keyword: String
  /// What is wrong, as a sentence without its full stop.
  public var problem: String

  public init(pointer: String, keyword: String, _ problem: String) {
    self.pointer = pointer
    self.keyword = keyword
    self.problem = problem
  }

  /// `the schema at “/properties/n” is not supported: minLength must be a whole number from 0 on`.
  public var message: String {
    "the schema\(pointer.isEmpty ? "" : " at “\(pointer)”") is not supported: \(problem)"
  }
}

/// A part of a value that is not as the schema says.
public struct SchemaViolation: Equatable, Sendable {
  /// A JSON pointer into the value.
  public var pointer: String
  public var keyword: String
  public var problem: String
}

/// One schema or subschema. Everything that is set holds at the same time.
public struct JSONSchemaNode: Sendable {
  /// Its place in `JSONSchema.nodes`.
  public typealias ID = Int

  /// The types that are allowed.
  public struct Types: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let null = Types(rawValue: 1)
    public static let boolean = Types(rawValue: 2)
    public static let object = Types(rawValue: 4)
    public static let array = Types(rawValue: 8)
    /// Any number, whole ones included.
    public static let number = Types(rawValue: 16)
    /// Whole numbers, `1.0` among them.
    public static let integer = Types(rawValue: 32)
    public static let string = Types(rawValue: 64)
    public static let any: Types = [.null, .boolean, .object, .array, .number, .string]
  }

  /// `properties`, `required` and `additionalProperties`.
  public struct Object: Sendable {
    /// In the schema's order.
    public var properties: [(name: String, node: ID, isRequired: Bool)] = []
    /// The places in `properties` by the names' bytes.
    public var places: [[UInt8]: Int] = [:]
    /// The names' bytes of properties whose schema is `false`, which are not among the others.
    public var forbidden: Set<[UInt8]> = []
    public var allowsAdditional = true
    public init() {}
  }

  /// A limit of numbers.
  public struct Bound: Sendable, Hashable {
    public var value: JSONDecimal
    public var isExclusive: Bool

    /// The strictest of some minima: of two equal ones the exclusive one.
    package static func highest(_ bounds: [Bound?]) -> Bound? {
      bounds.compactMap(\.self).max {
        $0.value < $1.value || ($0.value == $1.value && !$0.isExclusive && $1.isExclusive)
      }
    }

    /// The strictest of some maxima.
    package static func lowest(_ bounds: [Bound?]) -> Bound? {
      bounds.compactMap(\.self).min {
        $0.value < $1.value || ($0.value == $1.value && $0.isExclusive && !$1.isExclusive)
      }
    }
  }

  /// A list of values, of which one must be met.
  public struct Values: Sendable {
    public var values: [JSONValue]
    /// Their `canonicalBytes`.
    public var keys: Set<[UInt8]>
  }

  /// A JSON pointer to it.
  public var pointer: String
  /// nil when `type` is absent.
  public var types: Types?
  /// `enum`.
  public var values: Values?
  /// `const`.
  public var constant: JSONValue?
  /// `$ref`.
  public var reference: ID?
  /// `anyOf`, and `oneOf` with the same meaning.
  public var alternatives: [ID]?
  /// nil when the schema says nothing of objects.
  public var object: Object?
  /// The schema of an array's items.
  public var items: ID?
  public var minItems: Int?
  public var maxItems: Int?
  public var minLength: Int?
  public var maxLength: Int?
  public var pattern: JSONPattern?
  public var format: JSONFormat?
  /// The strictest of `minimum` and `exclusiveMinimum`.
  public var minimum: Bound?
  public var maximum: Bound?

  package init(pointer: String) { self.pointer = pointer }
}
