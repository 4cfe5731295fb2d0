import AssistantProtocol

/// Where a session is held while a request works in it.
protocol SessionKeeper: Sendable {
  /// Says how the request at work is ended when its session is deleted. False when that has happened already.
  func setCancel(_ cancel: @escaping @Sendable () -> Void, of id: SessionID, worker: Int) async -> Bool

  /// Keeps what the request has come to. A success is final: nothing that follows can lose it.
  func commit(_ turn: SessionCommit, in id: SessionID, worker: Int) async -> Result<[Warning], RequestFailure>

  /// The request works in the session no more. Does nothing after a commit.
  func end(_ id: SessionID, worker: Int)
}

/// One request's hold on a session: nobody else may work in it meanwhile. What the request comes to is kept by
/// `commit`; without it the session stays as it was. A lease that is let go of without an end ends by itself.
final class SessionLease: Sendable {
  /// As it was when the request came.
  let session: Session
  let transcript: Transcript
  let tools: [Tool]
  private let keeper: any SessionKeeper
  private let id: SessionID
  private let worker: Int

  init(_ keeper: any SessionKeeper, _ id: SessionID, _ worker: Int, _ record: SessionRecord) {
    self.keeper = keeper
    self.id = id
    self.worker = worker
    session = record.session
    transcript = record.transcript
    tools = record.tools
  }

  deinit { end() }

  /// Runs the request's work so that deleting the session cancels it.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () async throws(RequestFailure) -> Value
  ) async throws(RequestFailure) -> Value {
    let task = Task { () async -> Result<Value, RequestFailure> in
      do throws(RequestFailure) { return .success(try await work()) } catch { return .failure(error) }
    }
    if await !keeper.setCancel({ task.cancel() }, of: id, worker: worker) { task.cancel() }
    let outcome = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    return try outcome.get()
  }

  /// Keeps the transcript and ends the lease.
  /// - Parameter announce: told what the session is now, before anybody else can change it.
  /// - Returns: what is to be said of how it is kept.
  func commit(
    _ transcript: Transcript, usage: Usage, announce: @escaping @Sendable (Session) -> Void
  ) async throws(RequestFailure) -> [Warning] {
    let turn = SessionCommit(transcript: transcript, usage: usage, announce: announce)
    return try await keeper.commit(turn, in: id, worker: worker).get()
  }

  func end() { keeper.end(id, worker: worker) }
}
