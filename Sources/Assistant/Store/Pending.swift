import Synchronization

/// A value that another thread is about to give. One task may wait for it.
final class Pending<Value: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, Never>)
    case given(Value)
  }

  private let state = Mutex(State.open)

  /// Called once.
  func give(_ value: Value) {
    let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
      if case .awaited(let continuation) = state { return continuation }
      state = .given(value)
      return nil
    }
    waiting?.resume(returning: value)
  }

  /// Waits also when the task is cancelled: what gives the value is at work already, and quick.
  func value() async -> Value {
    await withCheckedContinuation { continuation in
      let given = state.withLock { state -> Value? in
        if case .given(let value) = state { return value }
        state = .awaited(continuation)
        return nil
      }
      if let given { continuation.resume(returning: given) }
    }
  }
}
