import Assistant
import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file of persisted sessions: what is in it, who may read it, and what becomes of one that is not sound.
@Suite(.timeLimit(.minutes(3))) struct SessionStoreTests {
  @Test func aSessionComesBackAsItWas() async throws {
    let store = try StoreFolder()
    let first = try await store.client()
    let made = try await first.persist("film") {
      $0.title = "A\u{0}film ☂"
      $0.instructions = "Be brief."
      $0.personality = .dory
      $0.contextPolicy = .slidingWindow
      $0.maxTurns = 7
      var tool = ToolDefinition()
      tool.builtin = .catalogSearch
      $0.tools = [tool]
      $0.transcript = Self.transcript(turns: 1)
      $0.transcript.summary = TranscriptEntry(.instructions, "Before.", feature: Summarize.name)
    }
    #expect(made.session.persisted && made.warnings.isEmpty)
    var quiet = Chat.Params("b", in: try #require(SessionID("film")))
    quiet.toolChoice = .none
    #expect(try await first.call(Chat.self, quiet).common.warnings.isEmpty)
    let before = try await first.held("film")
    let export = try await first.call(
      SessionExport.self, SessionExport.Params(sessionID: before.session.sessionID, format: .json)
    ).text
    _ = await first.end()
    let second = try await store.client()
    #expect(try await second.held("film") == before)
    #expect(try await second.sessions() == [before.session])
    let again = try await second.call(
      SessionExport.self, SessionExport.Params(sessionID: before.session.sessionID, format: .json)
    ).text
    #expect(again == export)
    #expect(before.session.turns == 2 && before.session.contextUsed > 0)
    // What was exported makes a session again, which is persisted as that one is.
    let copy = try await second.call(SessionCreate.self, SessionCreate.Params(json: JSONParser.parse(export)))
    #expect(copy.session.turns == 2 && copy.session.persisted)
    _ = await second.end()
  }

  /// Prompts, calls of tools and values, of which one holds what JSON must escape.
  private static func transcript(turns: Int, text: String = "a\u{0}\"\u{2028}") -> Transcript {
    var transcript = Transcript()
    for number in 0..<turns {
      var call = TranscriptEntry()
      (call.role, call.callID, call.name, call.arguments) = (.toolCall, "c", "catalogSearch", ["query": "sea"])
      var output = TranscriptEntry()
      (output.role, output.callID, output.error) = (.toolOutput, "c", "none")
      transcript.turns.append(
        Transcript.Turn(
          prompt: TranscriptEntry(.prompt, "\(text) \(number)", at: "2026-01-01T00:00:00Z"),
          calls: number == 0 ? [call, output] : [],
          response: TranscriptEntry(.response, "[1.50]", value: [1.5], feature: Generate.name, kind: .tags)))
    }
    return transcript
  }

  @Test func nobodyElseMayReadTheFiles() async throws {
    // The mask is the process's: what other tests make meanwhile is in folders of their own.
    let mask = umask(0)
    defer { umask(mask) }
    let store = try StoreFolder()
    let client = try await store.client()
    try await client.persist("a")
    try await client.say("x", in: "a")
    var info = stat()
    #expect(stat(store.folder.path("state/inkling"), &info) == 0 && info.st_mode & 0o777 == 0o700)
    #expect(Set(store.files).isSuperset(of: ["sessions.sqlite", "sessions.sqlite-wal", "sessions.sqlite-shm"]))
    for name in store.files {
      #expect(stat(store.folder.path("state/inkling/" + name), &info) == 0 && info.st_mode & 0o777 == 0o600, "\(name)")
    }
    _ = await client.end()
  }

  @Test func nothingIsMadeBeforeASessionIsPersisted() async throws {
    let store = try StoreFolder()
    let client = try await store.client()
    _ = try await client.call(SessionCreate.self, SessionCreate.Params(sessionID: SessionSupport.id))
    try await client.say("a", in: "s")
    _ = try await client.call(Rephrase.self, Rephrase.Params(text: "gonna be late"))
    #expect(try await client.sessions().map(\.persisted) == [false])
    await client.expect(1003) { try await $0.held("other") }
    #expect(Files.list(store.folder.root) == [])
    _ = await client.end()
  }

  // MARK: Versions

  @Test func aFileIsBroughtToTheNewestVersionAndANewerOneIsLeftAlone() async throws {
    let store = try StoreFolder()
    let old = try await store.client()
    try await old.persist("a")
    try await old.say("x", in: "a")
    _ = await old.end()
    let more = StoreSchema.steps + ["ALTER TABLE sessions ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue'"]
    let new = try await store.client { $0.steps = more }
    #expect(try await new.prompts("a") == ["x"])
    try await new.say("y", in: "a")
    #expect(try await new.prompts("a") == ["x", "y"])
    _ = await new.end()

    let before = try await settled(store)
    let older = try await store.client()
    await older.expect(-32803) { try await $0.held("a") }
    let made = try await older.persist("b")
    #expect(!made.session.persisted && made.warnings.codes == [.notPersisted])
    #expect(made.warnings.first?.message.contains("another version") == true)
    #expect(try await older.say("z", in: "b").common.warnings.codes == [.notPersisted])
    #expect(
      StoreExamination.of(store.path) == .unusable("it was written by another version of Inkling (its format is 2)"))
    _ = await older.end()
    #expect(try readFile(store.path) == before)
  }

  /// The file's bytes when nobody has it open any more: with the last connection the log goes into it.
  private func settled(_ store: StoreFolder) async throws -> [UInt8] {
    let path = store.path
    try await withDeadline(.seconds(10), "the end of the file's log") {
      while (try? readFile(path + "-wal")) != nil { await Task.yield() }
    }
    return try readFile(path)
  }

  // MARK: Damage

  @Test(arguments: ["no database", "damaged pages"])
  func aDamagedFileIsMovedAsideAndThatIsSaid(_ kind: String) async throws {
    let store = try StoreFolder()
    let log = Box<String>()
    let first = try await store.client()
    for name in ["a", "b"] { try await first.persist(name) { $0.transcript = Self.transcript(turns: 200) } }
    _ = await first.end()
    var bytes = try await settled(store)
    if kind == "no database" {
      bytes = Array("this is no database".utf8)
    } else {
      for place in stride(from: 4096 + 40, to: bytes.count, by: 512) { bytes[place] ^= 0xFF }
    }
    try writeFile(store.path, bytes)
    if case .damaged = StoreExamination.of(store.path) {} else { Issue.record("doctor does not see it") }
    let second = try await store.client(log: Log(level: .debug) { log.append($1) })
    #expect(try await second.sessions().isEmpty)
    let made = try await second.persist("c")
    #expect(made.session.persisted && made.warnings.codes == [.notPersisted])
    #expect(made.warnings.first?.message.contains(".corrupt-") == true)
    #expect(log.all.contains { $0.contains("damaged") })
    try await second.say("x", in: "c")
    #expect(try await second.prompts("c") == ["x"])
    let aside = try #require(store.files.first { $0.contains(".corrupt-") && !$0.hasSuffix("-wal") })
    #expect(try readFile(store.folder.path("state/inkling/" + aside)) == bytes)
    #expect(StoreExamination.of(store.path) != .nothing)
    _ = await second.end()
  }

  @Test func aFileThatIsTakenAwayUnderADaemonLosesNothingThatIsAtWork() async throws {
    let store = try StoreFolder()
    let client = try await store.client()
    try await client.persist("a")
    try await client.say("x", in: "a")
    #expect(rename(store.path, store.path + ".away") == 0)
    let result = try await client.say("y", in: "a")
    #expect(result.common.warnings.isEmpty)
    _ = await client.end()
    let other = try await store.client()
    #expect(try await other.prompts("a") == ["x", "y"])
    _ = await other.end()
  }

  // MARK: Size

  @Test func aTurnAddsToTheFileWhatItSays() async throws {
    let store = try StoreFolder()
    let client = try await store.client()
    try await client.persist("long") { $0.transcript = Self.transcript(turns: 10_000) }
    func size() throws -> Int { try readFile(store.path + "-wal").count + readFile(store.path).count }
    let before = try size()
    for number in 0..<10 { try await client.say("\(number)", in: "long") }
    // A few pages for each: rewriting the session would add a megabyte each time.
    #expect(try size() - before < 10 * 12 * 4096)
    _ = await client.end()
  }

  @Test func thereIsAnEndToPersistedSessions() async throws {
    let store = try StoreFolder()
    let client = try await store.client()
    for number in 0..<Limits.storedSessions { try await client.persist("s\(number)") }
    await client.expect(1012) { try await $0.persist("more") }
    #expect(try await client.sessions().count == Limits.storedSessions)
    #expect(StoreExamination.of(store.path) != .nothing)
    _ = try await client.call(SessionDelete.self, SessionParams(sessionID: try #require(SessionID("s7"))))
    #expect(try await client.persist("more").session.persisted)
    _ = await client.end()
  }

  // MARK: What cannot be written

  @Test func aFullDiskTakesNoAnswerAway() async throws {
    let store = try StoreFolder()
    let client = try await store.client { $0.pageLimit = 40 }
    try await client.persist("a")
    var said: [String] = []
    var failed = false
    while !failed, said.count < 60 {
      said.append(String(repeating: "\(said.count) ", count: 2_000))
      failed = try await client.say(try #require(said.last), in: "a").common.warnings.codes == [.notPersisted]
    }
    #expect(failed && said.count > 2)
    #expect(try await client.held("a").session.persisted == false)
    #expect(try await client.prompts("a") == said)
    #expect(client.sessionChanges.last?.session.persisted == false)
    let held = try await store.client()
    #expect(try await held.prompts("a") == said.dropLast())
    _ = await held.end()
    // With room again all that is missing is written.
    _ = try await client.call(
      SessionRewind.self, SessionRewind.Params(sessionID: try #require(SessionID("a")), turns: said.count - 1))
    #expect(try await client.say("small", in: "a").common.warnings.isEmpty)
    #expect(try await client.held("a").session.persisted)
    _ = await client.end()
    let again = try await store.client()
    #expect(try await again.prompts("a") == [said[0], "small"])
    if case .usable(sessions: 1, turns: 2, bytes: _) = StoreExamination.of(store.path) {
    } else {
      Issue.record("\(StoreExamination.of(store.path))")
    }
    _ = await again.end()
  }

  @Test func aFolderThatCannotBeMadeTakesNoAnswerAway() async throws {
    let store = try StoreFolder()
    _ = try store.folder.file("state", [])
    let client = try await store.client()
    let made = try await client.persist("a")
    #expect(!made.session.persisted && made.warnings.codes == [.notPersisted])
    let said = try await client.say("x", in: "a")
    #expect(said.text == "answer 0" && said.common.warnings.codes == [.notPersisted])
    await client.expect(1014) { try await $0.persist("a") }
    #expect(try await client.sessions().map(\.persisted) == [false])
    // Now it can be made: the next turn brings all of it to the disk.
    #expect(unlink(store.folder.path("state")) == 0)
    #expect(try await client.say("y", in: "a").common.warnings.isEmpty)
    _ = await client.end()
    let other = try await store.client()
    #expect(try await other.prompts("a") == ["x", "y"])
    _ = await other.end()
  }
}
