import Assistant
import AssistantProtocol
import EngineProtocol
import JSONRPC
import TestSupport
import Testing

/// Persisted sessions through connections: who sees them, who waits for whom, and what two daemons do to each other.
@Suite(.timeLimit(.minutes(2))) struct PersistedSessionTests {
  private static let id = SessionSupport.id

  // MARK: One daemon

  @Test func allConnectionsShareAPersistedSession() async throws {
    let store = try StoreFolder()
    let server = try store.server()
    let (first, second) = (try await StoreFolder.client(of: server), try await StoreFolder.client(of: server))
    try await first.persist("s")
    try await first.say("a", in: "s")
    #expect(try await second.prompts("s") == ["a"])
    try await second.say("b", in: "s")
    #expect(try await first.prompts("s") == ["a", "b"])
    let own = try await first.call(SessionCreate.self, SessionCreate.Params()).session
    #expect(try await first.sessions().map(\.sessionID) == [Self.id, own.sessionID])
    #expect(try await second.sessions().map(\.sessionID) == [Self.id])
    await second.expect(1014) { try await $0.persist("s") }
    await second.expect(1014) { try await $0.call(SessionCreate.self, SessionCreate.Params(sessionID: Self.id)) }
    await first.expect(1014) { try await $0.persist(own.sessionID.text) }
    #expect(try await second.call(ModelStatus.self, Empty()).sessions == 2)
    _ = await first.end()
    #expect(try await second.prompts("s") == ["a", "b"])
    _ = try await second.call(SessionDelete.self, SessionParams(sessionID: Self.id))
    await second.expect(1003) { try await $0.held("s") }
    await second.expect(1003) { try await $0.call(SessionDelete.self, SessionParams(sessionID: Self.id)) }
    _ = await second.end()
  }

  @Test func aSessionIsBusyForAllConnections() async throws {
    let store = try StoreFolder()
    let gate = Gate<Void>()
    let engine = ScriptedEngine([[.event(.text("a")), .wait(gate), .event(.finished(.scripted()))]])
    let server = try store.server(engine)
    let (first, second) = (try await StoreFolder.client(of: server), try await StoreFolder.client(of: server))
    // Both in one go: the session is taken in the order of the messages.
    async let made = first.persist("s")
    async let answer = first.say("x", in: "s")
    #expect(try await made.session.persisted)
    try await withDeadline(.seconds(5), "the request at work") {
      while try await !second.held("s").session.busy {}
    }
    await second.expect(1004) { try await $0.say("y", in: "s") }
    await second.expect(1004) { try await $0.call(SessionReset.self, SessionParams(sessionID: Self.id)) }
    #expect(try await second.sessions().map(\.busy) == [true])
    let fork = try await second.call(SessionFork.self, SessionFork.Params(sessionID: Self.id)).session
    #expect(fork.persisted && fork.turns == 0 && !fork.busy)
    gate.open()
    #expect(try await answer.text == "a")
    #expect(try await second.held("s").session.turns == 1)
    _ = await first.end()
    _ = await second.end()
  }

  @Test func deletingCancelsTheRequestOfAnotherConnection() async throws {
    let store = try StoreFolder()
    let gate = Gate<Void>()
    let engine = ScriptedEngine([[.wait(gate)]])
    let server = try store.server(engine)
    let (first, second) = (try await StoreFolder.client(of: server), try await StoreFolder.client(of: server))
    try await first.persist("s")
    async let outcome = first.error { try await $0.say("x", in: "s") }
    try await withDeadline(.seconds(5), "the request at work") {
      while try await !second.held("s").session.busy {}
    }
    _ = try await second.call(SessionDelete.self, SessionParams(sessionID: Self.id))
    #expect(await outcome?.code == -32800)
    gate.open()
    #expect(try await second.sessions().isEmpty)
    _ = await first.end()
    _ = await second.end()
  }

  @Test func changesAreKept() async throws {
    let store = try StoreFolder()
    let engine = ScriptedEngine(writes: { params, number in params.shape == nil ? "answer \(number)" : #"["One."]"# })
    let first = try await store.client(engine)
    try await first.persist("s") { $0.instructions = "Be brief." }
    for text in ["a", "b", "c"] { try await first.say(text, in: "s") }
    var retry = Chat.Params()
    (retry.retry, retry.common.sessionID) = (true, Self.id)
    _ = try await first.call(Chat.self, retry)
    _ = try await first.call(SessionFork.self, SessionFork.Params(sessionID: Self.id, turns: 2))
    _ = try await first.call(SessionRewind.self, SessionRewind.Params(sessionID: Self.id, turns: 2))
    _ = try await first.call(Rephrase.self, .inSession(Self.id))
    var update = SessionUpdate.Params(sessionID: Self.id)
    (update.title, update.maxTurns) = ("T", 5)
    #expect(try await first.call(SessionUpdate.self, update).session.persisted)
    let before = try await first.held("s")
    _ = await first.end()
    let second = try await store.client(engine)
    #expect(try await second.held("s") == before)
    #expect(before.transcript.turns.map(\.response.feature) == [Chat.name, Rephrase.name])
    #expect(before.session.title == "T" && before.session.maxTurns == 5)
    #expect(try await second.prompts("saved-1") == ["a", "b"])
    #expect(try await second.held("saved-1").transcript.instructions?.text == "Be brief.")
    _ = try await second.call(SessionReset.self, SessionParams(sessionID: Self.id))
    _ = await second.end()
    let third = try await store.client(engine)
    #expect(try await third.prompts("s").isEmpty)
    _ = await third.end()
  }

  @Test func sessionsLeaveMemoryWhenThereAreMany() async throws {
    let store = try StoreFolder()
    let gate = Gate<Void>()
    let engine = ScriptedEngine(answers: { params in
      let isHeld = params.messages.last?.text == "wait"
      return (isHeld ? [.wait(gate)] : []) + [.event(.text("a")), .event(.finished(.scripted()))]
    })
    let client = try await store.client(engine)
    try await client.persist("first")
    let first = Chat.Params("wait", in: try #require(SessionID("first")))
    async let held = client.connection.request(Chat.self, first, timeout: .seconds(60))
    for number in 0..<(Limits.sessions + 6) {
      try await client.persist("s\(number)")
      try await client.say("x\(number)", in: "s\(number)")
    }
    #expect(try await client.call(ModelStatus.self, Empty()).sessions == Limits.sessions)
    // The one at work was never let go of, and those that were are read again.
    gate.open()
    #expect(try await held.common.warnings.isEmpty)
    #expect(try await client.prompts("first") == ["wait"])
    try await client.say("y", in: "s0")
    #expect(try await client.prompts("s0") == ["x0", "y"])
    #expect(try await client.call(ModelStatus.self, Empty()).sessions == Limits.sessions)
    #expect(try await client.sessions().count == Limits.sessions + 7)
    _ = await client.end()
  }

  @Test func messagesKeepTheirOrderWhileTheStoreWorks() async throws {
    let store = try StoreFolder()
    let client = try await store.client()
    let name = try #require(SessionID("own"))
    // Made by the store's thread, which looks whether the name is free; what follows must wait for it.
    let connection = client.connection
    async let made = connection.request(SessionCreate.self, SessionCreate.Params(sessionID: name), timeout: .seconds(5))
    async let said = connection.request(Chat.self, Chat.Params("x", in: name), timeout: .seconds(5))
    #expect(try await made.session.sessionID == name)
    #expect(try await said.text == "answer 0")
    _ = await client.end()
  }

  @Test func anEphemeralDaemonKeepsNothing() async throws {
    let client = try await StoreFolder.client(
      of: AssistantServer(
        engine: SessionSupport.counting(), version: "1", thermometer: Thermometer(root: "/dev/null")))
    let made = try await client.persist("s")
    #expect(!made.session.persisted && made.warnings.codes == [.notPersisted])
    #expect(made.warnings.first?.message.contains("--ephemeral") == true)
    #expect(try await client.say("a", in: "s").common.warnings.isEmpty)
    _ = await client.end()
  }

  // MARK: Two daemons

  @Test func twoDaemonsWorkInOneSessionInTurn() async throws {
    let store = try StoreFolder()
    let (first, second) = (try await store.client(), try await store.client())
    try await first.persist("s")
    var said: [String] = []
    for number in 0..<6 {
      said.append("\(number)")
      try await (number.isMultiple(of: 2) ? first : second).say("\(number)", in: "s")
    }
    #expect(try await first.prompts("s") == said)
    #expect(try await second.prompts("s") == said)
    await second.expect(1014) { try await $0.persist("s") }
    _ = try await second.call(SessionDelete.self, SessionParams(sessionID: Self.id))
    await first.expect(1003) { try await $0.say("x", in: "s") }
    #expect(try await first.sessions().isEmpty)
    _ = await first.end()
    _ = await second.end()
  }

  @Test(arguments: ["changed", "deleted", "made again"])
  func theFirstToFinishIsKept(_ kind: String) async throws {
    let store = try StoreFolder()
    let gate = Gate<Void>()
    let slow = ScriptedEngine(answers: { params in
      let isHeld = params.messages.last?.text == "slow"
      return (isHeld ? [.wait(gate)] : []) + [.event(.text("a")), .event(.finished(.scripted()))]
    })
    let (first, second) = (try await store.client(slow), try await store.client())
    try await first.persist("s")
    try await first.say("a", in: "s")
    async let outcome = first.error { try await $0.say("slow", in: "s") }
    try await withDeadline(.seconds(5), "the request at work") {
      while try await !first.held("s").session.busy {}
    }
    if kind == "changed" { try await second.say("b", in: "s") }
    if kind != "changed" {
      _ = try await second.call(SessionDelete.self, SessionParams(sessionID: Self.id))
      if kind == "made again" { try await second.persist("s") }
    }
    gate.open()
    let error = try #require(await outcome)
    switch kind {
    case "deleted":
      #expect(error.code == 1003)
      await first.expect(1003) { try await $0.held("s") }
    case _:
      #expect(error.code == -32801 && error.data?["kind"] == "contentModified" && error.data?["retryable"] == true)
      let kept = kind == "changed" ? ["a", "b"] : []
      #expect(try await first.prompts("s") == kept)
      // Sent again, it works with what is there now.
      try await first.say("again", in: "s")
      #expect(try await second.prompts("s") == kept + ["again"])
    }
    _ = await first.end()
    _ = await second.end()
  }
}
