import AssistantProtocol
import EngineProtocol

/// Adds up what the calls of the model for one request cost. The time runs from its making.
struct CallCosts: Sendable {
  /// One call.
  struct Call: Sendable {
    let result: GenerateResult
    /// Milliseconds from the start of the request to this call's first token, with the wait for the model.
    let firstTokenMs: Double

    /// - Parameter start: when the request began. The call has just ended.
    init(_ result: GenerateResult, since start: ContinuousClock.Instant) {
      self.result = result
      firstTokenMs = max(0, start.duration(to: .now).milliseconds - result.durationMs) + result.timeToFirstTokenMs
    }
  }

  let start = ContinuousClock.now
  private var sum = Usage()
  private var firstTokenMs: Double?

  /// A call has just ended.
  mutating func add(_ result: GenerateResult) { add(Call(result, since: start)) }

  /// Counts are sums; what the context window holds is the last call's.
  mutating func add(_ call: Call) {
    sum.promptTokens += call.result.promptTokens
    sum.cachedTokens += call.result.cachedTokens
    sum.completionTokens += call.result.completionTokens
    sum.contextUsed = call.result.contextUsed
    sum.contextSize = call.result.contextSize
    firstTokenMs = min(firstTokenMs ?? call.firstTokenMs, call.firstTokenMs)
  }

  /// What another request has cost that was made for this one. What the context window holds is the last call's.
  mutating func add(_ other: Usage) {
    sum.promptTokens += other.promptTokens
    sum.cachedTokens += other.cachedTokens
    sum.completionTokens += other.completionTokens
  }

  /// The calls of something that was done for the same request.
  mutating func add(_ other: CallCosts) {
    add(other.sum)
    guard let first = other.firstTokenMs else { return }
    let own = start.duration(to: other.start).milliseconds + first
    firstTokenMs = min(firstTokenMs ?? own, own)
  }

  /// Until now, as the caller sees it.
  var usage: Usage {
    var usage = sum
    usage.timeToFirstTokenMs = (firstTokenMs ?? 0).toTenths
    usage.durationMs = start.duration(to: .now).milliseconds.toTenths
    return usage
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
