import AssistantProtocol
import JSON
import JSONRPC
import Synchronization

/// Where a link gets its connections from.
public protocol DaemonConnector: Sendable {
  /// Connects to the daemon, which is started when it is not there. Waits; called on a thread of its own.
  func connect() throws(DaemonError) -> any ByteChannel
}

/// One client's messages to the shared daemon, over as many connections as it takes.
///
/// A daemon that has gone is started again when there is something to ask it. The handshake is made again then, and
/// requests that had shown nothing are sent again, once; those that had are answered with `engineFailed`, which is
/// retryable. Messages keep their order. No request waits without a connection being tried for, and each gets exactly
/// one reply.
public final class DaemonLink: Sendable {
  /// Names a request of a link.
  package typealias Serial = Int

  /// What comes from the daemon for no request of the link's.
  public struct Incoming: Sendable {
    let notification: @Sendable (_ method: String, JSONValue) -> Void
    let request: @Sendable (_ method: String, JSONValue) async throws(RPCError) -> JSONValue

    public init(
      notification: @escaping @Sendable (_ method: String, JSONValue) -> Void,
      request: @escaping @Sendable (_ method: String, JSONValue) async throws(RPCError) -> JSONValue
    ) {
      self.notification = notification
      self.request = request
    }

    /// For a client that has no tools and wants no news.
    public static let none = Incoming(
      notification: { _, _ in }, request: { (method, _) throws(RPCError) in throw .methodNotFound(method) })
  }

  private let connector: any DaemonConnector
  private let incoming: Incoming
  private let patience: LinkPatience
  private let state = Mutex(LinkState())

  public init(connector: any DaemonConnector, incoming: Incoming = .none, patience: LinkPatience = LinkPatience()) {
    self.connector = connector
    self.incoming = incoming
    self.patience = patience
  }

  // MARK: For the client

  /// Says who the client is, and begins to connect. The first one counts, and none after the first request does.
  /// - Parameter isInitialized: `initialized` is sent as soon as it may be, and not when the client says so.
  /// - Returns: what holds.
  @discardableResult
  public func introduce(_ params: Initialize.Params, isInitialized: Bool = false) -> Initialize.Params {
    let (params, begins) = state.withLock { state in
      if let known = state.handshake { return (known, false) }
      var params = params
      // The daemon must outlive each of its clients.
      params.processID = nil
      state.handshake = params
      state.isInitialized = isInitialized
      return (params, state.beginConnecting())
    }
    if begins { startConnecting() }
    return params
  }

  /// The client has taken the answer to `initialize`.
  public func noteInitialized() {
    state.withLock { state in
      if !state.isInitialized, case .ready(let connection) = state.phase {
        connection.notify(Initialized.self, Empty())
      }
      state.isInitialized = true
    }
  }

  /// Sends a request, or keeps it until it can be sent. Called on one thread it keeps the order of the calls.
  /// - Parameters:
  ///   - onProgress: called with what its tokens are told, never after `reply`.
  ///   - reply: called once.
  package func begin(
    _ method: String, _ params: JSONValue, onProgress: @escaping @Sendable (Progress.Params) -> Void,
    reply: @escaping @Sendable (Result<JSONValue, RPCError>) -> Void
  ) -> Serial {
    let item = LinkItem(.request(reply: reply), method, params, onProgress: onProgress)
    let (serial, begins, isClosed) = state.withLock { state -> (Serial, Bool, Bool) in
      let serial = state.makeSerial()
      if case .closed = state.phase { return (serial, false, true) }
      // A client that has said nothing of itself speaks as a script does.
      if state.handshake == nil { (state.handshake, state.isInitialized) = (.script, true) }
      state.add(item, as: serial)
      if case .ready(let connection) = state.phase { send(serial, on: connection, &state) }
      return (serial, state.beginConnecting(), false)
    }
    if isClosed { reply(.failure(.connectionClosed)) }
    if begins { startConnecting() }
    return serial
  }

  /// Asks for an end to a request. What has not been sent is answered at once, the rest by the daemon; but one that
  /// does not answer keeps nobody.
  package func cancel(_ serial: Serial) {
    let (unsent, waits) = state.withLock { state -> (LinkItem?, Bool) in
      guard let item = state.items[serial] else { return (nil, false) }
      state.noteCancelled(serial)
      guard let id = item.sentID else { return (state.take(serial), false) }
      if case .ready(let connection) = state.phase { connection.cancel(id) }
      return (nil, true)
    }
    unsent?.answer(.failure(.cancelled))
    guard waits else { return }
    Task { [patience] in
      try await Task.sleep(for: patience.cancelling)
      self.state.withLock { $0.take(serial) }?.answer(.failure(.cancelled))
    }
  }

  /// Sends a notification, in order with the requests. Without a daemon it is dropped: it is about something that went
  /// with the daemon.
  func notify(_ method: String, _ params: JSONValue) {
    state.withLock { state in
      switch state.phase {
      case .idle, .closed: return
      case .ready(let connection): connection.notify(method, params)
      case .connecting: state.add(LinkItem(.notification, method, params), as: state.makeSerial())
      }
    }
  }

  /// Ends the connection. What is not answered yet is answered with `connectionClosed`.
  public func close() {
    let (connection, answers) = state.withLock { state -> (Connection?, [LinkState.Answer]) in
      defer { state.phase = .closed }
      return (state.phase.connection, state.takeAll(.connectionClosed))
    }
    connection?.close()
    give(answers)
  }

