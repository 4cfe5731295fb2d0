import JSON
import TestSupport
import Testing

/// What the acceptance tests share: a daemon, a session in it, and what is said.
struct Conversation {
  let client: WireClient
  let session: String

  init(
    _ arguments: [String] = [], environment: [String: String] = [:], session: String = "a",
    _ params: [(String, JSONValue)] = []
  ) throws {
    client = try Daemon.ready(arguments, environment: environment)
    self.session = session
    _ = try result("session/create", [("sessionId", .string(session))] + params)
  }

  /// A request that must succeed.
  @discardableResult
  func result(
    _ method: String, _ params: [(String, JSONValue)] = [], within seconds: Double = 120,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> JSONValue {
    let outcome = try client.request(method, .object(JSONObject(params)), within: seconds)
    return try #require(
      outcome.result, "\(method): \(JSONWriter.text(of: outcome.reply))", sourceLocation: sourceLocation)
  }

  /// Says something in the session, and gives the whole outcome.
  func say(_ message: String, _ more: [(String, JSONValue)] = []) throws -> WireClient.Outcome {
    try client.request("assistant/chat", Self.chat(session, message, more), within: 120)
  }

  static func chat(_ session: String, _ message: String, _ more: [(String, JSONValue)] = []) -> JSONValue {
    let base: [(String, JSONValue)] = [
      ("sessionId", .string(session)), ("message", .string(message)), ("options", ["maxTokens": 24, "seed": 1]),
    ]
    return .object(JSONObject(base.filter { known in !more.contains { $0.0 == known.0 } } + more))
  }

  /// Of the session, as it is now.
  func state() throws -> JSONValue { try #require(try held()["session"]) }

  func held() throws -> JSONValue { try result("session/get", [("sessionId", .string(session))]) }

  func end() throws { #expect(try Daemon.shutDown(client) == .status(0)) }
}

extension WireClient {
  /// Sends a request, answers the calls of tools that come before its response, and gives both.
  /// - Parameter answer: the result for a call; nil leaves it without an answer.
  func request(
    _ method: String, _ params: JSONValue, answering answer: (JSONValue) -> ToolAnswer?
  ) throws -> (reply: JSONValue, calls: [JSONValue]) {
    let id = try start(method, params)
    var calls: [JSONValue] = []
    while let message = try next(within: 120, "for the reply to \(method)") {
      if message["id"]?.intValue == id, message["method"] == nil { return (message, calls) }
      guard message["method"] == "tool/call", let call = message["params"], let callID = message["id"] else { continue }
      calls.append(call)
      switch answer(call) {
      case .result(let content)?: try send(["jsonrpc": "2.0", "id": callID, "result": content])
      case .error(let code)?:
        try send(["jsonrpc": "2.0", "id": callID, "error": ["code": .number(JSONNumber(code)), "message": "no"]])
      case nil: break
      }
    }
    throw SpawnedProcess.Failure("the output ended")
  }

  /// What a client says to a call of a tool.
  enum ToolAnswer {
    case result(JSONValue)
    case error(Int)
  }
}
