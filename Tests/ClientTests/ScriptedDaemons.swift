import AssistantProtocol
import Client
import JSON
import JSONRPC
import Synchronization
import TestSupport

let patience = Duration.seconds(20)

/// Daemons that come one after another, each with a connection of its own, and do what a test says.
final class ScriptedDaemons: DaemonConnector {
  /// What a daemon does with a request: `number` counts daemons from 1.
  typealias Serve =
    @Sendable (_ number: Int, _ method: String, JSONValue, RequestContext) async throws(RPCError) -> JSONValue

  struct State {
    var connections: [Connection] = []
    /// Everything that came, as `number method params`.
    var heard: [String] = []
    var handshakes: [Initialize.Params] = []
    var failure: DaemonError?
    var attempts = 0
    var waiting: [(condition: @Sendable (ScriptedDaemons.State) -> Bool, door: Promise<Void>)] = []
  }

  private let state = Mutex(State())
  private let serve: Serve
  private let handshake: @Sendable (_ number: Int) throws(RPCError) -> Void
  private let gate: Gate?

  /// - Parameters:
  ///   - gate: no connection is made until it is open.
  ///   - handshake: throws when a daemon does not want the client.
  init(
    gate: Gate? = nil, handshake: @escaping @Sendable (_ number: Int) throws(RPCError) -> Void = { _ in },
    serve: @escaping Serve
  ) {
    self.gate = gate
    self.handshake = handshake
    self.serve = serve
  }

  var heard: [String] { state.withLock { $0.heard } }
  var handshakes: [Initialize.Params] { state.withLock { $0.handshakes } }
  var count: Int { state.withLock { $0.connections.count } }
  var attempts: Int { state.withLock { $0.attempts } }

  /// Waits until something has come.
  func wait(for what: String, _ condition: @escaping @Sendable (State) -> Bool) async throws {
    let door = Promise<Void>()
    change { $0.waiting.append((condition, door)) }
    try await withDeadline(patience, what) { await door.value() }
  }

  /// Waits until so many messages have come.
  func wait(forMessages count: Int) async throws {
    try await wait(for: "\(count) messages") { $0.heard.count >= count }
  }

  private func change(_ body: (inout State) -> Void) {
    let doors = state.withLock { state -> [Promise<Void>] in
      body(&state)
      let open = state.waiting.indices.filter { state.waiting[$0].condition(state) }
      defer { state.waiting = state.waiting.indices.filter { !open.contains($0) }.map { state.waiting[$0] } }
      return open.map { state.waiting[$0].door }
    }
    for door in doors { door.keep(()) }
  }

  /// From now on, or until nil, there is no daemon to be had.
  func fail(_ error: DaemonError?) { change { $0.failure = error } }

  /// Ends a daemon as a crash does.
  func kill(_ number: Int) { connection(number)?.close() }

  func connection(_ number: Int) -> Connection? {
    state.withLock { $0.connections.indices.contains(number - 1) ? $0.connections[number - 1] : nil }
  }

  func connect() throws(DaemonError) -> any ByteChannel {
    gate?.waitOnThread()
    change { $0.attempts += 1 }
    if let failure = state.withLock({ $0.failure }) { throw failure }
    let (near, far) = InMemoryChannel.pair()
    let number = count + 1
    let connection = Connection(channel: far, framing: .header, router: router(number), lifecycle: .none)
    change { $0.connections.append(connection) }
    connection.start()
    return near
  }

  private func router(_ number: Int) -> Router {
    var router = Router()
    router.onInOrder(Initialize.self) { [self] params, _ throws(RPCError) in
      change { $0.handshakes.append(params) }
      try handshake(number)
      return Initialize.Result(
        serverInfo: ServerInfo(version: "scripted"),
        capabilities: ServerCapabilities(positionEncoding: .utf16, assistant: AssistantCapabilities()))
    }
    for entry in MethodList.all where entry.direction == .clientToServer && entry.name != Initialize.name {
      let method = entry.name
      if entry.isRequest {
        router.onInOrder(request: method) { [self] params in
          hear(number, method, params)
          return { [self] (context) async throws(RPCError) in try await serve(number, method, params, context) }
        }
      }
      if !entry.isRequest || entry.isAlsoNotification {
        router.on(notification: method) { [self] params, _ in hear(number, method, params) }
      }
    }
    return router
  }

  private func hear(_ number: Int, _ method: String, _ params: JSONValue) {
    let text = params["text"]?.stringValue ?? ""
    change { $0.heard.append("\(number) \(method)" + (text.isEmpty ? "" : " \(text)")) }
  }
}

extension JSONValue {
  /// Parameters of a request for a text.
  static func text(_ text: String, partial: String? = nil, work: String? = nil) -> JSONValue {
    var object = JSONObject([("text", .string(text))])
    if let partial { object.append("partialResultToken", .string(partial)) }
    if let work { object.append("workDoneToken", .string(work)) }
    return .object(object)
  }
}
