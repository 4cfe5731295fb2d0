import Synchronization

/// A moment by which something must have happened. Every wait in the tests has one.
public struct Deadline: Sendable {
  public let seconds: Double
  private let end: ContinuousClock.Instant

  public init(_ seconds: Double) {
    self.seconds = seconds
    end = .now + .milliseconds(Int64(seconds * 1000))
  }

  public var hasPassed: Bool { ContinuousClock.now >= end }

  /// Seconds left; 0 when it has passed.
  public var remaining: Double {
    let left = (end - .now).components
    return max(0, Double(left.seconds) + Double(left.attoseconds) * 1e-18)
  }
}

/// Something a test waited for did not happen in time.
public struct DeadlineExceeded: Error, CustomStringConvertible {
  public let description: String

  init(_ what: String, _ limit: Duration) { description = "\(what) took longer than \(limit)" }
}

/// Runs an operation that has to end in time. When it does not, it is cancelled and `DeadlineExceeded` is thrown at
/// once, even if the operation does not listen to its cancellation: a test fails, it never hangs.
public func withDeadline<Value: Sendable>(
  _ limit: Duration = .seconds(10), _ what: String = "the operation",
  _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    let race = Race(continuation)
    let work = Task {
      do {
        race.end(with: .success(try await operation()))
      } catch {
        race.end(with: .failure(error))
      }
    }
    let clock = Task {
      try await Task.sleep(for: limit)
      race.end(with: .failure(DeadlineExceeded(what, limit)))
      work.cancel()
    }
    race.whenEnded { clock.cancel() }
  }
}

/// A continuation that the first of several may resume.
final class Race<Value: Sendable>: Sendable {
  private struct State: Sendable {
    var continuation: CheckedContinuation<Value, any Error>?
    var afterwards: (@Sendable () -> Void)?
  }
  private let state: Mutex<State>

  init(_ continuation: CheckedContinuation<Value, any Error>) {
    state = Mutex(State(continuation: continuation))
  }

  func end(with result: Result<Value, any Error>) {
    let (continuation, afterwards) = state.withLock { state in
      defer { state = State() }
      return (state.continuation, state.afterwards)
    }
    continuation?.resume(with: result)
    afterwards?()
  }

  /// Runs the closure when the race has been decided, at once if it has been already.
  func whenEnded(_ action: @escaping @Sendable () -> Void) {
    let ended = state.withLock { state in
      if state.continuation != nil { state.afterwards = action }
      return state.continuation == nil
    }
    if ended { action() }
  }
}
