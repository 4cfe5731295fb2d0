import JSON

/// Puts two subschemas that hold at the same time into one: a reference or an alternative, and what stands beside it.
struct SchemaMerger {
  private static let mostNodes = 50_000
  private static let mostDepth = 200

  /// The schema's nodes, and behind them merged ones.
  private(set) var nodes: [JSONSchemaNode]
  private let count: Int
  private let schema: JSONSchema
  private var known: [[Int]: Int] = [:]
  private var depth = 0

  init(_ schema: JSONSchema) {
    self.schema = schema
    nodes = schema.nodes
    count = schema.nodes.count
  }

  /// Whether a value is as a node says; for a merged one, as both say that it was made of.
  func accepts(_ value: JSONValue, at id: Int) -> Bool {
    origins(of: id).allSatisfy { schema.accepts(value, at: $0) }
  }

  private func origins(of id: Int) -> [Int] { id < count ? [id] : merged[id - count] }

  /// By merged node: the schema's own nodes that it stands for.
  private var merged: [[Int]] = []

  /// The node that says what both say, without the reference or the alternatives of the first, which the second is.
  mutating func merge(_ id: Int, with other: Int, of keyword: String) throws(UnsupportedSchema) -> Int {
    var rest = nodes[id]
    if keyword == "$ref" { rest.reference = nil } else { rest.alternatives = nil }
    return try merge(
      rest, nodes[other], key: [id, other, keyword == "$ref" ? 0 : 1], keyword, origins(of: id) + origins(of: other))
  }

  private mutating func merge(
    _ first: JSONSchemaNode, _ second: JSONSchemaNode, key: [Int], _ keyword: String, _ origins: [Int]
  ) throws(UnsupportedSchema) -> Int {
    if let id = known[key] { return id }
    depth += 1
    defer { depth -= 1 }
    if nodes.count > Self.mostNodes || depth > Self.mostDepth {
      throw first.refusal(keyword, "it is too large when \(keyword) is put in")
    }
    // The place is taken first, so that schemas that come back to themselves find it.
    let id = nodes.count
    known[key] = id
    nodes.append(first)
    merged.append(origins)
    nodes[id] = try combination(first, second, keyword)
    return id
  }

  /// A subschema of both.
  private mutating func both(_ left: Int, _ right: Int, _ keyword: String) throws(UnsupportedSchema) -> Int {
    if left == right { return left }
    return try merge(nodes[left], nodes[right], key: [left, right, 2], keyword, origins(of: left) + origins(of: right))
  }

  private mutating func combination(
    _ first: JSONSchemaNode, _ second: JSONSchemaNode, _ keyword: String
  ) throws(UnsupportedSchema) -> JSONSchemaNode {
    var result = first
    func clash(_ what: String) -> UnsupportedSchema {
      first.refusal(keyword, "\(what) beside \(keyword) cannot be put together with what it leads to")
    }
    if let types = second.types { result.types = first.types.map { Self.common($0, types) } ?? types }
    if result.types == [] { throw clash("type") }
    // Values are compared with all that is said, so that either list will do.
    if let values = second.values, result.values == nil { result.values = values }
    result.constant = first.constant ?? second.constant
    if second.reference != nil {
      if first.reference != nil { throw clash("$ref") }
      result.reference = second.reference
    }
    if second.alternatives != nil {
      if first.alternatives != nil { throw clash("anyOf") }
      result.alternatives = second.alternatives
    }
    if second.pattern != nil {
      if let own = first.pattern, !own.text.utf8.elementsEqual(second.pattern?.text.utf8 ?? "".utf8) {
        throw clash("pattern")
      }
      result.pattern = second.pattern
    }
    if second.format != nil {
      if first.format != nil, first.format != second.format { throw clash("format") }
      result.format = second.format
    }
    result.minItems = [first.minItems, second.minItems].compactMap(\.self).max()
    result.maxItems = [first.maxItems, second.maxItems].compactMap(\.self).min()
    result.minLength = [first.minLength, second.minLength].compactMap(\.self).max()
    result.maxLength = [first.maxLength, second.maxLength].compactMap(\.self).min()
    if let least = result.minItems, let most = result.maxItems, least > most { throw clash("minItems") }
    if let least = result.minLength, let most = result.maxLength, least > most { throw clash("minLength") }
    result.minimum = .highest([first.minimum, second.minimum])
    result.maximum = .lowest([first.maximum, second.maximum])
    if let items = second.items {
      result.items = items
      if let own = first.items { result.items = try both(own, items, keyword) }
    }
    if let object = second.object {
      result.object = object
      if let own = first.object { result.object = try members(own, object, first, keyword) }
    }
    return result
  }

  /// The types that both allow; whole numbers are numbers.
  private static func common(_ first: JSONSchemaNode.Types, _ second: JSONSchemaNode.Types) -> JSONSchemaNode.Types {
    var result = first.intersection(second)
    if !result.contains(.number), !first.isDisjoint(with: [.integer, .number]),
      !second.isDisjoint(with: [.integer, .number])
    {
      result.insert(.integer)
    }
    return result
  }

  private mutating func members(
    _ first: JSONSchemaNode.Object, _ second: JSONSchemaNode.Object, _ node: JSONSchemaNode, _ keyword: String
  ) throws(UnsupportedSchema) -> JSONSchemaNode.Object {
    var result = JSONSchemaNode.Object()
    result.allowsAdditional = first.allowsAdditional && second.allowsAdditional
    result.forbidden = first.forbidden.union(second.forbidden)
    let all = first.properties + second.properties.filter { first.places[Array($0.name.utf8)] == nil }
    for property in all {
      let key = Array(property.name.utf8)
      let places = (first.places[key], second.places[key])
      let isRequired =
        places.0.map { first.properties[$0].isRequired } ?? false
        || places.1.map { second.properties[$0].isRequired } ?? false
      if result.forbidden.contains(key) || (places.0 == nil && !first.allowsAdditional)
        || (places.1 == nil && !second.allowsAdditional)
      {
        if isRequired { throw node.refusal(keyword, "\(property.name) is required and not allowed beside \(keyword)") }
        continue
      }
      var id = property.node
      if let left = places.0, let right = places.1 {
        id = try both(first.properties[left].node, second.properties[right].node, keyword)
      }
      result.places[key] = result.properties.count
      result.properties.append((property.name, id, isRequired))
    }
    return result
  }
}
