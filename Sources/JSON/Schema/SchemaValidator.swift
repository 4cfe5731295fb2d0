/// Compares a value with a schema as JSON Schema 2020-12 says. Knows nothing of how values are generated.
struct SchemaValidator {
  private static let maxFindings = 20

  /// The value's parts, the value itself first: each has a number, by which what is known of it is kept.
  private struct Part {
    var value: JSONValue
    /// Numbers of its items or members.
    var children: [Int] = []
  }

  /// What was asked before: whether a part is as a node says. Without it alternatives within alternatives, and
  /// references beside `items` or `properties`, would take exponential time.
  private struct Question: Hashable {
    var node: Int
    var part: Int
  }

  private let nodes: [JSONSchemaNode]
  private var parts: [Part] = []
  private var answers: [Question: Bool] = [:]

  init(nodes: [JSONSchemaNode], value: JSONValue) {
    self.nodes = nodes
    _ = add(value)
  }

  private mutating func add(_ value: JSONValue) -> Int {
    let number = parts.count
    parts.append(Part(value: value))
    switch value {
    case .array(let values): parts[number].children = values.map { add($0) }
    case .object(let object): parts[number].children = object.members.map { add($0.value) }
    case .null, .bool, .number, .string: break
    }
    return number
  }

  mutating func validate() -> [SchemaViolation] {
    var findings: [SchemaViolation] = []
    check(node: 0, part: 0, at: "", &findings)
    return findings
  }

  mutating func accepts(at node: Int) -> Bool { accepts(node: node, part: 0) }

  private mutating func accepts(node: Int, part: Int) -> Bool {
    let question = Question(node: node, part: part)
    if let answer = answers[question] { return answer }
    var findings: [SchemaViolation] = []
    check(node: node, part: part, at: "", &findings)
    answers[question] = findings.isEmpty
    return findings.isEmpty
  }

  /// Each visit is the first of this node and part, or adds a finding, of which there are few.
  private mutating func check(node id: Int, part: Int, at pointer: String, _ findings: inout [SchemaViolation]) {
    let question = Question(node: id, part: part)
    guard findings.count < Self.maxFindings, answers[question] != true else { return }
    let before = findings.count
    checkKeywords(node: id, part: part, at: pointer, &findings)
    if findings.count == before { answers[question] = true }
  }

  private mutating func checkKeywords(
    node id: Int, part: Int, at pointer: String, _ findings: inout [SchemaViolation]
  ) {
    let node = nodes[id]
    let value = parts[part].value
    func report(_ keyword: String, _ problem: String) {
      guard findings.count < Self.maxFindings else { return }
      findings.append(SchemaViolation(pointer: pointer, keyword: keyword, problem: problem))
    }
    if let types = node.types, !types.contains(typeOf: value) { report("type", "is \(value.typeName)") }
    if node.values != nil || node.constant != nil {
      let key = value.canonicalBytes
      if let values = node.values, !values.keys.contains(key) { report("enum", "is none of the values") }
      if let constant = node.constant, constant.canonicalBytes != key { report("const", "is not the value") }
    }
    switch value {
    case .number(let number): checkNumber(JSONDecimal(number), node, report)
    case .string(let text): checkString(text, node, report)
    case .array(let values):
      if let least = node.minItems, values.count < least { report("minItems", "has \(values.count) items") }
      if let most = node.maxItems, values.count > most { report("maxItems", "has \(values.count) items") }
      if let items = node.items { checkItems(of: part, items, at: pointer, &findings) }
    case .object(let object):
      if object.duplicateName != nil { report("properties", "has a name twice") }
      if let schema = node.object { checkMembers(object, schema, part, at: pointer, &findings) }
    case .null, .bool: break
    }
    if let reference = node.reference { check(node: reference, part: part, at: pointer, &findings) }
    if let alternatives = node.alternatives {
      var isMet = false
      for alternative in alternatives where !isMet { isMet = accepts(node: alternative, part: part) }
      if !isMet, findings.count < Self.maxFindings {
        let problem = "is as none of the alternatives says"
        findings.append(SchemaViolation(pointer: pointer, keyword: "anyOf", problem: problem))
      }
    }
  }

  private mutating func checkItems(
    of part: Int, _ schema: Int, at pointer: String, _ findings: inout [SchemaViolation]
  ) {
    for (index, child) in parts[part].children.enumerated() where findings.count < Self.maxFindings {
      check(node: schema, part: child, at: "\(pointer)/\(index)", &findings)
    }
  }

  private mutating func checkMembers(
    _ object: JSONObject, _ schema: JSONSchemaNode.Object, _ part: Int, at pointer: String,
    _ findings: inout [SchemaViolation]
  ) {
    var missing = Set(schema.properties.indices.filter { schema.properties[$0].isRequired })
    for (index, member) in object.members.enumerated() where findings.count < Self.maxFindings {
      let place = pointer + "/" + SchemaParser.escaped(member.name)
      if let property = schema.places[Array(member.name.utf8)] {
        missing.remove(property)
        check(node: schema.properties[property].node, part: parts[part].children[index], at: place, &findings)
      } else if schema.forbidden.contains(Array(member.name.utf8)) {
        findings.append(SchemaViolation(pointer: place, keyword: "properties", problem: "must not be there"))
      } else if !schema.allowsAdditional {
        findings.append(
          SchemaViolation(pointer: place, keyword: "additionalProperties", problem: "is not among the properties"))
      }
    }
    guard findings.count < Self.maxFindings else { return }
    for property in missing.sorted() {
      let problem = "has no \(schema.properties[property].name)"
      findings.append(SchemaViolation(pointer: pointer, keyword: "required", problem: problem))
    }
  }

  private func checkNumber(_ value: JSONDecimal, _ node: JSONSchemaNode, _ report: (String, String) -> Void) {
    if let bound = node.minimum, value < bound.value || (bound.isExclusive && value == bound.value) {
      report(bound.isExclusive ? "exclusiveMinimum" : "minimum", "is too small")
    }
    if let bound = node.maximum, value > bound.value || (bound.isExclusive && value == bound.value) {
      report(bound.isExclusive ? "exclusiveMaximum" : "maximum", "is too large")
    }
  }

  private func checkString(_ text: String, _ node: JSONSchemaNode, _ report: (String, String) -> Void) {
    if node.minLength != nil || node.maxLength != nil {
      let length = text.unicodeScalars.count
      if let least = node.minLength, length < least { report("minLength", "has \(length) characters") }
      if let most = node.maxLength, length > most { report("maxLength", "has \(length) characters") }
    }
    if let pattern = node.pattern, !pattern.matches(text) { report("pattern", "does not match") }
    if let format = node.format, !format.matches(text) { report("format", "is no \(format.rawValue)") }
  }
}

extension JSONSchemaNode.Types {
  /// Whether a value is of one of the types.
  func contains(typeOf value: JSONValue) -> Bool {
    switch value {
    case .null: contains(.null)
    case .bool: contains(.boolean)
    case .number(let number): contains(.number) || (contains(.integer) && JSONDecimal(number).isWhole)
    case .string: contains(.string)
    case .array: contains(.array)
    case .object: contains(.object)
    }
  }
}
