import AssistantProtocol
import JSON
import JSONRPC
import Synchronization

/// Between one editor and the shared daemon. To the editor it is the daemon: it answers `initialize` itself, at once,
/// whether a daemon runs or not, and passes on what is for the daemon.
public final class Bridge: Sendable {
  private let link: DaemonLink
  private let editor = EditorConnection()
  private let answer: @Sendable (Initialize.Params) -> Initialize.Result
  private let more: ConnectionExtension?
  private let clientIs: @Sendable (_ processID: Int) -> Void

  /// - Parameters:
  ///   - more: what the editor is served here, and not by the daemon; given the daemon as an assistant to be called,
  ///     which counts in the editor's units.
  ///   - answer: what `initialize` is answered with.
  ///   - clientIs: called with `processId` of `initialize`; the client's end is to be the bridge's.
  public init(
    connector: any DaemonConnector, and more: (LinkService) -> ConnectionExtension? = { _ in nil },
    answer: @escaping @Sendable (Initialize.Params) -> Initialize.Result,
    clientIs: @escaping @Sendable (_ processID: Int) -> Void = { _ in }
  ) {
    self.answer = answer
    self.clientIs = clientIs
    let editor = editor
    link = DaemonLink(
      connector: connector,
      incoming: DaemonLink.Incoming(
        notification: { method, params in editor.connection?.notify(method, params) },
        request: { (method, params) async throws(RPCError) in
          guard let connection = editor.connection else { throw .connectionClosed }
          return try await connection.request(method, params)
        }))
    self.more = more(LinkService(link, name: "bridge"))
  }

  /// Serves the editor until its end.
  /// - Parameter started: called when the connection has been started.
  public func serve(
    _ channel: any ByteChannel, framing: Framing, started: @Sendable (Connection) -> Void = { _ in }
  ) async -> ConnectionEnd {
    var router = Router()
    router.onInOrder(Initialize.self) { [self] params, _ throws(RPCError) in initialize(params) }
    router.onInOrder(Shutdown.self) { _, _ throws(RPCError) in Empty() }
    router.on(Initialized.self) { [self] _, _ in link.noteInitialized() }
    forward(in: &router)
    more?.addRoutes(&router)
    defer { more?.end() }
    var limits = ConnectionLimits()
    // The daemon has the say over how many requests are too many.
    limits.requestsInFlight = 4_096
    let connection = Connection(
      channel: channel, framing: framing, router: router, lifecycle: .languageServer, limits: limits)
    editor.set(connection)
    connection.start()
    started(connection)
    let end = await connection.waitUntilClosed()
    link.close()
    return end
  }

  private func initialize(_ params: Initialize.Params) -> Initialize.Result {
    if let processID = params.processID { clientIs(processID) }
    let introduction = link.introduce(params)
    let encoding = PositionEncoding(negotiatedFrom: introduction.capabilities.general?.positionEncodings)
    editor.note(encoding)
    var result = answer(introduction)
    more?.initialize(params, encoding, &result.capabilities)
    return result
  }

  /// A route for each method of the daemon's.
  private func forward(in router: inout Router) {
    let local = [Initialize.name, Initialized.name, Shutdown.name, Exit.name, CancelRequest.name]
    for entry in MethodList.all where entry.direction == .clientToServer && !local.contains(entry.name) {
      let method = entry.name
      if entry.isRequest {
        router.onInOrder(request: method) { [self] params in
          let outcome = link.perform(method, params) { [editor] in editor.tell($0) }
          return { (_) async throws(RPCError) in try await outcome() }
        }
      }
      if !entry.isRequest || entry.isAlsoNotification {
        router.on(notification: method) { [self] params, _ in link.notify(method, params) }
      }
    }
  }
}

/// The connection to the editor, once there is one.
private final class EditorConnection: Sendable {
  private struct State {
    var connection: Connection?
    var encoding = PositionEncoding.utf16
  }

  private let state = Mutex(State())

  var connection: Connection? { state.withLock { $0.connection } }

  func set(_ connection: Connection) { state.withLock { $0.connection = connection } }

  func note(_ encoding: PositionEncoding) { state.withLock { $0.encoding = encoding } }

  /// Passes on progress; what a slow editor has not read grows by no more than what it will have to show.
  func tell(_ progress: Progress.Params) {
    let (connection, encoding) = state.withLock { ($0.connection, $0.encoding) }
    let kind =
      switch progress.value {
      case .partial: ProgressKind.partialResults
      case .workDone: ProgressKind.workDone
      }
    connection?.notifyMerging(
      Progress.self, key: "\(kind.rawValue) \(JSONWriter.text(of: progress.token.json))", progress.counted(in: encoding)
    )
  }
}
