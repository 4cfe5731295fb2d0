import Inference
import JSON

/// Makes the grammar of the compact JSON texts that a schema allows. Runs in a request's task.
///
/// Members come in the schema's order, and none that the schema does not name. What the schema leaves open has a bound,
/// for small models run in circles: strings 500 characters, or 100 more than their `minLength`; arrays 32 items, or 8
/// more than their `minItems`; numbers the digits of `NumberLanguage`; values without any schema are no objects;
/// recursion ends before a parser's limit of depth. `oneOf` is read as `anyOf`.
package struct SchemaGrammar {
  static let freeStringLength = 500
  static let freeArrayLength = 32
  /// A schema that asks for more characters or items than this is refused: no answer is so long.
  private static let largestMinimum = 100_000
  /// Containers within each other, well under what `JSONParser` reads.
  private static let mostContainers = 110
  /// Nodes, and members that were merged, of one grammar.
  private static let mostNodes = 100_000

  /// A machine and how many characters it may write.
  private struct Content: Hashable {
    var machine: SchemaMachines.Key
    var minimum = 0
    var maximum: Int?
  }

  /// A part of the grammar, and how many containers its values may have within each other where no recursion is.
  private typealias Part = (node: Grammar.NodeID, height: Int)

  package private(set) var grammar = Grammar()
  private var merger: SchemaMerger
  private let schema: JSONSchema
  /// Parts that references lead to.
  private var finished: [JSONSchemaNode.ID: Part] = [:]
  /// References that are being followed, with the node reserved for them when they were met again.
  private var open: [JSONSchemaNode.ID: Grammar.NodeID?] = [:]
  private var machines = SchemaMachines()
  /// The same content has one node, wherever it stands.
  private var contents: [Content: Grammar.NodeID] = [:]
  /// By node of the grammar: a JSON pointer to what it was made of.
  private var origins: [String] = []
  private var pointer = ""
  private var depth = 0
  private var count = 0

  /// - Throws: `UnsupportedSchema` for what would need too much work, or what no value can meet.
  package init(_ schema: JSONSchema) throws(UnsupportedSchema) {
    self.schema = schema
    merger = SchemaMerger(schema)
    let root = try part(for: 0)
    grammar.root = root.node
    // Each recursion may go as deep as the deepest part.
    grammar.recursionLimit = max(1, min(32, Self.mostContainers / max(1, root.height) - 1))
  }

  /// What is wrong with the schema when its grammar cannot be run.
  package func refusal(_ error: ConstraintError) -> UnsupportedSchema {
    switch error {
    case .undefined: UnsupportedSchema(pointer: "", keyword: "", "no grammar can be made of it")
    case .emptyLanguage(let node):
      UnsupportedSchema(pointer: origin(node), keyword: "", "no value meets all that it says")
    case .endless(let node):
      UnsupportedSchema(pointer: origin(node), keyword: "$ref", "it refers to itself without an end")
    case .tooComplex(let what): UnsupportedSchema(pointer: "", keyword: "", "it needs \(what)")
    }
  }

  private func origin(_ node: Int) -> String { origins.indices.contains(node) ? origins[node] : "" }

  // MARK: - Nodes

  private mutating func add(_ node: Grammar.Node) -> Grammar.NodeID {
    origins.append(pointer)
    return grammar.add(node)
  }

  private mutating func reserve() -> Grammar.NodeID {
    origins.append(pointer)
    return grammar.reserve()
  }

  private mutating func text(_ text: String) -> Grammar.NodeID { add(.literal(Array(text.utf8))) }

  /// The part of a subschema.
  private mutating func part(for id: JSONSchemaNode.ID) throws(UnsupportedSchema) -> Part {
    let node = merger.nodes[id]
    count += 1
    depth += 1
    let outer = pointer
    pointer = node.pointer
    defer {
      depth -= 1
      pointer = outer
    }
    guard count < Self.mostNodes, depth < 4 * Self.mostContainers else {
      throw node.refusal("", "it is too large, or too deep within itself")
    }
    if node.values != nil || node.constant != nil { return try values(of: node, id) }
    if let reference = node.reference {
      if node.alternatives == nil, node.saysNothingItself { return try part(behind: reference) }
      return try part(behind: try merger.merge(id, with: reference, of: "$ref"))
    }
    if let alternatives = node.alternatives {
      var parts: [Part] = []
      for alternative in alternatives {
        if node.saysNothingItself {
          parts.append(try part(for: alternative))
        } else {
          parts.append(try part(behind: try merger.merge(id, with: alternative, of: "anyOf")))
        }
      }
      return choice(parts)
    }
    return try typed(node)
  }

  /// The part that a reference leads to: made once, and reserved when it is met again inside itself.
  private mutating func part(behind id: JSONSchemaNode.ID) throws(UnsupportedSchema) -> Part {
    if let part = finished[id] { return part }
    if let reserved = open[id] {
      let node = reserved ?? reserve()
      open[id] = .some(node)
      return (node, 0)
    }
    open[id] = .some(nil)
    var part = try part(for: id)
    if case .some(.some(let reserved)) = open[id] {
      grammar.define(reserved, .sequence([part.node]))
      part.node = reserved
    }
    open[id] = nil
    finished[id] = part
    return part
  }

  private mutating func choice(_ parts: [Part]) -> Part {
    let height = parts.map(\.height).max() ?? 0
    return parts.count == 1 ? parts[0] : (add(.choice(parts.map(\.node))), height)
  }

  /// `enum` and `const`: those of the values that everything else in the schema agrees with.
  private mutating func values(of node: JSONSchemaNode, _ id: JSONSchemaNode.ID) throws(UnsupportedSchema) -> Part {
    let candidates = node.values?.values ?? node.constant.map { [$0] } ?? []
    let valid = candidates.filter { merger.accepts($0, at: id) }
    if valid.isEmpty {
      throw node.refusal(node.values == nil ? "const" : "enum", "no value is as the rest of the schema says")
    }
    let height = valid.map(\.height).max() ?? 0
    return try container(node, (add(.words(valid.map { JSONWriter.bytes(of: $0) })), height))
  }

  private mutating func typed(_ node: JSONSchemaNode) throws(UnsupportedSchema) -> Part {
    let types = node.effectiveTypes
    var parts: [Part] = []
    if types.contains(.null) { parts.append((text("null"), 0)) }
    if types.contains(.boolean) { parts.append((add(.words([Array("true".utf8), Array("false".utf8)])), 0)) }
    if types.contains(.number) || types.contains(.integer) {
      parts.append((try number(node, isInteger: !types.contains(.number)), 0))
    }
    if types.contains(.string) { parts.append((try string(node), 0)) }
    if types.contains(.array) { parts.append(try array(node)) }
    // A value without any schema is no object: there is nothing to name its members by.
    if types.contains(.object), types != .any || node.object != nil || node.types != nil {
      parts.append(try object(node))
    }
    if parts.isEmpty { throw node.refusal("type", "no type is left") }
    return choice(parts)
  }

  // MARK: - Numbers and strings

  private mutating func number(_ node: JSONSchemaNode, isInteger: Bool) throws(UnsupportedSchema) -> Grammar.NodeID {
    guard let numbers = NumberLanguage(minimum: node.minimum, maximum: node.maximum, isInteger: isInteger) else {
      let keyword = node.minimum?.isExclusive == true ? "exclusiveMinimum" : "minimum"
      throw node.refusal(keyword, "no number with few enough digits is between the minimum and the maximum")
    }
    let key = SchemaMachines.Key.number(minimum: node.minimum, maximum: node.maximum, isInteger: isInteger)
    return try content(Content(machine: key), numbers.language, node, "maximum")
  }

  private mutating func string(_ node: JSONSchemaNode) throws(UnsupportedSchema) -> Grammar.NodeID {
    let least = node.minLength ?? 0
    if least > Self.largestMinimum { throw node.refusal("minLength", "no answer is as long as minLength says") }
    var most = node.maxLength
    let quote = text("\"")
    let inside: Grammar.NodeID
    switch (node.pattern, node.format) {
    case (.some, .some): throw node.refusal("format", "pattern and format in one schema are not supported")
    case (let pattern?, nil):
      let shortest = max(least, pattern.minimumLength ?? 0)
      if pattern.maximumLength == nil { most = most ?? max(Self.freeStringLength, shortest + 100) }
      let key = SchemaMachines.Key.pattern(Array(pattern.text.utf8))
      inside = try content(
        Content(machine: key, minimum: least, maximum: most), StringLanguage.matching(pattern.language), node, "pattern"
      )
    case (nil, let format?):
      let content = Content(machine: .format(format), minimum: least, maximum: most)
      inside = try self.content(content, StringLanguage.of(format), node, "format")
    case (nil, nil):
      let content = Content(
        machine: .free, minimum: least, maximum: most ?? max(Self.freeStringLength, least + 100))
      inside = try self.content(content, StringLanguage.free, node, "type")
    }
    return add(.sequence([quote, inside, quote]))
  }

  private mutating func content(
    _ content: Content, _ language: @autoclosure () -> RegularLanguage, _ node: JSONSchemaNode, _ keyword: String
  ) throws(UnsupportedSchema) -> Grammar.NodeID {
    if let known = contents[content] { return known }
    do throws(TooLarge) {
      let machine = try machines.machine(content.machine, language())
      let made = add(.machine(machine, minimum: content.minimum, maximum: content.maximum))
      contents[content] = made
      return made
    } catch {
      throw node.refusal(keyword, "\(keyword) needs too large an automaton")
    }
  }

  // MARK: - Containers

  private mutating func array(_ node: JSONSchemaNode) throws(UnsupportedSchema) -> Part {
    let least = node.minItems ?? 0
    if least > Self.largestMinimum { throw node.refusal("minItems", "no answer is as long as minItems says") }
    let most = node.maxItems ?? max(Self.freeArrayLength, least + 8)
    let (open, close) = (text("["), text("]"))
    if most == 0 { return try container(node, (add(.sequence([open, close])), 1)) }
    depth += 3
    defer { depth -= 3 }
    let item: Part
    if let items = node.items { item = try part(for: items) } else { item = try anyScalar(node) }
    let list = add(.list(item: item.node, separator: Array(",".utf8), minimum: least, maximum: most))
    return try container(node, (add(.sequence([open, list, close])), item.height + 1))
  }

  /// A value of no schema inside an array of no `items`.
  private mutating func anyScalar(_ node: JSONSchemaNode) throws(UnsupportedSchema) -> Part {
    var any = JSONSchemaNode(pointer: node.pointer)
    any.types = [.null, .boolean, .number, .string]
    return try typed(any)
  }

  private mutating func object(_ node: JSONSchemaNode) throws(UnsupportedSchema) -> Part {
    guard let object = node.object else {
      throw node.refusal("properties", "an object needs its properties, for the answer has no others")
    }
    depth += 3
    defer { depth -= 3 }
    var height = 0
    var members: [(node: Grammar.NodeID, isRequired: Bool)] = []
    for property in object.properties {
      let value = try part(for: property.node)
      height = max(height, value.height)
      let key = add(.literal(JSONWriter.bytes(of: .string(property.name)) + [UInt8(ascii: ":")]))
      members.append((add(.sequence([key, value.node])), property.isRequired))
    }
    let (open, close) = (text("{"), text("}"))
    let list = add(.members(members, separator: Array(",".utf8)))
    return try container(node, (add(.sequence([open, list, close])), height + 1))
  }

  private func container(_ node: JSONSchemaNode, _ part: Part) throws(UnsupportedSchema) -> Part {
    if part.height > Self.mostContainers {
      throw node.refusal("", "its values are more than \(Self.mostContainers) deep within each other")
    }
    return part
  }
}

extension JSONValue {
  /// How many containers are within each other.
  fileprivate var height: Int {
    switch self {
    case .null, .bool, .number, .string: 0
    case .array(let values): 1 + (values.map(\.height).max() ?? 0)
    case .object(let object): 1 + (object.members.map(\.value.height).max() ?? 0)
    }
  }
}
