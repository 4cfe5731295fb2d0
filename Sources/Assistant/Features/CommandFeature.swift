import AssistantProtocol
import EngineProtocol
import JSON

extension Feature where Params == CustomCommand.Params, Output == CustomCommand.Result {
  /// A command that writes a selected text anew, in its form.
  static func command(_ definition: CommandDefinition) -> Feature {
    Feature(
      description: definition.feature,
      source: { $0.text ?? "" },
      task: { _ in definition.instructions.trimmed }, examples: { _ in [] },
      growth: { _ in 5 },
      sampling: { _ in
        // As for a rephrase, but what is wanted may well say the words of its source again.
        var sampling = Sampling()
        sampling.repetitionPenalty = 1.3
        return sampling
      },
      rules: { params in
        var rules = TextRules(params.common)
        rules.names = [definition.id]
        rules.length = 0.02...20
        rules.mayStayTheSame = true
        rules.isFree = true
        return rules
      },
      output: { _, text, common in
        var result = CustomCommand.Result(definition, text: text.alternatives[0], common: common)
        result.edits = text.edits
        return result
      })
  }
}

extension StructuredFeature where Params == CustomCommand.Params, Output == CustomCommand.Result {
  /// Concepts or tags of a command with such a kind.
  private static var count: Int { Brainstorm.Params().count }

  /// A command whose answer is a value.
  static func command(_ definition: CommandDefinition) -> StructuredFeature {
    StructuredFeature(
      description: definition.feature,
      // What is never empty, also of a command that wants no input.
      source: { $0.input.isEmpty ? definition.instructions : $0.input },
      shape: { _ in
        definition.kind.map { $0.shape(count: count) }
          ?? AnswerShape(schema: definition.schema ?? true, isShown: true)
      },
      task: { _, source, _ in
        let instructions = definition.instructions.trimmed
        let asked = source.hasSameBytes(as: instructions) ? source : instructions + "\n\n" + source
        return definition.kind == nil ? asked + "\n\nAnswer in JSON of this schema:" : asked
      },
      sampling: definition.kind == nil ? .exact : .inventive,
      output: { params, value, outline, common in
        var result = CustomCommand.Result(
          definition, text: OutlineRenderer(params.format).render(outline), common: common)
        result.value = value
        return result
      })
  }
}

extension CustomCommand.Params {
  /// What the person has given; empty for a command that wants nothing.
  var input: String { definition.input == .none ? "" : text ?? "" }

  /// What the model is asked.
  var question: String {
    [definition.instructions.trimmed, input.trimmed].filter { !$0.isEmpty }.joined(separator: "\n\n")
  }
}

extension FeatureRunner {
  /// Runs a command of the configuration.
  public func run(
    _ params: CustomCommand.Params, encoding: PositionEncoding = .utf16, sink: RequestSink = RequestSink()
  ) async throws(RequestFailure) -> CustomCommand.Result {
    try await run(params, tools: SessionTools(), encoding: encoding, sink: sink)
  }

  /// - Parameter tools: those of the request's session.
  func run(
    _ params: CustomCommand.Params, tools: SessionTools, encoding: PositionEncoding, sink: RequestSink
  ) async throws(RequestFailure) -> CustomCommand.Result {
    let definition = params.definition
    switch definition.input {
    case .selection, .topic: try params.input.checkIsVisible()
    case .none: break
    }
    switch definition.way {
    case .rewrite: return try await run(.command(definition), params, encoding: encoding, sink: sink)
    case .value: return try await run(.command(definition), params, tools: tools, sink: sink)
    case .freeText:
      var chat = Chat.Params()
      chat.message = Prompt.around(params.common.context) + params.question
      chat.toolChoice = params.toolChoice
      chat.common = params.common
      // Its voice is in the instructions.
      chat.common.personality = .neutral
      // What was said in the session before is the engine's to show, see `EngineWithHistory`.
      let outcome = try await ChatRunner(engine: engine, title: definition.feature.title).run(
        chat, session: Session(), tools: try tools.tools(params.tools), transcript: Transcript(), encoding: encoding,
        sink: sink, calls: tools.calls)
      var result = CustomCommand.Result(definition, text: outcome.result.text, common: outcome.result.common)
      result.toolCalls = outcome.result.toolCalls
      return result
    }
  }
}

extension SessionTurn where Params == CustomCommand.Params, Output == CustomCommand.Result {
  static let command = SessionTurn(
    showsHistory: { $0.definition.way != .rewrite },
    prompt: { $0.question },
    response: { TranscriptEntry(.response, $1.text, value: $1.value) },
    calls: { $0.toolCalls })
}
