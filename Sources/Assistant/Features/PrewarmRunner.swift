import AssistantProtocol
import EngineProtocol
import JSON

/// Has the engine read the prompt of a coming request, as a background job that gives way to every other.
///
/// The prompt names the task before the text, so only what comes before the first thing that is not known yet can be
/// read: without a tone no more than what all requests begin with.
struct PrewarmRunner: Sendable {
  let engine: any EngineService
  let sessions: ConnectionSessions
  let configuration: ConfigurationFile
  /// If not, nothing is read for any request.
  let isOn: Bool

  func run(_ params: Prewarm.Params) async throws(RequestFailure) -> Prewarm.Result {
    guard isOn, let request = try await request(for: params) else { return Prewarm.Result() }
    let result = try await engine.generate(request).result { _ in }
    return Prewarm.Result(promptTokens: result.promptTokens, cachedTokens: result.cachedTokens)
  }

  /// What the engine is to read: the first messages of the real request, byte for byte. nil when it will read nothing,
  /// or none is coming.
  private func request(for params: Prewarm.Params) async throws(RequestFailure) -> GenerateParams? {
    let coming: Prewarm.Coming
    // Checked when it was received; once more would give the same.
    do throws(JSONMismatch) { coming = try params.coming() } catch { throw .invalid(error) }
    switch coming {
    case .nothing: return nil
    case .rephrase(let coming, let hasText, let hasTone):
      let params = try await inSession(coming)
      // The form of the text decides which part of it is read first.
      let feature: Feature<Rephrase.Params, Rephrase.Result> = .rephrase
      let form = Form(params.text, language: feature.rules(params).documentLanguage)
      let first = form.prose.first
      // The request will ask the engine for nothing.
      if hasText, first == nil { return nil }
      let real = feature.generateParams(for: params, piece: first?.text ?? "")
      guard hasTone else { return Self.reading(Prompt.sharedMessages, of: real) }
      return Self.reading(hasText ? real.messages : real.messages.dropLast(), of: real)
    case .summarize(let coming, let hasText):
      let params = try await inSession(coming)
      let real = Feature.summarize.summaryParams(for: params)
      guard hasText else { return Self.reading(real.messages.dropLast(), of: real) }
      var silent = ProgressReporter(title: "", report: nil)
      let (tokens, window) = try await SummaryRunner.plan(params, engine: engine, progress: &silent)
      // Of a longer text the parts are read, whose prompts begin like all others.
      return Self.reading(tokens <= window.whole ? real.messages : Prompt.sharedMessages, of: real)
    }
  }

  /// As the request will be asked in its session.
  private func inSession<Params: GenerationParams>(_ coming: Params) async throws(RequestFailure) -> Params {
    var params = coming
    do throws(JSONMismatch) {
      try params.complete(with: configuration.current.customization)
    } catch {
      throw .invalid(error.inside("params"))
    }
    guard let id = params.common.sessionID else { return params.speaking(in: nil) }
    return params.speaking(in: try await sessions.get(id) { session, _ in session }.value())
  }

  private static func reading(_ messages: some Sequence<PromptMessage>, of real: GenerateParams) -> GenerateParams {
    var params = real
    params.messages = Array(messages)
    params.priority = .background
    params.prefillOnly = true
    return params
  }
}
