import JSON
import Synchronization

/// Our own requests that the peer has not answered yet, by the small whole numbers that are their ids.
final class SentRequests: Sendable {
  typealias Outcome = Result<JSONValue, RPCError>

  private struct State {
    var next = 1
    var waiting: [Int: CheckedContinuation<Outcome, Never>] = [:]
    /// Set when no answer can come any more.
    var end: RPCError?
  }

  private let state = Mutex(State())

  func nextID() -> Int {
    state.withLock { state in
      defer { state.next += 1 }
      return state.next
    }
  }

  /// Waits for the answer to a request. False when none can come: the continuation has been resumed then.
  func wait(_ id: Int, _ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
    let end = state.withLock { state in
      if state.end == nil { state.waiting[id] = continuation }
      return state.end
    }
    if let end { continuation.resume(returning: .failure(end)) }
    return end == nil
  }

  func isAwaited(_ id: Int) -> Bool { state.withLock { $0.waiting[id] != nil } }

  /// Ends the wait; false when nobody waits, which for an answer of the peer is no error.
  @discardableResult
  func resolve(_ id: Int, _ outcome: Outcome) -> Bool {
    guard let continuation = state.withLock({ $0.waiting.removeValue(forKey: id) }) else { return false }
    continuation.resume(returning: outcome)
    return true
  }

  /// Ends all waits, now and later.
  func end(_ error: RPCError) {
    let all = state.withLock { state in
      state.end = error
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for continuation in all { continuation.resume(returning: .failure(error)) }
  }
}
