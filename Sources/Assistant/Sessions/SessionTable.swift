import AssistantProtocol
import Synchronization

/// The sessions of one connection that are not persisted. What a client asks of them is done in the order it was sent;
/// requests that work in them give them back from their tasks.
final class SessionTable: SessionKeeper {
  fileprivate struct State {
    var records: [SessionID: SessionRecord] = [:]
    /// Their names, the oldest first.
    var order: [SessionID] = []
    var lastWorker = 0
    var lastName = 0
  }

  private let state = Mutex(State())
  private let counter: SessionCounter
  private let mostSessions: @Sendable () -> Int

  /// - Parameter mostSessions: how many there may be.
  init(counter: SessionCounter, mostSessions: @escaping @Sendable () -> Int) {
    self.counter = counter
    self.mostSessions = mostSessions
  }

  deinit { counter.add(-state.withLock { $0.records.count }) }

  // MARK: Sessions

  func has(_ id: SessionID) -> Bool { state.withLock { $0.records[id] != nil } }

  /// A name that no session here has; the next one is another.
  func newName() -> SessionID { state.withLock { $0.newName() } }

  func add(_ new: SessionRecord, named id: SessionID) throws(AssistantError) -> Session {
    let now = Timestamp.now
    let limit = mostSessions()
    let added = state.withLock { state -> Result<Session, AssistantError> in
      guard state.records.count < limit else { return .failure(.tooManySessions(limit: limit)) }
      if state.records[id] != nil { return .failure(.sessionExists(sessionID: id.text)) }
      var record = new
      record.begin(named: id, at: now)
      state.records[id] = record
      state.order.append(id)
      return .success(record.described)
    }
    let session = try added.get()
    counter.add(1)
    return session
  }

  /// The oldest first.
  func list() -> [Session] { state.withLock { state in state.order.compactMap { state.records[$0]?.described } } }

  func get(_ id: SessionID) throws(AssistantError) -> SessionRecord {
    guard let record = state.withLock({ $0.records[id] }) else { throw .sessionNotFound(sessionID: id.text) }
    return record
  }

  /// Changes a session in which no request works.
  func change(_ id: SessionID, _ body: (inout SessionRecord) -> Void) throws(AssistantError) -> Session {
    let now = Timestamp.now
    let changed = state.withLock { state -> Result<Session, AssistantError> in
      guard var record = state.records[id] else { return .failure(.sessionNotFound(sessionID: id.text)) }
      guard record.worker == nil else { return .failure(.sessionBusy(sessionID: id.text)) }
      body(&record)
      record.session.updatedAt = now
      state.records[id] = record
      return .success(record.described)
    }
    return try changed.get()
  }

  /// A request that is at work in it is cancelled.
  func delete(_ id: SessionID) throws(AssistantError) {
    let record = state.withLock { state in
      state.order.removeAll { $0 == id }
      return state.records.removeValue(forKey: id)
    }
    guard let record else { throw .sessionNotFound(sessionID: id.text) }
    counter.add(-1)
    record.cancel?()
  }

  // MARK: Requests at work

  func lease(_ id: SessionID) throws(AssistantError) -> SessionLease {
    let taken = state.withLock { state -> Result<(Int, SessionRecord), AssistantError> in
      guard var record = state.records[id] else { return .failure(.sessionNotFound(sessionID: id.text)) }
      state.lastWorker += 1
      do throws(AssistantError) { try record.take(state.lastWorker) } catch { return .failure(error) }
      state.records[id] = record
      return .success((state.lastWorker, record))
    }
    let (worker, record) = try taken.get()
    return SessionLease(self, id, worker, record)
  }

  func setCancel(_ cancel: @escaping @Sendable () -> Void, of id: SessionID, worker: Int) -> Bool {
    state.withLock { state in
      guard state.records[id]?.worker == worker else { return false }
      state.records[id]?.cancel = cancel
      return true
    }
  }

  func commit(_ turn: SessionCommit, in id: SessionID, worker: Int) -> Result<[Warning], RequestFailure> {
    let now = Timestamp.now
    return state.withLock { state in
      guard var record = state.records[id], record.worker == worker else { return .failure(.engine(.cancelled)) }
      record.keep(turn, at: now)
      state.records[id] = record
      turn.announce(record.described)
      return .success([])
    }
  }

  func end(_ id: SessionID, worker: Int) {
    state.withLock { state in
      guard state.records[id]?.worker == worker else { return }
      state.records[id]?.release()
    }
  }
}

extension SessionTable.State {
  fileprivate mutating func newName() -> SessionID {
    while true {
      lastName += 1
      if let id = SessionID("session-\(lastName)"), records[id] == nil { return id }
    }
  }
}

/// How many sessions are in memory.
final class SessionCounter: Sendable {
  private let value = Atomic(0)
  var count: Int { value.load(ordering: .relaxed) }
  func add(_ change: Int) { value.add(change, ordering: .relaxed) }
}
