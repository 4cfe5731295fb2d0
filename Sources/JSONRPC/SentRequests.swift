import JSON
import Synchronization

/// Our own requests that the peer has not answered yet, by the small whole numbers that are their ids.
final class SentRequests: Sendable {
  typealias Outcome = Result<JSONValue, RPCError>
  /// Called once: with the answer, or with nil when none can come any more.
  typealias Reply = @Sendable (Outcome?) -> Void

  private struct State {
    var next = 1
    var waiting: [Int: Reply] = [:]
    /// Set when no answer can come any more.
    var hasEnded = false
  }

  private let state = Mutex(State())

  func nextID() -> Int {
    state.withLock { state in
      defer { state.next += 1 }
      return state.next
    }
  }

  /// Waits for the answer to a request. False when none can come; then nothing is called.
  func wait(_ id: Int, _ reply: @escaping Reply) -> Bool {
    state.withLock { state in
      if !state.hasEnded { state.waiting[id] = reply }
      return !state.hasEnded
    }
  }

  /// Ends the wait; false when nobody waits, which for an answer of the peer is no error.
  @discardableResult
  func resolve(_ id: Int, _ outcome: Outcome) -> Bool {
    guard let reply = state.withLock({ $0.waiting.removeValue(forKey: id) }) else { return false }
    reply(outcome)
    return true
  }

  func isAwaited(_ id: Int) -> Bool { state.withLock { $0.waiting[id] != nil } }

  /// Ends all waits, now and later; in the order in which the requests were sent.
  func end() {
    let all = state.withLock { state in
      state.hasEnded = true
      defer { state.waiting = [:] }
      return state.waiting.sorted { $0.key < $1.key }
    }
    for (_, reply) in all { reply(nil) }
  }
}
