import Assistant
import AssistantProtocol
import EngineProtocol
import JSONRPC
import Testing

/// What tests of sessions share.
enum SessionSupport {
  static let id = SessionID("s")!

  /// Answers each prompt with its number: the first is `answer 0`.
  static func counting() -> ScriptedEngine { ScriptedEngine(writes: { _, number in "answer \(number)" }) }

  /// What stands behind the instructions.
  static func said(_ messages: [PromptMessage]) -> [String] { messages.dropFirst().map(\.text) }

  /// A connection with a session of that name.
  static func client(
    _ engine: any EngineService, _ change: (inout SessionCreate.Params) -> Void = { _ in }
  ) async throws -> TestClient {
    let client = await TestClient(engine)
    try await client.initialize()
    var params = SessionCreate.Params(sessionID: id)
    change(&params)
    _ = try await client.call(SessionCreate.self, params)
    return client
  }
}

extension TestClient {
  func call<Method: RequestMethod>(
    _ method: Method.Type, _ params: Method.Params
  ) async throws(RPCError) -> Method.Result {
    try await connection.request(method, params, timeout: .seconds(10))
  }

  func error<Value>(_ body: (TestClient) async throws -> Value) async -> RPCError? {
    do {
      _ = try await body(self)
      return nil
    } catch {
      return error as? RPCError
    }
  }

  /// The one door for what must fail.
  func expect<Value>(
    _ code: Int, sourceLocation: SourceLocation = #_sourceLocation, _ body: (TestClient) async throws -> Value
  ) async {
    #expect(await error(body)?.code == code, sourceLocation: sourceLocation)
  }
}

extension Rephrase.Params {
  static func inSession(_ id: SessionID) -> Rephrase.Params {
    var params = Rephrase.Params(text: "gonna be late")
    params.common.sessionID = id
    return params
  }
}

extension Summarize.Params {
  static func inSession(_ id: SessionID) -> Summarize.Params {
    var params = Summarize.Params(text: "The ferry was late. Nobody minded.")
    params.common.sessionID = id
    return params
  }
}
