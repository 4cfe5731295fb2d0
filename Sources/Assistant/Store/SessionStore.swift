import AssistantProtocol
import Dispatch
import JSONRPC
import Synchronization

/// The persisted sessions of a user, for all connections of the daemon. What is done with them is done by one thread,
/// in the order in which it is asked for; only that thread reads and writes the file, and nobody waits for it with a
/// lock. The file is opened when it is first needed.
public final class SessionStore: Sendable {
  typealias Job = @Sendable (inout StoredSessions) -> Void

  private let queue = JobQueue()
  let counter = SessionCounter()

  /// - Parameter path: the file; made, with its folder, when something is to be kept.
  public convenience init(path: String, log: Log = .none) throws(ChannelError) {
    try self.init(path: path, log: log, settings: StoreSettings())
  }

  package init(path: String, log: Log = .none, settings: StoreSettings) throws(ChannelError) {
    try DedicatedThread.start(name: "sessions") { [queue, counter] in
      var sessions = StoredSessions(SessionFile(path, settings, log: log), counter: counter, log: log)
      while let job = queue.next() { job(&sessions) }
    }
  }

  deinit { queue.close() }

  /// Does something with the sessions when it is its turn.
  func run<Value: Sendable>(_ body: @escaping @Sendable (inout StoredSessions) -> Value) -> Pending<Value> {
    let pending = Pending<Value>()
    queue.add { pending.give(body(&$0)) }
    return pending
  }

  /// Does all that was asked for and closes the file. It is opened again when it is needed.
  public func close() async { await run { $0.file.close() }.value() }
}

extension SessionStore: SessionKeeper {
  /// Takes a session for one request. Runs on the store's thread.
  func lease(_ id: SessionID, _ sessions: inout StoredSessions) throws(RequestFailure) -> SessionLease {
    let (worker, record) = try sessions.take(id)
    return SessionLease(self, id, worker, record)
  }

  func setCancel(_ cancel: @escaping @Sendable () -> Void, of id: SessionID, worker: Int) async -> Bool {
    await run { $0.setCancel(cancel, of: id, worker: worker) }.value()
  }

  func commit(_ turn: SessionCommit, in id: SessionID, worker: Int) async -> Result<[Warning], RequestFailure> {
    await run { sessions in
      Result { () throws(RequestFailure) in try sessions.commit(turn, in: id, worker: worker) }
    }.value()
  }

  func end(_ id: SessionID, worker: Int) { _ = run { $0.end(id, worker: worker) } }
}

/// What the thread of a store is to do. Its length is bounded by the requests that may be at work.
private final class JobQueue: Sendable {
  private let jobs = Mutex<[SessionStore.Job]>([])
  private let arrival = DispatchSemaphore(value: 0)

  func add(_ job: @escaping SessionStore.Job) {
    jobs.withLock { $0.append(job) }
    arrival.signal()
  }

  /// Lets the thread end when it has done what there is.
  func close() { arrival.signal() }

  /// Waits for the next one; nil when there are no more to come.
  func next() -> SessionStore.Job? {
    // One signal came for each job, and one for the end, which is always the last.
    arrival.wait()
    return jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}
