import Assistant
import AssistantProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

/// What a server does besides its features: life cycle, the model's methods, notifications.
@Suite(.timeLimit(.minutes(1))) struct AssistantServerTests {
  private static let missing = Unavailability(.modelNotFound, message: "There is no file.", remedy: "Fetch it.")

  @Test func initializeAnswersWithoutAModel() async throws {
    let client = await TestClient(ScriptedEngine([[]]))
    let result = try await client.initialize()
    #expect(result.serverInfo == ServerInfo(version: "1.2.3"))
    #expect(result.capabilities.positionEncoding == .utf16)
    let assistant = result.capabilities.experimental.assistant
    #expect(assistant.methods == MethodList.callable)
    #expect(assistant.features.map(\.id) == ["rephrase", "summarize", "brainstorm", "generate", "chat"])
    #expect(assistant.features.map(\.input) == [.selection, .selection, .topic, .topic, .topic])
    #expect(assistant.kinds.map(\.id) == ["ideas", "sequel", "character", "storyArc", "tags"])
    #expect(assistant.schemaKeywords == JSONSchema.keywords)
    #expect(
      assistant.tones.map(\.id) == ["formal", "exciting", "simpler", "shorter", "longer", "friendly", "proofread"])
    #expect(assistant.personalities.map(\.id) == ["neutral", "woody", "buzz", "dory"])
    _ = await client.end()
  }

  @Test func everyCallableMethodIsServed() async throws {
    let client = await TestClient(ScriptedEngine(pieces: ["x"]))
    try await client.initialize()
    for name in MethodList.callable {
      let entry = try #require(MethodList.all.first { $0.name == name })
      let error = await Self.error(of: client, calling: name)
      #expect(error?.code != -32601, "\(entry.name)")
    }
    _ = await client.end()
  }

  private static func error(of client: TestClient, calling name: String) async -> RPCError? {
    guard let id = SessionID("nobody") else { return .internalError("no name") }
    let session = SessionParams(sessionID: id)
    do throws(RPCError) {
      switch name {
      case Rephrase.name: _ = try await client.connection.request(Rephrase.self, Rephrase.Params(text: "a"))
      case Brainstorm.name: _ = try await client.connection.request(Brainstorm.self, Brainstorm.Params(topic: "a"))
      case Generate.name:
        _ = try await client.connection.request(Generate.self, Generate.Params(prompt: "a", schema: true))
      case Summarize.name: _ = try await client.connection.request(Summarize.self, Summarize.Params(text: "a"))
      case Chat.name: _ = try await client.connection.request(Chat.self, Chat.Params("a", in: id))
      case CustomCommand.name:
        _ = try await client.connection.request(CustomCommand.self, CustomCommand.Params(id: "a"))
      case SessionCreate.name: _ = try await client.connection.request(SessionCreate.self, SessionCreate.Params())
      case DaemonStatus.name: _ = try await client.connection.request(DaemonStatus.self, Empty())
      case SessionList.name: _ = try await client.connection.request(SessionList.self, Empty())
      case SessionGet.name: _ = try await client.connection.request(SessionGet.self, session)
      case SessionUpdate.name:
        _ = try await client.connection.request(SessionUpdate.self, SessionUpdate.Params(sessionID: id))
      case SessionFork.name:
        _ = try await client.connection.request(SessionFork.self, SessionFork.Params(sessionID: id))
      case SessionRewind.name:
        _ = try await client.connection.request(SessionRewind.self, SessionRewind.Params(sessionID: id))
      case SessionReset.name: _ = try await client.connection.request(SessionReset.self, session)
      case SessionDelete.name: _ = try await client.connection.request(SessionDelete.self, session)
      case SessionExport.name:
        _ = try await client.connection.request(
          SessionExport.self, SessionExport.Params(sessionID: id, format: .markdown))
      case Prewarm.name: _ = try await client.connection.request(Prewarm.self, Prewarm.Params())
      case CountTokens.name: _ = try await client.connection.request(CountTokens.self, CountTokens.Params(text: "a"))
      case ModelStatus.name: _ = try await client.connection.request(ModelStatus.self, Empty())
      case ModelLoad.name:
        guard let path = FilePath("/m") else { return .internalError("no path") }
        _ = try await client.connection.request(ModelLoad.self, ModelLoad.Params(path: path))
      case ModelUnload.name: _ = try await client.connection.request(ModelUnload.self, Empty())
      case _: return .methodNotFound("\(name) has no case in this test")
      }
      return nil
    } catch {
      return error
    }
  }

  @Test func tokensAreCounted() async throws {
    let client = await TestClient(ScriptedEngine([[]]))
    try await client.initialize()
    let result = try await client.connection.request(
      CountTokens.self, CountTokens.Params(text: "seven b"), timeout: .seconds(5))
    #expect(result.tokens == 7)
    _ = await client.end()
  }

  @Test func theModelIsChangedAndDescribed() async throws {
    let client = await TestClient(ScriptedEngine([[]]))
    try await client.initialize()
    let before = try await client.connection.request(ModelStatus.self, Empty(), timeout: .seconds(5))
    #expect(before.availability.state == .unavailable)
    #expect(before.availability.reason == .unloaded)
    #expect(before.model == nil)
    let path = try #require(FilePath("/models/m.gguf"))
    let loaded = try await client.connection.request(
      ModelLoad.self, ModelLoad.Params(path: path), timeout: .seconds(5))
    #expect(loaded.model.path == "/models/m.gguf")
    let after = try await client.connection.request(ModelStatus.self, Empty(), timeout: .seconds(5))
    #expect(after.availability == .available)
    #expect(after.model?.name == "other")
    _ = try await client.connection.request(ModelUnload.self, Empty(), timeout: .seconds(5))
    let end = try await client.connection.request(ModelStatus.self, Empty(), timeout: .seconds(5))
    #expect(end.model == nil)
    _ = await client.end()
  }

  @Test func aModelThatCannotBeLoadedIsAnErrorWithARemedy() async throws {
    let client = await TestClient(ScriptedEngine([[]], loadFailure: Self.missing))
    try await client.initialize()
    let path = try #require(FilePath("/nowhere"))
    let error = await #expect(throws: RPCError.self) {
      try await client.connection.request(ModelLoad.self, ModelLoad.Params(path: path), timeout: .seconds(5))
    }
    #expect(error?.code == 1001)
    #expect(error?.data?["reason"] == "modelNotFound")
    #expect(error?.data?["remedy"] == "Fetch it.")
    _ = await client.end()
  }

  @Test(arguments: [(Framing.header, true, true), (.header, false, false), (.line, false, true)])
  func changesAreAnnouncedToThoseWhoKnow(framing: Framing, knows: Bool, isTold: Bool) async throws {
    let engine = ScriptedEngine([[]])
    let client = await TestClient(engine, framing: framing)
    try await client.initialize(knowsAssistant: knows)
    engine.announce(.unavailable(Self.missing))
    // The answer to a later request comes behind the notification, if there is one.
    if isTold {
      try await withDeadline(.seconds(5), "the notification") {
        while client.availabilities.isEmpty { await Task.yield() }
      }
    }
    for _ in 0..<3 { _ = try await client.connection.request(ModelStatus.self, Empty(), timeout: .seconds(5)) }
    let expected: Availability = .unavailable(.modelNotFound, message: "There is no file.", remedy: "Fetch it.")
    #expect(client.availabilities == (isTold ? [expected] : []))
    _ = await client.end()
  }
}
