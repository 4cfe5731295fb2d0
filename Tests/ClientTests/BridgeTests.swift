import AssistantProtocol
import Client
import JSON
import JSONRPC
import Synchronization
import TestSupport
import Testing

/// What an editor sees of the daemon through `inkling connect`.
@Suite struct BridgeTests {
  /// An editor with a bridge to scripted daemons.
  private struct Editor {
    let connection: Connection
    let ended: Promise<ConnectionEnd>

    init(_ daemons: ScriptedDaemons, routes: (inout Router) -> Void = { _ in }) {
      let (near, far) = InMemoryChannel.pair()
      let bridge = Bridge(connector: daemons) { params in
        var assistant = AssistantCapabilities()
        assistant.methods = [params.clientInfo?.name ?? "nobody"]
        return Initialize.Result(
          serverInfo: ServerInfo(version: "bridge"),
          capabilities: ServerCapabilities(
            positionEncoding: PositionEncoding(negotiatedFrom: params.capabilities.general?.positionEncodings),
            assistant: assistant))
      }
      var router = Router()
      routes(&router)
      connection = Connection(channel: near, framing: .header, router: router, lifecycle: .none)
      let ended = Promise<ConnectionEnd>()
      self.ended = ended
      Task { ended.keep(await bridge.serve(far, framing: .auto)) }
      connection.start()
    }

    func request(_ method: String, _ params: JSONValue = [:]) async throws -> JSONValue {
      try await withDeadline(patience, method) { [connection] in
        try await connection.request(method, params)
      }
    }

    func error(_ method: String, _ params: JSONValue = [:]) async throws -> RPCError? {
      do { _ = try await request(method, params) } catch let error as RPCError { return error }
      return nil
    }
  }

  private static let echo: ScriptedDaemons.Serve = { (_, _, params, _) throws(RPCError) in params }

  @Test("“initialize” is answered while there is no daemon yet, and the daemon learns who the client is")
  func initializeAtOnce() async throws {
    let gate = Gate()
    let daemons = ScriptedDaemons(gate: gate, serve: Self.echo)
    let editor = Editor(daemons)
    let result = try await editor.request(
      "initialize",
      [
        "processId": 1, "clientInfo": ["name": "vim"],
        "capabilities": ["general": ["positionEncodings": ["utf-8"]], "experimental": ["assistant": [:]]],
      ])
    #expect(result["serverInfo"]?["version"] == "bridge")
    #expect(result["capabilities"]?["positionEncoding"] == "utf-8")
    #expect(daemons.count == 0)
    editor.connection.notify("initialized", [:])
    gate.open()
    #expect(try await editor.request(Rephrase.name, .text("x"))["text"] == "x")
    #expect(daemons.handshakes.first?.clientInfo?.name == "vim")
    #expect(daemons.handshakes.first?.capabilities.general?.positionEncodings == ["utf-8"])
    #expect(daemons.heard.first == "1 initialized")
    editor.connection.close()
  }

  @Test("before “initialize” requests are refused, and no daemon is started for them")
  func strict() async throws {
    let daemons = ScriptedDaemons(serve: Self.echo)
    let editor = Editor(daemons)
    #expect(try await editor.error(Rephrase.name, .text("x"))?.code == -32002)
    #expect(daemons.attempts == 0)
    editor.connection.close()
  }

  @Test("what the daemon does not serve is refused here")
  func unknownMethods() async throws {
    let gate = Gate()
    let editor = Editor(ScriptedDaemons(gate: gate, serve: Self.echo))
    _ = try await editor.request("initialize", ["capabilities": [:]])
    #expect(try await editor.error("textDocument/hover")?.code == -32601)
    gate.open()
    editor.connection.close()
  }

  @Test("the daemon's requests and notifications reach the editor")
  func bothWays() async throws {
    let told = Promise<JSONValue>()
    let daemons = ScriptedDaemons { (_, _, _, context) async throws(RPCError) in
      context.connection.notify("session/didChange", ["level": "ok"])
      return try await context.connection.request(ToolCall.name, ["callId": "1"])
    }
    let editor = Editor(daemons) { router in
      router.onInOrder(request: ToolCall.name) { params in
        { (_) async throws(RPCError) in ["content": params["callId"] ?? .null] }
      }
      router.on(notification: "session/didChange") { params, _ in told.keep(params) }
    }
    _ = try await editor.request("initialize", ["capabilities": ["experimental": ["assistant": [:]]]])
    #expect(try await editor.request(Chat.name, ["sessionId": "a", "message": "x"])["content"] == "1")
    #expect(try await withDeadline(patience) { await told.value() }["level"] == "ok")
    editor.connection.close()
  }

