import Assistant
import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

/// `assistant/rephrase` through a connection, on a scripted engine: `check` says what the model writes and what the
/// client gets.
@Suite(.timeLimit(.minutes(2))) struct RephraseTests {
  private static let token = ProgressToken(RequestID(1))

  private func check(
    _ text: String, writes pieces: [String], _ expected: String, stream: StreamMode = .delta,
    encoding: PositionEncoding = .utf16, result: GenerateResult = .scripted(), warnings: [WarningCode] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let client = await TestClient(ScriptedEngine(pieces: pieces, result))
    try await client.initialize(encodings: [encoding])
    var common = CommonParams()
    common.partialResultToken = Self.token
    common.stream = stream
    let answer = try await client.connection.request(
      Rephrase.self, Rephrase.Params(text: text, common: common), timeout: .seconds(10))
    #expect(answer.text.hasSameBytes(as: expected), "\(answer.text)", sourceLocation: sourceLocation)
    let shown = assembled(client.partials(Self.token), encoding)
    #expect(shown?.hasSameBytes(as: expected) ?? false, "\(shown ?? "?")", sourceLocation: sourceLocation)
    #expect(answer.common.warnings.map(\.code) == warnings, sourceLocation: sourceLocation)
    _ = await client.end()
  }

  private func checkError(
    _ params: Rephrase.Params, _ steps: [ScriptedEngine.Step], code: Int, kind: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let client = await TestClient(ScriptedEngine([steps]))
    try await client.initialize()
    let error = await #expect(throws: RPCError.self, sourceLocation: sourceLocation) {
      try await client.connection.request(Rephrase.self, params, timeout: .seconds(10))
    }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    #expect(error?.data?["kind"] == .string(kind), sourceLocation: sourceLocation)
    _ = await client.end()
  }

  @Test func theEdgesOfTheSourceAreKept() async throws {
    try await check("hello", writes: ["Good ", "day"], "Good day")
    try await check("  hello\n", writes: ["\n Good day", " \n\n"], "  Good day\n")
    try await check("\r\n\thello\r\n\r\n", writes: ["Good", "\n", "day"], "\r\n\tGood day\r\n\r\n")
    try await check("\u{3000}你好 ", writes: ["您好。", " "], "\u{3000}您好。 ")
    try await check("hello", writes: [" ", "a", " ", " ", "b", "\n"], "a  b")
    try await check("hello", writes: ["e", "\u{301}", " \u{301}x"], "e\u{301} \u{301}x")
  }

  @Test func snapshotsHoldAllTextSoFar() async throws {
    try await check(" hello ", writes: ["Good", " day", "!"], " Good day! ", stream: .snapshot)
  }

  @Test func warningsSayWhatAReaderShouldKnow() async throws {
    // The model ran on: what has no end is not offered.
    try await check("a", writes: ["b"], "a", result: .scripted(.length), warnings: [.retried, .unchanged])
    try await check("a", writes: ["b"], "b", result: .scripted(.contextFull), warnings: [.truncatedByLimit])
    var full = GenerateResult.scripted()
    full.contextUsed = 7_400
    try await check("a", writes: ["b"], "b", result: full, warnings: [.contextNearlyFull])
    var circles = GenerateResult.scripted()
    circles.repeated = true
    try await check("a", writes: ["b"], "b", result: circles, warnings: [.retried, .truncatedByLimit])
    try await check("a", writes: ["b\u{202E}\u{202E}c"], "b\u{202E}\u{202E}c", warnings: [.suspiciousCharacters])
    try await check("a\u{202E}", writes: ["b\u{202E}c"], "b\u{202E}c")
    try await check("a", writes: ["👩‍👩‍👧‍👦"], "👩‍👩‍👧‍👦")
  }

  @Test func theRangeOfAWarningIsInTheNegotiatedEncoding() async throws {
    for (encoding, expected) in [
      (PositionEncoding.utf8, TextRange(start: 4, end: 7)), (.utf16, TextRange(start: 2, end: 3)),
      (.utf32, TextRange(start: 1, end: 2)),
    ] {
      let client = await TestClient(ScriptedEngine(pieces: ["😀\u{202E}x"]))
      let initialized = try await client.initialize(encodings: [encoding])
      #expect(initialized.capabilities.positionEncoding == encoding)
      let answer = try await client.connection.request(
        Rephrase.self, Rephrase.Params(text: "a"), timeout: .seconds(10))
      #expect(answer.common.warnings.map(\.range) == [expected])
      _ = await client.end()
    }
  }

  @Test func failuresHaveTheirCodes() async throws {
    let hello = Rephrase.Params(text: "hello")
    func fails(_ failure: EngineFailure) -> [ScriptedEngine.Step] { [.event(.failed(failure))] }
    try await checkError(Rephrase.Params(text: ""), [], code: 1005, kind: "emptyPrompt")
    try await checkError(Rephrase.Params(text: " \u{3000}\r\n"), [], code: 1005, kind: "emptyPrompt")
    try await checkError(
      hello, [.event(.text(" \n")), .event(.finished(.scripted()))], code: 1009, kind: "emptyOutput")
    try await checkError(hello, fails(.unavailable(.unloaded)), code: 1001, kind: "modelUnavailable")
    try await checkError(
      hello, fails(.contextWindowExceeded(promptTokens: 9, contextSize: 8, reservedForOutput: 1)), code: 1002,
      kind: "contextWindowExceeded")
    for reason in EngineFailureReason.allCases {
      try await checkError(hello, fails(.died(reason)), code: 1013, kind: "engineFailed")
    }
    try await checkError(hello, fails(.overloaded(limit: 256)), code: 1012, kind: "overloaded")
    try await checkError(hello, fails(.refused("no")), code: -32803, kind: "requestFailed")
    var inSession = CommonParams()
    inSession.sessionID = SessionID("s")
    try await checkError(
      Rephrase.Params(text: "a", common: inSession), [], code: 1003, kind: "sessionNotFound")
  }

  @Test func wrongParametersAreNamed() async throws {
    struct Raw: RequestMethod {
      static let name = Rephrase.name
      typealias Params = JSONValue
      typealias Result = JSONValue
    }
    let client = await TestClient(ScriptedEngine(pieces: ["never"]))
    try await client.initialize()
    let wrong: [(JSONValue, String)] = [
      (["tone": "formal"], "text"), (["text": "a", "tone": "loud"], "“proofread”"),
      (["text": "a", "personality": "pirate"], "“neutral”"),
      (["text": "a", "options": ["temperature": -1]], "temperature"),
      (["text": "a", "options": ["temperature": 1e9]], "temperature"),
      (["text": "a", "options": ["topK": -5]], "topK"),
      (["text": "a", "options": ["seed": 1_099_511_627_776]], "seed"),
      (["text": "a", "options": ["maxTokens": 0]], "maxTokens"),
      (["text": .string(String(repeating: "a", count: (4 << 20) + 1))], "4194304"),
    ]
    for (params, word) in wrong {
      let error = await #expect(throws: RPCError.self) {
        try await client.connection.request(Raw.self, params, timeout: .seconds(10))
      }
      #expect(error?.code == -32602)
      #expect(error?.message.contains(word) ?? false, "\(error?.message ?? "")")
    }
    _ = await client.end()
  }

  @Test func aRestartReplacesWhatIsShown() async throws {
    let engine = ScriptedEngine([
      [
        .event(.text("wrong")), .event(.restarted), .event(.text("right")), .event(.text(" thing")),
        .event(.finished(.scripted())),
      ]
    ])
    let client = await TestClient(engine)
    try await client.initialize()
    var common = CommonParams()
    common.partialResultToken = Self.token
    let answer = try await client.connection.request(
      Rephrase.self, Rephrase.Params(text: "a", common: common), timeout: .seconds(10))
    #expect(answer.text == "right thing")
    #expect(assembled(client.partials(Self.token), .utf16) == "right thing")
    #expect(answer.common.warnings.map(\.code) == [.retried])
    _ = await client.end()
  }

  @Test func anExampleOfThePromptIsNoAnswer() async throws {
    var counted = GenerateResult.scripted()
    counted.promptTokens = 100
    let rows: [(source: String, first: String, isRunAgain: Bool)] = [
      ("ok", "Anna said that it is fine.", true),
      ("where r u", "Please call me when you arrive at home.", true),
      ("sorry, the shop is closed today", "I am sorry, but the shop is closed today.", false),
      ("ok", "That is agreeable to me.", false),
    ]
    for row in rows {
      let engine = ScriptedEngine([
        [.event(.text(row.first)), .event(.finished(counted))],
        [.event(.text("Very ")), .event(.text("well.")), .event(.finished(counted))],
      ])
      let client = await TestClient(engine)
      try await client.initialize()
      var common = CommonParams()
      common.partialResultToken = Self.token
      let answer = try await client.connection.request(
        Rephrase.self, Rephrase.Params(text: row.source, common: common), timeout: .seconds(10))
      #expect(answer.text == (row.isRunAgain ? "Very well." : row.first))
      #expect(assembled(client.partials(Self.token), .utf16) == answer.text)
      #expect(answer.common.warnings.map(\.code) == (row.isRunAgain ? [.retried] : []))
      // Counts are sums over the drafts.
      #expect(engine.prompts.count == (row.isRunAgain ? 2 : 1))
      #expect(answer.common.usage.promptTokens == engine.prompts.count * 100)
      if row.isRunAgain { #expect(engine.prompts[1].messages.count == 2) }
      _ = await client.end()
    }
  }

  @Test func progressTellsOfLoadingAndReading() async throws {
    let next = (0..<3).map { _ in Gate<Void>() }
    let engine = ScriptedEngine([
      [
        .event(.loading(progress: 0.5)), .wait(next[0]), .event(.reading(done: 256, total: 1024)), .wait(next[1]),
        .event(.text("x")), .wait(next[2]), .event(.finished(.scripted())),
      ]
    ])
    let client = await TestClient(engine)
    try await client.initialize()
    var common = CommonParams()
    common.workDoneToken = Self.token
    let params = Rephrase.Params(text: "a", common: common)
    async let answer = client.connection.request(Rephrase.self, params, timeout: .seconds(10))
    // Reports that wait in the queue are merged, so each is read before the next is made.
    for (index, gate) in next.enumerated() {
      try await withDeadline(.seconds(5), "report \(index)") {
        while client.work(Self.token).count < index + 2 { await Task.yield() }
      }
      gate.open()
    }
    _ = try await answer
    #expect(
      client.work(Self.token) == [
        .begin(WorkDoneBegin(title: "Rephrase", percentage: 0)),
        .report(WorkDoneReport(message: "Loading the model", percentage: 25)),
        .report(WorkDoneReport(message: "Reading the text", percentage: 60)),
        .report(WorkDoneReport(message: "Writing", percentage: 90)), .end(WorkDoneEnd()),
      ])
    _ = await client.end()
  }

  @Test func aCancelledRequestIsAnsweredAndEndsAtTheEngine() async throws {
    let never = Gate<Void>()
    let engine = ScriptedEngine([[.event(.text("some")), .wait(never)]])
    let client = await TestClient(engine)
    try await client.initialize()
    var common = CommonParams()
    common.partialResultToken = Self.token
    let request = Task {
      try await client.connection.request(Rephrase.self, Rephrase.Params(text: "a", common: common))
    }
    try await withDeadline(.seconds(5), "a partial result") {
      while client.partials(Self.token).isEmpty { await Task.yield() }
    }
    request.cancel()
    await #expect(throws: RPCError.cancelled) { try await request.value }
    try await withDeadline(.seconds(5), "the engine's cancel") { await engine.cancelled.wait() }
    never.open()
    _ = await client.end()
  }

  @Test func whatTheModelIsTold() async throws {
    let engine = ScriptedEngine(pieces: ["x"])
    let client = await TestClient(engine)
    try await client.initialize()
    for tone in Tone.builtin {
      var common = CommonParams()
      common.instructions = "Say “you”."
      common.options = GenerationOptions()
      common.options?.temperature = 0.5
      common.options?.seed = 7
      common.options?.maxTokens = 11
      _ = try await client.connection.request(
        Rephrase.self, Rephrase.Params(text: "  hello \n", tone: tone, common: common), timeout: .seconds(10))
    }
    let prompts = engine.prompts
    #expect(prompts.count == Tone.builtin.count)
    #expect(Set(prompts.map { $0.messages.prefix($0.pinnedMessages).map(\.text) }).count == 1)
    #expect(Set(prompts.map { $0.messages.last?.text ?? "" }).count == Tone.builtin.count)
    for prompt in prompts {
      #expect(prompt.messages.last?.role == .user)
      #expect(prompt.messages.last?.text.hasSuffix("\n\nhello") ?? false)
      #expect(prompt.messages.last?.text.contains("Say “you”.") ?? false)
      #expect(prompt.sampling.temperature == 0.5)
      #expect(prompt.sampling.seed == 7)
      #expect(prompt.maxTokens == 11)
    }
    _ = await client.end()
  }

  /// Deltas put together are the text, whatever is written in whatever pieces.
  @Test(arguments: PositionEncoding.allCases)
  func deltasPutTogetherAreTheText(encoding: PositionEncoding) async throws {
    let alphabet: [String] = [
      "a", "Z", "7", " ", "  ", "\n", "\r\n", "\t", ".", "你", "好", "。", "日本", "한", "😀", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "👍🏽",
      "é", "e\u{301}", "שלום", "مرحبا", "\u{200F}", "\u{FE0F}", "\u{10FFFF}", "\u{3000}", "नमस्ते", "𝒜",
    ]
    var random = SplitMix64(seed: 20_26)
    var scripts: [String: [String]] = [:]
    var sources: [String] = []
    func text(_ count: Int, _ alphabet: [String]) -> String {
      (0..<count).map { _ in alphabet.randomElement(using: &random) ?? "" }.joined()
    }
    let oneLine = alphabet.filter { !$0.contains(where: \.isNewline) }
    while sources.count < 200 {
      let count = Int.random(in: 0...4, using: &random)
      let source = text(count, oneLine) + "x" + text(Int.random(in: 0...4, using: &random), oneLine)
      let written = text(Int.random(in: 0...12, using: &random), alphabet) + "y" + text(count * 7, alphabet)
      var pieces: [String] = []
      var rest = Array(written.unicodeScalars)[...]
      while !rest.isEmpty {
        let count = Int.random(in: 1...min(5, rest.count), using: &random)
        var piece = String.UnicodeScalarView()
        piece.append(contentsOf: rest.prefix(count))
        pieces.append(String(piece))
        rest = rest.dropFirst(count)
      }
      sources.append(source)
      scripts[source.asPrompted] = pieces
    }
    let engine = ScriptedEngine(answers: { [scripts] params in
      (scripts[params.source] ?? ["unknown"]).map { .event(.text($0)) } + [.event(.finished(.scripted()))]
    })
    let client = await TestClient(engine)
    try await client.initialize(encodings: [encoding])
    for (index, source) in sources.enumerated() {
      var common = CommonParams()
      let token = ProgressToken(RequestID(index))
      common.partialResultToken = token
      let answer = try await client.connection.request(
        Rephrase.self, Rephrase.Params(text: source, common: common), timeout: .seconds(10))
      let shown = assembled(client.partials(token), encoding)
      try #require(shown?.hasSameBytes(as: answer.text) ?? false, "request \(index): \(source.debugDescription)")
      // Edges from the source, the words from the model, unless they have nothing to do with the source.
      let edge: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace }
      let scalars = Array(source.unicodeScalars)
      let leading = scalars.prefix(while: edge)
      let trailing = Array(scalars.reversed().prefix(while: edge).reversed())
      let result = Array(answer.text.unicodeScalars)
      try #require(result.starts(with: leading) && Array(result.suffix(trailing.count)) == trailing, "request \(index)")
      let isKept = answer.common.warnings.contains { $0.code == .unchanged }
      let words = isKept ? source : (scripts[source.asPrompted] ?? []).joined()
      let written = words.unicodeScalars.filter { !edge($0) }
      try #require(result.filter { !edge($0) } == Array(written), "request \(index): \(answer.text.debugDescription)")
    }
    _ = await client.end()
  }
}
