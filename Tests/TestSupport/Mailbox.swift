import Dispatch
import Synchronization

/// Values in order, for one who waits.
public final class Mailbox<Value: Sendable>: Sendable {
  private struct State {
    var values: [Value] = []
    var isOver = false
    var waiting: CheckedContinuation<Value?, Never>?
  }
  private let state = Mutex(State())

  public init() {}

  public var isEmpty: Bool { state.withLock { $0.values.isEmpty } }

  public func put(_ value: Value) {
    let waiting = state.withLock { state -> CheckedContinuation<Value?, Never>? in
      guard let waiting = state.waiting else {
        state.values.append(value)
        return nil
      }
      state.waiting = nil
      return waiting
    }
    waiting?.resume(returning: value)
  }

  public func end() {
    let waiting = state.withLock { state in
      state.isOver = true
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: nil)
  }

  public func take() async -> Value? {
    await withCheckedContinuation { continuation in
      let ready: Value?? = state.withLock { state in
        if !state.values.isEmpty { return .some(state.values.removeFirst()) }
        if state.isOver { return .some(nil) }
        state.waiting = continuation
        return .none
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }
}

/// A door that opens once, for all who wait: tasks and threads.
public final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let state = Mutex((isOpen: false, waiting: [CheckedContinuation<Void, Never>]()))

  public init() {}

  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
    semaphore.signal()
  }

  /// For a thread that may be blocked.
  public func waitOnThread() {
    semaphore.wait()
    semaphore.signal()
  }

  public func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }
}

/// Waits until the task is cancelled.
public func waitForCancellation() async {
  let gate = Gate()
  await withTaskCancellationHandler {
    await gate.wait()
  } onCancel: {
    gate.open()
  }
}
