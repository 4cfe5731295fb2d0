import AssistantProtocol
import JSON

/// Leaves out of a value what a model can only have made up: optional members with a date, a time, an address or an id
/// that the request does not give. A model fills in what it may fill in, and a date that nobody said looks like one
/// that somebody did.
struct GivenFacts {
  private let schema: JSONSchema
  /// All that the model was shown, in small letters.
  private let source: String
  /// The numbers in it, without zeros before them.
  private let numbers: Set<Substring>
  private let words: Set<Substring>

  /// - Parameter texts: all that the model was shown, but for the schema.
  init(_ schema: JSONSchema, texts: [String]) {
    self.schema = schema
    let source = texts.joined(separator: "\n").lowercased()
    self.source = source
    numbers = Set(source.split { !($0.isASCII && $0.isNumber) }.map { $0.drop { $0 == "0" } })
    words = Set(source.split { !$0.isLetter }.map { $0.prefix(3) })
  }

  /// The value without them.
  /// - Parameter isLeftOut: told of each by its JSON pointer.
  func given(_ value: JSONValue, isLeftOut: (String) -> Void = { _ in }) -> JSONValue {
    given(value, [0], "", isLeftOut)
  }

  private func given(
    _ value: JSONValue, _ nodes: [JSONSchemaNode.ID], _ pointer: String, _ isLeftOut: (String) -> Void
  ) -> JSONValue {
    let nodes = reached(from: nodes)
    switch value {
    case .array(let items):
      let inner = nodes.compactMap { schema.nodes[$0].items }
      return .array(items.enumerated().map { given($1, inner, "\(pointer)/\($0)", isLeftOut) })
    case .object(let object):
      var result = JSONObject()
      for member in object.members {
        let properties = nodes.compactMap { node -> (node: JSONSchemaNode.ID, isRequired: Bool)? in
          guard let object = schema.nodes[node].object, let place = object.places[Array(member.name.utf8)] else {
            return nil
          }
          return (object.properties[place].node, object.properties[place].isRequired)
        }
        let inner = pointer + "/" + member.name.jsonPointerToken
        if !properties.isEmpty, !properties.contains(where: \.isRequired),
          !isGiven(member.value, properties.map(\.node))
        {
          isLeftOut(inner)
        } else {
          result.append(member.name, given(member.value, properties.map(\.node), inner, isLeftOut))
        }
      }
      return .object(result)
    case .null, .bool, .number, .string: return value
    }
  }

  /// The nodes themselves and those that they refer to or choose among.
  private func reached(from nodes: [JSONSchemaNode.ID]) -> [JSONSchemaNode.ID] {
    var result: [JSONSchemaNode.ID] = []
    var pending = nodes
    while let node = pending.popLast() {
      if result.contains(node) { continue }
      result.append(node)
      pending += schema.nodes[node].alternatives ?? []
      if let reference = schema.nodes[node].reference { pending.append(reference) }
    }
    return result
  }

  private func isGiven(_ value: JSONValue, _ nodes: [JSONSchemaNode.ID]) -> Bool {
    guard case .string(let text) = value else { return true }
    let formats = reached(from: nodes).compactMap { schema.nodes[$0].format }.filter { $0.matches(text) }
    return formats.isEmpty || source.contains(text.lowercased()) || formats.contains { gives(text, $0) }
  }

  /// Whether the source says the same in other words.
  private func gives(_ text: String, _ format: JSONFormat) -> Bool {
    let parts = text.split { !$0.isNumber }.map { $0.drop { $0 == "0" } }
    switch format {
    case .date, .dateTime:
      guard parts.count >= 3 else { return true }
      let known = parts.prefix(3).count { numbers.contains($0) }
      let names = Int(parts[1]).flatMap { Self.months.indices.contains($0 - 1) ? Self.months[$0 - 1] : nil } ?? []
      return known >= 2 || (numbers.contains(parts[2]) && !words.isDisjoint(with: names))
    case .time:
      guard let hour = Int(text.prefix(2)) else { return true }
      return [hour, hour % 12].contains { numbers.contains($0 == 0 ? "" : Substring(String($0))) }
    case .uuid, .email: return false
    }
  }

  /// How the names of months begin: English, German, French, Spanish, Italian, Portuguese, Russian.
  private static let months: [Set<Substring>] = [
    ["jan", "jän", "ene", "gen", "янв"], ["feb", "fév", "fev", "фев"], ["mar", "mär", "мар"],
    ["apr", "avr", "abr", "апр"], ["may", "mai", "mag", "май", "мая"], ["jun", "jui", "giu", "июн"],
    ["jul", "jui", "lug", "июл"], ["aug", "aoû", "ago", "авг"], ["sep", "set", "сен"],
    ["oct", "okt", "ott", "out", "окт"], ["nov", "ноя"], ["dec", "dez", "déc", "dic", "дек"],
  ]
}
