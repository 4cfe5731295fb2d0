import Assistant
import AssistantProtocol
import EngineProtocol
import JSONRPC
import TestSupport
import Testing

/// A folder with a file of sessions, and daemons that use it.
final class StoreFolder {
  let folder: TemporaryFolder
  var path: String { folder.path("state/inkling/sessions.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  /// What a daemon of its own would have.
  func server(
    _ engine: any EngineService = SessionSupport.counting(), log: Log = .none,
    _ change: (inout StoreSettings) -> Void = { _ in }
  ) throws -> AssistantServer {
    var settings = StoreSettings()
    change(&settings)
    return AssistantServer(
      engine: engine, version: "1", thermometer: Thermometer(root: "/dev/null"),
      store: try SessionStore(path: path, log: log, settings: settings))
  }

  func client(
    _ engine: any EngineService = SessionSupport.counting(), log: Log = .none,
    _ change: (inout StoreSettings) -> Void = { _ in }
  ) async throws -> TestClient {
    try await Self.client(of: try server(engine, log: log, change))
  }

  static func client(of server: AssistantServer) async throws -> TestClient {
    let client = await TestClient(server: server)
    try await client.initialize()
    return client
  }

  /// The files beside the one of sessions.
  var files: [String] { Files.list(folder.path("state/inkling")) ?? [] }
}

extension TestClient {
  /// Makes a session that is to be persisted.
  @discardableResult
  func persist(
    _ name: String, _ change: (inout SessionCreate.Params) -> Void = { _ in }
  ) async throws -> SessionResult {
    var params = SessionCreate.Params(sessionID: try #require(SessionID(name)))
    params.persist = true
    change(&params)
    return try await call(SessionCreate.self, params)
  }

  @discardableResult
  func say(_ text: String, in name: String) async throws -> Chat.Result {
    try await call(Chat.self, Chat.Params(text, in: try #require(SessionID(name))))
  }

  func held(_ name: String) async throws -> SessionGet.Result {
    try await call(SessionGet.self, SessionParams(sessionID: try #require(SessionID(name))))
  }

  /// The prompts of a session's turns.
  func prompts(_ name: String) async throws -> [String] {
    try await held(name).transcript.turns.map(\.prompt.words)
  }

  func sessions() async throws -> [Session] { try await call(SessionList.self, Empty()).sessions }
}

extension [Warning] {
  var codes: [WarningCode] { map(\.code) }
}
