import Dispatch
import JSON
import Synchronization

/// How a connection came to its end.
public enum ConnectionEnd: Sendable, Equatable {
  /// The peer sends no more. All its requests have been answered in line framing; in header framing those that took
  /// long were cancelled.
  case endOfInput(insideFrame: Bool)
  /// The peer sent `exit`.
  case exit(afterShutdown: Bool)
  /// The peer sent bytes after which the place of the next message is unknown.
  case protocolError(String)
  /// The channel failed, or the peer did not read what waited for it.
  case ioError(String)
  /// `close()` was called.
  case closed
}

/// One JSON-RPC 2.0 connection, the same for both sides: it serves the peer's requests by a router and sends requests
/// and notifications of its own.
///
/// Two dedicated threads serve it: one reads, decodes and dispatches in order, and never waits for the other, which
/// writes. They keep the connection alive until its end.
public final class Connection: Sendable {
  let outbox: Outbox
  let requests: RunningRequests
  let router: Router
  let limits: ConnectionLimits
  let mirror: WireMirror?
  private let channel: any ByteChannel
  private let lifecycle: LifecyclePolicy
  private let sent = SentRequests()
  private let state: Mutex<State>

  private struct State {
    var framing: Framing
    var isStarted = false
    var isClosing = false
    var end: ConnectionEnd?
    var waiting: [CheckedContinuation<ConnectionEnd, Never>] = []
  }

  public init(
    channel: any ByteChannel, framing: Framing, router: Router, lifecycle: LifecyclePolicy,
    limits: ConnectionLimits = .init(), mirror: WireMirror? = nil
  ) {
    self.channel = channel
    self.router = router
    self.lifecycle = lifecycle
    self.limits = limits
    self.mirror = mirror
    outbox = Outbox(channel: channel, framing: framing, limits: limits, mirror: mirror)
    requests = RunningRequests(limits: limits)
    state = Mutex(State(framing: framing))
  }

  /// Starts both threads. A second call does nothing.
  public func start() {
    let isFirst = state.withLock { state in
      defer { state.isStarted = true }
      return !state.isStarted
    }
    guard isFirst else { return }
    do throws(ChannelError) {
      try DedicatedThread.start(name: "rpc-write") {
        self.outbox.run()
        self.requests.stopWaiting()
      }
      try DedicatedThread.start(name: "rpc-read") { self.read() }
    } catch {
      outbox.stop()
      conclude(.ioError(error.message))
    }
  }

  /// The framing; `.auto` until the peer's first byte.
  public var framing: Framing { state.withLock { $0.framing } }

  /// Outgoing bytes that wait for the peer to read.
  public var queuedByteCount: Int { outbox.byteCount }

  /// Sends a notification that belongs to no request. Nothing happens once the connection has ended.
  public func notify<N: NotificationMethod>(_: N.Type, _ params: N.Params) {
    outbox.send(Outgoing.notification(method: N.name, params: params.json), from: OutgoingQueue.connection)
  }

  /// The same, but while it waits in the queue a later one of the same key may be merged into it.
  public func notifyMerging<N: NotificationMethod>(
    _: N.Type, key: String, _ params: N.Params
  ) where N.Params: MergeableParams {
    outbox.sendMerging(N.name, key: key, params, from: OutgoingQueue.connection)
  }

  /// Sends a request to the peer and waits for its answer. When the task is cancelled, or the time is over, the peer is
  /// sent `$/cancelRequest` and the wait ends at once.
  ///
  /// - Throws: the peer's error; `.cancelled`; `.timedOut`; `.connectionClosed`; or an internal error when the result
  ///   is not of the method's type.
  public func request<R: RequestMethod>(
    _: R.Type, _ params: R.Params, timeout: Duration? = nil
  ) async throws(RPCError) -> R.Result {
    let json = try await request(R.name, params.json, timeout: timeout, whenCancelled: .stopsWaiting)
    do throws(JSONMismatch) {
      return try R.Result(json: json)
    } catch {
      throw .internalError("the result of “\(R.name)” is not of its type: \(error.message)")
    }
  }

