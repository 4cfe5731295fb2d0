import AssistantProtocol
import JSON

/// The user's rules; none by default.
public struct Guardrails: Sendable {
  public static let none = Guardrails([])

  let rules: [Guardrail]

  public init(_ rules: [Guardrail]) { self.rules = rules }

  var isEmpty: Bool { rules.isEmpty }

  /// Runs a request's work within the rules: what is sent is looked at before, and what is shown meanwhile and behind.
  /// - Parameters:
  ///   - said: what the model will read besides the request.
  ///   - result: where the result is in what the work gives.
  public func run<Output: Sendable, Result: GenerationResult>(
    _ params: some GenerationParams, with said: [String] = [], encoding: PositionEncoding, _ sink: RequestSink,
    _ result: WritableKeyPath<Output, Result>, _ work: (RequestSink) async throws(RequestFailure) -> Output
  ) async throws(RequestFailure) -> Output {
    if isEmpty { return try await work(sink) }
    let (json, common) = (params.json, params.common)
    let words = ["schema", "tools"].compactMap { json[$0] }.flatMap(\.schemaWords)
    let warnings = try checkInput(params.texts + common.texts + words + said)
    let output = OutputGuard(self, encoding: encoding, mode: common.stream)
    var made = try await work(output.sink(before: sink))
    made[keyPath: result].common.warnings += warnings + (try output.finish(made[keyPath: result], sink))
    return made
  }

  /// The rules that look at what goes this way.
  func rules(on direction: Guardrail.Direction) -> [Guardrail] { rules.filter { $0.looksAt(direction) } }

  /// Throws when one of the texts meets a rule that blocks.
  func refuse(_ texts: [String], on direction: Guardrail.Direction) throws(RequestFailure) {
    for rule in rules(on: direction) where rule.action == .block {
      for text in texts where try rule.isMet(by: text) { throw rule.violation }
    }
  }

  /// Looks at what is to be read by the model.
  /// - Returns: a warning for each rule that is met and only warns.
  func checkInput(_ texts: [String]) throws(RequestFailure) -> [Warning] {
    var warnings: [Warning] = []
    for rule in rules(on: .input) {
      for text in texts where try rule.isMet(by: text) {
        if rule.action == .block { throw rule.violation }
        warnings.append(rule.warning(of: "The request"))
        break
      }
    }
    return warnings
  }
}

extension Guardrail {
  var violation: RequestFailure { .assistant(.guardrailViolation(rule: id, message: message)) }

  func warning(of subject: String, range: TextRange? = nil) -> Warning {
    Warning(.guardrail, message.map { "\(id): \($0)" } ?? "\(subject) meets the rule “\(id)”.", range: range)
  }

  package func isMet(by text: String) throws(RequestFailure) -> Bool { try range(in: text) != nil }

  func range(in text: String) throws(RequestFailure) -> Range<Int>? {
    do { return try match(in: text) } catch { throw .engine(.cancelled) }
  }
}

extension TextRange {
  init(scalars range: Range<Int>, of text: String, _ encoding: PositionEncoding) {
    let view = text.unicodeScalars
    let start = view.index(view.startIndex, offsetBy: range.lowerBound)
    let end = view.index(start, offsetBy: range.count)
    let before = encoding.length(of: text[..<start])
    self.init(start: before, end: before + encoding.length(of: text[start..<end]))
  }
}

extension JSONValue {
  /// What a model has written of a value: texts, numbers and words. The names of members are the schema's.
  var writtenTexts: [String] {
    switch self {
    case .string(let text): [text]
    case .array(let items): items.flatMap(\.writtenTexts)
    case .object(let object): object.members.flatMap(\.value.writtenTexts)
    case .number(let number): [number.description]
    case .bool(let truth): [truth ? "true" : "false"]
    case .null: []
    }
  }

  /// What a model reads of a schema, or of the definition of a tool: names of properties, and texts that are not the
  /// schema's own words.
  var schemaWords: [String] {
    switch self {
    case .string(let text): [text]
    case .array(let items): items.flatMap(\.schemaWords)
    case .object(let object):
      object.members.flatMap { name, value in
        switch name {
        case "type", "format", "pattern", "$ref", "builtin": [] as [String]
        case "properties", "$defs": value.members.flatMap { [$0.name] + $0.value.schemaWords }
        case _: value.schemaWords
        }
      }
    case .null, .bool, .number: []
    }
  }

  private var members: [JSONObject.Member] { if case .object(let object) = self { object.members } else { [] } }
}
