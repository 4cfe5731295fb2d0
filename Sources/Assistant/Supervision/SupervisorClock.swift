/// The supervisor's sense of time; tests move it by hand.
public protocol SupervisorClock: Sendable {
  /// Time since some fixed moment.
  func now() -> Duration
  /// Returns when `now()` has reached the deadline; throws when the task is cancelled.
  func wait(until deadline: Duration) async throws
}

/// Time while the machine is awake: a sleep of the machine is no stall of the engine.
public struct AwakeClock: SupervisorClock {
  private let clock = SuspendingClock()
  private let start: SuspendingClock.Instant

  public init() { start = clock.now }

  public func now() -> Duration { start.duration(to: clock.now) }

  public func wait(until deadline: Duration) async throws {
    try await clock.sleep(until: start.advanced(by: deadline), tolerance: nil)
  }
}
