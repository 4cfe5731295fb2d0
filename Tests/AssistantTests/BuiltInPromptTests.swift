import Assistant
import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

/// What of a prompt may be kept on the disk, from the wire to the engine.
@Suite(.timeLimit(.minutes(2))) struct BuiltInPromptTests {
  private static let secret = "zq7secret"

  private static let configuration: JSONValue = [
    "tones": [["id": "pirate", "title": "Pirate", "description": "d", "instructions": .string("Arr \(secret).")]],
    "personalities": [["id": "mine", "title": "Mine", "description": "d", "instructions": .string("Be \(secret).")]],
    "commands": [
      ["id": "mine", "title": "Mine", "instructions": .string("Do \(secret)."), "input": "selection"]
    ],
  ]

  /// The method, its parameters, and how many of the first messages are the program's own.
  private static let rows: [(method: String, params: JSONValue, count: Int)] = {
    let text = JSONValue.string("The \(secret) is late.")
    return [
      ("assistant/rephrase", ["text": text], 5),
      ("assistant/rephrase", ["text": text, "tone": "shorter", "instructions": text], 5),
      (
        "assistant/rephrase",
        ["text": text, "tone": "friendly", "context": ["before": text, "after": text], "personality": "dory"], 5
      ),
      ("assistant/rephrase", ["text": text, "tone": "pirate"], 1),
      ("assistant/rephrase", ["text": text, "personality": "mine"], 5),
      ("assistant/summarize", ["text": text, "instructions": text], 1),
      ("assistant/brainstorm", ["topic": text, "kind": "tags", "count": 4], 3),
      ("assistant/brainstorm", ["topic": text, "instructions": text], 3),
      ("assistant/chat", ["sessionId": "plain", "message": text], 1),
      ("assistant/chat", ["sessionId": "voice", "message": text], 1),
      ("assistant/chat", ["sessionId": "told", "message": text], 0),
      ("assistant/chat", ["sessionId": "mine", "message": text], 0),
      ("assistant/chat", ["sessionId": "plain", "message": text, "instructions": text], 0),
      ("assistant/command", ["id": "mine", "text": text], 1),
      ("assistant/prewarm", ["method": "assistant/rephrase", "params": ["text": text, "tone": "formal"]], 5),
      ("assistant/prewarm", ["method": "assistant/rephrase", "params": ["text": text]], 5),
    ]
  }()

  @Test func onlyTheProgramsOwnWordsAreMarked() async throws {
    let file = try TemporaryFile(JSONWriter.text(of: Self.configuration))
    let house = try EngineSupervisorTests.House([ChildScript()])
    let server = AssistantServer(
      engine: house.supervisor, version: "1", configuration: ConfigurationFile(path: file.path),
      thermometer: Thermometer(root: "/dev/null"))
    let client = await TestClient(server: server)
    try await client.initialize()
    let sessions: [JSONValue] = [
      ["sessionId": "plain"], ["sessionId": "voice", "personality": "buzz"],
      ["sessionId": "told", "instructions": .string("Know \(Self.secret).")],
      ["sessionId": "mine", "personality": "mine"],
    ]
    for session in sessions {
      _ = try await client.connection.request("session/create", session, timeout: .seconds(10))
    }
    for row in Self.rows {
      let before = house.launcher.children.first?.prompts.count ?? 0
      // What becomes of the answer is not looked at.
      _ = try? await client.connection.request(row.method, row.params, timeout: .seconds(20))
      let prompts = house.launcher.children[0].prompts.dropFirst(before)
      #expect(!prompts.isEmpty, "\(row)")
      #expect(prompts.first?.builtInMessages == row.count, "\(row)")
      for prompt in prompts {
        let marked = prompt.messages.prefix(prompt.builtInMessages)
        #expect(prompt.builtInMessages < prompt.messages.count || prompt.prefillOnly)
        #expect(!marked.contains { $0.text.contains(Self.secret) }, "\(row)")
      }
    }
    #expect(BuiltInPrompts.all.allSatisfy { BuiltInPrompts.count(in: $0) == $0.count })
    _ = await client.end()
    await house.supervisor.shutDown()
  }

  /// One other byte makes a text another one, also where Unicode calls both the same.
  @Test func theComparisonIsByteForByte() throws {
    let start = try #require(BuiltInPrompts.all.first { $0.count == 5 })
    #expect(BuiltInPrompts.count(in: start + [PromptMessage(.user, "x")]) == 5)
    for index in start.indices {
      var changed = start
      changed[index].text += " "
      #expect(BuiltInPrompts.count(in: changed) == (index == 0 ? 0 : 1))
      changed = start
      changed[index].role = start[index].role == .user ? .assistant : .user
      #expect(BuiltInPrompts.count(in: changed) == (index == 0 ? 0 : 1))
    }
    #expect(BuiltInPrompts.count(in: []) == 0)
  }

  /// What the command line wants reaches the engine.
  @Test func theLoadSaysWhatIsUsed() async throws {
    let model = try TemporaryFile("GGUF scripted")
    var options = EngineSupervisor.LoadOptions()
    options.reusesPrefixes = false
    options.drafts = false
    options.reproducible = true
    options.prefixFolder = "/somewhere"
    for options in [EngineSupervisor.LoadOptions(), options] {
      let launcher = ScriptedLauncher()
      let supervisor = EngineSupervisor(
        configuration: SupervisorState.Configuration(buildID: "build"), modelPath: model.path, options: options,
        launcher: launcher)
      var params = GenerateParams()
      params.messages = [PromptMessage(.user, "hello")]
      for await _ in supervisor.generate(params).events {}
      let load = try #require(launcher.children.first?.load)
      #expect(load.reusesPrefixes == options.reusesPrefixes && load.drafts == options.drafts)
      #expect(load.reproducible == options.reproducible && load.prefixFolder == options.prefixFolder ?? "")
      await supervisor.shutDown()
    }
  }
}
