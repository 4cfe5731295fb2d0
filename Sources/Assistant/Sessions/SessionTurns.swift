import AssistantProtocol
import EngineProtocol
import JSON

/// What a feature's request leaves in the transcript of its session: the words the model was asked with and its answer,
/// so that what is said afterwards can refer to both.
struct SessionTurn<Params: GenerationParams, Output: GenerationResult>: Sendable {
  /// Whether the model is shown the turns before this one. A text is rewritten for what it says itself.
  let showsHistory: @Sendable (Params) -> Bool
  let prompt: @Sendable (Params) -> String
  let response: @Sendable (Params, Output) -> TranscriptEntry
  var calls: @Sendable (Output) -> [ToolCallRecord] = { _ in [] }

  func made(of params: Params, _ output: Output, feature: String) -> Transcript.Turn {
    let now = Timestamp.now
    var response = response(params, output)
    response.feature = feature
    response.at = now
    return Transcript.Turn(
      prompt: TranscriptEntry(.prompt, prompt(params), feature: feature, at: now),
      calls: calls(output).flatMap { $0.entries(at: now) }, response: response)
  }
}

extension SessionTurn where Params == Rephrase.Params, Output == Rephrase.Result {
  static let rephrase = SessionTurn(
    showsHistory: { _ in false },
    prompt: { Feature.rephrase.task($0) + "\n\n" + $0.text },
    response: { TranscriptEntry(.response, $1.text) })
}

extension SessionTurn where Params == Summarize.Params, Output == Summarize.Result {
  static let summarize = SessionTurn(
    showsHistory: { _ in false },
    prompt: { Feature.summarize.task($0) + "\n\n" + $0.text },
    response: { TranscriptEntry(.response, $1.text) })
}

extension SessionTurn where Params == Brainstorm.Params, Output == Brainstorm.Result {
  static let brainstorm = SessionTurn(
    showsHistory: { _ in true },
    prompt: { $0.schema == nil ? $0.kind.task($0.topic, count: $0.count) : $0.topic },
    response: { params, result in
      TranscriptEntry(
        .response, result.rendered, value: result.value, kind: params.schema == nil ? params.kind : nil)
    },
    calls: { $0.toolCalls })
}

extension SessionTurn where Params == Generate.Params, Output == Generate.Result {
  static let generate = SessionTurn(
    showsHistory: { _ in true },
    prompt: { $0.prompt },
    response: { TranscriptEntry(.response, JSONWriter.text(of: $1.value), value: $1.value) },
    calls: { $0.toolCalls })
}

/// The tools that a request may use when it names none itself, and the session they are of.
struct SessionTools: Sendable {
  var sessionID: SessionID?
  var tools: [Tool] = []
  let calls = ToolCalls()

  /// The tools of a request.
  /// - Parameter own: those that it names.
  func tools(_ own: [ToolDefinition]?) throws(RequestFailure) -> [Tool] {
    guard let own else { return tools }
    do throws(AssistantError) { return try Tool.all(own) } catch { throw .assistant(error) }
  }
}

/// An engine that shows the model the turns of a session before what it is asked.
struct EngineWithHistory: EngineService {
  let base: any EngineService
  let history: [PromptMessage]
  /// What stands behind the last message of each prompt.
  var appended = ""
  /// Tokens of the window that each prompt leaves free.
  var leastRoom = 0

  func generate(_ params: GenerateParams) -> EngineJob {
    var params = params
    params.messages = ToolPrompt.asked(params.messages, appended)
    params.leastRoom = max(params.leastRoom, leastRoom)
    if !history.isEmpty { params.isConversation = true }
    params.messages.insert(contentsOf: history, at: max(0, params.messages.count - 1))
    return base.generate(params)
  }

  var shownTexts: [String] { history.map(\.text) + [appended] + base.shownTexts }
  func count(_ text: String) -> EngineJob { base.count(text) }
  func status() async -> EngineReport { await base.status() }
  func load(path: String, force: Bool) async throws(Unavailability) { try await base.load(path: path, force: force) }
  func unload() async throws(Unavailability) { try await base.unload() }
  func availabilityChanges() -> AsyncStream<EngineAvailability> { base.availabilityChanges() }
}
