import AssistantProtocol
import EngineProtocol
import JSON

/// Has the engine read the prompt of a coming request, as a background job that gives way to every other.
///
/// The prompt names the task before the text, so it can be read when both are known. While the tone is not, it is read
/// in one tone after the other, the likeliest first, as far as that is cheap.
struct PrewarmRunner: Sendable {
  /// Tokens read for tones that are only guessed: about half a second on two processors. The first is always read.
  private static let mostGuessed = 512
  /// A longer text is not read for a guess.
  private static let longestGuess = 2048

  let engine: any EngineService
  let sessions: ConnectionSessions
  let configuration: ConfigurationFile
  /// If not, nothing is read for any request.
  let isOn: Bool
  /// Tones in which the client has asked, the latest first.
  let recentTones: @Sendable () -> [Tone]

  func run(_ params: Prewarm.Params) async throws(RequestFailure) -> Prewarm.Result {
    var sum = Prewarm.Result()
    guard isOn else { return sum }
    for request in try await requests(for: params) where sum.promptTokens - sum.cachedTokens < Self.mostGuessed {
      let result = try await engine.generate(request).result { _ in }
      sum.promptTokens += result.promptTokens
      sum.cachedTokens += result.cachedTokens
      // Another request has come.
      if result.finishReason != .stop { break }
    }
    return sum
  }

  /// What the engine is to read, one after the other: the first messages of the real request, byte for byte. Empty when
  /// it will read nothing, or none is coming.
  private func requests(for params: Prewarm.Params) async throws(RequestFailure) -> [GenerateParams] {
    let coming: Prewarm.Coming
    // Checked when it was received; once more would give the same.
    do throws(JSONMismatch) { coming = try params.coming() } catch { throw .invalid(error) }
    switch coming {
    case .nothing: return []
    case .rephrase(let coming, let hasText, let hasTone):
      let params = try await inSession(coming)
      // The form of the text decides which part of it is read first.
      let feature: Feature<Rephrase.Params, Rephrase.Result> = .rephrase
      let form = Form(params.text, language: feature.rules(params).documentLanguage)
      let first = form.prose.first
      // The request will ask the engine for nothing.
      if hasText, first == nil { return [] }
      func real(_ tone: Tone?) -> GenerateParams {
        var asked = params
        asked.tone = tone
        return feature.generateParams(for: asked, piece: first?.text ?? "")
      }
      if hasTone {
        let real = real(params.tone)
        return [Self.reading(hasText ? real.messages : real.messages.dropLast(), of: real)]
      }
      guard let first, TokenEstimate.tokens(in: first.text) <= Self.longestGuess else {
        return [Self.reading(Prompt.sharedMessages, of: real(params.tone))]
      }
      return tones(besides: params.toneOfText).map { tone in
        let real = real(tone)
        return Self.reading(real.messages, of: real)
      }
    case .summarize(let coming, let hasText):
      let params = try await inSession(coming)
      let real = Feature.summarize.summaryParams(for: params)
      guard hasText else { return [Self.reading(real.messages.dropLast(), of: real)] }
      var silent = ProgressReporter(title: "", report: nil)
      let (tokens, window) = try await SummaryRunner.plan(params, engine: engine, progress: &silent)
      // Of a longer text the parts are read, whose prompts begin like all others.
      return [Self.reading(tokens <= window.whole ? real.messages : Prompt.sharedMessages, of: real)]
    }
  }

  /// Those of the client's last requests, the one that counts when a request names none, and the others of the program.
  private func tones(besides usual: Tone) -> [Tone] {
    var result: [Tone] = []
    for tone in recentTones() + [usual] + Tone.builtin where !result.contains(tone) { result.append(tone) }
    return result
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
