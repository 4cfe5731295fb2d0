import AssistantProtocol
import EngineProtocol

/// What the calls of the model for one request cost together.
struct CallCosts: Sendable {
  private var sum: GenerateResult?
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant

  /// The time runs from here on.
  init() { start = clock.now }

  /// Counts are sums; how the window is filled, and why it ended, is the later call's.
  mutating func add(_ result: GenerateResult) {
    guard let earlier = sum else {
      sum = result
      return
    }
    var later = result
    later.promptTokens += earlier.promptTokens
    later.cachedTokens += earlier.cachedTokens
    later.completionTokens += earlier.completionTokens
    later.timeToFirstTokenMs = earlier.timeToFirstTokenMs
    later.durationMs += earlier.durationMs
    sum = later
  }

  /// As the caller sees it: with the wait for the model.
  var usage: Usage {
    guard let sum else { return Usage() }
    var usage = Usage(sum)
    let total = start.duration(to: clock.now).milliseconds
    let waited = max(0, total - sum.durationMs)
    usage.timeToFirstTokenMs = ((sum.timeToFirstTokenMs + waited) * 10).rounded() / 10
    usage.durationMs = (total * 10).rounded() / 10
    return usage
  }
}
