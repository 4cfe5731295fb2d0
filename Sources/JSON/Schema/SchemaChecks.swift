/// Measures a schema before it is read.
enum SchemaSize {
  /// - Throws: when its compact text would be longer than the limit, or its values lie too deep within each other. The
  ///   measuring stops at the limit.
  static func check(_ source: JSONValue, _ limits: JSONSchema.Limits) throws(UnsupportedSchema) {
    var left = limits.bytes
    // A level of schemas takes two of JSON: the schema and its `properties`.
    if !fits(source, &left, depth: 2 * limits.depth + 2) {
      let problem =
        left < 0
        ? "its text is longer than \(limits.bytes) bytes" : "its values are too deep within each other"
      throw UnsupportedSchema(pointer: "", keyword: "", problem)
    }
  }

  private static func fits(_ value: JSONValue, _ left: inout Int, depth: Int) -> Bool {
    if depth < 0 { return false }
    switch value {
    case .null, .bool: left -= 4
    case .number(let number): left -= number.text.utf8.count
    case .string(let text): left -= text.utf8.count + 2
    case .array(let values):
      left -= 2 + max(0, values.count - 1)
      for value in values where left >= 0 {
        if !fits(value, &left, depth: depth - 1) { return false }
      }
    case .object(let object):
      left -= 2 + 4 * object.count - (object.isEmpty ? 0 : 1)
      for member in object.members where left >= 0 {
        left -= member.name.utf8.count
        if !fits(member.value, &left, depth: depth - 1) { return false }
      }
    }
    return left >= 0
  }
}

/// What can be said of a schema only as a whole.
enum SchemaChecks {
  static func check(_ nodes: [JSONSchemaNode]) throws(UnsupportedSchema) {
    try checkProgress(nodes)
    let heights = heights(of: nodes)
    if let node = nodes.indices.first(where: { heights[$0] == nil }) {
      throw nodes[node].refusal(
        nodes[node].reference == nil ? "required" : "$ref", "every value of this schema would have to be endless")
    }
  }

  /// Refuses references and alternatives that lead back to themselves without a value in between.
  private static func checkProgress(_ nodes: [JSONSchemaNode]) throws(UnsupportedSchema) {
    enum Mark { case new, open, done }
    var marks = Array(repeating: Mark.new, count: nodes.count)
    for root in nodes.indices where marks[root] == .new {
      // Depth first, with a stack of our own: chains of references may be long.
      var stack: [(node: Int, next: Int)] = [(root, 0)]
      marks[root] = .open
      while let (node, next) = stack.last {
        let targets = (nodes[node].reference.map { [$0] } ?? []) + (nodes[node].alternatives ?? [])
        guard next < targets.count else {
          marks[node] = .done
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].next += 1
        switch marks[targets[next]] {
        case .new:
          marks[targets[next]] = .open
          stack.append((targets[next], 0))
        case .open:
          throw nodes[node].refusal(
            nodes[node].reference == targets[next] ? "$ref" : "anyOf", "it refers to itself without an end")
        case .done: break
        }
      }
    }
  }

  /// How many containers the flattest value of each node has within each other; nil when every value would be endless.
  static func heights(of nodes: [JSONSchemaNode]) -> [Int?] {
    var heights = [Int?](repeating: nil, count: nodes.count)
    var changes = true
    while changes {
      changes = false
      // Most references lead down, so that one round backwards settles most nodes.
      for index in nodes.indices.reversed() {
        guard let height = height(of: nodes[index], heights), height < heights[index] ?? .max else { continue }
        heights[index] = height
        changes = true
      }
    }
    return heights
  }

  private static func height(of node: JSONSchemaNode, _ heights: [Int?]) -> Int? {
    if node.values != nil || node.constant != nil { return 0 }
    var height = 0
    if let reference = node.reference {
      guard let target = heights[reference] else { return nil }
      height = target
    }
    if let alternatives = node.alternatives {
      guard let best = alternatives.compactMap({ heights[$0] }).min() else { return nil }
      height = max(height, best)
    }
    // A value that is no container ends by itself.
    let types = node.effectiveTypes
    if !types.subtracting([.object, .array]).isEmpty { return height }
    var own: Int?
    if types.contains(.object) {
      let required = (node.object?.properties ?? []).filter(\.isRequired).map { heights[$0.node] }
      if !required.contains(nil) { own = 1 + (required.compactMap(\.self).max() ?? 0) }
    }
    if types.contains(.array) {
      let items = node.minItems ?? 0 == 0 ? 0 : node.items.map { heights[$0] } ?? 0
      if let items { own = min(own ?? .max, 1 + items) }
    }
    return own.map { max(height, $0) }
  }
}

extension JSONSchemaNode {
  /// The types that a value of it is made of when one is made: `type`, or else what its keywords speak of, or else any.
  package var effectiveTypes: Types {
    if let types { return types }
    var spoken: Types = []
    if object != nil { spoken.insert(.object) }
    if items != nil || minItems != nil || maxItems != nil { spoken.insert(.array) }
    if minLength != nil || maxLength != nil || pattern != nil || format != nil { spoken.insert(.string) }
    if minimum != nil || maximum != nil { spoken.insert(.number) }
    return spoken.isEmpty ? .any : spoken
  }

  /// Whether nothing but a reference or alternatives says anything of values.
  package var saysNothingItself: Bool {
    types == nil && values == nil && constant == nil && object == nil && items == nil && minItems == nil
      && maxItems == nil && minLength == nil && maxLength == nil && pattern == nil && format == nil && minimum == nil
      && maximum == nil
  }
}
