import AssistantProtocol

/// The persisted sessions as the store's thread knows them: those that are in memory, and the file. A session is in
/// memory while a request works in it, while something of it could not be written, and afterwards while there is room.
struct StoredSessions {
  /// A session that is in memory.
  struct Resident {
    var record: SessionRecord
    /// Of what is in the file; nil when it is not there.
    var revision: Int?
    /// How many of its first turns are in the file.
    var saved = 0
    /// Why the file has not all of it; nil when it has.
    var problem: String?
    var lastUse = 0

    var described: Session {
      var session = record.described
      session.persisted = revision != nil && problem == nil
      return session
    }
  }

  let file: SessionFile
  private let counter: SessionCounter
  private let log: Log
  private(set) var residents: [SessionID: Resident] = [:]
  private var lastWorker = 0
  private var lastUse = 0
  private var lastName = 0
  private var epoch = 0

  init(_ file: SessionFile, counter: SessionCounter, log: Log) {
    self.file = file
    self.counter = counter
    self.log = log
  }

  // MARK: Looking

  mutating func has(_ id: SessionID) throws(RequestFailure) -> Bool {
    if residents[id] != nil { return true }
    return try reading { (file) throws(StoreError) in try file.revision(of: id) } != nil
  }

  /// The oldest first. What is in memory is listed also when the file cannot be read.
  mutating func list() -> [Session] {
    var all: [Session] = []
    var isRead = true
    do throws(RequestFailure) {
      let stored = try reading { (file) throws(StoreError) in try file.sessions() }
      all = stored.map { session, revision in
        guard let resident = residents[session.sessionID] else { return session }
        if resident.revision == revision || resident.problem != nil { return resident.described }
        var session = session
        session.busy = resident.record.worker != nil
        return session
      }
    } catch {
      isRead = false
      log.warning("persisted sessions cannot be listed: \(error.wireError.message)")
    }
    let names = Set(all.map(\.sessionID))
    let others = residents.values.filter { resident in
      !names.contains(resident.record.session.sessionID) && (resident.problem != nil || !isRead)
    }
    return all.merged(
      with: others.map(\.described).sorted {
        ($0.createdAt, $0.sessionID.text) < ($1.createdAt, $1.sessionID.text)
      })
  }

  /// A session as it is now, whoever has changed it last.
  mutating func current(_ id: SessionID) throws(RequestFailure) -> Resident {
    let revision: Int?
    do throws(RequestFailure) {
      revision = try reading { (file) throws(StoreError) in try file.revision(of: id) }
    } catch {
      // What is in memory can be worked with, and is written when the file can be.
      guard let resident = residents[id] else { throw error }
      return resident
    }
    if let resident = residents[id] {
      // What could not be written is nowhere else. A request at work finds out for itself, when it is to be kept.
      if resident.problem != nil || resident.record.worker != nil { return resident }
      if let revision, resident.revision == revision { return resident }
      drop(id)
    }
    guard revision != nil, let loaded = try reading({ (file) throws(StoreError) in try file.load(id) }) else {
      throw .assistant(.sessionNotFound(sessionID: id.text))
    }
    return Resident(
      record: loaded.record, revision: loaded.revision, saved: loaded.record.transcript.turns.count)
  }

  /// A name that no persisted session has.
  mutating func newName() throws(RequestFailure) -> SessionID {
    while true {
      lastName += 1
      if let id = SessionID("saved-\(lastName)"), try !has(id) { return id }
    }
  }

  // MARK: Changing

  /// Makes a session. When it cannot be written it is in memory only, and that is said.
  mutating func add(_ new: SessionRecord, named name: SessionID?) throws(RequestFailure) -> SessionResult {
    var id = name
    do throws(RequestFailure) {
      if let name, try has(name) { throw .assistant(.sessionExists(sessionID: name.text)) }
      if id == nil { id = try newName() }
    } catch {
      // While the file cannot be asked, the names in memory are those that count.
      guard case .store = error else { throw error }
    }
    var fresh = Resident(record: new)
    fresh.record.begin(named: id ?? unknownName(), at: Timestamp.now)
    let warnings = try write(&fresh)
    if fresh.problem != nil {
      try makeRoom()
      hold(fresh)
    }
    return SessionResult(session: fresh.described, warnings: warnings)
  }

  /// A name while the file cannot be asked.
  private mutating func unknownName() -> SessionID {
    while true {
      lastName += 1
      if let id = SessionID("saved-\(lastName)"), residents[id] == nil { return id }
    }
  }

  /// Changes a session in which no request works.
  mutating func change(
    _ id: SessionID, _ body: (inout SessionRecord) -> Void
  ) throws(RequestFailure) -> SessionResult {
    var resident = try current(id)
    do throws(AssistantError) { try resident.record.checkIsFree() } catch { throw .assistant(error) }
    let before = resident.record.transcript
    body(&resident.record)
    resident.record.session.updatedAt = Timestamp.now
    resident.saved = min(resident.saved, before.commonTurns(with: resident.record.transcript))
    let warnings = try write(&resident)
    if residents[id] == nil, resident.problem != nil { try makeRoom() }
    if residents[id] != nil || resident.problem != nil { hold(resident) }
    return SessionResult(session: resident.described, warnings: warnings)
  }

