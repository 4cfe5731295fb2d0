import AssistantProtocol
import JSON
import JSONRPC
import Synchronization

/// An assistant at the other end of a channel: a daemon's socket, or a server in this process. The connection is the
/// service's alone, so that ids and progress tokens are its own.
public final class ConnectionService: AssistantService {
  public let connection: Connection
  private let calls: RunningCalls

  /// Starts the connection. `open` must have ended before anything is called.
  ///
  /// - Parameter routes: what else of the assistant's messages is taken: notifications, calls of tools.
  public init(_ channel: any ByteChannel, mirror: WireMirror? = nil, routes: (inout Router) -> Void = { _ in }) {
    let calls = RunningCalls()
    var router = Router()
    routes(&router)
    router.on(Progress.self) { params, _ in calls.deliver(params) }
    self.calls = calls
    connection = Connection(channel: channel, framing: .header, router: router, lifecycle: .none, mirror: mirror)
    connection.start()
  }

  /// The handshake, with positions in UTF-8 bytes where the assistant can count them.
  ///
  /// - Parameter timeout: how long its answer is waited for.
  /// - Throws: the assistant's error, `.timedOut` or `.connectionClosed`.
  public func open(
    as clientInfo: ClientInfo, timeout: Duration = .seconds(10)
  ) async throws(RPCError) -> Initialize.Result {
    var params = Initialize.Params()
    params.clientInfo = clientInfo
    var general = GeneralCapabilities()
    general.positionEncodings = [PositionEncoding.utf8.rawValue]
    params.capabilities.general = general
    params.capabilities.experimental = ["assistant": true]
    let result = try await connection.request(Initialize.self, params, timeout: timeout)
    connection.notify(Initialized.self, Empty())
    return result
  }

  public func call(
    _ method: String, _ params: JSONValue, wanting wanted: Set<ProgressKind>,
    onProgress: @escaping @Sendable (ProgressValue) -> Void
  ) async throws(RPCError) -> JSONValue {
    guard !wanted.isEmpty else { return try await connection.request(method, params, whenCancelled: .awaitsAnswer) }
    var object = JSONObject()
    if case .object(let members) = params { object = members }
    let receiver = ProgressReceiver(onProgress)
    let tokens = wanted.map { kind in
      let token = calls.begin(receiver)
      object[kind.parameter] = token.json
      return token
    }
    defer {
      receiver.finish()
      calls.end(tokens)
    }
    return try await connection.request(method, .object(object), whenCancelled: .awaitsAnswer)
  }

  /// Ends the connection; what is being called fails with `.connectionClosed`.
  public func close() { connection.close() }
}

/// Who is told of which token.
private final class RunningCalls: Sendable {
  private struct State {
    var next = 1
    var receivers: [ProgressToken: ProgressReceiver] = [:]
  }

  private let state = Mutex(State())

  func begin(_ receiver: ProgressReceiver) -> ProgressToken {
    state.withLock { state in
      let token = ProgressToken(RequestID(state.next))
      state.next += 1
      state.receivers[token] = receiver
      return token
    }
  }

  func end(_ tokens: [ProgressToken]) {
    state.withLock { state in for token in tokens { state.receivers[token] = nil } }
  }

  func deliver(_ params: Progress.Params) {
    state.withLock { $0.receivers[params.token] }?.take(params.value)
  }
}

/// Gives progress on until the call has ended. The lock is held meanwhile, so that nothing comes after `finish`.
private final class ProgressReceiver: Sendable {
  private let take: Mutex<(@Sendable (ProgressValue) -> Void)?>

  init(_ take: @escaping @Sendable (ProgressValue) -> Void) { self.take = Mutex(take) }

  func take(_ value: ProgressValue) { take.withLock { $0?(value) } }

  func finish() { take.withLock { $0 = nil } }
}
