import AssistantProtocol
import EngineProtocol

/// What all calls of the model for one summary cost together.
struct SummaryUsage: Sendable {
  /// One call.
  struct Call: Sendable {
    let result: GenerateResult
    /// Milliseconds from the start of the request to this call's first token.
    let firstTokenMs: Double
    let isRestarted: Bool

    /// - Parameter start: when the request began. The call has just ended.
    init(_ result: GenerateResult, since start: ContinuousClock.Instant, isRestarted: Bool) {
      self.result = result
      self.isRestarted = isRestarted
      let end = start.duration(to: .now).milliseconds
      firstTokenMs = max(0, end - result.durationMs) + result.timeToFirstTokenMs
    }
  }

  private(set) var calls: [Call] = []

  mutating func add(_ call: Call) { calls.append(call) }

  var isRestarted: Bool { calls.contains(where: \.isRestarted) }

  /// Counts are sums; what the context window holds is the last call's.
  /// - Parameter start: when the request began.
  func usage(since start: ContinuousClock.Instant) -> Usage {
    var usage = Usage()
    for call in calls {
      usage.promptTokens += call.result.promptTokens
      usage.cachedTokens += call.result.cachedTokens
      usage.completionTokens += call.result.completionTokens
    }
    usage.contextUsed = calls.last?.result.contextUsed ?? 0
    usage.contextSize = calls.last?.result.contextSize ?? 0
    usage.timeToFirstTokenMs = Self.tenths(calls.map(\.firstTokenMs).min() ?? 0)
    usage.durationMs = Self.tenths(start.duration(to: .now).milliseconds)
    return usage
  }

  /// Milliseconds as a person wants to read them.
  private static func tenths(_ milliseconds: Double) -> Double { (milliseconds * 10).rounded() / 10 }
}
