import Assistant
import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

/// What features leave in sessions, and how sessions are kept.
@Suite(.timeLimit(.minutes(2))) struct SessionKeepingTests {
  private static let id = SessionSupport.id

  // MARK: Features

  @Test func featuresLeaveTheirTurnsInTheSession() async throws {
    let engine = ScriptedEngine(writes: { params, _ in
      guard params.schema == nil else { return #"{"tags":["sea","fog","light"]}"# }
      return params.messages.last?.text == "shorter, please" ? "Late." : "I will be late."
    })
    let client = try await SessionSupport.client(engine) {
      $0.instructions = "Use British English."
      $0.personality = .dory
    }
    _ = try await client.call(Rephrase.self, .inSession(Self.id))
    let rephrase = try #require(engine.prompts.first?.messages.last?.text)
    #expect(rephrase.contains("little fish") && rephrase.contains("British English"))
    #expect(try await client.call(Chat.self, Chat.Params("shorter, please", in: Self.id)).text == "Late.")
    let chat = SessionSupport.said(try #require(engine.prompts.last).messages)
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
    let engine = SessionSupport.counting()
    let client = await TestClient(engine)
    try await client.initialize()
    var params = Rephrase.Params(text: "gonna be late")
    params.common.personality = .buzz
    _ = try await client.call(Rephrase.self, params)
    #expect(try #require(engine.prompts.first?.messages.last?.text).contains("space ranger"))
    _ = await client.end()
  }

  @Test(arguments: [
    ("Here:\n```swift\nlet a = 1", "Here:\n```swift\nlet a = 1\n```"), ("~~~~\n~~~\r\nx", "~~~~\n~~~\nx\n~~~~"),
    ("```\na\n```\nb", "```\na\n```\nb"), ("a ``` b", "a ``` b"),
  ])
  func anAnswerThatWasCutOffEndsItsFence(_ answer: String, _ exported: String) async throws {
    let client = try await SessionSupport.client(ScriptedEngine(pieces: [answer]))
    _ = try await client.call(Chat.self, Chat.Params("a", in: Self.id))
    let text = try await client.call(
      SessionExport.self, SessionExport.Params(sessionID: Self.id, format: .markdown)
    ).text
    #expect(text.hasSuffix("**Inkling**\n\n" + exported + "\n"))
    _ = await client.end()
  }

  @Test func aTextOfAFeatureIsNotWhatTheModelHasReadOfTheSession() async throws {
    let client = try await SessionSupport.client(SessionSupport.counting())
    _ = try await client.call(Chat.self, Chat.Params("a", in: Self.id))
    let before = try await client.call(SessionGet.self, SessionParams(sessionID: Self.id)).session
    // Nothing is asked of the engine for code.
    var code = Rephrase.Params(text: "```\nx = 1\n```")
    code.common.sessionID = Self.id
    _ = try await client.call(Rephrase.self, code)
    let after = try await client.call(SessionGet.self, SessionParams(sessionID: Self.id)).session
    #expect(after.turns == 2 && after.contextUsed == before.contextUsed && after.contextSize == before.contextSize)
    // That turn is no chat to be answered again.
    var retry = Chat.Params()
    retry.common.sessionID = Self.id
    retry.retry = true
    await client.expect(-32602) { try await $0.call(Chat.self, retry) }
    _ = await client.end()
  }

  @Test func thereIsAnEndToWhatIsSaid() async throws {
    let client = try await SessionSupport.client(SessionSupport.counting())
    var long = Rephrase.Params(text: String(repeating: "```\nx = 1\n```\n", count: 290_000))
    long.common.sessionID = Self.id
    for _ in 0..<2 { _ = try await client.connection.request(Rephrase.self, long, timeout: .seconds(60)) }
    await client.expect(1012) { try await $0.call(Chat.self, Chat.Params("a", in: Self.id)) }
    _ = try await client.call(SessionRewind.self, SessionRewind.Params(sessionID: Self.id))
    _ = try await client.call(Chat.self, Chat.Params("a", in: Self.id))
    _ = await client.end()
  }

  // MARK: Keeping

  @Test func aTranscriptMakesTheSessionAgain() async throws {
    let engine = SessionSupport.counting()
    let client = try await SessionSupport.client(engine) {
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
    #expect(SessionSupport.said(try #require(engine.prompts.last).messages) == ["a", "answer 0", "b", "answer 1", "c"])

    let json = try await client.call(SessionExport.self, SessionExport.Params(sessionID: Self.id, format: .json)).text
    let again = try await client.call(SessionCreate.self, SessionCreate.Params(json: JSONParser.parse(json))).session
    let second = try await client.call(SessionGet.self, SessionParams(sessionID: again.sessionID))
    #expect(second.transcript.turns == held.transcript.turns)
    #expect(second.transcript.instructions?.text == "Be brief.")
    #expect(again.title == "Two" && again.contextPolicy == .slidingWindow && again.maxTurns == 7)
    _ = await client.end()
  }

  @Test func anExportReadsLikeADeck() async throws {
    let engine = ScriptedEngine(writes: { params, _ in
      params.schema == nil
        ? "Of *course*."
        : #"{"name":"Mo_","species":"owl","personality":"Calm and kind.","motivation":"Wants to fly."#
          + #"","flaw":"Too slow.","catchphrase":"Hoo!"}"#
    })
    let client = try await SessionSupport.client(engine) { $0.title = "My #1 film" }
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
    let server = AssistantServer(
      engine: SessionSupport.counting(), version: "1", thermometer: Thermometer(root: "/dev/null"))
    let (first, second) = (await TestClient(server: server), await TestClient(server: server))
    try await first.initialize()
    try await second.initialize()
    _ = try await first.call(SessionCreate.self, SessionCreate.Params(sessionID: Self.id))
    #expect(try await second.call(SessionList.self, Empty()).sessions.isEmpty)
    await second.expect(1003) { try await $0.call(SessionGet.self, SessionParams(sessionID: Self.id)) }
    #expect(try await second.call(ModelStatus.self, Empty()).sessions == 1)
    _ = await first.end()
    try await withDeadline(.seconds(5), "the end of the first one's sessions") {
      while try await second.call(ModelStatus.self, Empty()).sessions > 0 {}
    }
    _ = await second.end()
  }

  @Test func timesAreWrittenAsRFC3339() {
    #expect(Timestamp.text(of: 0) == "1970-01-01T00:00:00Z")
    #expect(Timestamp.text(of: 1_709_210_096) == "2024-02-29T12:34:56Z")
  }
}
