import AssistantProtocol
import EngineProtocol

/// Adds up what the calls of the model for one request cost, and what is to be said of the result.
struct Tally: Sendable {
  private let start = ContinuousClock.now
  private(set) var result = GenerateResult()
  private var timeToFirstToken: Double?
  var retries: Set<ResultWarnings.Retry> = []
  var warnings: [Warning] = []

  /// Another call has ended.
  mutating func add(_ call: GenerateResult) {
    if timeToFirstToken == nil {
      // As the caller sees it: with the wait for the model.
      let waited = max(0, start.duration(to: .now).milliseconds - call.durationMs)
      timeToFirstToken = waited + call.timeToFirstTokenMs
    }
    result.promptTokens += call.promptTokens
    result.cachedTokens += call.cachedTokens
    result.completionTokens += call.completionTokens
    result.contextUsed = call.contextUsed
    result.contextSize = call.contextSize
  }

  /// The answer of a call is part of the text: an early end of it is one of the text.
  mutating func take(_ call: GenerateResult) {
    if call.repeated { result.repeated = true }
    switch (result.finishReason, call.finishReason) {
    case (.contextFull, _), (_, .stop): break
    case (.stop, .length), (.stop, .contextFull), (.length, .contextFull), (.length, .length):
      result.finishReason = call.finishReason
    }
  }

  /// The caller's limit is used up.
  mutating func reachLimit() { if result.finishReason == .stop { result.finishReason = .length } }

  func common(text: String, source: String, encoding: PositionEncoding) -> CommonResult {
    var common = CommonResult()
    common.usage = Usage(result)
    common.usage.timeToFirstTokenMs = (timeToFirstToken ?? 0).toTenths
    common.usage.durationMs = start.duration(to: .now).milliseconds.toTenths
    common.finishReason = AssistantProtocol.FinishReason(result.finishReason)
    common.warnings =
      ResultWarnings.all(text: text, source: source, encoding: encoding, result: result, retries: retries) + warnings
    return common
  }
}

extension Double {
  /// Milliseconds as a person wants to read them.
  fileprivate var toTenths: Double { (self * 10).rounded() / 10 }
}

extension Duration {
  var milliseconds: Double {
    Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1e15
  }
}
