/// When a child that has work counts as stalled. A slow machine is not a stall: what counts is progress.
struct Watchdog: Sendable {
  typealias Instant = SupervisorState.Instant

  private var lastProgress: Instant
  /// Any sign of life, also without progress.
  private var lastSign: Instant
  private var steps = 0
  private var stepTime: Duration = .zero

  init(at now: Instant = .zero) {
    lastProgress = now
    lastSign = now
  }

  mutating func noteProgress(at now: Instant) {
    lastProgress = now
    lastSign = now
  }

  mutating func noteHeartbeat(steps: Int, stepTime: Duration, at now: Instant) {
    if steps != self.steps { lastProgress = now }
    lastSign = now
    self.steps = steps
    self.stepTime = stepTime
  }

  /// While a model is loaded the library may work for long without saying how far it is; then the heartbeat alone
  /// keeps the child alive, but not for ever.
  func deadline(_ configuration: SupervisorState.Configuration, isLoading: Bool) -> Instant {
    let patience = max(configuration.stallFloor, stepTime * configuration.stallFactor)
    let silence = lastSign + patience
    return isLoading ? min(silence, lastProgress + configuration.loadStall) : lastProgress + patience
  }
}
