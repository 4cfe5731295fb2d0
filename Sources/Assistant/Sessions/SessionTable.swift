import AssistantProtocol
import Synchronization

/// The sessions of one connection. What a client asks of them is done on the connection's reading thread, in the order
/// it was sent; requests that work in them give them back from their tasks.
final class SessionTable: Sendable {
  /// A session and what is at work in it.
  struct Record {
    var session: Session
    /// Without the instructions, which are the session's.
    var transcript = Transcript()
    var tools: [Tool] = []
    /// The number of the request at work.
    var worker: Int?
    /// Ends that request.
    var cancel: (@Sendable () -> Void)?

    /// The transcript as the wire has it.
    var written: Transcript {
      var result = transcript
      if !session.instructions.isEmpty {
        result.instructions = TranscriptEntry(.instructions, session.instructions, at: session.createdAt)
      }
      return result
    }

    /// The session as the wire has it.
    var described: Session {
      var result = session
      result.turns = transcript.turns.count
      result.busy = worker != nil
      return result
    }
  }

  fileprivate struct State {
    var records: [SessionID: Record] = [:]
    /// Their names, the oldest first.
    var order: [SessionID] = []
    var lastWorker = 0
    var lastName = 0
  }

  private let state = Mutex(State())
  private let counter: SessionCounter

  private let mostSessions: @Sendable () -> Int

  /// - Parameter mostSessions: how many there may be.
  init(counter: SessionCounter, mostSessions: @escaping @Sendable () -> Int = { Limits.sessions }) {
    self.counter = counter
    self.mostSessions = mostSessions
  }

  deinit { counter.add(-state.withLock { $0.records.count }) }

  // MARK: Sessions

  func create(_ params: SessionCreate.Params) throws(AssistantError) -> Session {
    var session = Session()
    session.title = params.title
    session.instructions = params.instructions ?? params.transcript.instructions?.text ?? ""
    session.personality = params.personality ?? .neutral
    session.contextPolicy = params.contextPolicy
    session.maxTurns = params.maxTurns
    let tools = try Tool.all(params.tools)
    return try add(Record(session: session, transcript: params.transcript, tools: tools), named: params.sessionID)
  }

  /// The oldest first.
  func list() -> [Session] { state.withLock { state in state.order.compactMap { state.records[$0]?.described } } }

  func get(
    _ id: SessionID
  ) throws(AssistantError) -> (session: Session, transcript: Transcript, tools: [ToolDefinition]) {
    let record = try record(id)
    return (record.described, record.written, record.tools.map(\.definition))
  }

  func update(_ params: SessionUpdate.Params) throws(AssistantError) -> Session {
    let tools = try params.tools.map { (definitions) throws(AssistantError) in try Tool.all(definitions) }
    return try change(params.sessionID) { record in
      let personality = params.personality ?? record.session.personality
      let instructions = params.instructions ?? record.session.instructions
      let isOther = personality.id != record.session.personality.id || instructions != record.session.instructions
      if isOther, !params.keepHistory { record.clear() }
      record.session.personality = personality
      record.session.instructions = instructions
      if let title = params.title { record.session.title = title }
      if let policy = params.contextPolicy { record.session.contextPolicy = policy }
      if let maxTurns = params.maxTurns { record.session.maxTurns = maxTurns }
      if let tools { record.tools = tools }
    }
  }

  func rewind(_ id: SessionID, turns: Int) throws(AssistantError) -> Session {
    try change(id) { record in
      record.transcript.turns.removeLast(min(turns, record.transcript.turns.count))
      record.session.contextUsed = 0
    }
  }

  func reset(_ id: SessionID) throws(AssistantError) -> Session { try change(id) { $0.clear() } }

