import AssistantProtocol
import JSONRPC
import Testing

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
