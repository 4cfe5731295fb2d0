import Assistant
import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

/// `assistant/prewarm` through a connection.
@Suite(.timeLimit(.minutes(2))) struct PrewarmTests {
  private struct Raw: RequestMethod {
    static let name = Prewarm.name
    typealias Params = JSONValue
    typealias Result = Prewarm.Result
  }
  private struct RawNotice: NotificationMethod {
    static let name = Prewarm.name
    typealias Params = JSONValue
  }

  private static let long = SummaryTexts.long(40_000)

  /// What is known beforehand, and the request that follows. `messages` is how many are read of it.
  private static let rows: [(known: JSONValue, real: JSONValue, messages: Int)] = {
    let rephrase: JSONValue = ["text": " hello there \n", "tone": "shorter", "instructions": "Say “you”."]
    let summarize: JSONValue = ["text": "A text.", "style": "bullets", "count": 3]
    return [
      (["method": "assistant/rephrase", "params": rephrase], rephrase, 6),
      (["method": "assistant/rephrase", "params": ["tone": "shorter"]], rephrase, 5),
      (["method": "assistant/rephrase"], rephrase, 1), (["method": "assistant/rephrase", "params": []], rephrase, 1),
      (["method": "assistant/summarize", "params": summarize], summarize, 2),
      (["method": "assistant/summarize", "params": ["text": "A text."]], ["text": "A text."], 2),
      (["method": "assistant/summarize", "params": ["style": "headline"]], summarize, 1),
      (["method": "assistant/summarize", "params": ["text": .string(long)]], ["text": .string(long)], 1),
    ]
  }()

  /// What is read beforehand is the beginning of what the request reads, byte for byte.
  @Test func thePromptIsTheBeginningOfTheRealOne() async throws {
    for row in Self.rows {
      let engine = ReadingEngine { prompt, _ in .text(prompt.prefillOnly ? "" : "- One.\n- Two.\n- Three.") }
      let client = await TestClient(engine)
      try await client.initialize()
      let result = try await client.connection.request(Raw.self, row.known, timeout: .seconds(10))
      #expect(result == Prewarm.Result(promptTokens: 20, cachedTokens: 10))
      let read = try #require(engine.prompts.first)
      #expect(engine.prompts.count == 1 && read.prefillOnly && read.priority == .background)
      #expect(read.messages.count == row.messages)
      if row.known["method"] == "assistant/rephrase" {
        let params = try Rephrase.Params(json: row.real)
        _ = try await client.connection.request(Rephrase.self, params, timeout: .seconds(10))
      } else {
        let params = try Summarize.Params(json: row.real)
        _ = try await client.connection.request(Summarize.self, params, timeout: .seconds(30))
      }
      let real = try #require(engine.prompts.dropFirst().first)
      #expect(!real.prefillOnly && real.messages.count >= read.messages.count)
      for (left, right) in zip(read.messages, real.messages) {
        #expect(left.role == right.role && left.text.hasSameBytes(as: right.text))
      }
      _ = await client.end()
    }
  }

  /// Without a tone the text is read in the tones that are likely, the likeliest first, as long as that is cheap and
  /// nothing else is to be done.
  @Test func theTextIsReadInLikelyTones() async throws {
    let builtin = Tone.builtin
    #expect(builtin.first == .formal)
    let rest = builtin.filter { $0 != .shorter && $0 != .friendly }
    let rows: [(asked: [Tone], tokens: Int, reason: EngineProtocol.FinishReason, read: [Tone])] = [
      ([], 20, .stop, builtin), ([.shorter, .friendly], 20, .stop, [.friendly, .shorter] + rest),
      ([], 600, .stop, [.formal]), ([], 200, .stop, Array(builtin.prefix(3))), ([], 20, .length, [.formal]),
    ]
    for row in rows {
      let engine = ReadingEngine { prompt, _ in
        var result = GenerateResult.scripted(row.reason)
        (result.promptTokens, result.cachedTokens) = (row.tokens, 0)
        return prompt.prefillOnly ? .text("", result) : .text("Well, there.")
      }
      let client = await TestClient(engine)
      try await client.initialize()
      for tone in row.asked {
        _ = try await client.connection.request(Rephrase.self, Rephrase.Params(text: "well there", tone: tone))
      }
      let asked = engine.prompts.count
      for known in [["text": "hello there"], ["text": "hello there", "tone": nil]] as [JSONValue] {
        let before = engine.prompts.count
        let prewarm: JSONValue = ["method": "assistant/rephrase", "params": known]
        let result = try await client.connection.request(Raw.self, prewarm, timeout: .seconds(10))
        #expect(result == Prewarm.Result(promptTokens: row.read.count * row.tokens, cachedTokens: 0))
        #expect(engine.prompts.count - before == row.read.count)
      }
      for (tone, prompt) in zip(row.read, engine.prompts.dropFirst(asked)) {
        let params = Rephrase.Params(text: "hello there", tone: tone)
        _ = try await client.connection.request(Rephrase.self, params, timeout: .seconds(10))
        #expect(engine.prompts.last?.messages == prompt.messages, "\(tone)")
      }
      _ = await client.end()
    }
  }

  /// Neither the request nor what is read for it beforehand asks the engine for anything.
  @Test(arguments: [["text": "```\ncode\n```\n"], ["text": "---\n", "tone": "formal"]] as [JSONValue])
  func aTextWithoutProseIsNotRead(_ params: JSONValue) async throws {
    let engine = ReadingEngine { _, _ in .text("A word.") }
    let client = await TestClient(engine)
    try await client.initialize()
    let prewarm: JSONValue = ["method": "assistant/rephrase", "params": params]
    let result = try await client.connection.request(Raw.self, prewarm, timeout: .seconds(10))
    #expect(result == Prewarm.Result(promptTokens: 0, cachedTokens: 0))
    let real = try Rephrase.Params(json: params)
    _ = try await client.connection.request(Rephrase.self, real, timeout: .seconds(10))
    #expect(engine.prompts.isEmpty)
    _ = await client.end()
  }

  @Test func wrongParametersAreNamed() async throws {
    let client = await TestClient(ReadingEngine { _, _ in .text("") })
    try await client.initialize()
    let text = String(repeating: "a", count: 64 << 10)
    let wrong: [(JSONValue, String)] = [
      (["method": "assistant/chat"], "“assistant/rephrase”, “assistant/summarize”"),
      (["params": ["text": "a"]], "method is missing"),
      (["method": "assistant/rephrase", "params": 1], "params must be an object, not number"),
      (["method": "assistant/rephrase", "params": ["tone": "loud"]], "params.tone must be one of"),
      (["method": "assistant/summarize", "params": ["count": 21]], "params.count must be between 1 and 20"),
      (["method": "assistant/rephrase", "params": ["text": .string(text + "a")]], "at most 65536 bytes"),
      (
        ["method": "assistant/rephrase", "params": ["text": "a", "context": ["before": .string(text)]]],
        "at most 65536 bytes"
      ),
      (
        ["method": "assistant/summarize", "params": ["text": "a", "protect": [.string(text)]]], "at most 65536 bytes"
      ),
    ]
    for (params, words) in wrong {
      let error = await #expect(throws: RPCError.self) {
        try await client.connection.request(Raw.self, params, timeout: .seconds(10))
      }
      #expect(error?.code == -32602 && error?.message.contains(words) ?? false, "\(error?.message ?? "")")
    }
    _ = try await client.connection.request(
      Raw.self, ["method": "assistant/rephrase", "params": ["text": .string(text)]], timeout: .seconds(10))
    let inSession: JSONValue = ["method": "assistant/rephrase", "params": ["sessionId": "s"]]
    let error = await #expect(throws: RPCError.self) {
      try await client.connection.request(Raw.self, inSession, timeout: .seconds(10))
    }
    #expect(error?.code == 1003)
    _ = await client.end()
  }

  /// Where reading ahead is off, nothing is read and nothing fails; what is wrong is still refused.
  @Test func withoutReadingAhead() async throws {
    let engine = ReadingEngine { _, _ in .text("") }
    let server = AssistantServer(
      engine: engine, version: "1", thermometer: Thermometer(root: "/dev/null"), readsAhead: false)
    let client = await TestClient(server: server)
    try await client.initialize()
    let result = try await client.connection.request(Raw.self, Self.coming, timeout: .seconds(10))
    #expect(result == Prewarm.Result())
    await client.expect(-32602) { _ = try await $0.connection.request(Raw.self, ["method": "assistant/fly"]) }
    #expect(engine.prompts.isEmpty)
    _ = await client.end()
  }

  private static let coming: JSONValue = ["method": "assistant/rephrase", "params": ["text": "a", "tone": "formal"]]

  private static func waitForJobs(_ running: Int, seen: Int, _ engine: ReadingEngine) async throws {
    try await withDeadline(.seconds(10), "\(running) running of \(seen)") {
      while engine.running != running || engine.prompts.count != seen { await Task.yield() }
    }
  }

  /// A later one ends the one before, `{}` ends it without another, and so does the end of the connection.
  @Test(arguments: [true, false])
  func oneAtATime(asRequests: Bool) async throws {
    let never = Gate<Void>()
    let engine = ReadingEngine { _, _ in .after(never, .text("")) }
    let client = await TestClient(engine)
    try await client.initialize()
    func send(_ params: JSONValue) -> Task<Int?, Never> {
      guard asRequests else {
        client.connection.notify(RawNotice.self, params)
        return Task { nil }
      }
      return Task {
        do throws(RPCError) {
          return try await client.connection.request(Raw.self, params).promptTokens
        } catch {
          return error.code
        }
      }
    }
    let first = send(Self.coming)
    try await Self.waitForJobs(1, seen: 1, engine)
    let second = send(Self.coming)
    try await Self.waitForJobs(1, seen: 2, engine)
    #expect(await first.value == (asRequests ? -32800 : nil))
    let none = send([:])
    try await Self.waitForJobs(0, seen: 2, engine)
    #expect(await second.value == (asRequests ? -32800 : nil))
    #expect(await none.value == (asRequests ? 0 : nil))
    _ = send(Self.coming)
    try await Self.waitForJobs(1, seen: 3, engine)
    _ = await client.end()
    try await Self.waitForJobs(0, seen: 3, engine)
    never.open()
  }

  /// Many in a row, in whatever order their tasks start: the last one counts.
  @Test func theLastOneCounts() async throws {
    let never = Gate<Void>()
    let engine = ReadingEngine { _, _ in .after(never, .text("")) }
    let client = await TestClient(engine)
    try await client.initialize()
    let tones = Tone.builtin + Tone.builtin
    for tone in tones {
      let params: JSONValue = ["method": "assistant/rephrase", "params": ["text": "a", "tone": tone.json]]
      client.connection.notify(RawNotice.self, params)
    }
    #expect(tones.last == .proofread)
    try await withDeadline(.seconds(10), "the last one alone") {
      while true {
        let tasks = engine.runningPrompts.compactMap(\.messages.last?.text)
        if tasks.count == 1, tasks[0].hasPrefix("Correct the spelling") { return }
        await Task.yield()
      }
    }
    never.open()
    _ = await client.end()
  }

  @Test func itsFailureConcernsNobodyElse() async throws {
    let engine = ReadingEngine { prompt, _ in prompt.prefillOnly ? .failure(.died(.crashed)) : .text("Well.") }
    let client = await TestClient(engine)
    try await client.initialize()
    client.connection.notify(RawNotice.self, Self.coming)
    client.connection.notify(RawNotice.self, ["method": "nonsense"])
    let answer = try await client.connection.request(Rephrase.self, Rephrase.Params(text: "a"), timeout: .seconds(10))
    #expect(answer.text == "Well.")
    let error = await #expect(throws: RPCError.self) {
      try await client.connection.request(Raw.self, Self.coming, timeout: .seconds(10))
    }
    #expect(error?.code == 1013)
    _ = await client.end()
  }
}
