import Synchronization

/// One value that comes once, for one who waits, whichever is first.
package final class Promise<Value: Sendable>: Sendable {
  private enum State {
    case empty
    case kept(Value)
    case awaited(CheckedContinuation<Value, Never>)
    case done
  }

  private let state = Mutex(State.empty)

  package init() {}

  /// The first value counts.
  package func keep(_ value: Value) {
    let waiting: CheckedContinuation<Value, Never>? = state.withLock { state in
      switch state {
      case .empty:
        state = .kept(value)
        return nil
      case .awaited(let continuation):
        state = .done
        return continuation
      case .kept, .done: return nil
      }
    }
    waiting?.resume(returning: value)
  }

  /// To be asked once.
  package func value() async -> Value {
    await withCheckedContinuation { continuation in
      let ready: Value? = state.withLock { state in
        if case .kept(let value) = state {
          state = .done
          return value
        }
        state = .awaited(continuation)
        return nil
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }
}
