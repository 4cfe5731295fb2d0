import Assistant
import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

/// What is configured, through a connection, on a scripted engine.
@Suite(.timeLimit(.minutes(2))) struct CommandTests {
  private static let id = SessionSupport.id
  private static let token = ProgressToken(RequestID(1))
  private static let text = """
    {
      "personality": "chief", "tone": "dry",
      "tones": [{"id": "dry", "title": "Dry", "instructions": "Rewrite the input text drily."}],
      "personalities": [{"id": "chief", "title": "Chief", "instructions": "Speak like a chief."}],
      "commands": [
        {"id": "de", "title": "German", "instructions": "Translate into German.", "output": "replace"},
        {"id": "next", "instructions": "Write the next sentence.", "output": "insert"},
        {"id": "joke", "instructions": "Tell a joke.", "input": "none"},
        {
          "id": "terms", "instructions": "List the terms.", "input": "topic",
          "schema": {"type": "array", "items": {"type": "string", "maxLength": 20}, "maxItems": 3}
        },
        {"id": "hero", "instructions": "Invent a hero.", "input": "topic", "output": "insert", "kind": "tags"}
      ],
      "suggestions": {"chat": ["Hello there"]}
    }
    """

  /// A client of a daemon with that configuration.
  private struct Scene {
    let folder: TemporaryFolder
    let client: TestClient
    let offered: AssistantCapabilities

    init(_ engine: ScriptedEngine, _ text: String = CommandTests.text) async throws {
      folder = try TemporaryFolder()
      let path = try folder.file("c.json", Array(text.utf8))
      let file = ConfigurationFile(path: path, interval: .zero)
      client = await TestClient(server: AssistantServer(engine: engine, version: "1", configuration: file))
      offered = try await client.initialize().capabilities.experimental.assistant
    }

    func run(_ id: String, _ text: String? = nil, session: SessionID? = nil) async throws -> CustomCommand.Result {
      var params = CustomCommand.Params(id: id, text: text)
      params.common.sessionID = session
      params.common.partialResultToken = CommandTests.token
      return try await client.call(CustomCommand.self, params)
    }
  }

  // MARK: Ways

  @Test func aSelectionIsReplacedInItsForm() async throws {
    let engine = ScriptedEngine(writes: { prompt, _ in prompt.source.contains("late") ? "Ich bin spät dran." : "Ja." })
    let scene = try await Scene(engine)
    let source = "  // I am late.\n"
    let result = try await scene.run("de", source)
    #expect(result.text == "  // Ich bin spät dran.\n")
    #expect(result.id == "de" && result.output == .replace && result.value == nil)
    #expect(!result.edits.isEmpty && result.common.usage.completionTokens > 0)
    #expect(assembled(scene.client.partials(Self.token), .utf16) == result.text)
    let asked = try #require(engine.prompts.first?.messages.last?.text)
    #expect(asked == "Translate into German. Speak like a chief.\n\nI am late.")
    // Another language is what was asked for, and no more drafts are drawn for it.
    #expect(engine.prompts.count == 1 && result.common.warnings == [])
    _ = await scene.client.end()
  }

  @Test func freeTextIsInsertedOrShown() async throws {
    let engine = ScriptedEngine(writes: { _, _ in " It was dark. \n" })
    let scene = try await Scene(engine)
    let next = try await scene.run("next", "The sun set.")
    #expect(next.text == "It was dark." && next.output == .insert && next.edits == [])
    #expect(assembled(scene.client.partials(Self.token), .utf16) == next.text)
    #expect(engine.prompts.last?.messages.last?.text == "Write the next sentence.\n\nThe sun set.")
    #expect(engine.prompts.last?.messages.first?.text == "You are a helpful assistant. Speak like a chief.")
    let joke = try await scene.run("joke", "not used")
    #expect(joke.output == .show && engine.prompts.last?.messages.last?.text == "Tell a joke.")
    _ = await scene.client.end()
  }

  @Test func aSchemaMakesAValue() async throws {
    let engine = ScriptedEngine(writes: { prompt, _ in
      prompt.messages.last?.text.contains("hero") == true ? #"{"tags":["ab","cd","ef"]}"# : #"["keel","mast"]"#
    })
    let scene = try await Scene(engine)
    let terms = try await scene.run("terms", "a boat")
    #expect(terms.value == ["keel", "mast"] && terms.text == "- keel\n- mast" && terms.output == .show)
    #expect(engine.prompts.first?.schema?["maxItems"] == 3)
    #expect(
      engine.prompts.first?.messages.last?.text.hasPrefix("List the terms.\n\na boat\n\nAnswer in JSON") == true)
    let hero = try await scene.run("hero", "the sea")
    #expect(hero.value?["tags"] == ["ab", "cd", "ef"] && hero.output == .insert && !hero.text.isEmpty)
    _ = await scene.client.end()
  }

  @Test func whatIsMissingIsAnError() async throws {
    let scene = try await Scene(ScriptedEngine(pieces: ["x"]))
    let unknown = await scene.client.error { _ in try await scene.run("dee", "x") }
    #expect(unknown?.code == -32602)
    #expect(unknown?.message == "id must be one of “de”, “next”, “joke”, “terms”, “hero”")
    for id in ["de", "next", "terms"] {
      await scene.client.expect(1005) { _ in try await scene.run(id) }
      await scene.client.expect(1005) { _ in try await scene.run(id, " \n") }
    }
    await scene.client.expect(1003) { _ in try await scene.run("joke", session: Self.id) }
    _ = await scene.client.end()
  }

  // MARK: Sessions

  @Test func commandsAreTurnsOfASession() async throws {
    let engine = SessionSupport.counting()
    let scene = try await Scene(engine)
    _ = try await scene.client.call(SessionCreate.self, SessionCreate.Params(sessionID: Self.id))
    _ = try await scene.client.call(Chat.self, Chat.Params("Hi.", in: Self.id))
    _ = try await scene.run("next", "The sun set.", session: Self.id)
    #expect(
      engine.prompts.last?.messages.map(\.text).dropFirst() == [
        "Hi.", "answer 0", "Write the next sentence.\n\nThe sun set.",
      ])
    _ = try await scene.run("de", "I am late.", session: Self.id)
    #expect(engine.prompts.last?.messages.contains { $0.text == "Hi." } == false)
    let held = try await scene.client.call(SessionGet.self, SessionParams(sessionID: Self.id))
    #expect(held.session.personality.id == "chief" && held.session.turns == 3)
    #expect(held.transcript.turns.map(\.prompt.feature) == [Chat.name, CustomCommand.name, CustomCommand.name])
    #expect(scene.client.sessionChanges.count == 3)
    _ = await scene.client.end()
  }

  // MARK: Voices

  @Test func ownVoicesAreOfferedAndUsed() async throws {
    let engine = ScriptedEngine(pieces: ["I am late."])
    let scene = try await Scene(engine)
    let offered = scene.offered
    #expect(offered.tones.last == Choice(id: "dry", title: "Dry", description: ""))
    #expect(offered.personalities.map(\.id) == ["neutral", "woody", "buzz", "dory", "chief"])
    #expect(offered.features.suffix(5).map(\.id) == ["de", "next", "joke", "terms", "hero"])
    #expect(offered.features.first { $0.id == "chat" }?.suggestions == ["Hello there"])
    // The configuration's are those of a request that names none.
    let dry = try await scene.client.call(Rephrase.self, Rephrase.Params(text: "gonna be late"))
    #expect(dry.tone.id == "dry")
    let asked = "Rewrite the input text drily. Speak like a chief.\n\ngonna be late"
    #expect(engine.prompts.last?.messages.last?.text == asked)
    var common = CommonParams()
    common.personality = .buzz
    let formal = Rephrase.Params(text: "gonna be late", tone: .formal, common: common)
    #expect(try await scene.client.call(Rephrase.self, formal).tone == .formal)
    #expect(engine.prompts.last?.messages.last?.text.contains("chief") == false)
    let unknown = await scene.client.error { client in
      try await client.call(Rephrase.self, Rephrase.Params(text: "a", tone: .custom(CustomVoice(id: "wet"))))
    }
    #expect(unknown?.code == -32602 && unknown?.message.hasSuffix("“proofread”, “dry”") == true)
    var create = SessionCreate.Params(sessionID: Self.id)
    create.personality = .custom(CustomVoice(id: "pirate"))
    let refused = await scene.client.error { client in try await client.call(SessionCreate.self, create) }
    #expect(refused?.code == -32602 && refused?.message.hasSuffix("“dory”, “chief”") == true)
    _ = await scene.client.end()
  }

  // MARK: Changes

  @Test func aChangeHoldsForTheNextRequest() async throws {
    let engine = SessionSupport.counting()
    let scene = try await Scene(engine)
    _ = try await scene.client.call(SessionCreate.self, SessionCreate.Params(sessionID: Self.id))
    _ = try await scene.client.call(Chat.self, Chat.Params("Hi.", in: Self.id))
    #expect(engine.prompts.last?.messages.first?.text.hasSuffix("Speak like a chief.") == true)
    _ = try scene.folder.file(
      "c.json",
      Array(
        """
        {"personalities": [{"id": "chief", "instructions": "Speak like a cook."}],
         "commands": [{"id": "joke", "instructions": "Tell a riddle.", "input": "none"}],
         "limits": {"outputTokens": 77, "sessions": 1}}
        """.utf8))
    _ = try await scene.run("joke")
    #expect(engine.prompts.last?.messages.last?.text == "Tell a riddle.")
    #expect(engine.prompts.last?.messages.first?.text == "You are a helpful assistant.")
    #expect(engine.prompts.last?.maxTokens == 77)
    await scene.client.expect(-32602) { _ in try await scene.run("de", "x") }
    // A session keeps the name of its voice, which says something else now.
    _ = try await scene.client.call(Chat.self, Chat.Params("Hi.", in: Self.id))
    #expect(engine.prompts.last?.messages.first?.text.hasSuffix("Speak like a cook.") == true)
    await scene.client.expect(1012) { client in try await client.call(SessionCreate.self, SessionCreate.Params()) }
    let client = scene.client
    try await withDeadline(.seconds(5), "the news") {
      while client.configurations.isEmpty { await Task.yield() }
    }
    let news = try #require(client.configurations.first)
    #expect(client.configurations.count == 1 && news.features.last?.id == "joke")
    #expect(news.tones.map(\.id).last == "proofread" && news.personalities.last?.id == "chief")
    _ = await scene.client.end()
  }

  @Test func longTextsAreRefusedAsConfigured() async throws {
    let scene = try await Scene(ScriptedEngine(pieces: ["x"]), #"{"limits": {"textBytes": 1024}}"#)
    let long = Rephrase.Params(text: String(repeating: "a", count: 1025))
    await scene.client.expect(-32602) { client in try await client.call(Rephrase.self, long) }
    _ = await scene.client.end()
  }

  @Test func theCatalogOfTheConfigurationIsSearched() async throws {
    let folder = try TemporaryFolder()
    _ = try folder.file("books.json", Array(#"[{"title": "Emma", "themes": ["matchmaking"]}]"#.utf8))
    let path = try folder.file(
      "c.json", Array(#"{"catalog": {"path": "books.json", "description": "Finds novels."}}"#.utf8))
    let engine = ScriptedEngine(writes: { _, number in
      ["\"catalogSearch\"", #"{"query":"matchmaking"}"#, "\"none\"", #""done""#][min(number, 3)]
    })
    let file = ConfigurationFile(path: path, interval: .zero)
    let client = await TestClient(server: AssistantServer(engine: engine, version: "1", configuration: file))
    try await client.initialize()
    var params = Generate.Params(prompt: "A novel?", schema: ["type": "string", "maxLength": 9])
    params.tools = [ToolDefinition(builtin: .catalogSearch)]
    let result = try await client.call(Generate.self, params)
    #expect(result.toolCalls.first?.result == "title: Emma; themes: matchmaking")
    #expect(engine.prompts.first?.messages.contains { $0.text.contains("Finds novels.") } == true)
    _ = await client.end()
  }
}
