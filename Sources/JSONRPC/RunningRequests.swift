import Dispatch
import Synchronization

/// The peer's requests that run in tasks: for cancellation, for the limits, and to wait for their end.
final class RunningRequests: Sendable {
  private struct Entry {
    let serial: OutgoingQueue.Owner
    /// Whether it has a place under the shared limit.
    let isShared: Bool
    let isLight: Bool
    var task: Task<Void, Never>?
  }

  private struct State {
    var entries: [RequestID: Entry] = [:]
    /// How many of the entries are light ones.
    var lightCount = 0
    /// Requests whose reply is not yet in the queue; at least as many as there are entries.
    var running = 0
    var isWaitedFor = false
  }

  private let limits: ConnectionLimits
  private let state = Mutex(State())
  private let changed = DispatchSemaphore(value: 0)

  init(limits: ConnectionLimits) { self.limits = limits }

  func isRunning(_ id: RequestID) -> Bool { state.withLock { $0.entries[id] != nil } }

  /// Takes a place for a request that is going to run, whose id is not running yet. Returns the limit that refuses it.
  func admit(_ id: RequestID, serial: OutgoingQueue.Owner, isLight: Bool, isExempt: Bool) -> Int? {
    state.withLock { state in
      let limit = isLight ? limits.lightRequestsInFlight : limits.requestsInFlight
      // Light ones take no place from others.
      let count = isLight ? state.entries.count : state.entries.count - state.lightCount
      if count >= limit, !isExempt { return limit }
      var isShared = false
      if let shared = limits.sharedRequests, !isExempt, !isLight {
        guard shared.enter() else { return shared.limit }
        isShared = true
      }
      state.entries[id] = Entry(serial: serial, isShared: isShared, isLight: isLight)
      if isLight { state.lightCount += 1 }
      state.running += 1
      return nil
    }
  }

  /// The task of an admitted request; it may have ended already.
  func started(_ id: RequestID, serial: OutgoingQueue.Owner, _ task: Task<Void, Never>) {
    state.withLock { state in
      if state.entries[id]?.serial == serial { state.entries[id]?.task = task }
    }
  }

  func cancel(_ id: RequestID) {
    state.withLock { $0.entries[id]?.task }?.cancel()
  }

  func cancelAll() {
    for task in state.withLock({ $0.entries.values.compactMap(\.task) }) { task.cancel() }
  }

  /// The id may be used again.
  func free(_ id: RequestID, serial: OutgoingQueue.Owner) {
    let isShared = state.withLock { state in
      guard let entry = state.entries[id], entry.serial == serial else { return false }
      state.entries[id] = nil
      if entry.isLight { state.lightCount -= 1 }
      return entry.isShared
    }
    if isShared { limits.sharedRequests?.leave() }
  }

  /// The reply is in the queue.
  func finished() {
    let isLast = state.withLock { state in
      state.running -= 1
      return state.running == 0 && state.isWaitedFor
    }
    if isLast { changed.signal() }
  }

  /// Ends a wait of `waitUntilNoneRuns` whatever runs.
  func stopWaiting() { changed.signal() }

  /// Blocks the calling thread until every reply is in the queue, the deadline, or `isOver`.
  func waitUntilNoneRuns(_ deadline: DispatchTime, or isOver: () -> Bool) {
    while true {
      let isDone = state.withLock { state in
        state.isWaitedFor = true
        return state.running == 0
      }
      if isDone || isOver() || changed.wait(timeout: deadline) == .timedOut { return }
    }
  }
}