  /// The same for any method, with parameters and result as they are on the wire.
  ///
  /// - Parameter cancelled: whether a cancelled task waits for the answer, which the peer still owes, or ends at once.
  public func request(
    _ method: String, _ params: JSONValue, timeout: Duration? = nil, whenCancelled cancelled: CancelledWait
  ) async throws(RPCError) -> JSONValue {
    let id = sent.nextID()
    let body = Outgoing.request(id: RequestID(id), method: method, params: params)
    let timer = timeout.map { timeout in
      Task { [weak self] in
        try await Task.sleep(for: timeout)
        self?.giveUp(id, .timedOut)
      }
    }
    defer { timer?.cancel() }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard sent.wait(id, continuation) else { return }
        outbox.send(body, from: OutgoingQueue.connection)
        // Cancellation either comes later and finds the request sent, or is seen here. Of one that came between the two
        // lines above the peer has heard too early, so it is told again.
        if Task.isCancelled {
          if cancelled == .stopsWaiting { sent.resolve(id, .failure(.cancelled)) }
          askToStop(id)
        }
      }
    } onCancel: {
      switch cancelled {
      case .stopsWaiting: giveUp(id, .cancelled)
      case .awaitsAnswer: if sent.isAwaited(id) { askToStop(id) }
      }
    }
    return try outcome.get()
  }

  /// Ends the connection now: running requests are cancelled, and what is queued is not sent.
  public func close() {
    let isStarted = state.withLock { state in
      state.isClosing = true
      return state.isStarted
    }
    channel.close()
    requests.stopWaiting()
    if !isStarted { conclude(.closed) }
  }

  /// Waits for the end.
  public func waitUntilClosed() async -> ConnectionEnd {
    await withCheckedContinuation { continuation in
      let end = state.withLock { state in
        if state.end == nil { state.waiting.append(continuation) }
        return state.end
      }
      if let end { continuation.resume(returning: end) }
    }
  }
}

// MARK: - The reading thread

extension Connection {
  func decide(_ framing: Framing) {
    state.withLock { $0.framing = framing }
    outbox.decide(framing)
  }

  func received(_ id: RequestID, _ outcome: Result<JSONValue, RPCError>) {
    if case .number(let number) = id, let id = number.int { sent.resolve(id, outcome) }
  }

  /// A receiver for this connection's bytes. The reading thread has the only one; tests feed one by hand.
  package func makeReceiver() -> Receiver {
    Receiver(connection: self, framing: framing, lifecycle: lifecycle)
  }

  /// What is queued now, framed, for a connection that was not started: for tests.
  package func takeAllOutput() -> [UInt8] { outbox.takeAll() }

  private func read() {
    var receiver = makeReceiver()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      do throws(ChannelError) {
        let count = try channel.read(into: buffer)
        if count == 0 { return conclude(receiver.finish()) }
        if let end = receiver.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { return conclude(end) }
      } catch {
        switch error {
        case .closed: return conclude(.closed)
        case .system: return conclude(.ioError(error.message))
        }
      }
    }
  }

  /// Takes the connection down in order: the running requests, then the queue, then the channel.
  private func conclude(_ end: ConnectionEnd) {
    sent.end(.connectionClosed)
    switch end {
    case .endOfInput(insideFrame: false) where framing != .header:
      // “No more requests”: those received are finished, however long that takes.
      requests.waitUntilNoneRuns(.distantFuture, or: isOver)
      drain(limits.closing)
    case .endOfInput, .protocolError:
      // What needs no model is answered; the rest is cancelled.
      requests.waitUntilNoneRuns(.now() + limits.grace.timeInterval, or: isOver)
      drain(limits.closing)
    case .exit: drain(limits.exiting)
    case .closed, .ioError: requests.cancelAll()
    }
    outbox.stop()
    channel.close()

    let failure = outbox.failure
    let waiting = state.withLock { state in
      // A failure of the writing thread closes the channel, which the reading thread sees as `closed`.
      state.end = failure.map(ConnectionEnd.ioError) ?? end
      defer { state.waiting = [] }
      return state.waiting.map { ($0, state.end ?? end) }
    }
    for (continuation, end) in waiting { continuation.resume(returning: end) }
  }

  /// Cancels what runs and lets the peer read the replies, for as long as that.
  private func drain(_ patience: Duration) {
    let deadline = DispatchTime.now() + patience.timeInterval
    requests.cancelAll()
    requests.waitUntilNoneRuns(deadline, or: isOver)
    outbox.finish()
    outbox.waitUntilStopped(deadline)
  }

  private func isOver() -> Bool { outbox.isStopped || state.withLock { $0.isClosing } }

  private func giveUp(_ id: Int, _ error: RPCError) {
    if sent.resolve(id, .failure(error)) { askToStop(id) }
  }

  private func askToStop(_ id: Int) {
    notify(CancelMessage.self, CancelMessage.Params(id: .number(JSONNumber(id))))
  }
}

/// What a request of ours does when its task is cancelled. Either way the peer is sent `$/cancelRequest`.
public enum CancelledWait: Sendable {
  /// It fails at once with `.cancelled`; the peer's answer is ignored.
  case stopsWaiting
  /// It goes on waiting for the peer's answer, whatever that is.
  case awaitsAnswer
}

/// `$/cancelRequest` (LSP 3.17, "Cancellation Support"), which every connection understands in both directions.
enum CancelMessage: NotificationMethod {
  static let name = "$/cancelRequest"

  struct Params: JSONMessage {
    var id = JSONValue.null
    init() {}
    init(id: JSONValue) { self.id = id }
    static let fields: [JSONField<Params>] = [.required("id", \.id, "The request's id.")]
  }
}

extension Duration {
  /// For Dispatch's clock; to the microsecond.
  var timeInterval: DispatchTimeInterval {
    .microseconds(Int(clamping: components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000))
  }
}
