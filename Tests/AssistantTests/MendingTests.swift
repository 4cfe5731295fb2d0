import Assistant
import AssistantProtocol
import EngineProtocol
import JSONRPC
import TestSupport
import Testing

/// Stretches of `assistant/rephrase` that are written sentence by sentence, on an engine that answers by the prompt.
@Suite(.timeLimit(.minutes(2))) struct MendingTests {
  private static let token = ProgressToken(RequestID(81))
  private static let source = "It takes 41 ms at most.  She goes home by train. We meet Anna in `room 12` today."
  private static let whole = "It takes a while, she leaves by train and then we meet."

  private struct Outcome {
    var result: Rephrase.Result
    var prompts: [GenerateParams]

    var codes: [WarningCode] { result.common.warnings.map(\.code) }
    /// What was asked for besides the whole.
    func sentences(of source: String) -> [GenerateParams] { prompts.filter { $0.source != source } }
  }

  /// The one door: a request, and an engine that writes what the table says for a text, else the text for a whole.
  private func run(
    _ params: Rephrase.Params, encoding: PositionEncoding = .utf16, restarts: Bool = false,
    finish: GenerateResult = .scripted(), whole: String = Self.whole, _ sentences: [String: String] = [:]
  ) async throws -> Outcome {
    let engine = ScriptedEngine(answers: { params in
      let text = sentences[params.source] ?? whole
      let isRestarted = restarts && sentences[params.source] != nil
      let before: [ScriptedEngine.Step] = isRestarted ? [.event(.text("It was")), .event(.restarted)] : []
      return before + [.event(.text(text)), .event(.finished(sentences[params.source] == nil ? .scripted() : finish))]
    })
    let client = await TestClient(engine)
    try await client.initialize(encodings: [encoding])
    var params = params
    params.common.partialResultToken = Self.token
    let result = try await client.connection.request(Rephrase.self, params, timeout: .seconds(60))
    let shown = try #require(assembled(client.partials(Self.token), encoding))
    #expect(shown.hasSameBytes(as: result.text))
    let outcome = Outcome(result: result, prompts: engine.prompts)
    #expect(result.common.usage.promptTokens == outcome.prompts.count * GenerateResult.scripted().promptTokens)
    #expect(result.common.usage.completionTokens == outcome.prompts.count * GenerateResult.scripted().completionTokens)
    _ = await client.end()
    return outcome
  }

  private func request(_ text: String = Self.source, _ tone: Tone = .formal, alternatives: Int = 1) -> Rephrase.Params {
    Rephrase.Params(text: text, tone: tone, alternatives: alternatives)
  }

  private static let good = [
    "It takes 41 ms at most.": "At most it takes 41 ms.",
    "She goes home by train.": "By train she returns home",
    "We meet Anna in `room 12` today.": "Today we meet Anna in `room 12`.",
  ]

  @Test func whatEachSentenceKeepsTheWholeKeeps() async throws {
    let outcome = try await run(request(), Self.good)
    // With the white space and the marks of the source.
    #expect(
      outcome.result.text == "At most it takes 41 ms.  By train she returns home. Today we meet Anna in `room 12`.")
    #expect(outcome.codes == [.retried])
    let asked = outcome.sentences(of: Self.source)
    #expect(asked.map(\.source) == Self.good.keys.sorted { Self.position($0) < Self.position($1) })
    for prompt in asked {
      #expect(prompt.sampling.temperature == 0)
      let text = prompt.messages.last?.text ?? ""
      #expect(text.contains("Keep exactly: 41 ms .") == prompt.source.contains("41"))
      #expect(text.contains("`room 12` .") == prompt.source.contains("room"))
    }
  }

  private static func position(_ sentence: String) -> Int {
    source.firstRange(of: sentence).map { source.utf8.distance(from: source.startIndex, to: $0.lowerBound) } ?? -1
  }

  @Test func aSentenceWithoutAGoodDraftStays() async throws {
    let first = "It takes 41 ms at most."
    let rows = [
      "It takes a while at most.", "", "I'm sorry, but I can't assist with that.",
      "Es dauert ja nicht so lange wie das.",
      "Yesterday we moved the large table to room 12.", String(repeating: "It takes 41 ms and so it goes. ", count: 4),
      "It takes 41 ms at most.",
    ]
    for row in rows {
      var drafts = Self.good
      drafts[first] = row
      for encoding in PositionEncoding.allCases {
        let outcome = try await run(request("\n😀\n\n" + Self.source + "\n"), encoding: encoding, drafts)
        #expect(
          outcome.result.text
            == "\n😀\n\n" + first + "  By train she returns home. Today we meet Anna in `room 12`.\n", "\(row)")
        #expect(outcome.codes == [.retried, .unchanged], "\(row)")
        let warning = outcome.result.common.warnings.last
        #expect(warning?.message.hasPrefix("1 of 3 sentences is as it was") ?? false, "\(warning?.message ?? "")")
        let start = encoding.length(of: "\n😀\n\n")
        let end = encoding.length(of: outcome.result.text) - 1
        #expect(warning?.range == TextRange(start: start, end: end), "\(row)")
      }
    }
  }

  /// A sentence that is too short to tell its language is in that of the others.
  @Test func aShortSentenceStaysInTheLanguageOfTheOthers() async throws {
    let source = "Anna visits Berlin soon. It takes 41 ms at most, and then she goes home."
    let outcome = try await run(
      request(source),
      [
        "Anna visits Berlin soon.": "Anna ist dann bald auch mit uns und euch in Berlin.",
        "It takes 41 ms at most, and then she goes home.": "She goes home after 41 ms at most.",
      ])
    #expect(outcome.result.text == "Anna visits Berlin soon. She goes home after 41 ms at most.")
    #expect(outcome.codes == [.retried, .unchanged])
  }

  /// To lose data is worse than to change nothing.
  @Test func whatWouldLoseAStringStaysAsItIs() async throws {
    let text = "It fell from 73 ms to `a b` in 2024."
    let lost = "It is as it was: even the best rewrite lost “73 ms”, “2024”."
    for source in [text, "\t> \(text)\r\n", "😀 🎉\n\n\(text)\n\nNothing else is here.\n"] {
      for encoding in PositionEncoding.allCases {
        let outcome = try await run(
          request(source), encoding: encoding, whole: "It fell to a b.",
          ["Nothing else is here.": "Nothing else is here."])
        #expect(outcome.result.text.hasSameBytes(as: source))
        #expect(outcome.result.edits.isEmpty)
        let warning = try #require(outcome.result.common.warnings.first { $0.message == lost })
        #expect(warning.code == .unchanged)
        let start = encoding.length(of: source.firstRange(of: text).map { String(source[..<$0.lowerBound]) } ?? "")
        #expect(warning.range == TextRange(start: start, end: start + encoding.length(of: text)))
      }
    }
    // Many are not all named.
    let many = try await run(request("So 1, 2, 3, 4, 5, 6 and 7 are here."), whole: "So they are here.")
    #expect(many.result.common.warnings.last?.message.hasSuffix("“5” and 2 more.") ?? false)
    // Nor is another that loses it offered beside it.
    let two = try await run(request("It takes 41 ms at most.", alternatives: 2), whole: "It takes a while.")
    #expect(two.result.alternatives == ["It takes 41 ms at most."])
    #expect(two.codes == [.retried, .unchanged, .fewerAlternatives])
  }

  @Test func theBetterOneWins() async throws {
    // All sentences lose what they must keep, and so does the whole.
    let none = try await run(request(), ["It takes 41 ms at most.": "Soon.", "She goes home by train.": ""])
    #expect(none.result.text == Self.source)
    #expect(none.codes == [.retried, .unchanged])
    // A sentence would stay, for the sake of a text that is only somewhat long.
    let long =
      "It takes 41 ms, she goes by train, and Anna meets us in `room 12` today. "
      + "So it is 41 ms, and Anna in `room 12`, and a train that takes her home, with us at last in there by then, and "
      + "home it is for all of us but her, who goes there now."
    let kept = try await run(
      request(), whole: long,
      [
        "She goes home by train.": "By train she goes home.",
        "We meet Anna in `room 12` today.": "Today we meet Anna in `room 12`.",
      ])
    #expect(kept.result.text == long)
    #expect(kept.codes == [.retried])
    #expect(kept.sentences(of: Self.source).count == 3)
  }

  @Test func nothingMoreIsAskedWhenNothingCanBeMended() async throws {
    let good = "At most it takes 41 ms. By train she goes, and we meet Anna in `room 12` today."
    let many = (0..<30).map { "It takes \($0 + 100) ms at most. " }.joined()
    let rows: [(source: String, whole: String, jobs: Int)] = [
      (Self.source, good, 1),
      // No other words, a single sentence, more sentences than are mended.
      (Self.source, Self.source, 4),
      ("It takes 41 ms at most, and then she goes home.", Self.whole, 4),
      (many, Self.whole, 4),
    ]
    for row in rows {
      let outcome = try await run(request(row.source), whole: row.whole)
      #expect(outcome.prompts.count == row.jobs, "\(row.source)")
      #expect(outcome.sentences(of: row.source.asPrompted).isEmpty, "\(row.source)")
    }
  }

  @Test func ofAlternativesOnlyTheFirstIsMended() async throws {
    // Much too long, but with all that must stay.
    let long = String(repeating: "So it goes by then, and on from there. ", count: 4)
    let engine = ScriptedEngine(writes: { params, number in
      Self.good[params.source]
        ?? "It takes 41 ms, she leaves, in `room 12` \(["we", "they", "all"][number % 3]) meet. \(number) times. "
        + long
    })
    let client = await TestClient(engine)
    try await client.initialize()
    let result = try await client.connection.request(
      Rephrase.self, request(alternatives: 2), timeout: .seconds(10))
    #expect(result.alternatives.count == 2)
    #expect(result.text.hasPrefix("At most it takes 41 ms.  By train"))
    #expect(result.alternatives.last?.hasPrefix("It takes 41 ms, she leaves") ?? false)
    #expect(engine.prompts.filter { $0.source != Self.source }.count == 3)
    _ = await client.end()
  }

  /// Lines of a paragraph are filled again; a word or two are not asked for and not spoken of.
  @Test func theFormOfTheSourceIsKept() async throws {
    let source = "> Thanks! It takes 41 ms at most. She\n> goes home by train.\n"
    let outcome = try await run(request(source), Self.good)
    #expect(outcome.result.text == "> Thanks! At most it takes 41 ms. By\n> train she returns home.\n")
    #expect(outcome.codes == [.retried])
  }

  @Test func aTextOfSeveralStretchesIsMendedInItsPlace() async throws {
    let source = "- " + Self.source + "\n- We all go there now.\n"
    var drafts = Self.good
    drafts["We all go there now."] = "Now all of us go there."
    drafts["She goes home by train."] = ""
    let outcome = try await run(request(source), drafts)
    let text = "At most it takes 41 ms.  She goes home by train. Today we meet Anna in `room 12`."
    #expect(outcome.result.text == "- " + text + "\n- Now all of us go there.\n")
    #expect(outcome.result.common.warnings.last?.range == TextRange(start: 2, end: 2 + text.utf16.count))
  }

  @Test func theLimitIsForTheSentencesToo() async throws {
    let each = GenerateResult.scripted().completionTokens
    var params = request()
    params.common.options = GenerationOptions()
    params.common.options?.maxTokens = each + 1
    let outcome = try await run(params, Self.good)
    #expect(
      outcome.result.text == "At most it takes 41 ms.  By train she returns home. We meet Anna in `room 12` today.")
    #expect(outcome.sentences(of: Self.source).map(\.maxTokens) == [each + 1, 1])
    #expect(outcome.result.common.finishReason == .length)
    #expect(outcome.codes == [.retried, .truncatedByLimit, .unchanged])
    // A sentence that is cut off is none, with and without a limit of the caller's.
    let cut = try await run(request(), finish: .scripted(.length), Self.good)
    #expect(cut.result.text == Self.source)
    #expect(cut.result.common.finishReason == .stop)
    params.common.options?.maxTokens = 4_000
    let roomy = try await run(params, Self.good)
    #expect(roomy.result.common.finishReason == .stop)
    for prompt in roomy.sentences(of: Self.source) { #expect(prompt.maxTokens < 200) }
  }

  @Test func optionsAreThoseOfTheRequest() async throws {
    var params = request()
    params.common.options = GenerationOptions()
    params.common.options?.temperature = 0.4
    params.common.options?.seed = 7
    let outcome = try await run(params, Self.good)
    for prompt in outcome.sentences(of: Self.source) {
      #expect(prompt.sampling.temperature == 0.4)
      #expect(prompt.sampling.seed == 7)
    }
  }

  @Test func aRestartOfTheEngineBeginsTheSentenceAnew() async throws {
    let outcome = try await run(request(), restarts: true, Self.good)
    #expect(
      outcome.result.text == "At most it takes 41 ms.  By train she returns home. Today we meet Anna in `room 12`.")
    #expect(outcome.codes == [.retried, .retried])
  }

  @Test func cancellingEndsAllSentences() async throws {
    let source = (0..<20).map { "It takes \($0 + 100) ms at most." }.joined(separator: " ")
    let never = Gate<Void>()
    let engine = ReadingEngine { params, _ in
      params.source == source ? .text(Self.whole) : .after(never, .text("It takes a while."))
    }
    let client = await TestClient(engine)
    try await client.initialize()
    let work = Task { try await client.connection.request(Rephrase.self, request(source)) }
    try await withDeadline(.seconds(5), "the sentences") {
      while engine.running < 8 { await Task.yield() }
    }
    #expect(engine.mostRunning == 8)
    work.cancel()
    await #expect(throws: RPCError.cancelled) { try await work.value }
    try await withDeadline(.seconds(5), "the end of the jobs") {
      while engine.running > 0 { await Task.yield() }
    }
    // No more were started: the whole, a few drafts of it, and the first sentences.
    #expect(engine.prompts.filter { $0.source != source }.count == 8)
    never.open()
    _ = await client.end()
  }
}