  func fork(_ id: SessionID, turns: Int?) throws(AssistantError) -> Session {
    let parent = try record(id)
    var child = Record(session: parent.session, transcript: parent.transcript, tools: parent.tools)
    if let turns, turns < child.transcript.turns.count {
      child.transcript.turns.removeLast(child.transcript.turns.count - turns)
      child.session.contextUsed = 0
    }
    return try add(child, named: nil)
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

  /// Takes the session for one request, until the lease is ended.
  func lease(_ id: SessionID) throws(AssistantError) -> SessionLease {
    let taken = state.withLock { state -> Result<(Int, Record), AssistantError> in
      guard var record = state.records[id] else { return .failure(.sessionNotFound(sessionID: id.text)) }
      guard record.worker == nil else { return .failure(.sessionBusy(sessionID: id.text)) }
      guard record.transcript.byteCount <= Limits.sessionBytes else {
        return .failure(.sessionTooLarge(limit: Limits.sessionBytes))
      }
      state.lastWorker += 1
      record.worker = state.lastWorker
      state.records[id] = record
      return .success((state.lastWorker, record))
    }
    let (worker, record) = try taken.get()
    return SessionLease(self, id, worker, record)
  }

  /// Says how the request at work is ended when its session is deleted. False when that has happened already.
  func setCancel(_ cancel: @escaping @Sendable () -> Void, of id: SessionID, worker: Int) -> Bool {
    state.withLock { state in
      guard state.records[id]?.worker == worker else { return false }
      state.records[id]?.cancel = cancel
      return true
    }
  }

  /// Keeps what the request has come to. False when the session was deleted meanwhile.
  func commit(
    _ transcript: Transcript, contextUsed: Int, contextSize: Int, in id: SessionID, worker: Int,
    _ announce: (Session) -> Void
  ) -> Bool {
    let now = Timestamp.now
    return state.withLock { state in
      guard var record = state.records[id], record.worker == worker else { return false }
      record.transcript = transcript
      record.session.contextUsed = contextUsed
      record.session.contextSize = contextSize
      record.session.updatedAt = now
      record.worker = nil
      record.cancel = nil
      state.records[id] = record
      announce(record.described)
      return true
    }
  }

  func end(_ id: SessionID, worker: Int) {
    state.withLock { state in
      guard state.records[id]?.worker == worker else { return }
      state.records[id]?.worker = nil
      state.records[id]?.cancel = nil
    }
  }

  // MARK: Parts

  private func record(_ id: SessionID) throws(AssistantError) -> Record {
    guard let record = state.withLock({ $0.records[id] }) else {
      throw .sessionNotFound(sessionID: id.text)
    }
    return record
  }

  private func add(_ new: Record, named name: SessionID?) throws(AssistantError) -> Session {
    let now = Timestamp.now
    let limit = mostSessions()
    let added = state.withLock { state -> Result<Session, AssistantError> in
      guard state.records.count < limit else { return .failure(.tooManySessions(limit: limit)) }
      if let name, state.records[name] != nil { return .failure(.sessionExists(sessionID: name.text)) }
      let id = name ?? state.newName()
      var record = new
      record.transcript.instructions = nil
      record.session.sessionID = id
      record.session.createdAt = now
      record.session.updatedAt = now
      state.records[id] = record
      state.order.append(id)
      return .success(record.described)
    }
    let session = try added.get()
    counter.add(1)
    return session
  }

  private func change(_ id: SessionID, _ body: (inout Record) -> Void) throws(AssistantError) -> Session {
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
}

extension SessionTable.Record {
  /// Forgets what has been said.
  fileprivate mutating func clear() {
    transcript = Transcript()
    session.contextUsed = 0
  }
}

extension SessionTable.State {
  /// A name that no session has.
  fileprivate mutating func newName() -> SessionID {
    while true {
      lastName += 1
      if let id = SessionID("session-\(lastName)"), records[id] == nil { return id }
    }
  }
}

/// How many sessions all connections have.
final class SessionCounter: Sendable {
  private let value = Atomic(0)
  var count: Int { value.load(ordering: .relaxed) }
  func add(_ change: Int) { value.add(change, ordering: .relaxed) }
}