  /// A request that is at work in it is cancelled.
  mutating func delete(_ id: SessionID) throws(RequestFailure) {
    let resident = residents[id]
    var wasStored = false
    do throws(RequestFailure) {
      wasStored = try reading { (file) throws(StoreError) in try file.delete(id) }
    } catch {
      // What has never been written can go without the file.
      guard let resident, resident.revision == nil else { throw error }
    }
    drop(id)
    resident?.record.cancel?()
    guard wasStored || resident != nil else { throw .assistant(.sessionNotFound(sessionID: id.text)) }
  }

  // MARK: Requests at work

  mutating func take(_ id: SessionID) throws(RequestFailure) -> (worker: Int, record: SessionRecord) {
    var resident = try current(id)
    lastWorker += 1
    do throws(AssistantError) { try resident.record.take(lastWorker) } catch { throw .assistant(error) }
    if residents[id] == nil { try makeRoom() }
    hold(resident)
    return (lastWorker, resident.record)
  }

  mutating func setCancel(_ cancel: @escaping @Sendable () -> Void, of id: SessionID, worker: Int) -> Bool {
    guard residents[id]?.record.worker == worker else { return false }
    residents[id]?.record.cancel = cancel
    return true
  }

  mutating func commit(_ turn: SessionCommit, in id: SessionID, worker: Int) throws(RequestFailure) -> [Warning] {
    noteEpoch()
    guard var resident = residents[id], resident.record.worker == worker else { throw .engine(.cancelled) }
    resident.saved = min(resident.saved, resident.record.transcript.commonTurns(with: turn.transcript))
    resident.record.keep(turn, at: Timestamp.now)
    let warnings: [Warning]
    do throws(RequestFailure) {
      warnings = try write(&resident)
    } catch {
      // What another daemon has written counts, and is read again with the next request.
      drop(id)
      throw error
    }
    hold(resident)
    turn.announce(resident.described)
    return warnings
  }

  mutating func end(_ id: SessionID, worker: Int) {
    guard residents[id]?.record.worker == worker else { return }
    residents[id]?.record.release()
  }

  // MARK: Parts

  /// Writes what the file has not. A failure is a warning, and the next write tries all of it again. Only when another
  /// daemon has changed what was whole in the file, there is nothing to be kept here.
  private mutating func write(_ resident: inout Resident) throws(RequestFailure) -> [Warning] {
    let id = resident.record.session.sessionID
    do throws(StoreError) {
      do throws(StoreError) {
        resident.revision = try file.write(resident.record, revision: resident.revision, saved: resident.saved)
      } catch {
        guard error == .movedAside else { throw error }
        noteEpoch()
        (resident.revision, resident.saved) = (nil, 0)
        resident.revision = try file.write(resident.record, revision: nil, saved: 0)
      }
      resident.saved = resident.record.transcript.turns.count
      resident.problem = nil
      return notices()
    } catch {
      if resident.problem == nil {
        switch error {
        case .conflict: throw .store(.changedElsewhere(id))
        case .gone: throw .assistant(.sessionNotFound(sessionID: id.text))
        case .nameTaken where residents[id] == nil: throw .assistant(.sessionExists(sessionID: id.text))
        case .full(let limit): throw .assistant(.tooManySessions(limit: limit))
        case .sqlite, .unusable, .movedAside, .nameTaken, .illegible: break
        }
      }
      if resident.problem == nil { log.warning("a session is not persisted: \(error.reason)") }
      resident.problem = error.reason
      return notices() + [
        Warning(.notPersisted, "The session is not on the disk, or not all of it: \(error.reason).")
      ]
    }
  }

  private func notices() -> [Warning] { file.takeNotices().map { Warning(.notPersisted, $0) } }

  /// Reads from the file; from the new one when the old one turns out to be damaged.
  private mutating func reading<Value>(
    _ body: (SessionFile) throws(StoreError) -> Value
  ) throws(RequestFailure) -> Value {
    noteEpoch()
    do throws(StoreError) {
      do throws(StoreError) {
        return try body(file)
      } catch {
        guard error == .movedAside else { throw error }
        noteEpoch()
        return try body(file)
      }
    } catch {
      throw .store(.unusable(error.reason))
    }
  }

  /// When the file is another one, nothing of what is in memory is in it. It is written with the next change.
  private mutating func noteEpoch() {
    file.refresh()
    guard epoch != file.epoch else { return }
    epoch = file.epoch
    for id in residents.keys {
      residents[id]?.revision = nil
      residents[id]?.saved = 0
      residents[id]?.problem = "the file of sessions has been replaced"
    }
  }

  private mutating func hold(_ resident: Resident) {
    let id = resident.record.session.sessionID
    var resident = resident
    lastUse += 1
    resident.lastUse = lastUse
    if residents.updateValue(resident, forKey: id) == nil { counter.add(1) }
  }

  private mutating func drop(_ id: SessionID) {
    if residents.removeValue(forKey: id) != nil { counter.add(-1) }
  }

  /// Lets the session go that was not used for longest, when there are as many as may be.
  private mutating func makeRoom() throws(RequestFailure) {
    guard residents.count >= Limits.sessions else { return }
    let idle = residents.filter { $0.value.record.worker == nil && $0.value.problem == nil }
    guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
      throw .assistant(.tooManySessions(limit: Limits.sessions))
    }
    drop(oldest.key)
  }
}
