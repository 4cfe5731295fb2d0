import Assistant
import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

/// Tools in chats and structured answers, on an engine that wants what the test says.
@Suite(.timeLimit(.minutes(2))) struct ToolTests {
  private static let token = ProgressToken(RequestID(1))
  private static let schema: JSONValue = [
    "type": "object", "properties": ["word": ["type": "string"]], "required": ["word"], "additionalProperties": false,
  ]
  private static let lookup = ToolDefinition(name: "lookup", description: "Explains a word.", parameters: schema)

  /// Wants the tools of the list one after the other, each with its arguments, and then none.
  private static func engine(_ wanted: [(tool: String, arguments: String)]) -> ScriptedEngine {
    ScriptedEngine(writes: { params, _ in
      let told = params.messages.last?.text ?? ""
      // As many results are in the prompt as calls were made.
      let made = wanted.prefix { told.contains("\($0.tool)(\($0.arguments)):") }.count
      guard let schema = params.schema else { return "answer" }
      if schema == ["const": 1] { return "1" }
      guard schema["enum"] != nil else { return wanted[min(made, wanted.count - 1)].arguments }
      return made < wanted.count ? "\"\(wanted[made].tool)\"" : "\"none\""
    })
  }

  private struct Run {
    var result: Chat.Result
    var engine: ScriptedEngine
    var client: TestClient
    var asked: [ToolCall.Params]
  }

  /// The one door: a chat with the tools, whose answers come from the closure.
  private func chat(
    _ wanted: [(tool: String, arguments: String)], tools: [ToolDefinition] = [lookup], choice: ToolChoice = .auto,
    _ answer: @escaping @Sendable (ToolCall.Params) async throws(RPCError) -> JSONValue = { _ in ["content": "A word."]
    }
  ) async throws -> Run {
    let engine = Self.engine(wanted)
    let asked = Box<ToolCall.Params>()
    let client = await TestClient(engine) { params throws(RPCError) in
      asked.append(params)
      return try await answer(params)
    }
    try await client.initialize()
    var create = SessionCreate.Params(sessionID: try #require(SessionID("s")))
    create.tools = tools
    let id = try await client.call(SessionCreate.self, create).session.sessionID
    var params = Chat.Params("What is a fjord?", in: id)
    params.common.partialResultToken = Self.token
    params.toolChoice = choice
    let result = try await client.call(Chat.self, params)
    return Run(result: result, engine: engine, client: client, asked: asked.all)
  }

  private func states(_ client: TestClient) -> [ToolProgress.State] {
    client.partials(Self.token).compactMap { if case .tool(let progress) = $0 { progress.state } else { nil } }
  }

  @Test func aToolIsCalledAndTheModelIsToldWhatItSaid() async throws {
    let run = try await chat([("lookup", #"{"word":"fjord"}"#)])
    #expect(run.result.text == "answer")
    let call = try #require(run.result.toolCalls.first)
    #expect(run.result.toolCalls.count == 1)
    #expect(call.name == "lookup" && call.arguments == ["word": "fjord"] && call.result == "A word.")
    #expect(run.asked.map(\.callID) == [call.callID] && run.asked.map(\.confirm) == [false])
    #expect(run.asked.first?.sessionID?.text == "s")
    #expect(states(run.client) == [.calling, .done])
    let last = try #require(run.engine.prompts.last)
    #expect(last.schema == nil)
    #expect(
      last.messages.last?.text == "What is a fjord?\n\nWhat tools say:\nlookup({\"word\":\"fjord\"}):\nA word.")
    // In the transcript, and with the next question the model reads it just as it did.
    let id = try #require(SessionID("s"))
    let held = try await run.client.call(SessionGet.self, SessionParams(sessionID: id))
    #expect(held.transcript.entries.map(\.role) == [.prompt, .toolCall, .toolOutput, .response])
    var next = Chat.Params("Thanks.", in: id)
    next.toolChoice = .none
    _ = try await run.client.call(Chat.self, next)
    #expect(try #require(run.engine.prompts.last).messages.dropLast(2).last == last.messages.last)
    var copy = SessionCreate.Params()
    copy.transcript = held.transcript
    #expect(try await run.client.call(SessionCreate.self, copy).session.turns == 1)
    _ = await run.client.end()
  }

  @Test func theModelMayAnswerWithoutATool() async throws {
    let run = try await chat([])
    #expect(run.result.toolCalls.isEmpty && run.asked.isEmpty && run.engine.prompts.count == 2)
    #expect(run.engine.prompts[0].schema?["enum"] == ["lookup", "none"])
    _ = await run.client.end()
  }

  @Test func aChoiceForbidsOrForces() async throws {
    let none = try await chat([("lookup", #"{"word":"a"}"#)], choice: .none)
    #expect(none.asked.isEmpty && none.engine.prompts.count == 1)
    _ = await none.client.end()
    let required = try await chat([("lookup", #"{"word":"a"}"#)], choice: .required)
    #expect(required.asked.count == 1)
    #expect(required.engine.prompts.map { $0.schema?["enum"] }.prefix(3) == [["lookup"], nil, ["lookup", "none"]])
    _ = await required.client.end()
  }

  @Test func thereAreEightCallsAtMostAndNoneTwice() async throws {
    let many = (0..<12).map { ("lookup", #"{"word":"\#($0)"}"#) }
    let run = try await chat(many)
    #expect(run.result.toolCalls.count == 8 && run.asked.count == 8 && run.result.text == "answer")
    _ = await run.client.end()
    let same = try await chat(
      [("lookup", #"{"word":"a"}"#), ("lookup", #"{"word":"b"}"#), ("lookup", #"{"word":"a"}"#)])
    #expect(same.asked.map(\.arguments) == [["word": "a"], ["word": "b"]])
    #expect(same.result.text == "answer")
    _ = await same.client.end()
  }

  @Test(
    arguments: [
      (.failure(RPCError(code: -32603, message: "broken")), .error),
      (.failure(RPCError(code: -32601, message: "no such tool")), .error),
      (.failure(RPCError(code: -32800, message: "no")), .declined),
      (.failure(RPCError(code: 1, message: "no", data: ["kind": "declined"])), .declined),
      (.success(["content": 1]), .invalidResult), (.success(["text": "a"]), .invalidResult),
      (.success(nil), .invalidResult), (.success("a"), .invalidResult),
      (.success(["content": .string(String(repeating: "é", count: 32 << 10))]), nil),
      (.success(["content": .string(String(repeating: "é", count: 32 << 10) + "x")]), .tooLarge),
    ] as [(Result<JSONValue, RPCError>, ToolFailure?)])
  func whatGoesWrongIsToldAndTheRequestGoesOn(_ answer: Result<JSONValue, RPCError>, _ reason: ToolFailure?)
    async throws
  {
    let run = try await chat([("lookup", #"{"word":"a"}"#)]) { _ throws(RPCError) in try answer.get() }
    let call = try #require(run.result.toolCalls.first)
    #expect(call.error?.data.reason == reason && (call.result == nil) == (reason != nil))
    #expect(states(run.client) == [.calling, reason == nil ? .done : .failed])
    #expect(run.result.text == "answer")
    if let reason {
      #expect(call.error?.code == 1010)
      let told = try #require(run.engine.prompts.last?.messages.last?.text)
      #expect(told.contains(reason.rawValue) && !told.contains("éé"))
    }
    _ = await run.client.end()
  }

  @Test func aToolHasItsTime() async throws {
    var slow = Self.lookup
    slow.timeoutMs = 50
    let forever = Gate<Void>()
    let run = try await chat([("lookup", #"{"word":"a"}"#)], tools: [slow]) { _ in
      await forever.wait()
      return nil
    }
    #expect(run.result.toolCalls.first?.error?.data.reason == .timeout)
    forever.open()
    _ = await run.client.end()
  }

  @Test func theUserIsAskedWhereTheToolSaysSo() async throws {
    var risky = Self.lookup
    risky.confirm = true
    let run = try await chat([("lookup", #"{"word":"a"}"#)], tools: [risky])
    #expect(run.asked.map(\.confirm) == [true])
    _ = await run.client.end()
  }

  @Test func cancellingTheRequestEndsTheToolAndLeavesNothing() async throws {
    let reached = Gate<Void>()
    let client = await TestClient(Self.engine([("lookup", #"{"word":"a"}"#)])) { _ in
      reached.open()
      await Gate<Void>().wait()
      return nil
    }
    try await client.initialize()
    let id = try #require(SessionID("s"))
    var create = SessionCreate.Params(sessionID: id)
    create.tools = [Self.lookup]
    _ = try await client.call(SessionCreate.self, create)
    let request = Task { await client.error { try await $0.call(Chat.self, Chat.Params("a", in: id)) } }
    await reached.wait()
    request.cancel()
    #expect(await request.value?.code == -32800)
    try await withDeadline(.seconds(5), "the session's release") {
      while try await client.call(SessionGet.self, SessionParams(sessionID: id)).session.busy { await Task.yield() }
    }
    #expect(try await client.call(SessionGet.self, SessionParams(sessionID: id)).session.turns == 0)
    _ = await client.end()
  }

  @Test func argumentsThatAreNotWholeAreNoCall() async throws {
    for arguments in [#"{"word":"#, #"{"word":1}"#, ""] {
      let run = try await chat([("lookup", arguments)])
      #expect(run.asked.isEmpty && run.result.toolCalls.isEmpty && run.result.text == "answer")
      _ = await run.client.end()
    }
  }

  @Test func aStructuredAnswerUsesTools() async throws {
    let engine = Self.engine([("catalogSearch", #"{"query":"lonely robot"}"#)])
    let client = await TestClient(engine)
    try await client.initialize()
    var params = Generate.Params(prompt: "A film.", schema: ["const": 1])
    params.tools = [ToolDefinition(builtin: .catalogSearch)]
    let result = try await client.call(Generate.self, params)
    #expect(result.value == 1 && result.toolCalls.first?.name == "catalogSearch")
    let facts = try #require(result.toolCalls.first?.result)
    #expect(engine.prompts.last?.messages.last?.text.hasSuffix(facts) == true)
    _ = await client.end()
  }

  @Test func whatDoesNotFitIsTakenAwayAndTheRequestGoesOn() async throws {
    let long = String(repeating: "x", count: 60_000)
    for isChat in [true, false] {
      let engine = ScriptedEngine(answers: { params in
        let tokens = params.messages.reduce(0) { $0 + $1.text.utf8.count }
        guard tokens < 8_192 else {
          let failure = EngineFailure.contextWindowExceeded(
            promptTokens: tokens, contextSize: 8_192, reservedForOutput: 64)
          return [.event(.failed(failure))]
        }
        let told = params.messages.last?.text.contains("What tools say") == true
        let answer: String =
          params.schema == nil
          ? "answer"
          : params.schema?["enum"] != nil
            ? told ? #""none""# : #""lookup""# : params.schema == ["const": 1] ? "1" : #"{"word":"a"}"#
        return [.event(.text(answer)), .event(.finished(.scripted()))]
      })
      let client = await TestClient(engine) { _ throws(RPCError) in ["content": .string(long)] }
      try await client.initialize()
      let calls: [ToolCallRecord]
      let promptTokens: Int
      if isChat {
        var create = SessionCreate.Params()
        create.tools = [Self.lookup]
        create.contextPolicy = .summarize
        create.transcript.turns = Array(
          repeating: Transcript.Turn(
            prompt: TranscriptEntry(.prompt, "before"), response: TranscriptEntry(.response, "said")), count: 20)
        let id = try await client.call(SessionCreate.self, create).session.sessionID
        let result = try await client.call(Chat.self, Chat.Params("a", in: id))
        (calls, promptTokens) = (result.toolCalls, result.common.usage.promptTokens)
        let held = try await client.call(SessionGet.self, SessionParams(sessionID: id))
        #expect(held.session.turns == 21 && held.transcript.summary == nil)
      } else {
        var params = Generate.Params(prompt: "A film.", schema: ["const": 1])
        params.tools = [Self.lookup]
        let result = try await client.call(Generate.self, params)
        (calls, promptTokens) = (result.toolCalls, result.common.usage.promptTokens)
      }
      #expect(calls.map(\.error?.data.reason) == [.tooLarge])
      // What was asked before the result did not fit counts: a name, arguments, in the chat “none”, and the answer.
      #expect(promptTokens == (isChat ? 80 : 60))
      _ = await client.end()
    }
  }

  @Test func aToolNeedsNoArguments() async throws {
    let clock = ToolDefinition(name: "clock", description: "Tells the time.", parameters: ["type": "object"])
    let run = try await chat([("clock", "{}")], tools: [clock])
    #expect(run.asked.map(\.arguments) == [[:]] && run.result.toolCalls.count == 1)
    _ = await run.client.end()
  }

  @Test func requiredMeansACall() async throws {
    let client = await TestClient(Self.engine([]))
    try await client.initialize()
    var params = Generate.Params(prompt: "a", schema: ["const": 1])
    params.toolChoice = .required
    await client.expect(-32602) { try await $0.call(Generate.self, params) }
    _ = await client.end()
    let other = await TestClient(Self.engine([("lookup", #"{"word":"#)]))
    try await other.initialize()
    params.tools = [Self.lookup]
    await other.expect(1015) { try await $0.call(Generate.self, params) }
    _ = await other.end()
  }

  /// The schema cannot say that one bound is not above the other, so the tool does.
  @Test(
    arguments: [(5, 5, true), (-3, 3, true), (-1_000_000_000, 1_000_000_000, true), (6, 5, false), (1, -1, false)])
  func aRandomNumberLiesBetweenItsBounds(_ low: Int, _ high: Int, _ isGiven: Bool) async throws {
    let run = try await chat(
      [("randomInteger", "{\"minimum\":\(low),\"maximum\":\(high)}")], tools: [ToolDefinition(builtin: .randomInteger)])
    let call = try #require(run.result.toolCalls.first)
    #expect(call.error?.data.reason == (isGiven ? nil : .error))
    if let text = call.result { #expect((low...high).contains(try #require(Int(text)))) }
    #expect((call.result != nil) == isGiven)
  }

  @Test func wrongToolsAreRefused() async throws {
    let client = await TestClient(Self.engine([]))
    try await client.initialize()
    var create = SessionCreate.Params()
    create.tools = [
      Self.lookup, ToolDefinition(name: "b", description: "", parameters: ["properties": ["a": ["not": [:]]]]),
    ]
    let error = await client.error { try await $0.call(SessionCreate.self, create) }
    #expect(error?.code == 1006 && error?.data?["pointer"] == "/tools/1/parameters/properties/a")
    create.tools = [Self.lookup, Self.lookup]
    await client.expect(-32602) { try await $0.call(SessionCreate.self, create) }
    _ = await client.end()
  }
}

@Suite struct BuiltinToolTests {
  @Test(
    arguments: [
      ("Toy Story", "Toy Story"), ("a film with a robot that cares for love and the environment", "WALL·E"),
      ("music and ancestors", "Coco"), ("cooking rat", "Ratatouille"), ("2009", "Up"), ("emotion", "Inside Out"),
    ])
  func theBestMatchComesFirst(_ query: String, _ title: String) {
    #expect(Catalog.films.matches(query).first?["title"] == .string(title))
  }

  @Test func whatMatchesNothingIsSaid() {
    #expect(Catalog.films.matches("zzz the of").isEmpty)
    let answer = Catalog.films.answer(to: "zzz")
    #expect(answer.hasPrefix("Nothing matches “zzz”.") && answer.contains("Toy Story"))
    #expect(Catalog([]).answer(to: "a").hasPrefix("Nothing matches"))
    #expect(Catalog.films.answer(to: "friendship").split(separator: "\n").count <= 3)
  }
}