  private func give(_ answers: [LinkState.Answer]) { for (item, outcome) in answers { item.answer(outcome) } }
}

// MARK: - Connecting

extension DaemonLink {
  private func startConnecting() {
    do throws(ChannelError) {
      try DedicatedThread.start(name: "daemon-connect", stackSize: 256 << 10) { self.connect() }
    } catch {
      fail(DaemonError("\(error.message).", remedy: "Close some programs and try again.").rpcError)
    }
  }

  private func connect() {
    let channel: any ByteChannel
    do throws(DaemonError) { channel = try connector.connect() } catch { return fail(error.rpcError) }
    let epoch = state.withLock { $0.epoch }
    var limits = ConnectionLimits()
    limits.requestsInFlight = 1_024
    let connection = Connection(
      channel: channel, framing: .header, router: router(epoch), lifecycle: .none, limits: limits)
    let params = state.withLock { state -> Initialize.Params? in
      guard case .connecting = state.phase else { return nil }
      state.phase = .connecting(connection)
      return state.handshake
    }
    guard let params else { return connection.close() }
    connection.start()
    _ = connection.send(Initialize.name, params.json) { [weak connection] answer in
      guard let connection else { return }
      switch answer {
      case nil: break
      case .success?: self.begin(using: connection, epoch)
      case .failure(let error)?:
        self.fail(error)
        connection.close()
      }
    }
    let clock = Task { [patience] in
      try await Task.sleep(for: patience.handshake)
      let isLate = self.state.withLock { if case .connecting = $0.phase { $0.epoch == epoch } else { false } }
      if isLate {
        self.fail(DaemonError.silent.rpcError)
        return connection.close()
      }
      try await self.watch(connection, epoch)
    }
    Task {
      _ = await connection.waitUntilClosed()
      clock.cancel()
      self.ended(epoch)
    }
  }

  /// While requests wait, asks the daemon now and then for what it always answers at once. One that does not is given
  /// up: it may be stopped, or the machine out of memory.
  private func watch(_ connection: Connection, _ epoch: Int) async throws {
    while true {
      try await Task.sleep(for: patience.pause)
      guard state.withLock({ $0.epoch == epoch && $0.hasRequests }) else { continue }
      let answer: Result<JSONValue, RPCError>
      do throws(RPCError) {
        answer = .success(try await connection.request(ModelStatus.name, .null, timeout: patience.answer))
      } catch {
        answer = .failure(error)
      }
      guard case .failure(.timedOut) = answer else { continue }
      let answers = state.withLock { state -> [LinkState.Answer] in
        guard state.epoch == epoch else { return [] }
        state.phase = .idle
        return state.takeAll(DaemonError.silent.rpcError)
      }
      give(answers)
      return connection.close()
    }
  }

  /// The handshake is done: what has waited is sent.
  private func begin(using connection: Connection, _ epoch: Int) {
    let isCurrent = state.withLock { state in
      guard case .connecting = state.phase, state.epoch == epoch else { return false }
      state.noteReady(connection)
      if state.isInitialized { connection.notify(Initialized.self, Empty()) }
      for serial in state.items.keys.sorted() { send(serial, on: connection, &state) }
      return true
    }
    if !isCurrent { connection.close() }
  }

  /// When the connection has just ended nothing is sent; `ended` comes then.
  private func send(_ serial: Serial, on connection: Connection, _ state: inout LinkState) {
    guard let item = state.items[serial], item.sentID == nil else { return }
    guard item.isRequest else {
      _ = state.take(serial)
      return connection.notify(item.method, item.params)
    }
    let epoch = state.epoch
    let id = connection.send(item.method, item.params) { answer in
      if let answer { self.answered(serial, epoch, answer) }
    }
    if let id { state.noteSent(serial, as: id) }
  }

  private func answered(_ serial: Serial, _ epoch: Int, _ answer: Result<JSONValue, RPCError>) {
    let item = state.withLock { state in state.epoch == epoch ? state.take(serial) : nil }
    item?.answer(answer)
  }

  /// The connection is over: the daemon has gone, or does not want us.
  private func ended(_ epoch: Int) {
    let (answers, begins) = state.withLock { state -> ([LinkState.Answer], Bool) in
      guard state.epoch == epoch, state.phase.connection != nil else { return ([], false) }
      let answers = state.noteEnd()
      return (answers, state.hasRequests && state.beginConnecting())
    }
    give(answers)
    if begins { startConnecting() }
  }

  /// There is no daemon to be had: whoever waits is told why.
  private func fail(_ error: RPCError) { give(state.withLock { $0.noteFailure(error) }) }

  // MARK: What comes

  private func router(_ epoch: Int) -> Router {
    var router = Router()
    router.on(Progress.self) { progress, _ in
      self.state.withLock { $0.epoch == epoch ? $0.note(progress) : nil }?(progress)
    }
    for entry in MethodList.all where entry.direction == .serverToClient && entry.name != Progress.name {
      let method = entry.name
      if entry.isRequest {
        router.onInOrder(request: method) { params in
          self.state.withLock { $0.noteToolCall(in: params["sessionId"]) }
          return { (_) async throws(RPCError) in try await self.incoming.request(method, params) }
        }
      } else {
        router.on(notification: method) { params, _ in self.incoming.notification(method, params) }
      }
    }
    return router
  }
}
