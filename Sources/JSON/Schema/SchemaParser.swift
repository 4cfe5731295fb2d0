/// Reads a schema from JSON.
struct SchemaParser {
  /// A schema of more parts than this is refused, whatever its text's length.
  private static let maxNodes = 20_000

  private let maxDepth: Int
  private var nodes: [JSONSchemaNode] = []
  /// Places of the root and of definitions by their fragment, `#/$defs/name`.
  private var targets: [[UInt8]: JSONSchemaNode.ID] = [:]
  private var references: [(node: JSONSchemaNode.ID, target: [UInt8])] = []
  private var depth = 0

  init(maxDepth: Int) { self.maxDepth = maxDepth }

  mutating func parse(_ source: JSONValue) throws(UnsupportedSchema) -> [JSONSchemaNode] {
    targets[Array("#".utf8)] = try node(source, at: "")
    for (node, target) in references {
      guard let id = targets[target] else {
        throw UnsupportedSchema(
          pointer: nodes[node].pointer, keyword: "$ref", "$ref leads to nothing in $defs of this schema")
      }
      nodes[node].reference = id
    }
    return nodes
  }

  /// Reads a subschema and gives its place.
  mutating func node(_ source: JSONValue, at pointer: String) throws(UnsupportedSchema) -> JSONSchemaNode.ID {
    depth += 1
    defer { depth -= 1 }
    if depth > maxDepth {
      throw UnsupportedSchema(pointer: pointer, keyword: "", "it has more than \(maxDepth) schemas within each other")
    }
    if nodes.count >= Self.maxNodes {
      throw UnsupportedSchema(pointer: pointer, keyword: "", "it has more than \(Self.maxNodes) parts")
    }
    let id = nodes.count
    nodes.append(JSONSchemaNode(pointer: pointer))
    switch source {
    case .bool(true): break
    case .bool(false):
      throw UnsupportedSchema(pointer: pointer, keyword: "false", "no value meets the schema “false”")
    case .object(let object):
      if let name = object.duplicateName {
        throw UnsupportedSchema(pointer: pointer, keyword: name, "\(name) is there twice")
      }
      let reader = KeywordReader(object, pointer)
      try reader.checkNames()
      var node = JSONSchemaNode(pointer: pointer)
      try reader.readValues(&node)
      try reader.readTypes(&node)
      try reader.readNumbers(&node)
      try reader.readStrings(&node)
      try reader.readCounts(&node)
      try reader.readObject(&node)
      try readSubschemas(object, &node, id)
      nodes[id] = node
    case .null, .number, .string, .array:
      throw UnsupportedSchema(
        pointer: pointer, keyword: "", "a schema is an object, true or false, not \(source.typeName)")
    }
    return id
  }

  private mutating func readSubschemas(
    _ object: JSONObject, _ node: inout JSONSchemaNode, _ id: JSONSchemaNode.ID
  ) throws(UnsupportedSchema) {
    try readDefinitions(object, node.pointer)
    if let reference = object["$ref"] {
      guard case .string(let text) = reference else { throw node.refusal("$ref", "$ref must be a string") }
      references.append((id, try Self.target(text, node)))
    }
    if case .object(let properties)? = object["properties"] {
      for member in properties.members {
        guard let place = node.object?.places[Array(member.name.utf8)] else { continue }
        let pointer = node.pointer + "/properties/" + Self.escaped(member.name)
        node.object?.properties[place].node = try self.node(member.value, at: pointer)
      }
    }
    if let items = object["items"], items != .bool(false) {
      node.items = try self.node(items, at: node.pointer + "/items")
    }
    for keyword in ["anyOf", "oneOf"] {
      guard let value = object[keyword] else { continue }
      guard case .array(let schemas) = value, !schemas.isEmpty else {
        throw node.refusal(keyword, "\(keyword) must be an array with at least one schema")
      }
      if node.alternatives != nil { throw node.refusal(keyword, "anyOf and oneOf in one schema are not supported") }
      var ids: [JSONSchemaNode.ID] = []
      for (index, schema) in schemas.enumerated() {
        ids.append(try self.node(schema, at: "\(node.pointer)/\(keyword)/\(index)"))
      }
      node.alternatives = ids
    }
  }

  private mutating func readDefinitions(_ object: JSONObject, _ pointer: String) throws(UnsupportedSchema) {
    for keyword in ["$defs", "definitions"] {
      guard let value = object[keyword] else { continue }
      guard case .object(let definitions) = value else {
        throw UnsupportedSchema(pointer: pointer, keyword: keyword, "\(keyword) must be an object")
      }
      if let name = definitions.duplicateName {
        throw UnsupportedSchema(pointer: pointer, keyword: keyword, "\(name) is there twice in \(keyword)")
      }
      for member in definitions.members {
        let place = "\(pointer)/\(keyword)/" + Self.escaped(member.name)
        targets[Array("#\(place)".utf8)] = try node(member.value, at: place)
      }
    }
  }

  /// The fragment that a reference names, with its percent signs taken out (RFC 3986, section 2.1).
  private static func target(_ text: String, _ node: JSONSchemaNode) throws(UnsupportedSchema) -> [UInt8] {
    guard text.utf8.first == UInt8(ascii: "#") else {
      throw node.refusal("$ref", "$ref must lead into this schema: “#” or “#/$defs/…”")
    }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        throw node.refusal("$ref", "$ref has a percent sign that stands for nothing")
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  /// A name as a token of a JSON pointer (RFC 6901, section 3).
  static func escaped(_ name: String) -> String {
    var bytes: [UInt8] = []
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "~"): bytes += "~0".utf8
      case UInt8(ascii: "/"): bytes += "~1".utf8
      case _: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension JSONSchemaNode {
  /// A refusal of one of its keywords.
  package func refusal(_ keyword: String, _ problem: String) -> UnsupportedSchema {
    UnsupportedSchema(pointer: pointer, keyword: keyword, problem)
  }
}
