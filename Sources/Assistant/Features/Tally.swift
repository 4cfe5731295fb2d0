import AssistantProtocol
import EngineProtocol

/// Adds up what the calls of the model for one request cost, and what is to be said of the result.
struct Tally: Sendable {
  private var costs = CallCosts()
  /// How the text ends.
  private var result = GenerateResult()
  var retries: Set<ResultWarnings.Retry> = []
  var warnings: [Warning] = []

  /// Another call has ended.
  mutating func add(_ call: GenerateResult) {
    costs.add(call)
    // The warnings name them.
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
    common.usage = costs.usage
    common.finishReason = AssistantProtocol.FinishReason(result.finishReason)
    common.warnings =
      ResultWarnings.all(text: text, source: source, encoding: encoding, result: result, retries: retries) + warnings
    return common
  }
}
