import AssistantProtocol
import JSONRPC
import Synchronization

/// The sessions that a connection sees: its own, and the persisted ones that all share. Each method is called on the
/// connection's reading thread and takes its place there: what needs the store is done by the store's thread in that
/// order, and until that is done, so is all else of the connection.
final class ConnectionSessions: Sendable {
  /// What has a place in the order of the messages.
  enum Ordered<Value: Sendable>: Sendable {
    case now(Result<Value, RequestFailure>)
    case later(Pending<Result<Value, RequestFailure>>)

    func value() async throws(RequestFailure) -> Value {
      switch self {
      case .now(let result): try result.get()
      case .later(let pending): try await pending.value().get()
      }
    }

    /// For the router.
    var answer: Answer<Value> {
      switch self {
      case .now(let result): .now(result.mapError(\.wireError))
      case .later(let pending):
        .later { () async throws(RPCError) in try await pending.value().mapError(\.wireError).get() }
      }
    }
  }

  private typealias Work<Value> = @Sendable (inout StoredSessions) throws(RequestFailure) -> Value

  /// Those of this connection alone.
  private let own: SessionTable
  /// nil: none are persisted.
  private let store: SessionStore?
  /// What the store's thread has still to do for this connection.
  private let waiting = Atomic(0)

  /// - Parameter mostSessions: how many of its own the connection may have.
  init(counter: SessionCounter, store: SessionStore?, mostSessions: @escaping @Sendable () -> Int) {
    own = SessionTable(counter: counter, mostSessions: mostSessions)
    self.store = store
  }

  // MARK: Sessions

  func create(_ params: SessionCreate.Params) -> Ordered<SessionResult> {
    let name = params.sessionID
    guard let store else {
      return here { () throws(AssistantError) in
        var result = SessionResult(session: try own.add(SessionRecord(params), named: name ?? own.newName()))
        if params.persist { result.warnings = [Self.nothingIsKept] }
        return result
      }
    }
    return there(store) { [own] (stored) throws(RequestFailure) in
      if let name, own.has(name) { throw .assistant(.sessionExists(sessionID: name.text)) }
      let new = try Self.plain { () throws(AssistantError) in try SessionRecord(params) }
      if params.persist { return try stored.add(new, named: name) }
      if let name, Self.isTaken(name, &stored) { throw .assistant(.sessionExists(sessionID: name.text)) }
      let free = name ?? Self.freeName(own, &stored)
      return SessionResult(session: try Self.plain { () throws(AssistantError) in try own.add(new, named: free) })
    }
  }

  /// The oldest first.
  func list() -> Ordered<SessionList.Result> {
    guard let store else { return .now(.success(SessionList.Result(sessions: own.list()))) }
    return there(store) { [own] stored in SessionList.Result(sessions: stored.list().merged(with: own.list())) }
  }

  func get<Value: Sendable>(
    _ id: SessionID, _ body: @escaping @Sendable (_ session: Session, SessionRecord) -> Value
  ) -> Ordered<Value> {
    inOrder(id) { (own) throws(AssistantError) in
      let record = try own.get(id)
      return body(record.described, record)
    } stored: { (stored) throws(RequestFailure) in
      let resident = try stored.current(id)
      return body(resident.described, resident.record)
    }
  }

  func change(
    _ id: SessionID, _ body: @escaping @Sendable (inout SessionRecord) -> Void
  ) -> Ordered<SessionResult> {
    inOrder(id) { (own) throws(AssistantError) in
      SessionResult(session: try own.change(id, body))
    } stored: { (stored) throws(RequestFailure) in
      try stored.change(id, body)
    }
  }

  /// One of a persisted session is persisted too.
  func fork(_ id: SessionID, turns: Int?) -> Ordered<SessionResult> {
    guard let store else {
      return here { () throws(AssistantError) in
        let child = try own.get(id).forked(turns: turns)
        return SessionResult(session: try own.add(child, named: own.newName()))
      }
    }
    return there(store) { [own] (stored) throws(RequestFailure) in
      guard own.has(id) else {
        let parent = try stored.current(id)
        return try stored.add(parent.record.forked(turns: turns), named: nil)
      }
      let free = Self.freeName(own, &stored)
      return try Self.plain { () throws(AssistantError) in
        SessionResult(session: try own.add(try own.get(id).forked(turns: turns), named: free))
      }
    }
  }

  func delete(_ id: SessionID) -> Ordered<Empty> {
    inOrder(id) { (own) throws(AssistantError) in
      try own.delete(id)
      return Empty()
    } stored: { (stored) throws(RequestFailure) in
      try stored.delete(id)
      return Empty()
    }
  }

  /// Takes the session for one request, until the lease is ended.
  func lease(_ id: SessionID) -> Ordered<SessionLease> {
    inOrder(id) { (own) throws(AssistantError) in
      try own.lease(id)
    } stored: { [store] (stored) throws(RequestFailure) in
      guard let store else { throw .assistant(.sessionNotFound(sessionID: id.text)) }
      return try store.lease(id, &stored)
    }
  }

  // MARK: Order

  /// Does one thing or the other, by whose session it is.
  private func inOrder<Value: Sendable>(
    _ id: SessionID, own work: @escaping @Sendable (SessionTable) throws(AssistantError) -> Value,
    stored: @escaping Work<Value>
  ) -> Ordered<Value> {
    guard let store, !own.has(id) || waiting.load(ordering: .acquiring) > 0 else {
      return here { () throws(AssistantError) in try work(own) }
    }
    return there(store) { [own] (sessions) throws(RequestFailure) in
      // It may have been made meanwhile.
      guard own.has(id) else { return try stored(&sessions) }
      return try Self.plain { () throws(AssistantError) in try work(own) }
    }
  }

  private func here<Value>(_ work: () throws(AssistantError) -> Value) -> Ordered<Value> {
    .now(Result { () throws(RequestFailure) in try Self.plain(work) })
  }

  private func there<Value: Sendable>(_ store: SessionStore, _ work: @escaping Work<Value>) -> Ordered<Value> {
    waiting.add(1, ordering: .relaxed)
    return .later(
      store.run { [self] sessions in
        defer { waiting.subtract(1, ordering: .releasing) }
        return Result { () throws(RequestFailure) in try work(&sessions) }
      })
  }

  // MARK: Parts

  private static func plain<Value>(_ work: () throws(AssistantError) -> Value) throws(RequestFailure) -> Value {
    do throws(AssistantError) { return try work() } catch { throw .assistant(error) }
  }

  /// Whether a persisted session has the name. While that cannot be known, nothing stands in the way.
  private static func isTaken(_ name: SessionID, _ stored: inout StoredSessions) -> Bool {
    do throws(RequestFailure) { return try stored.has(name) } catch { return false }
  }

  private static func freeName(_ own: SessionTable, _ stored: inout StoredSessions) -> SessionID {
    while true {
      let name = own.newName()
      if !isTaken(name, &stored) { return name }
    }
  }

  private static let nothingIsKept = Warning(
    .notPersisted, "The session is not on the disk: this daemon keeps no sessions (--ephemeral).")
}
