import AssistantProtocol
import JSON

/// A tool that can be called: what the model reads of it, what its arguments must be, and who runs it.
struct Tool: Sendable {
  let definition: ToolDefinition
  let schema: JSONSchema
  /// What `catalogSearch` looks in.
  var catalog = Catalog.films

  var name: String { definition.callName }
  var description: String { builtin?.summary(catalog) ?? definition.description ?? "" }
  var timeout: Duration { .milliseconds(definition.timeoutMs) }
  var confirm: Bool { definition.confirm }
  /// nil for a tool of the client's.
  var builtin: BuiltinTool? { definition.builtin }

  /// - Throws: `unsupportedSchema`, with the pointer from the list of the definitions on.
  static func all(_ definitions: [ToolDefinition]) throws(AssistantError) -> [Tool] {
    var tools: [Tool] = []
    for (index, definition) in definitions.enumerated() {
      do throws(UnsupportedSchema) {
        tools.append(try Tool(definition))
      } catch {
        throw .unsupportedSchema(
          pointer: "/tools/\(index)/parameters" + error.pointer, keyword: error.keyword, problem: error.problem)
      }
    }
    return tools
  }

  private init(_ definition: ToolDefinition) throws(UnsupportedSchema) {
    self.definition = definition
    schema = try JSONSchema(definition.builtin?.parameters ?? Self.closed(definition.parameters ?? true))
  }
}

extension Tool {
  /// The usual way to say that a tool has no arguments, `{"type": "object"}`, lets everything stand in the object; no
  /// model can be held to that, and nobody means it.
  fileprivate static func closed(_ schema: JSONValue) -> JSONValue {
    guard case .object(var object) = schema, object["type"] == "object",
      ["properties", "enum", "const", "anyOf", "oneOf", "$ref"].allSatisfy({ object[$0] == nil })
    else { return schema }
    object["properties"] = [:]
    return .object(object)
  }
}

extension BuiltinTool {
  /// What the model reads.
  func summary(_ catalog: Catalog) -> String {
    switch self {
    case .catalogSearch: catalog.summary
    case .randomInteger: "Gives a random whole number between two bounds."
    }
  }

  var parameters: JSONValue {
    switch self {
    case .catalogSearch:
      [
        "type": "object", "properties": ["query": ["type": "string", "minLength": 1, "maxLength": 80]],
        "required": ["query"], "additionalProperties": false,
      ]
    case .randomInteger:
      [
        "type": "object",
        "properties": [
          "minimum": ["type": "integer", "minimum": -1_000_000_000, "maximum": 1_000_000_000],
          "maximum": ["type": "integer", "minimum": -1_000_000_000, "maximum": 1_000_000_000],
        ],
        "required": ["minimum", "maximum"], "additionalProperties": false,
      ]
    }
  }

  /// Runs it. The arguments are true to `parameters`.
  func run(_ arguments: JSONValue, _ catalog: Catalog) -> String? {
    switch self {
    case .catalogSearch:
      guard case .string(let query)? = arguments["query"] else { return nil }
      return catalog.answer(to: query)
    case .randomInteger:
      guard case .number(let low)? = arguments["minimum"], case .number(let high)? = arguments["maximum"],
        let low = low.int, let high = high.int, low <= high
      else { return nil }
      return String(Int.random(in: low...high))
    }
  }
}
