/// Reads the keywords of one schema that need no other schema.
struct KeywordReader {
  private let object: JSONObject
  private let pointer: String

  init(_ object: JSONObject, _ pointer: String) {
    self.object = object
    self.pointer = pointer
  }

  private func refusal(_ keyword: String, _ problem: String) -> UnsupportedSchema {
    UnsupportedSchema(pointer: pointer, keyword: keyword, problem)
  }

  /// Every keyword must be known: one that constrains and is passed over would break a promise, and so would one with a
  /// slip of the pen.
  func checkNames() throws(UnsupportedSchema) {
    let known = Self.names
    for member in object.members where !known.contains(Array(member.name.utf8)) {
      throw refusal(member.name, "the keyword \(member.name) is not supported")
    }
  }

  private static let names = Set((JSONSchema.keywords + JSONSchema.annotations).map { Array($0.utf8) })

  func readTypes(_ node: inout JSONSchemaNode) throws(UnsupportedSchema) {
    guard let value = object["type"] else { return }
    let names: [JSONValue]
    switch value {
    case .string: names = [value]
    case .array(let values) where !values.isEmpty: names = values
    case .null, .bool, .number, .array, .object: throw refusal("type", "type must be a name or a list of names")
    }
    var types: JSONSchemaNode.Types = []
    for name in names {
      guard case .string(let text) = name, let type = Self.types[Array(text.utf8)] else {
        throw refusal("type", "type knows null, boolean, object, array, number, integer and string")
      }
      types.insert(type)
    }
    if types.contains(.number) { types.remove(.integer) }
    node.types = types
  }

  private static let types: [[UInt8]: JSONSchemaNode.Types] = [
    Array("null".utf8): .null, Array("boolean".utf8): .boolean, Array("object".utf8): .object,
    Array("array".utf8): .array, Array("number".utf8): .number, Array("integer".utf8): .integer,
    Array("string".utf8): .string,
  ]

  func readValues(_ node: inout JSONSchemaNode) throws(UnsupportedSchema) {
    node.constant = object["const"]
    guard let list = object["enum"] else { return }
    guard case .array(let values) = list, !values.isEmpty else {
      throw refusal("enum", "enum must be an array with at least one value")
    }
    var keys = Set<[UInt8]>(minimumCapacity: values.count)
    let distinct = values.filter { keys.insert($0.canonicalBytes).inserted }
    node.values = JSONSchemaNode.Values(values: distinct, keys: keys)
  }

  // MARK: - Numbers

  func readNumbers(_ node: inout JSONSchemaNode) throws(UnsupportedSchema) {
    node.minimum = .highest([try bound("minimum", false), try bound("exclusiveMinimum", true)])
    node.maximum = .lowest([try bound("maximum", false), try bound("exclusiveMaximum", true)])
    guard let minimum = node.minimum, let maximum = node.maximum else { return }
    let keyword = minimum.isExclusive ? "exclusiveMinimum" : "minimum"
    if minimum.value > maximum.value
      || (minimum.value == maximum.value && (minimum.isExclusive || maximum.isExclusive))
    {
      throw refusal(keyword, "no number is between the minimum and the maximum")
    }
  }

  private func bound(_ keyword: String, _ isExclusive: Bool) throws(UnsupportedSchema) -> JSONSchemaNode.Bound? {
    guard let value = object[keyword] else { return nil }
    guard case .number(let number) = value else { throw refusal(keyword, "\(keyword) must be a number") }
    return JSONSchemaNode.Bound(value: JSONDecimal(number), isExclusive: isExclusive)
  }

  // MARK: - Strings

  func readStrings(_ node: inout JSONSchemaNode) throws(UnsupportedSchema) {
    node.minLength = try count("minLength")
    node.maxLength = try count("maxLength")
    try checkOrder("minLength", node.minLength, "maxLength", node.maxLength)
    if let value = object["pattern"] {
      guard case .string(let text) = value else { throw refusal("pattern", "pattern must be a string") }
      do throws(PatternError) {
        node.pattern = try JSONPattern(text)
      } catch {
        throw refusal("pattern", "the pattern \(error.problem)")
      }
    }
    if let value = object["format"] {
      guard case .string(let text) = value, let format = JSONFormat.allCases.first(where: { $0.rawValue == text })
      else {
        let known = JSONFormat.allCases.map(\.rawValue).joined(separator: ", ")
        throw refusal("format", "format knows \(known)")
      }
      node.format = format
    }
    try checkLengths(node)
  }

