import Assistant
import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

/// The user's rules: what meets one that blocks is not sent to the model, not shown and not kept.
@Suite(.timeLimit(.minutes(2))) struct GuardrailTests {
  private static let token = ProgressToken(RequestID(5))

  /// A client of a server that has these rules in its configuration.
  private func client(
    _ engine: ScriptedEngine, _ rules: String,
    tool: (@Sendable (ToolCall.Params) async throws(RPCError) -> JSONValue)? = nil
  ) async throws -> TestClient {
    let folder = try TemporaryFolder()
    let path = try folder.file("config.json", Array("{\"guardrails\": [\(rules)]}".utf8))
    let file = ConfigurationFile(path: path, interval: .seconds(3_600))
    #expect(file.reading.problems == [])
    let server = AssistantServer(engine: engine, version: "1", configuration: file)
    let client = await TestClient(server: server, tool: tool)
    try await client.initialize()
    return client
  }

  private func request(_ text: String = "how is it going there") -> Rephrase.Params {
    var params = Rephrase.Params(text: text)
    params.common.partialResultToken = Self.token
    return params
  }

  @Test func whatIsSentIsLookedAt() async throws {
    let engine = ScriptedEngine(pieces: ["Fine."])
    let client = try await client(engine, #"{"id": "names", "literal": "Aurora", "on": "input"}"#)
    var inInstructions = request()
    inInstructions.common.instructions = "Mention aurora."
    var inContext = request()
    inContext.common.context = TextContext()
    inContext.common.context?.before = "The AURORA project"
    for params in [request("the aurora is late"), inInstructions, inContext] {
      let error = await client.error { try await $0.call(Rephrase.self, params) }
      #expect(error?.code == 1007)
      #expect(error?.data?["rule"] == "names")
      #expect(error?.data?["retryable"] == false)
      #expect(error?.message == "The request was stopped by the rule “names”. Change the text.")
    }
    // In what a session says as well.
    var session = SessionCreate.Params(sessionID: SessionSupport.id)
    session.instructions = "You know Aurora."
    _ = try await client.call(SessionCreate.self, session)
    await client.expect(1007) { try await $0.call(Chat.self, Chat.Params("hi", in: SessionSupport.id)) }
    #expect(engine.prompts.isEmpty)
    #expect(try await client.call(Rephrase.self, request()).text == "Fine.")
  }

  @Test(arguments: [StreamMode.delta, .snapshot]) func blockedTextIsNeverShown(_ stream: StreamMode) async throws {
    let never = Gate<Void>()
    let engine = ScriptedEngine([
      ["All is ", "well, s", "ec", "ret", "ly so."].map { .event(.text($0)) } + [.wait(never)]
    ])
    let client = try await client(engine, #"{"id": "s", "literal": "secret", "on": "output", "message": "No."}"#)
    var params = request()
    params.common.stream = stream
    // The work ends as soon as the rule is met: the engine never finishes this answer.
    let error = await client.error { try await $0.call(Rephrase.self, params) }
    #expect(error?.code == 1007)
    #expect(error?.message == "The request was stopped by the rule “s”: No.")
    #expect(assembled(client.partials(Self.token), .utf16) == "All is well, ")
    never.open()
  }

  /// What only begins like a match is shown when it has turned out not to be one.
  @Test(arguments: [StreamMode.delta, .snapshot]) func harmlessTextIsShownAsItIs(_ stream: StreamMode) async throws {
    let engine = ScriptedEngine(pieces: ["All is 👩‍🚀 sec", "ure.", " And se", "c"])
    let client = try await client(engine, #"{"id": "s", "pattern": "secret+|(secx|q)$|[q]{3}", "on": "output"}"#)
    var params = request()
    params.common.stream = stream
    let result = try await client.call(Rephrase.self, params)
    #expect(result.text == "All is 👩‍🚀 secure. And sec")
    let partials = client.partials(Self.token)
    #expect(assembled(partials, .utf16) == result.text)
    // Partial results may be merged on the way; what waits for the end is in the last one.
    #expect(try #require(assembled(partials.dropLast(), .utf16)).count <= "All is 👩‍🚀 secure. And ".count)
  }

  /// A better draft takes the place of what was shown; the rule looks at it from its start.
  @Test func aDraftThatTakesAnothersPlaceIsLookedAt() async throws {
    let engine = ScriptedEngine { _, number in
      number == 0 ? "It takes a while, she said." : "Takes 41 ms, it is SECRET."
    }
    let client = try await client(engine, #"{"id": "s", "literal": "secret", "on": "output"}"#)
    await client.expect(1007) { try await $0.call(Rephrase.self, request("It takes 41 ms at most, she said.")) }
    let shown = try #require(assembled(client.partials(Self.token), .utf16))
    #expect(!shown.lowercased().contains("secret"))
  }

  @Test func aRuleThatWarnsLetsThrough() async throws {
    let engine = ScriptedEngine(pieces: ["All is 👩‍🚀 secret."])
    let rules = #"""
      {"id": "out", "literal": "secret", "on": "output", "action": "warn"},
      {"id": "in", "pattern": "go(es|ing)", "on": "input", "action": "warn", "message": "It moves."}
      """#
    let client = try await client(engine, rules)
    let result = try await client.call(Rephrase.self, request())
    let warnings = result.common.warnings.filter { $0.code == .guardrail }
    #expect(warnings.map(\.message) == ["in: It moves.", "The answer meets the rule “out”."])
    #expect(warnings.map(\.range) == [nil, TextRange(start: 13, end: 19)])
    #expect(assembled(client.partials(Self.token), .utf16) == result.text)
  }

  @Test func valuesAreLookedAt() async throws {
    let engine = ScriptedEngine([
      [
        .event(.structured(["name": "Sec"])), .event(.structured(["name": "Secret Sam"])),
        .event(.text("{\"name\":\"Secret Sam\"}")), .event(.finished(.scripted())),
      ]
    ])
    let client = try await client(engine, #"{"id": "s", "literal": "secret"}"#)
    var params = Generate.Params()
    params.prompt = "a name"
    params.schema = ["type": "object", "properties": ["name": ["type": "string"]]]
    params.common.partialResultToken = Self.token
    await client.expect(1007) { try await $0.call(Generate.self, params) }
    #expect(client.partials(Self.token).isEmpty)
  }

  @Test func aBlockedTurnIsNotKept() async throws {
    let engine = ScriptedEngine { _, number in number == 0 ? "It is a secret." : "It is fine." }
    let client = try await client(engine, #"{"id": "s", "literal": "secret", "on": "output"}"#)
    _ = try await client.call(SessionCreate.self, SessionCreate.Params(sessionID: SessionSupport.id))
    await client.expect(1007) { try await $0.call(Chat.self, Chat.Params("what is it", in: SessionSupport.id)) }
    let answer = try await client.call(Chat.self, Chat.Params("again", in: SessionSupport.id))
    #expect(answer.text == "It is fine.")
    #expect(SessionSupport.said(try #require(engine.prompts.last).messages) == ["again"])
  }

  @Test func whatToolsAreGivenAndGiveIsLookedAt() async throws {
    for (rule, asked) in [
      (#"{"id": "s", "literal": "secret", "on": "output"}"#, "secret"),
      (#"{"id": "s", "literal": "hidden", "on": "input"}"#, "plain"),
    ] {
      let calls = Box<String>()
      let engine = ScriptedEngine { params, _ in
        guard let schema = params.schema else { return "Done." }
        guard schema["enum"] == nil else {
          return params.messages.last?.text.contains("look(") == true ? "\"none\"" : "\"look\""
        }
        return "{\"for\":\"\(asked)\"}"
      }
      let client = try await client(engine, rule) { params in
        calls.append(JSONWriter.text(of: params.arguments))
        return ["content": "a hidden thing"]
      }
      var session = SessionCreate.Params(sessionID: SessionSupport.id)
      session.tools = [
        ToolDefinition(
          name: "look", description: "Looks.",
          parameters: ["type": "object", "properties": ["for": ["type": "string"]], "required": ["for"]])
      ]
      _ = try await client.call(SessionCreate.self, session)
      var chat = Chat.Params("look for it", in: SessionSupport.id)
      chat.toolChoice = .required
      await client.expect(1007) { try await $0.call(Chat.self, chat) }
      #expect(calls.all.allSatisfy { !$0.contains("secret") })
    }
  }

  /// White space in a rule is any white space: a rewrite may break lines elsewhere.
  @Test func aLineMayBreakInsideAMatch() async throws {
    let engine = ScriptedEngine(pieces: ["Fine."])
    let client = try await client(engine, #"{"id": "p", "literal": "Project Falcon"}"#)
    await client.expect(1007) { try await $0.call(Rephrase.self, request("We met about Project\n  falcon today.")) }
    #expect(engine.prompts.isEmpty)
  }

  @Test func schemasAndToolsAreRead() async throws {
    let engine = ScriptedEngine(pieces: ["\"x\""])
    let client = try await client(engine, #"{"id": "p", "literal": "falcon", "on": "input"}"#)
    for schema in [
      ["type": "string", "description": "Project Falcon"],
      ["type": "object", "properties": ["falcon": ["type": "null"]]],
      ["enum": ["a", "falcon"]],
    ] as [JSONValue] {
      await client.expect(1007) { try await $0.call(Generate.self, Generate.Params(prompt: "a", schema: schema)) }
    }
    var params = Generate.Params(prompt: "a", schema: ["type": "string"])
    params.tools = [ToolDefinition(name: "look", description: "Knows the falcon.", parameters: ["type": "object"])]
    await client.expect(1007) { try await $0.call(Generate.self, params) }
    #expect(engine.prompts.isEmpty)
  }

  @Test func numbersOfValuesAreLookedAt() async throws {
    let engine = ScriptedEngine([
      [
        .event(.structured(["a": 1234])), .event(.text("{\"a\":1234}")), .event(.finished(.scripted())),
      ]
    ])
    let client = try await client(engine, #"{"id": "n", "pattern": "[0-9]{4}", "on": "output"}"#)
    var params = Generate.Params(prompt: "a", schema: ["type": "object", "properties": ["a": ["type": "integer"]]])
    params.common.partialResultToken = Self.token
    await client.expect(1007) { try await $0.call(Generate.self, params) }
    #expect(client.partials(Self.token).isEmpty)
  }

  /// What the daemon's own tools give is input as well, and is not kept.
  @Test func whatTheCatalogGivesIsLookedAt() async throws {
    let engine = ScriptedEngine(writes: { params, _ in
      guard let schema = params.schema else { return "Done." }
      return schema["enum"] == nil ? "{\"query\":\"toys\"}" : "\"catalogSearch\""
    })
    let client = try await client(engine, #"{"id": "film", "literal": "Toy Story", "on": "input"}"#)
    var session = SessionCreate.Params(sessionID: SessionSupport.id)
    session.tools = [ToolDefinition(builtin: .catalogSearch)]
    _ = try await client.call(SessionCreate.self, session)
    var chat = Chat.Params("Which film?", in: SessionSupport.id)
    chat.toolChoice = .required
    await client.expect(1007) { try await $0.call(Chat.self, chat) }
    chat.toolChoice = .none
    #expect(try await client.call(Chat.self, chat).text == "Done.")
  }

  @Test func expressionsThatMakeNoSenseAreRefused() {
    for text in ["(", "a*", "", "(?=x)", "\\bx"] {
      #expect(throws: PatternError.self) { try Guardrail(id: "x", .pattern(text)) }
    }
    #expect(throws: PatternError.self) { try Guardrail(id: "x", .literal("")) }
  }
}
