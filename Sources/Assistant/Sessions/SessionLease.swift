import AssistantProtocol

/// One request's hold on a session: nobody else may work in it meanwhile. What the request comes to is kept by
/// `commit`; without it the session stays as it was. A lease that is let go of without an end ends by itself.
final class SessionLease: Sendable {
  /// As it was when the request came.
  let session: Session
  let transcript: Transcript
  let tools: [Tool]
  private let table: SessionTable
  private let id: SessionID
  private let worker: Int

  init(_ table: SessionTable, _ id: SessionID, _ worker: Int, _ record: SessionTable.Record) {
    self.table = table
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
    if !table.setCancel({ task.cancel() }, of: id, worker: worker) { task.cancel() }
    let outcome = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    return try outcome.get()
  }

  /// Keeps the transcript and ends the lease.
  /// - Parameter announce: told what the session is now, before anybody else can change it.
  /// - Returns: false when it was deleted meanwhile.
  func commit(_ transcript: Transcript, usage: Usage, announce: (Session) -> Void) -> Bool {
    table.commit(
      transcript, contextUsed: usage.contextUsed, contextSize: usage.contextSize, in: id, worker: worker, announce)
  }

  func end() { table.end(id, worker: worker) }
}
