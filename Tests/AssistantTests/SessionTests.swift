import Assistant
import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

/// Sessions through a connection, on a scripted engine.
@Suite(.timeLimit(.minutes(2))) struct SessionTests {
  private static let id = SessionID("s")!
  private static let token = ProgressToken(RequestID(1))

  /// Answers each prompt with its number: the first is `answer 0`.
  private static func counting() -> ScriptedEngine { ScriptedEngine(writes: { _, number in "answer \(number)" }) }

  private static func text(_ messages: [PromptMessage]) -> [String] { messages.dropFirst().map(\.text) }

  /// A connection with a session of the name `s`.
  private func client(
    _ engine: any EngineService, _ change: (inout SessionCreate.Params) -> Void = { _ in }
  ) async throws -> TestClient {
    let client = await TestClient(engine)
    try await client.initialize()
    var params = SessionCreate.Params(sessionID: Self.id)
    change(&params)
    _ = try await client.call(SessionCreate.self, params)
    return client
  }

  // MARK: Memory

  @Test func theModelIsShownWhatWasSaidBefore() async throws {
    let engine = Self.counting()
    let client = try await client(engine) { $0.instructions = "Be brief." }
    for number in 0..<3 {
      let result = try await client.call(Chat.self, Chat.Params("question \(number)", in: Self.id))
      #expect(result.text == "answer \(number)")
    }
    let last = try #require(engine.prompts.last)
    #expect(last.messages.first == PromptMessage(.system, "Be brief."))
    #expect(Self.text(last.messages) == ["question 0", "answer 0", "question 1", "answer 1", "question 2"])
    // Each prompt begins with all of the one before and its answer.
    for (before, after) in zip(engine.prompts, engine.prompts.dropFirst()) {
      #expect(after.messages.starts(with: before.messages))
    }
    let held = try await client.call(SessionGet.self, SessionParams(sessionID: Self.id))
    #expect(held.session.turns == 3 && held.session.contextUsed == 25 && held.session.contextSize == 8192)
    #expect(held.transcript.turns.map(\.prompt.text) == ["question 0", "question 1", "question 2"])
    #expect(held.transcript.turns.allSatisfy { $0.response.feature == Chat.name && $0.response.at != nil })
    _ = await client.end()
  }

  @Test func partialResultsPutTogetherAreTheAnswer() async throws {
    let engine = ScriptedEngine(pieces: [" \n", "Hello", " ", "there", "  \n", "\n"])
    let client = try await client(engine)
    var params = Chat.Params("hi", in: Self.id)
    params.common.partialResultToken = Self.token
    let result = try await client.call(Chat.self, params)
    #expect(result.text == "Hello there")
    #expect(assembled(client.partials(Self.token), .utf16) == "Hello there")
    _ = await client.end()
  }

  @Test func retryAnswersTheLastMessageAgain() async throws {
    let engine = Self.counting()
    let client = try await client(engine)
    _ = try await client.call(Chat.self, Chat.Params("a", in: Self.id))
    _ = try await client.call(Chat.self, Chat.Params("b", in: Self.id))
    var again = Chat.Params()
    again.common.sessionID = Self.id
    again.retry = true
    #expect(try await client.call(Chat.self, again).text == "answer 2")
    #expect(engine.prompts[2].messages == engine.prompts[1].messages)
    #expect(engine.prompts[2].sampling.seed != engine.prompts[1].sampling.seed)
    let held = try await client.call(SessionGet.self, SessionParams(sessionID: Self.id))
    #expect(held.transcript.turns.map(\.response.text) == ["answer 0", "answer 2"])
    _ = try await client.call(SessionReset.self, SessionParams(sessionID: Self.id))
    await client.expect(1005) { try await $0.call(Chat.self, again) }
    _ = await client.end()
  }

  // MARK: One request at a time

  @Test func aSessionAtWorkIsBusyForWhatWouldChangeIt() async throws {
    let gate = Gate<Void>()
    let engine = ScriptedEngine([
      [.event(.text("one")), .event(.finished(.scripted()))],
      [.wait(gate), .event(.text("two")), .event(.finished(.scripted()))],
    ])
    let client = try await client(engine)
    _ = try await client.call(Chat.self, Chat.Params("a", in: Self.id))
    async let second = client.call(Chat.self, Chat.Params("b", in: Self.id))
    try await withDeadline(.seconds(5), "the second prompt") { while engine.prompts.count < 2 { await Task.yield() } }
    let named = SessionParams(sessionID: Self.id)
    await client.expect(1004) { try await $0.call(Chat.self, Chat.Params("c", in: Self.id)) }
    await client.expect(1004) { try await $0.call(Rephrase.self, .inSession(Self.id)) }
    await client.expect(1004) { try await $0.call(SessionReset.self, named) }
    await client.expect(1004) { try await $0.call(SessionRewind.self, SessionRewind.Params(sessionID: Self.id)) }
    await client.expect(1004) { try await $0.call(SessionUpdate.self, SessionUpdate.Params(sessionID: Self.id)) }
    let held = try await client.call(SessionGet.self, named)
    #expect(held.session.busy && held.session.turns == 1)
    #expect(try await client.call(SessionList.self, Empty()).sessions.map(\.busy) == [true])
    let fork = try await client.call(SessionFork.self, SessionFork.Params(sessionID: Self.id))
    #expect(!fork.session.busy && fork.session.turns == 1)
    let export = try await client.call(SessionExport.self, SessionExport.Params(sessionID: Self.id, format: .markdown))
    #expect(export.text.contains("one") && !export.text.contains("two"))
    gate.open()
    #expect(try await second.text == "two")
    #expect(try await client.call(SessionGet.self, named).session.turns == 2)
    _ = await client.end()
  }

  @Test func deletingASessionCancelsItsRequest() async throws {
    let engine = ScriptedEngine([[.wait(Gate<Void>())]])
    let client = try await client(engine)
    async let answer = client.error { try await $0.call(Chat.self, Chat.Params("a", in: Self.id)) }
    try await withDeadline(.seconds(5), "the prompt") { while engine.prompts.isEmpty { await Task.yield() } }
    _ = try await client.call(SessionDelete.self, SessionParams(sessionID: Self.id))
    #expect(await answer?.code == -32800)
    await client.expect(1003) { try await $0.call(SessionGet.self, SessionParams(sessionID: Self.id)) }
    _ = await client.end()
  }

  @Test func whatFailsLeavesTheSessionAsItWas() async throws {
    let engine = ScriptedEngine([
      [.event(.text("one")), .event(.finished(.scripted()))],
      [.event(.text("half")), .event(.failed(.died(.crashed)))],
      [.event(.finished(.scripted()))],
      [.event(.text("four")), .event(.finished(.scripted()))],
    ])
    let client = try await client(engine)
    _ = try await client.call(Chat.self, Chat.Params("a", in: Self.id))
    let before = try await client.call(SessionGet.self, SessionParams(sessionID: Self.id))
    await client.expect(1013) { try await $0.call(Chat.self, Chat.Params("b", in: Self.id)) }
    await client.expect(1009) { try await $0.call(Chat.self, Chat.Params("c", in: Self.id)) }
    await client.expect(1005) { try await $0.call(Chat.self, Chat.Params(" \u{200B}\n", in: Self.id)) }
    #expect(try await client.call(SessionGet.self, SessionParams(sessionID: Self.id)) == before)
    #expect(try await client.call(Chat.self, Chat.Params("d", in: Self.id)).text == "four")
    #expect(Self.text(try #require(engine.prompts.last).messages) == ["a", "one", "d"])
    _ = await client.end()
  }

  // MARK: Names

  @Test func sessionsAreListedInTheOrderTheyWereMade() async throws {
    let client = try await client(Self.counting())
    let unnamed = try await client.call(SessionCreate.self, SessionCreate.Params()).session
    await client.expect(1014) { try await $0.call(SessionCreate.self, SessionCreate.Params(sessionID: Self.id)) }
    let names = try await client.call(SessionList.self, Empty()).sessions.map(\.sessionID)
    #expect(names == [Self.id, unnamed.sessionID])
    let nobody = SessionParams(sessionID: try #require(SessionID("nobody")))
    await client.expect(1003) { try await $0.call(SessionDelete.self, nobody) }
    await client.expect(1003) { try await $0.call(Chat.self, Chat.Params("a", in: nobody.sessionID)) }
    await client.expect(1003) { try await $0.call(Summarize.self, .inSession(nobody.sessionID)) }
    _ = await client.end()
  }

  @Test func thereIsAnEndToSessions() async throws {
    let client = try await client(Self.counting())
    for _ in 1..<Limits.sessions { _ = try await client.call(SessionCreate.self, SessionCreate.Params()) }
    await client.expect(1012) { try await $0.call(SessionCreate.self, SessionCreate.Params()) }
    await client.expect(1012) { try await $0.call(SessionFork.self, SessionFork.Params(sessionID: Self.id)) }
    #expect(try await client.call(ModelStatus.self, Empty()).sessions == Limits.sessions)
    _ = try await client.call(SessionDelete.self, SessionParams(sessionID: Self.id))
    _ = try await client.call(SessionCreate.self, SessionCreate.Params(sessionID: Self.id))
    _ = await client.end()
  }

  // MARK: Turns

  @Test func turnsAreForgottenAndForked() async throws {
    let client = try await client(Self.counting()) { $0.instructions = "Be brief." }
    for text in ["a", "b", "c"] { _ = try await client.call(Chat.self, Chat.Params(text, in: Self.id)) }
    func prompts(_ id: SessionID) async throws -> [String] {
      try await client.call(SessionGet.self, SessionParams(sessionID: id)).transcript.turns.map(\.prompt.text)
    }
    let two = try await client.call(SessionFork.self, SessionFork.Params(sessionID: Self.id, turns: 2)).session
    let all = try await client.call(SessionFork.self, SessionFork.Params(sessionID: Self.id, turns: 9)).session
    #expect(try await prompts(two.sessionID) == ["a", "b"])
    #expect(try await prompts(all.sessionID) == ["a", "b", "c"])
    #expect(two.instructions == "Be brief.")
    _ = try await client.call(SessionRewind.self, SessionRewind.Params(sessionID: Self.id))
    #expect(try await prompts(Self.id) == ["a", "b"])
    // The other sessions have turns of their own.
    _ = try await client.call(Chat.self, Chat.Params("d", in: two.sessionID))
    #expect(try await prompts(two.sessionID) == ["a", "b", "d"])
    #expect(try await prompts(Self.id) == ["a", "b"])
    let empty = try await client.call(SessionRewind.self, SessionRewind.Params(sessionID: Self.id, turns: 9)).session
    #expect(empty.turns == 0 && empty.contextUsed == 0 && empty.instructions == "Be brief.")
    let reset = try await client.call(SessionReset.self, SessionParams(sessionID: two.sessionID)).session
    #expect(reset.turns == 0 && reset.instructions == "Be brief.")
    _ = await client.end()
  }

  @Test func anotherVoiceBeginsAfreshUnlessTheHistoryIsKept() async throws {
    let engine = Self.counting()
    let client = try await client(engine)
    _ = try await client.call(Chat.self, Chat.Params("a", in: Self.id))
    var change = SessionUpdate.Params(sessionID: Self.id)
    change.title = "T"
    change.maxTurns = 5
    #expect(try await client.call(SessionUpdate.self, change).session.turns == 1)
    change.personality = .woody
    change.keepHistory = true
    #expect(try await client.call(SessionUpdate.self, change).session.turns == 1)
    _ = try await client.call(Chat.self, Chat.Params("b", in: Self.id))
    let told = try #require(engine.prompts.last)
    #expect(told.messages[0].text.contains("cowboy"))
    #expect(Self.text(told.messages) == ["a", "answer 0", "b"])
    change.keepHistory = false
    change.personality = .buzz
    let session = try await client.call(SessionUpdate.self, change).session
    #expect(session.turns == 0 && session.personality == .buzz && session.title == "T" && session.maxTurns == 5)
    _ = await client.end()
  }

  // MARK: Features

  @Test func featuresLeaveTheirTurnsInTheSession() async throws {
    let engine = ScriptedEngine(writes: { params, _ in
      guard params.schema == nil else { return #"{"tags":["sea","fog","light"]}"# }
      return params.messages.last?.text == "shorter, please" ? "Late." : "I will be late."
    })
    let client = try await client(engine) {
      $0.instructions = "Use British English."
      $0.personality = .dory
    }
    _ = try await client.call(Rephrase.self, .inSession(Self.id))
    let rephrase = try #require(engine.prompts.first?.messages.last?.text)
    #expect(rephrase.contains("little fish") && rephrase.contains("British English"))
    #expect(try await client.call(Chat.self, Chat.Params("shorter, please", in: Self.id)).text == "Late.")
    let chat = Self.text(try #require(engine.prompts.last).messages)
    #expect(chat.count == 3 && chat[0].contains("gonna be late") && chat[1] == "I will be late.")
    var brainstorm = Brainstorm.Params(topic: "a lighthouse", kind: .tags, count: 3)
    brainstorm.common.sessionID = Self.id
    _ = try await client.call(Brainstorm.self, brainstorm)
    // What was said is between the example and the request.
    let shown = try #require(engine.prompts.last(where: { $0.schema != nil })).messages.map(\.text)
    #expect(shown.suffix(5).dropLast() == ArraySlice(chat + ["Late."]))
    let turn = try #require(
      try await client.call(SessionGet.self, SessionParams(sessionID: Self.id)).transcript.turns.last)
    #expect(turn.response.value == ["tags": ["sea", "fog", "light"]])
    #expect(turn.response.kind == .tags && turn.response.feature == Brainstorm.name)
    _ = await client.end()
  }

  @Test func aVoiceHoldsWithoutASessionToo() async throws {
    let engine = Self.counting()
    let client = await TestClient(engine)
    try await client.initialize()
    var params = Rephrase.Params(text: "gonna be late")
    params.common.personality = .buzz
    _ = try await client.call(Rephrase.self, params)
    #expect(try #require(engine.prompts.first?.messages.last?.text).contains("space ranger"))
    _ = await client.end()
  }

  // MARK: Keeping

  @Test func aTranscriptMakesTheSessionAgain() async throws {
    let engine = Self.counting()
    let client = try await client(engine) {
      $0.instructions = "Be brief."
      $0.title = "Two"
      $0.contextPolicy = .slidingWindow
      $0.maxTurns = 7
    }
    for text in ["a", "b"] { _ = try await client.call(Chat.self, Chat.Params(text, in: Self.id)) }
    let held = try await client.call(SessionGet.self, SessionParams(sessionID: Self.id))
    var copy = SessionCreate.Params()
    copy.transcript = held.transcript
    let copied = try await client.call(SessionCreate.self, copy).session
    #expect(copied.instructions == "Be brief." && copied.turns == 2)
    _ = try await client.call(Chat.self, Chat.Params("c", in: copied.sessionID))
    #expect(Self.text(try #require(engine.prompts.last).messages) == ["a", "answer 0", "b", "answer 1", "c"])

    let json = try await client.call(SessionExport.self, SessionExport.Params(sessionID: Self.id, format: .json)).text
    let again = try await client.call(SessionCreate.self, SessionCreate.Params(json: JSONParser.parse(json))).session
    let second = try await client.call(SessionGet.self, SessionParams(sessionID: again.sessionID))
    #expect(second.transcript == held.transcript)
    #expect(again.title == "Two" && again.contextPolicy == .slidingWindow && again.maxTurns == 7)
    _ = await client.end()
  }

  @Test func anExportReadsLikeADeck() async throws {
    let engine = ScriptedEngine(writes: { params, _ in
      params.schema == nil
        ? "Of *course*." : #"{"name":"Mo_","species":"owl","personality":"Calm and kind.","motivation":"Wants to fly."#
          + #"","flaw":"Too slow.","catchphrase":"Hoo!"}"#
    })
    let client = try await client(engine) { $0.title = "My #1 film" }
    _ = try await client.call(Chat.self, Chat.Params("help\nme", in: Self.id))
    var brainstorm = Brainstorm.Params(topic: "an owl", kind: .character)
    brainstorm.common.sessionID = Self.id
    _ = try await client.call(Brainstorm.self, brainstorm)
    let text = try await client.call(
      SessionExport.self, SessionExport.Params(sessionID: Self.id, format: .markdown)
    ).text
    #expect(
      text == """
        # My #1 film

        **You**

        > help
        > me

        **Inkling**

        Of *course*.

        ## Character: Mo\\_

        **Name:** Mo\\_

        **Species:** owl

        **Personality:** Calm and kind.

        **Motivation:** Wants to fly.

        **Flaw:** Too slow.

        **Catchphrase:** Hoo!

        """)
    _ = await client.end()
  }

  @Test(
    arguments: [
      #"[{"role":"response","text":"a"}]"#, #"[{"role":"prompt","text":"a"}]"#,
      #"[{"role":"prompt","text":"a"},{"role":"prompt","text":"b"}]"#,
      #"[{"role":"prompt","text":"a"},{"role":"response","text":"b"},{"role":"instructions","text":"c"}]"#,
      #"[{"role":"instructions","text":"a"},{"role":"instructions","text":"b"},{"role":"instructions","text":"c"}]"#,
      #"[{"role":"system","text":"a"}]"#, #"[{"text":"a"}]"#, #"{"role":"prompt"}"#,
    ])
  func aTranscriptThatIsNoneIsRefused(_ text: String) throws {
    let json: JSONValue = ["transcript": try JSONParser.parse(text)]
    let error = #expect(throws: JSONMismatch.self) { try SessionCreate.Params(json: json) }
    #expect(error?.path.hasPrefix("transcript") == true)
  }

  @Test func sessionsBelongToTheirConnection() async throws {
    let first = try await client(Self.counting())
    let second = await TestClient(Self.counting())
    try await second.initialize()
    #expect(try await second.call(SessionList.self, Empty()).sessions.isEmpty)
    _ = await first.end()
    _ = await second.end()
  }

  @Test func timesAreWrittenAsRFC3339() {
    #expect(Timestamp.text(of: 0) == "1970-01-01T00:00:00Z")
    #expect(Timestamp.text(of: 1_709_210_096) == "2024-02-29T12:34:56Z")
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
