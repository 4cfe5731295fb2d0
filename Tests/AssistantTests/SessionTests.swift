import Assistant
import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

/// Sessions through a connection, on a scripted engine.
@Suite(.timeLimit(.minutes(2))) struct SessionTests {
  private static let id = SessionSupport.id
  private static let token = ProgressToken(RequestID(1))

  // MARK: Memory

  @Test func theModelIsShownWhatWasSaidBefore() async throws {
    let engine = SessionSupport.counting()
    let client = try await SessionSupport.client(engine) { $0.instructions = "Be brief." }
    for number in 0..<3 {
      let result = try await client.call(Chat.self, Chat.Params("question \(number)", in: Self.id))
      #expect(result.text == "answer \(number)")
    }
    let last = try #require(engine.prompts.last)
    #expect(last.messages.first == PromptMessage(.system, "Be brief."))
    #expect(SessionSupport.said(last.messages) == ["question 0", "answer 0", "question 1", "answer 1", "question 2"])
    // Each prompt begins with all of the one before and its answer.
    for (before, after) in zip(engine.prompts, engine.prompts.dropFirst()) {
      #expect(after.messages.starts(with: before.messages))
    }
    let held = try await client.call(SessionGet.self, SessionParams(sessionID: Self.id))
    #expect(held.session.turns == 3 && held.session.contextUsed == 25 && held.session.contextSize == 8192)
    #expect(held.transcript.turns.map(\.prompt.words) == ["question 0", "question 1", "question 2"])
    #expect(held.transcript.turns.allSatisfy { $0.response.feature == Chat.name && $0.response.at != nil })
    _ = await client.end()
  }

  @Test func partialResultsPutTogetherAreTheAnswer() async throws {
    let engine = ScriptedEngine(pieces: [" \n", "Hello", " ", "there", "  \n", "\n"])
    let client = try await SessionSupport.client(engine)
    var params = Chat.Params("hi", in: Self.id)
    params.common.partialResultToken = Self.token
    let result = try await client.call(Chat.self, params)
    #expect(result.text == "Hello there")
    #expect(assembled(client.partials(Self.token), .utf16) == "Hello there")
    _ = await client.end()
  }

  @Test func retryAnswersTheLastMessageAgain() async throws {
    let engine = SessionSupport.counting()
    let client = try await SessionSupport.client(engine)
    _ = try await client.call(Chat.self, Chat.Params("a", in: Self.id))
    _ = try await client.call(Chat.self, Chat.Params("b", in: Self.id))
    var again = Chat.Params()
    again.common.sessionID = Self.id
    again.retry = true
    #expect(try await client.call(Chat.self, again).text == "answer 2")
    #expect(engine.prompts[2].messages == engine.prompts[1].messages)
    #expect(engine.prompts[2].sampling.seed != engine.prompts[1].sampling.seed)
    let held = try await client.call(SessionGet.self, SessionParams(sessionID: Self.id))
    #expect(held.transcript.turns.map(\.response.words) == ["answer 0", "answer 2"])
    _ = try await client.call(SessionReset.self, SessionParams(sessionID: Self.id))
    await client.expect(-32602) { try await $0.call(Chat.self, again) }
    _ = await client.end()
  }

  @Test func anEmptyAnswerIsAskedForOnceMore() async throws {
    let engine = ScriptedEngine([
      [.event(.finished(.scripted()))], [.event(.text("here")), .event(.finished(.scripted()))],
    ])
    let client = try await SessionSupport.client(engine)
    let result = try await client.call(Chat.self, Chat.Params("a", in: Self.id))
    #expect(result.text == "here" && result.common.warnings.map(\.code) == [.retried])
    #expect(engine.prompts[1].sampling.seed != engine.prompts[0].sampling.seed)
    _ = await client.end()
  }

  // MARK: One request at a time

  @Test func aSessionAtWorkIsBusyForWhatWouldChangeIt() async throws {
    let gate = Gate<Void>()
    let engine = ScriptedEngine([
      [.event(.text("one")), .event(.finished(.scripted()))],
      [.wait(gate), .event(.text("two")), .event(.finished(.scripted()))],
    ])
    let client = try await SessionSupport.client(engine)
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
    let client = try await SessionSupport.client(engine)
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
      [.event(.text(" \n")), .event(.finished(.scripted()))],
      [.event(.text("four")), .event(.finished(.scripted()))],
    ])
    let client = try await SessionSupport.client(engine)
    _ = try await client.call(Chat.self, Chat.Params("a", in: Self.id))
    let before = try await client.call(SessionGet.self, SessionParams(sessionID: Self.id))
    await client.expect(1013) { try await $0.call(Chat.self, Chat.Params("b", in: Self.id)) }
    await client.expect(1009) { try await $0.call(Chat.self, Chat.Params("c", in: Self.id)) }
    await client.expect(1005) { try await $0.call(Chat.self, Chat.Params(" \u{200B}\n", in: Self.id)) }
    #expect(try await client.call(SessionGet.self, SessionParams(sessionID: Self.id)) == before)
    #expect(try await client.call(Chat.self, Chat.Params("d", in: Self.id)).text == "four")
    #expect(SessionSupport.said(try #require(engine.prompts.last).messages) == ["a", "one", "d"])
    _ = await client.end()
  }

  // MARK: Names

  @Test func sessionsAreListedInTheOrderTheyWereMade() async throws {
    let client = try await SessionSupport.client(SessionSupport.counting())
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
    let client = try await SessionSupport.client(SessionSupport.counting())
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
    let client = try await SessionSupport.client(SessionSupport.counting()) { $0.instructions = "Be brief." }
    for text in ["a", "b", "c"] { _ = try await client.call(Chat.self, Chat.Params(text, in: Self.id)) }
    func prompts(_ id: SessionID) async throws -> [String] {
      try await client.call(SessionGet.self, SessionParams(sessionID: id)).transcript.turns.map(\.prompt.words)
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
    let engine = SessionSupport.counting()
    let client = try await SessionSupport.client(engine)
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
    #expect(SessionSupport.said(told.messages) == ["a", "answer 0", "b"])
    change.keepHistory = false
    change.personality = .buzz
    let session = try await client.call(SessionUpdate.self, change).session
    #expect(session.turns == 0 && session.personality == .buzz && session.title == "T" && session.maxTurns == 5)
    _ = await client.end()
  }
}