  @Test("a late answer for a daemon that has gone reaches no other")
  func idsAreNotReused() async throws {
    let asked = Gate()
    let answered = Gate()
    let daemons = ScriptedDaemons { (number, method, params, context) async throws(RPCError) in
      if number == 1, method == Chat.name {
        _ = try await context.connection.request(
          ToolCall.name, ["callId": "old", "sessionId": "a"])
      }
      if number == 2 {
        return try await context.connection.request(ToolCall.name, ["callId": "new"])
      }
      return params
    }
    let editor = Editor(daemons) { router in
      router.onInOrder(request: ToolCall.name) { params in
        { (_) async throws(RPCError) in
          if params["callId"] == "old" {
            asked.open()
            await answered.wait()
          }
          return ["content": params["callId"] ?? .null]
        }
      }
    }
    _ = try await editor.request("initialize", ["capabilities": [:]])
    async let failed = editor.error(Chat.name, ["sessionId": "a", "message": "x"])
    try await withDeadline(patience) { await asked.wait() }
    daemons.kill(1)
    #expect(try await failed?.data?["kind"] == "engineFailed")
    answered.open()
    #expect(try await editor.request(Rephrase.name, .text("x"))["content"] == "new")
    editor.connection.close()
  }

  @Test("“shutdown” and “exit” end this client's connection to the daemon and no more")
  func exit() async throws {
    let daemons = ScriptedDaemons(serve: Self.echo)
    let editor = Editor(daemons)
    _ = try await editor.request("initialize", ["capabilities": [:]])
    _ = try await editor.request(Rephrase.name, .text("x"))
    _ = try await editor.request("shutdown")
    editor.connection.notify("exit", .null)
    #expect(try await withDeadline(patience) { await editor.ended.value() } == .exit(afterShutdown: true))
    let daemon = try #require(daemons.connection(1))
    let end = try await withDeadline(patience) { await daemon.waitUntilClosed() }
    #expect(end == .endOfInput(insideFrame: false), "the daemon saw no “exit”, only the end")
  }

  @Test("a cancelled request is answered with what the daemon answers")
  func cancellation() async throws {
    let started = Gate()
    let daemons = ScriptedDaemons { (_, _, _, _) async throws(RPCError) in
      started.open()
      await waitForCancellation()
      throw .cancelled
    }
    let editor = Editor(daemons)
    _ = try await editor.request("initialize", ["capabilities": [:]])
    let answer = Promise<Result<JSONValue, RPCError>?>()
    let id = try #require(editor.connection.send(Rephrase.name, .text("x")) { answer.keep($0) })
    try await withDeadline(patience) { await started.wait() }
    editor.connection.cancel(id)
    #expect(try await withDeadline(patience) { await answer.value() } == .failure(.cancelled))
    editor.connection.close()
  }

  @Test("progress that a slow editor has not read is merged in the editor's own units")
  func mergedProgress() async throws {
    let parts = ["日本", "語", "!"]
    let daemons = ScriptedDaemons { (_, _, params, context) async throws(RPCError) in
      guard let token = try? ProgressToken(json: params["partialResultToken"] ?? .null) else { return params }
      var offset = 0
      for part in parts {
        let delta = TextDelta(offset: offset, delta: part, encoding: .utf8)
        context.notify(Progress.self, Progress.Params(token: token, value: .partial(.delta(delta))))
        offset += part.utf8.count
      }
      // Cuts off the last two characters in bytes.
      let delta = TextDelta(offset: 6, delta: "?", encoding: .utf8)
      context.notify(Progress.self, Progress.Params(token: token, value: .partial(.delta(delta))))
      return ["text": "日本?"]
    }
    let shown = Mutex<[UInt8]>([])
    let editor = Editor(daemons) { router in
      router.on(Progress.self) { progress, _ in
        guard case .partial(.delta(let delta)) = progress.value else { return }
        shown.withLock { $0 = $0.prefix(delta.offset) + Array(delta.delta.utf8) }
      }
    }
    _ = try await editor.request(
      "initialize", ["capabilities": ["general": ["positionEncodings": ["utf-8"]], "experimental": ["assistant": [:]]]])
    let result = try await editor.request(Rephrase.name, .text("x", partial: "a"))
    #expect(result["text"] == "日本?")
    #expect(shown.withLock { String(decoding: $0, as: UTF8.self) } == "日本?")
    editor.connection.close()
  }
}
