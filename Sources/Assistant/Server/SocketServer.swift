import AssistantProtocol
import JSONRPC
import Synchronization

/// Serves the clients that come to a socket, until it is closed or nobody has come for a while.
public final class SocketServer: Sendable {
  private struct State {
    var connections: [ObjectIdentifier: Connection] = [:]
    /// Clients that are served, or are going to be.
    var count = 0
    var refused = 0
    var isClosing = false
    var hasListenerEnded = false
    /// Ends the server when nobody comes.
    var leaving: Task<Void, Never>?
    var waiting: [CheckedContinuation<Void, Never>] = []

    var isOver: Bool { hasListenerEnded && count == 0 && refused == 0 }
  }

  private let server: AssistantServer
  private let listener: UnixListener
  private let limit: Int
  private let idleExit: Duration?
  private let log: Log
  private let requestLimit = SharedRequestLimit(256)
  private let state = Mutex(State())

  /// - Parameters:
  ///   - limit: how many clients may be connected at once.
  ///   - idleExit: how long it waits for the next client once there is none; nil: for ever.
  public init(
    _ server: AssistantServer, at listener: UnixListener, limit: Int = 32, idleExit: Duration? = nil, log: Log = .none
  ) {
    self.server = server
    self.listener = listener
    self.limit = limit
    self.idleExit = idleExit
    self.log = log
  }

  /// Serves until the end.
  public func run() async throws(ChannelError) {
    try DedicatedThread.start(name: "accept") { self.accept() }
    state.withLock { waitForNext(&$0) }
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.isOver { state.waiting.append(continuation) }
        return state.isOver
      }
      if isOver { continuation.resume() }
    }
  }

  /// Takes no more clients, and ends those there are.
  public func close() {
    let connections = state.withLock { state in
      state.isClosing = true
      return Array(state.connections.values)
    }
    listener.close()
    for connection in connections { connection.close() }
  }

  private func accept() {
    do throws(ChannelError) {
      while let channel = try listener.accept() { welcome(channel) }
    } catch {
      log.error("no more clients can come: \(error.message)")
      close()
    }
    change { $0.hasListenerEnded = true }
  }

  private func welcome(_ channel: FileChannel) {
    enum Verdict { case served, refused, closed }
    let verdict = state.withLock { state -> Verdict in
      if state.isClosing { return .closed }
      state.leaving?.cancel()
      state.leaving = nil
      if state.count < limit {
        state.count += 1
        return .served
      }
      guard state.refused < limit else { return .closed }
      state.refused += 1
      return .refused
    }
    switch verdict {
    case .served: Task { await serve(channel) }
    case .refused: Task { await refuse(channel) }
    case .closed: channel.close()
    }
  }

  private func serve(_ channel: FileChannel) async {
    log.info("a client has come")
    let known = Mutex<Connection?>(nil)
    _ = await server.serve(
      channel, framing: .auto, requestLimit: requestLimit,
      started: { connection in
        known.withLock { $0 = connection }
        let isClosing = state.withLock { state in
          state.connections[ObjectIdentifier(connection)] = connection
          return state.isClosing
        }
        if isClosing { connection.close() }
      })
    log.info("a client has gone")
    let connection = known.withLock { $0 }
    change { state in
      if let connection { state.connections[ObjectIdentifier(connection)] = nil }
      state.count -= 1
      self.waitForNext(&state)
    }
  }

  /// Tells one client too many why it is not served.
  private func refuse(_ channel: FileChannel) async {
    log.warning("more than \(limit) clients: one is refused")
    let error = AssistantError.tooManyClients(limit: limit).rpcError
    var router = Router()
    for entry in MethodList.all where entry.isRequest {
      router.onInOrder(request: entry.name) { _ in { (_) throws(RPCError) in throw error } }
    }
    let connection = Connection(channel: channel, framing: .auto, router: router, lifecycle: .none)
    connection.start()
    let clock = Task {
      try await Task.sleep(for: .seconds(5))
      connection.close()
    }
    _ = await connection.waitUntilClosed()
    clock.cancel()
    change { $0.refused -= 1 }
  }

  /// When nobody is left: waits for a while, then leaves.
  private func waitForNext(_ state: inout State) {
    guard state.count == 0, !state.isClosing, let idleExit else { return }
    state.leaving = Task {
      do { try await Task.sleep(for: idleExit) } catch { return }
      leave()
    }
  }

  private func leave() {
    let leaves = state.withLock { state in
      guard state.count == 0, !state.isClosing, !Task.isCancelled else { return false }
      state.isClosing = true
      return true
    }
    guard leaves else { return }
    log.info("no client has come for a while: the daemon leaves")
    listener.close()
  }

  private func change(_ body: (inout State) -> Void) {
    let waiting = state.withLock { state in
      body(&state)
      defer { if state.isOver { state.waiting = [] } }
      return state.isOver ? state.waiting : []
    }
    for continuation in waiting { continuation.resume() }
  }
}