  /// Lengths that no string of the pattern or format has.
  private func checkLengths(_ node: JSONSchemaNode) throws(UnsupportedSchema) {
    if let pattern = node.pattern {
      guard let shortest = pattern.minimumLength else { throw refusal("pattern", "the pattern matches nothing") }
      if let most = node.maxLength, most < shortest { throw refusal("maxLength", "the pattern needs longer strings") }
      if let least = node.minLength, let longest = pattern.maximumLength, longest < least {
        throw refusal("minLength", "the pattern needs shorter strings")
      }
    }
    if let lengths = node.format?.lengths {
      if let most = node.maxLength, most < lengths.lowerBound {
        throw refusal("maxLength", "the format needs longer strings")
      }
      if let least = node.minLength, lengths.upperBound < least {
        throw refusal("minLength", "the format needs shorter strings")
      }
    }
  }

  func readCounts(_ node: inout JSONSchemaNode) throws(UnsupportedSchema) {
    node.minItems = try count("minItems")
    node.maxItems = try count("maxItems")
    try checkOrder("minItems", node.minItems, "maxItems", node.maxItems)
    // Without any item that could be, only the empty array is left.
    if object["items"] == .bool(false) {
      if let least = node.minItems, least > 0 { throw refusal("minItems", "there must be items, and no value is one") }
      node.maxItems = 0
    }
  }

  /// A number of things. One that no `Int` holds stands for the largest that does.
  private func count(_ keyword: String) throws(UnsupportedSchema) -> Int? {
    guard let value = object[keyword] else { return nil }
    if case .number(let number) = value {
      let decimal = JSONDecimal(number)
      if decimal.isWhole, !decimal.isNegative { return decimal.int ?? .max }
    }
    throw refusal(keyword, "\(keyword) must be a whole number from 0 on")
  }

  private func checkOrder(
    _ lower: String, _ minimum: Int?, _ upper: String, _ maximum: Int?
  ) throws(UnsupportedSchema) {
    guard let minimum, let maximum, minimum > maximum else { return }
    throw refusal(lower, "\(lower) is larger than \(upper)")
  }

  // MARK: - Objects

  /// Reads everything but the properties' own schemas; their places are still 0.
  func readObject(_ node: inout JSONSchemaNode) throws(UnsupportedSchema) {
    let keywords = ["properties", "required", "additionalProperties"]
    guard keywords.contains(where: { object[$0] != nil }) else { return }
    var result = JSONSchemaNode.Object()
    if let value = object["properties"] {
      guard case .object(let properties) = value else { throw refusal("properties", "properties must be an object") }
      for member in properties.members {
        let key = Array(member.name.utf8)
        if member.value == .bool(false) {
          guard result.places[key] == nil, result.forbidden.insert(key).inserted else {
            throw refusal("properties", "\(member.name) is there twice in properties")
          }
          continue
        }
        guard !result.forbidden.contains(key), result.places.updateValue(result.properties.count, forKey: key) == nil
        else {
          throw refusal("properties", "\(member.name) is there twice in properties")
        }
        result.properties.append((member.name, 0, false))
      }
    }
    if let value = object["required"] {
      guard case .array(let names) = value else { throw refusal("required", "required must be an array of names") }
      for name in names {
        guard case .string(let text) = name else { throw refusal("required", "required must be an array of names") }
        if result.forbidden.contains(Array(text.utf8)) {
          throw refusal("required", "\(text) is required, and no value meets its schema “false”")
        }
        guard let place = result.places[Array(text.utf8)] else {
          throw refusal("required", "\(text) is required and not among the properties")
        }
        if result.properties[place].isRequired { throw refusal("required", "\(text) is there twice in required") }
        result.properties[place].isRequired = true
      }
    }
    switch object["additionalProperties"] {
    case nil, .bool(true): break
    case .object(let schema) where schema.isEmpty: break
    case .bool(false): result.allowsAdditional = false
    case .null, .number, .string, .array, .object:
      throw refusal("additionalProperties", "additionalProperties must be true or false")
    }
    node.object = result
  }
}
