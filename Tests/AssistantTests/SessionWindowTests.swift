import Assistant
import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

/// What becomes of a session that does not fit the window, on an engine whose tokens are bytes.
@Suite(.timeLimit(.minutes(2))) struct SessionWindowTests {
  private static let id = SessionSupport.id
  private static let window = 400

  /// Refuses what does not fit, and answers the rest with ten letters; a request for a summary with five sentences.
  private static func engine() -> ScriptedEngine {
    ScriptedEngine(answers: { params in
      let tokens = params.messages.reduce(0) { $0 + $1.text.utf8.count }
      let room = max(params.leastRoom / 16, 4)
      guard tokens + room <= window || params.shape != nil else {
        return [
          .event(
            .failed(.contextWindowExceeded(promptTokens: tokens, contextSize: window, reservedForOutput: room)))
        ]
      }
      var result = GenerateResult.scripted()
      result.contextUsed = tokens + 10
      result.contextSize = window
      let text = params.shape == nil ? "abcdefghij" : "One. Two. Three. Four. Five."
      return [.event(.text(text)), .event(.finished(result))]
    })
  }

  private struct Run {
    let client: TestClient
    let engine: ScriptedEngine

    /// What is said has 30 bytes.
    func say(_ number: Int) async throws(RPCError) -> Chat.Result {
      let digits = String(number)
      return try await client.call(
        Chat.self, Chat.Params(digits + String(repeating: "x", count: 30 - digits.utf8.count), in: id))
    }
  }

  private func run(_ policy: ContextPolicy, maxTurns: Int? = nil) async throws -> Run {
    let engine = Self.engine()
    let client = await TestClient(engine)
    try await client.initialize()
    var params = SessionCreate.Params(sessionID: Self.id)
    params.contextPolicy = policy
    params.maxTurns = maxTurns
    params.instructions = "Stay."
    _ = try await client.call(SessionCreate.self, params)
    return Run(client: client, engine: engine)
  }

  @Test func anErrorHasTrueNumbersAndLeavesTheSessionUsable() async throws {
    let run = try await run(.error)
    // 5 bytes of instructions, 40 a turn, 30 now, 4 for the answer: nine turns fit before it.
    for number in 0..<10 { _ = try await run.say(number) }
    let error = await run.client.error { _ in try await run.say(10) }
    #expect(error?.code == 1002)
    #expect(error?.data?["promptTokens"] == 435 && error?.data?["contextSize"] == 400)
    #expect(error?.data?["reservedForOutput"] == 4)
    let held = try await run.client.call(SessionGet.self, SessionParams(sessionID: Self.id))
    #expect(held.session.turns == 10 && held.session.contextUsed == 405)
    _ = try await run.client.call(SessionRewind.self, SessionRewind.Params(sessionID: Self.id, turns: 2))
    #expect(try await run.say(11).common.warnings.map(\.code).contains(.historyShortened) == false)
    _ = await run.client.end()
  }

  @Test func theWindowSlidesOverTheLastTurnsThatFit() async throws {
    let run = try await run(.slidingWindow)
    for number in 0..<14 {
      let result = try await run.say(number)
      let prompt = try #require(run.engine.prompts.last)
      #expect(prompt.messages.first?.text == "Stay.")
      let shown = (prompt.messages.count - 2) / 2
      // 16 are kept free: all but 5 + 30 + 16 is for turns of 40.
      #expect(shown == min(number, 8), "\(number)")
      #expect(prompt.messages.dropFirst().first?.text.hasPrefix(String(number - shown)) == true)
      #expect(result.common.warnings.contains { $0.code == .historyShortened } == (number > 8))
    }
    let held = try await run.client.call(SessionGet.self, SessionParams(sessionID: Self.id))
    #expect(held.transcript.turns.count == 14)
    _ = await run.client.end()
  }

  /// A feature's work begins anew with fewer turns; for the client it is one piece of work.
  @Test func progressBeginsAndEndsOnce() async throws {
    let run = try await run(.slidingWindow)
    for number in 0..<9 { _ = try await run.say(number) }
    var params = Generate.Params()
    params.prompt = "abc"
    params.schema = ["const": "abcdefghij"]
    params.common.sessionID = Self.id
    params.common.workDoneToken = ProgressToken(RequestID(9))
    let refusals = run.engine.prompts.count
    // The engine's answer is no JSON, which is an error in the end.
    await run.client.expect(1015) { try await $0.call(Generate.self, params) }
    #expect(run.engine.prompts.count > refusals + 1)
    let work = run.client.work(ProgressToken(RequestID(9)))
    #expect(work.count { if case .begin = $0 { true } else { false } } == 1)
    #expect(work.count { if case .end = $0 { true } else { false } } == 1)
    guard case .end? = work.last else { return #expect(Bool(false), "the end comes last") }
    _ = await run.client.end()
  }

  @Test func noMoreThanTheLastTurnsAreShown() async throws {
    let run = try await run(.error, maxTurns: 2)
    for number in 0..<5 { _ = try await run.say(number) }
    #expect(run.engine.prompts.map(\.messages.count) == [2, 4, 6, 6, 6])
    _ = await run.client.end()
  }

  @Test func olderTurnsBecomeASummary() async throws {
    let run = try await run(.summarize)
    for number in 0..<9 { _ = try await run.say(number) }
    let result = try await run.say(9)
    #expect(result.common.warnings.contains { $0.code == .historyShortened })
    let prompt = try #require(run.engine.prompts.last)
    #expect(prompt.messages.first?.text == "Stay. What was said before, in short: One. Two. Three. Four. Five.")
    let held = try await run.client.call(SessionGet.self, SessionParams(sessionID: Self.id))
    #expect(held.transcript.summary?.text == "One. Two. Three. Four. Five.")
    #expect(held.transcript.turns.count == 5)
    #expect(held.transcript.entries.map(\.role).prefix(3) == [.instructions, .instructions, .prompt])
    // The summary is part of what becomes the next one.
    for number in 10..<18 { _ = try await run.say(number) }
    let texts = run.engine.prompts.filter { $0.shape != nil }.compactMap(\.messages.last?.text)
    #expect(texts.count >= 2 && texts[1].contains("One. Two. Three."))
    _ = await run.client.end()
  }

  /// It would be kept and shown: the turns are left out instead.
  @Test func aSummaryThatMeetsARuleIsNotTaken() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.file(
      "c.json", Array(#"{"guardrails": [{"id": "t", "literal": "three", "on": "output"}]}"#.utf8))
    let file = ConfigurationFile(path: path, interval: .seconds(3_600))
    let client = await TestClient(
      server: AssistantServer(engine: Self.engine(), version: "1", configuration: file))
    try await client.initialize()
    var params = SessionCreate.Params(sessionID: Self.id)
    params.contextPolicy = .summarize
    _ = try await client.call(SessionCreate.self, params)
    var codes: Set<WarningCode> = []
    for number in 0..<12 {
      let text = String(number) + String(repeating: "x", count: 28)
      codes.formUnion(try await client.call(Chat.self, Chat.Params(text, in: Self.id)).common.warnings.map(\.code))
    }
    let held = try await client.call(SessionGet.self, SessionParams(sessionID: Self.id))
    #expect(codes.contains(.historyShortened) && held.transcript.summary == nil && held.transcript.turns.count == 12)
    _ = await client.end()
  }

  @Test func whatFitsInNoWayIsAnErrorUnderEveryPolicy() async throws {
    for policy in ContextPolicy.allCases {
      let run = try await run(policy)
      _ = try await run.say(0)
      let long = Chat.Params(String(repeating: "y", count: 500), in: Self.id)
      await run.client.expect(1002) { try await $0.call(Chat.self, long) }
      let held = try await run.client.call(SessionGet.self, SessionParams(sessionID: Self.id))
      #expect(held.session.turns == 1 && held.transcript.summary == nil)
      _ = try await run.say(1)
      _ = await run.client.end()
    }
  }

  @Test func clientsAreToldHowNearTheEndIs() async throws {
    let run = try await run(.error)
    for number in 0..<10 { _ = try await run.say(number) }
    let levels = run.client.sessionChanges.map(\.level)
    // 45 tokens after the first turn and 40 more after each: 300 of 400 with the eighth, 360 with the ninth.
    #expect(levels == Array(repeating: .ok, count: 7) + [.warning, .critical, .critical])
    #expect(run.client.sessionChanges.map(\.session.turns) == Array(1...10))
    _ = await run.client.end()
  }

  @Test func manyTurnsAreAWarningOfTheirOwn() async throws {
    let run = try await run(.slidingWindow, maxTurns: 1)
    for number in 0..<16 { _ = try await run.say(number) }
    #expect(run.client.sessionChanges.map(\.level) == Array(repeating: .ok, count: 14) + [.warning, .warning])
    _ = await run.client.end()
  }

  @Test func aStructuredAnswerIsShownWhatFits() async throws {
    let schema: JSONValue = ["const": 1]
    let engine = ScriptedEngine(answers: { params in
      let tokens = params.messages.reduce(0) { $0 + $1.text.utf8.count }
      guard tokens <= Self.window else {
        return [
          .event(.failed(.contextWindowExceeded(promptTokens: tokens, contextSize: Self.window, reservedForOutput: 1)))
        ]
      }
      return [.event(.text(params.schema == nil ? "abc" : "1")), .event(.finished(.scripted()))]
    })
    let client = await TestClient(engine)
    try await client.initialize()
    var params = SessionCreate.Params(sessionID: Self.id)
    params.contextPolicy = .slidingWindow
    _ = try await client.call(SessionCreate.self, params)
    for _ in 0..<3 {
      _ = try await client.call(Chat.self, Chat.Params(String(repeating: "x", count: 100), in: Self.id))
    }
    var request = Generate.Params(prompt: String(repeating: "z", count: 100), schema: schema)
    request.common.sessionID = Self.id
    let result = try await client.call(Generate.self, request)
    #expect(result.value == 1)
    #expect(result.common.warnings.contains { $0.code == .historyShortened })
    _ = await client.end()
  }
}
