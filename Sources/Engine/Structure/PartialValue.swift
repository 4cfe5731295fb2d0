import JSON

/// Follows a compact JSON text, made under a schema, while it grows, and gives the value so far: keys that have not
/// come are missing, arrays are shorter, a free string may be unfinished. Numbers, words, and strings that the schema
/// says more of than their length appear only when they are complete.
///
/// It reads each byte once and is led by the schema: for each open place it knows which subschemas may stand there.
/// Where several may, a string counts as free only if it is free in all of them that allow strings.
package struct PartialValue {
  /// A container that has begun and not ended. Both kinds have places of their own, so that they grow in place.
  private struct Level {
    var isObject: Bool
    var items: [JSONValue] = []
    var members = JSONObject()
    /// The key whose value comes next.
    var key: String?
    /// The schemas of the container itself.
    var schemas: [JSONSchemaNode.ID]
  }

  private enum Lexeme {
    case none
    /// A number or a word.
    case scalar
    case string
  }

  private let nodes: [JSONSchemaNode]
  private var levels: [Level] = []
  private var root: JSONValue?
  private var lexeme = Lexeme.none
  /// The bytes of the number or word.
  private var written: [UInt8] = []
  /// The string's text without what is not decided, such as half an escape.
  private var text: [UInt8] = []
  private var escape: [UInt8] = []
  private var isFree = false
  /// Bytes taken in.
  package private(set) var count = 0
  /// Grows whenever there is something new to see.
  package private(set) var version = 0

  package init(_ schema: JSONSchema) { nodes = schema.nodes }

  /// Takes bytes that follow those before: whole scalars of a text that the schema allows.
  package mutating func take(_ bytes: [UInt8]) {
    for byte in bytes { take(byte) }
  }

  /// The text has ended: a number at its end is complete.
  package mutating func finish() {
    if case .scalar = lexeme { endScalar() }
  }

  /// The value so far; nil when there is nothing to see yet. Takes time in proportion to the value.
  package var value: JSONValue? {
    var inner: JSONValue?
    if case .string = lexeme, isFree, !isKey { inner = .string(String(decoding: text, as: UTF8.self)) }
    for level in levels.reversed() {
      if level.isObject {
        var members = level.members
        if let inner, let key = level.key { members.append(key, inner) }
        inner = .object(members)
      } else {
        inner = .array(level.items + (inner.map { [$0] } ?? []))
      }
    }
    return inner ?? root
  }

  // MARK: - Bytes

  private mutating func take(_ byte: UInt8) {
    count += 1
    switch lexeme {
    case .string: takeInString(byte)
    case .scalar:
      if isDelimiter(byte) {
        endScalar()
        takeStructure(byte)
      } else {
        written.append(byte)
        // Words need no delimiter to be complete.
        if written.elementsEqual("true".utf8) || written.elementsEqual("false".utf8)
          || written.elementsEqual("null".utf8)
        {
          endScalar()
        }
      }
    case .none: takeStructure(byte)
    }
  }

  private func isDelimiter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
  }

  private mutating func takeStructure(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "{"):
      levels.append(Level(isObject: true, schemas: schemasHere))
      version += 1
    case UInt8(ascii: "["):
      levels.append(Level(isObject: false, schemas: schemasHere))
      version += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"): closeContainer()
    case UInt8(ascii: ","), UInt8(ascii: ":"): break
    case UInt8(ascii: "\""):
      lexeme = .string
      (text, escape) = ([], [])
      isFree = !isKey && stringIsFree(in: schemasHere)
      if isFree { version += 1 }
    case _:
      lexeme = .scalar
      written = [byte]
    }
  }

  private mutating func takeInString(_ byte: UInt8) {
    if !escape.isEmpty {
      escape.append(byte)
      takeEscape()
    } else if byte == UInt8(ascii: "\\") {
      escape = [byte]
    } else if byte == UInt8(ascii: "\"") {
      endString()
    } else {
      text.append(byte)
      if isFree { version += 1 }
    }
  }

  /// An escape becomes text when it is whole. The grammar has none that stands for half a character.
  private mutating func takeEscape() {
    if escape[1] == UInt8(ascii: "u"), escape.count < 6 { return }
    let quoted = [UInt8(ascii: "\"")] + escape + [UInt8(ascii: "\"")]
    if case .string(let string)? = try? JSONParser.parse(quoted) { text += string.utf8 }
    escape = []
    if isFree { version += 1 }
  }

  // MARK: - Values

  private mutating func endScalar() {
    lexeme = .none
    if let value = try? JSONParser.parse(written) { put(value) }
  }

  private mutating func endString() {
    lexeme = .none
    let string = String(decoding: text, as: UTF8.self)
    if isKey { levels[levels.count - 1].key = string } else { put(.string(string)) }
  }

  private mutating func closeContainer() {
    guard let level = levels.popLast() else { return }
    put(level.isObject ? .object(level.members) : .array(level.items))
  }

  /// Puts a complete value where it belongs.
  private mutating func put(_ value: JSONValue) {
    version += 1
    guard let last = levels.indices.last else {
      root = value
      return
    }
    if levels[last].isObject {
      if let key = levels[last].key { levels[last].members.append(key, value) }
      levels[last].key = nil
    } else {
      levels[last].items.append(value)
    }
  }

  // MARK: - Schemas

  /// Whether a string that begins here is a key.
  private var isKey: Bool { levels.last.map { $0.isObject && $0.key == nil } ?? false }

  /// The schemas of a value that begins here.
  private var schemasHere: [JSONSchemaNode.ID] {
    guard let level = levels.last else { return [0] }
    var result: [JSONSchemaNode.ID] = []
    for id in leaves(of: level.schemas) {
      if !level.isObject {
        if let items = nodes[id].items { result.append(items) }
      } else if let object = nodes[id].object, let key = level.key, let place = object.places[Array(key.utf8)] {
        result.append(object.properties[place].node)
      }
    }
    return result
  }

  /// A string is free when no schema that stands here says more of it than its length.
  private func stringIsFree(in schemas: [JSONSchemaNode.ID]) -> Bool {
    leaves(of: schemas).allSatisfy { id in
      let node = nodes[id]
      if let types = node.types, !types.contains(.string) { return true }
      return node.values == nil && node.constant == nil && node.pattern == nil && node.format == nil
    }
  }

  /// The schemas with all that they refer to, and their alternatives, each once.
  private func leaves(of schemas: [JSONSchemaNode.ID]) -> [JSONSchemaNode.ID] {
    var seen: Set<JSONSchemaNode.ID> = []
    var result: [JSONSchemaNode.ID] = []
    var pending = schemas
    while let id = pending.popLast() {
      guard seen.insert(id).inserted else { continue }
      result.append(id)
      if let reference = nodes[id].reference { pending.append(reference) }
      pending += nodes[id].alternatives ?? []
    }
    return result
  }
}
