import Dispatch
import Synchronization

/// Messages to a thread, in order. Posting never waits; the one thread that takes them waits only when there are none.
final class Mailbox<Message: Sendable>: Sendable {
  private struct State {
    var messages: [Message] = []
    var isClosed = false
    var isTakerWaiting = false
  }

  private let state = Mutex(State())
  private let arrival = DispatchSemaphore(value: 0)

  /// Adds a message; false when the mailbox is closed, and the message is not taken.
  @discardableResult
  func post(_ message: Message) -> Bool {
    let (isTaken, wakes) = state.withLock { state in
      if state.isClosed { return (false, false) }
      state.messages.append(message)
      defer { state.isTakerWaiting = false }
      return (true, state.isTakerWaiting)
    }
    if wakes { arrival.signal() }
    return isTaken
  }

  /// Takes what there is. Waits for the first message when `waits`; nil when the mailbox is closed.
  func take(waits: Bool) -> [Message]? {
    while true {
      let taken: [Message]?? = state.withLock { state in
        if state.isClosed { return .some(nil) }
        if state.messages.isEmpty, waits {
          state.isTakerWaiting = true
          return nil
        }
        defer { state.messages.removeAll(keepingCapacity: true) }
        return state.messages
      }
      if let taken { return taken }
      arrival.wait()
    }
  }

  /// Ends it: the taker gets nil, and later messages are refused. What was not taken is returned.
  @discardableResult
  func close() -> [Message] {
    let (rest, wakes) = state.withLock { state in
      state.isClosed = true
      defer {
        state.messages = []
        state.isTakerWaiting = false
      }
      return (state.messages, state.isTakerWaiting)
    }
    if wakes { arrival.signal() }
    return rest
  }
}
