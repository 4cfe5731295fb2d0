import AssistantProtocol
import JSON

// What a value may be by its shape, and what only several values together can be asked.

extension ConfigurationReader {
  /// The value without what is wrong in it; nil when nothing of it is left. A bad entry of a list is null, so that the
  /// others keep their places.
  mutating func checked(_ value: JSONValue, _ shape: ConfigurationShape, at pointer: String) -> JSONValue? {
    switch shape {
    case .object(let fields): return checkedObject(value, fields, at: pointer)
    case .list(let shape, let most):
      guard case .array(let values) = value else { return refuse(pointer, "must be an array, not \(value.typeName)") }
      guard values.count <= most else { return refuse(pointer, "must have at most \(most) entries") }
      return .array(values.enumerated().map { checked($1, shape, at: "\(pointer)/\($0)") ?? .null })
    case .text(let least):
      guard let text = text(value, at: pointer) else { return nil }
      guard text.unicodeScalars.count >= least, least == 0 || !text.isBlank else {
        return refuse(pointer, "must not be empty")
      }
      return value
    case .name:
      guard let text = text(value, at: pointer) else { return nil }
      guard SessionID(text) != nil, text.utf8.count <= 64 else {
        return refuse(pointer, "must be 1 to 64 letters, digits, dots, hyphens or underscores")
      }
      return value
    case .integer(let range):
      do throws(JSONMismatch) {
        guard range.contains(try Int(json: value)) else {
          return refuse(pointer, "must be between \(range.lowerBound) and \(range.upperBound)")
        }
        return value
      } catch {
        return refuse(pointer, error.problem)
      }
    case .word(let words):
      guard let text = text(value, at: pointer) else { return nil }
      guard words.contains(where: { $0.hasSameBytes(as: text) }) else {
        return refuse(
          pointer, "must be one of " + words.map { "“\($0)”" }.joined(separator: ", "),
          suggestion: NearestWord.find(text, among: words))
      }
      return value
    case .flag:
      guard case .bool = value else { return refuse(pointer, "must be true or false, not \(value.typeName)") }
      return value
    case .pattern:
      guard let text = text(value, at: pointer) else { return nil }
      guard !text.isEmpty else { return refuse(pointer, "must not be empty") }
      do throws(PatternError) { _ = try JSONPattern(text) } catch {
        return refuse(pointer, "the pattern \(error.problem)")
      }
      return value
    case .schema:
      do throws(UnsupportedSchema) { _ = try JSONSchema(value) } catch {
        return refuse(pointer + error.pointer, "the schema is not supported: \(error.problem)")
      }
      return value
    }
  }

  private mutating func checkedObject(
    _ value: JSONValue, _ fields: [ConfigurationField], at pointer: String
  ) -> JSONValue? {
    guard case .object(let object) = value else { return refuse(pointer, "must be an object, not \(value.typeName)") }
    for member in object.members where !fields.contains(where: { $0.name.hasSameBytes(as: member.name) }) {
      guard hasRoom else { break }
      reportName(
        pointer + "/" + member.name.jsonPointerToken, "there is no such field here",
        suggestion: NearestWord.find(member.name, among: fields.map(\.name)))
    }
    var result = JSONObject()
    var isWhole = true
    for field in fields {
      guard let value = object[field.name] else {
        if field.isRequired {
          isWhole = false
          report(pointer, "“\(field.name)” is missing")
        }
        continue
      }
      if let value = checked(value, field.shape, at: pointer + "/" + field.name.jsonPointerToken) {
        result.append(field.name, value)
      } else if field.isEssential {
        isWhole = false
      }
    }
    return isWhole ? .object(result) : nil
  }

  private mutating func text(_ value: JSONValue, at pointer: String) -> String? {
    if case .string(let text) = value { return text }
    report(pointer, "must be a string, not \(value.typeName)")
    return nil
  }

  private mutating func refuse(_ path: String, _ message: String, suggestion: String? = nil) -> JSONValue? {
    report(path, message, suggestion: suggestion)
    return nil
  }

  // MARK: Commands and guardrails

  mutating func commands(_ checked: JSONValue) -> [CommandDefinition] {
    let builtin = Configuration.builtinFeatures.map(\.id)
    var result: [CommandDefinition] = []
    for (pointer, value) in entries(checked, "commands", "feature", builtin) {
      var command = CommandDefinition()
      command.id = value["id"]?.text ?? ""
      command.title = value["title"]?.text ?? ""
      command.description = value["description"]?.text ?? ""
      command.instructions = value["instructions"]?.text ?? ""
      command.input = value["input"]?.text.flatMap(FeatureDescription.Input.init(rawValue:)) ?? .selection
      command.output = value["output"]?.text.flatMap(FeatureDescription.Output.init(rawValue:)) ?? .show
      command.schema = value["schema"]
      command.kind = value["kind"]?.text.flatMap(BrainstormKind.init(rawValue:))
      command.suggestions = value["suggestions"]?.texts ?? []
      if command.schema != nil, command.kind != nil {
        reportName(pointer + "/kind", "stands beside “schema”; leave one of them out, the command is not used")
        continue
      }
      result.append(command)
    }
    return result
  }

  mutating func guardrails(_ checked: JSONValue) -> [Guardrail] {
    var result: [Guardrail] = []
    for (pointer, value) in entries(checked, "guardrails", "guardrail", []) {
      let subject: Guardrail.Subject
      switch (value["pattern"]?.text, value["literal"]?.text) {
      case (let pattern?, nil): subject = .pattern(pattern)
      case (nil, let literal?): subject = .literal(literal)
      case (.some, .some):
        reportName(pointer + "/literal", "stands beside “pattern”; leave one of them out, the rule is not used")
        continue
      case (nil, nil):
        report(pointer, "“pattern” or “literal” is missing, and the rule is not used")
        continue
      }
      do throws(PatternError) {
        result.append(
          try Guardrail(
            id: value["id"]?.text ?? "", subject,
            on: value["on"]?.text.flatMap(Guardrail.Direction.init(rawValue:)) ?? .both,
            action: value["action"]?.text.flatMap(Guardrail.Action.init(rawValue:)) ?? .block,
            message: value["message"]?.text, ignoresCase: value["ignoreCase"] != false))
      } catch {
        report(
          pointer + (value["pattern"] == nil ? "/literal" : "/pattern"),
          "the pattern \(error.problem), and the rule is not used")
      }
    }
    return result
  }
}
