import Assistant
import AssistantProtocol
import EngineProtocol
import JSONRPC
import TestSupport
import Testing

/// Summaries that say what their text does not say, on an engine that reads.
@Suite(.timeLimit(.minutes(2))) struct JudgedSummaryTests {
  private static let token = ProgressToken(RequestID(91))
  private static let source = """
    The old keeper counted the steps every night. There were three hundred and four of them. Only the storm of 1987 \
    brought another one 😀, as the keeper told everyone.
    """
  private static let sentences = [
    "The old keeper counted the steps every night.", "There were three hundred and four of them.",
    "Only the storm of 1987 brought another one 😀, as the keeper told everyone.",
  ]
  private static let made = "Dragons destroyed wonderful castles."
  private static let small = 135_000_000
  private static let large = 7_000_000_000

  private struct Outcome {
    var result: Summarize.Result
    var prompts: [GenerateParams]

    var text: String { result.text }
    var warnings: [Warning] { result.common.warnings }
    var codes: [WarningCode] { warnings.map(\.code) }
  }

  /// The one door: a request, and an engine that answers what the closure says.
  private func run(
    _ params: Summarize.Params, weights: Int = Self.small, encoding: PositionEncoding = .utf16,
    _ answer: @escaping @Sendable (GenerateParams, _ number: Int) -> ReadingEngine.Answer
  ) async throws -> Outcome {
    let engine = ReadingEngine(parameterCount: weights, answer)
    let client = await TestClient(engine)
    try await client.initialize(encodings: [encoding])
    var params = params
    params.common.partialResultToken = Self.token
    let result = try await client.connection.request(Summarize.self, params, timeout: .seconds(60))
    #expect(assembled(client.partials(Self.token), encoding)?.hasSameBytes(as: result.text) ?? false)
    #expect(result.common.usage.completionTokens == 5 * engine.prompts.count)
    #expect(engine.running == 0)
    _ = await client.end()
    return Outcome(result: result, prompts: engine.prompts)
  }

  private func request(
    _ text: String = Self.source, _ style: Summarize.Style = .sentences, count: Int = 1
  ) -> Summarize.Params {
    Summarize.Params(text: text, style: style, count: count)
  }

  /// The answers in their order; the last goes on.
  private func run(
    _ params: Summarize.Params, weights: Int = Self.small, encoding: PositionEncoding = .utf16, _ texts: [String]
  ) async throws -> Outcome {
    try await run(params, weights: weights, encoding: encoding) { _, number in
      .text(texts[min(number, texts.count - 1)])
    }
  }

  @Test func whatIsMadeUpIsReplaced() async throws {
    let rows: [(unit: String, own: String)] = [
      // Nothing of it is in the text: its first sentence.
      (Self.made, Self.sentences[0]),
      ("The wise keeper climbed some steps.", Self.sentences[0]),
      // A number that the text does not have.
      ("There were three hundred and 5 of them.", Self.sentences[1]), ("The storm of 1988 it was.", Self.sentences[2]),
      // Two in one.
      ("There were three hundred.and four of them.", Self.sentences[1]),
    ]
    for row in rows {
      let outcome = try await run(request(), [row.unit])
      #expect(outcome.text == row.own, "\(row.unit): \(outcome.text)")
      #expect(outcome.codes == [.retried, .unchanged], "\(row.unit)")
      #expect(outcome.warnings.last?.message.hasPrefix("The sentence is the text's own: ") ?? false)
      #expect(outcome.prompts.count == 4)
    }
    for good in ["The keeper counted.", "In 1987 he counted the steps each night.", "三百四。"] {
      let outcome = try await run(request(), [good])
      #expect(outcome.text == good)
      #expect(outcome.codes.isEmpty && outcome.prompts.count == 1, "\(good)")
    }
  }

  @Test func aBetterAnswerComesBeforeTheTextsOwnWords() async throws {
    let good = "The keeper counted his steps every night."
    for texts in [[Self.made, good, Self.made], [Self.made, Self.made, good]] {
      let outcome = try await run(request(), texts)
      #expect(outcome.text == good)
      #expect(outcome.codes == [.retried])
      // Drawn by chance, the same each time.
      let again = try await run(request(), texts)
      #expect(outcome.prompts.map(\.sampling) == again.prompts.map(\.sampling))
      #expect(outcome.prompts.map { $0.sampling.temperature > 0 } == [false, true, true, true])
      #expect(Set(outcome.prompts.map(\.sampling.seed)).count == 4)
      #expect(outcome.prompts.allSatisfy { $0.messages == outcome.prompts[0].messages })
    }
    // Of those that are not good the best is mended.
    let two = try await run(request(count: 2), ["\(Self.made) \(Self.made)!", "\(good) \(Self.made)"])
    #expect(two.text == "\(good) \(Self.sentences[1])")
    // One with fewer sentences is not better.
    let fewer = try await run(request(count: 2), ["\(good) \(Self.made)", good])
    #expect(fewer.text == "\(good) \(Self.sentences[1])")
  }

  @Test func theWarningSaysWhere() async throws {
    for encoding in PositionEncoding.allCases {
      let good = "There were 😀 three hundred of them."
      let outcome = try await run(
        request(count: 3), encoding: encoding, ["\(good) \(Self.made) Wizards bake another storm of wonderful bread."])
      #expect(outcome.text == [good, Self.sentences[0], Self.sentences[2]].joined(separator: " "))
      let warning = try #require(outcome.warnings.last)
      #expect(warning.message.hasPrefix("2 of 3 sentences are the text's own: "))
      let start = encoding.length(of: good + " ")
      #expect(warning.range == TextRange(start: start, end: encoding.length(of: outcome.text)))
      let list = try await run(
        request(Self.source + "\r\n", .bullets, count: 2), encoding: encoding, ["- \(Self.made)\n- \(good)"])
      #expect(list.text == "- \(Self.sentences[0])\r\n- \(good)")
      #expect(list.warnings.last?.message.hasPrefix("1 of 2 bullets is the text's own: ") ?? false)
      #expect(list.warnings.last?.range == TextRange(start: 0, end: encoding.length(of: "- " + Self.sentences[0])))
    }
  }

  @Test func nothingIsSaidTwice() async throws {
    let text = "The keeper counted the steps every night."
    let outcome = try await run(request(text, count: 2), ["Every night the keeper counted. \(Self.made)"])
    #expect(outcome.text == "Every night the keeper counted. \(Self.made)")
    #expect(outcome.codes == [.retried])
    // Two sentences that are joined are two.
    let joined =
      "The committee met on Tuesday to see the proposal, a new one, and after hours of debate they decided to wait."
    let split = try await run(request(joined, count: 2), ["The committee met on Tuesday. \(Self.made)"])
    #expect(
      split.text == "The committee met on Tuesday to see the proposal, a new one. "
        + "After hours of debate they decided to wait.")
    #expect(split.warnings.last?.message.hasPrefix("2 of 2 sentences are the text's own: ") ?? false)
    // A list of what one sentence says is one of its clauses, and so is what is too long for a bullet.
    let endless = "The keeper counted the steps, " + String(repeating: "and he did so each night ", count: 9) + "again."
    #expect(try await run(request(endless, .bullets), ["- \(Self.made)"]).text == "- The keeper counted the steps")
    #expect(try await run(request(endless, .headline), [Self.made]).text == "The keeper counted the steps")
    let clauses = "The keeper counted the steps every night, and he wrote them down, for a storm had come; nobody knew."
    let list = try await run(
      request(clauses, .bullets, count: 3),
      ["- 3 short bullet points\n- 1 bullet point with \"on\"\n- 1 bullet point with \"steps\""])
    #expect(
      list.text == "- The keeper counted the steps every night\n- he wrote them down\n"
        + "- for a storm had come; nobody knew.", "\(list.text)")
    // But a text may speak of bullets.
    let bullets = try await run(request("The bullet points are here.", .bullets), ["- The bullet points"])
    #expect(bullets.codes.isEmpty)
  }

  @Test func headlinesAreClauses() async throws {
    let broken = "The keeper counted the steps every night " + String(repeating: "and so on ", count: 8)
    let long = "The keeper who counted all of the steps of the tower every night was old and wise."
    let rows: [(text: String, answer: String, own: String)] = [
      (Self.source, Self.made, "The old keeper counted the steps every night"),
      ("However, the keeper counted the steps, as he did.", Self.made, "However, the keeper counted the steps"),
      ("\(long) The tower, as we know, is tall.", Self.made, "The tower, as we know, is tall"),
      (long, Self.made, "The keeper who counted all of the steps of the tower every…"),
      (Self.source, String(broken.prefix(120)), "The old keeper counted the steps every night"),
      ("- the steps are old\n- the tower is tall?\n", "Old tower of dragons and wizards", "the tower is tall?"),
    ]
    for row in rows {
      let outcome = try await run(request(row.text, .headline), [row.answer])
      #expect(outcome.text == row.own, "\(outcome.text)")
      #expect(outcome.codes == [.retried, .unchanged])
      #expect(outcome.warnings.last?.message.hasPrefix("The headline is the text's own: ") ?? false)
    }
  }

  /// The words of a text without its marks.
  @Test func markupIsNotTaken() async throws {
    let text = "## Steps\n\n> - the keeper counted\n>   all of the steps\n\n```\nsteps();\n```\n"
    let outcome = try await run(request(text), [Self.made])
    #expect(outcome.text == "the keeper counted all of the steps.")
  }

  /// Large models say things in other words.
  @Test func largeModelsAreTrustedMore() async throws {
    let rows: [(String, isKept: Bool)] = [
      ("The wise keeper climbed some steps.", true), ("The keeper had 1,987 steps.", true), (Self.made, false),
      ("There were 305 of them.", false),
    ]
    for (text, isKept) in rows {
      for weights in [Self.large, 0] {
        let outcome = try await run(request(), weights: weights, [text])
        #expect((outcome.text == text) == isKept, "\(text)")
        #expect(outcome.prompts.count == (isKept ? 1 : 4))
      }
      // So is who was asked for more than a summary.
      var params = request()
      params.common.instructions = "Speak like a cowboy."
      #expect(try await (run(params, [text]).text == text) == isKept, "\(text)")
    }
  }

  @Test func longTextsAreNotDrawnAgain() async throws {
    let text = Self.source + String(repeating: " The keeper went home and slept.", count: 100)
    let outcome = try await run(request(text), [Self.made])
    #expect(outcome.text == Self.sentences[0])
    #expect(outcome.codes == [.unchanged] && outcome.prompts.count == 1)
  }

  /// Judged by the whole text, mended by what the last call has read of it, which is the model's own.
  @Test func textsInParts() async throws {
    let text = SummaryTexts.long(40_000) + Self.source
    let outcome = try await run(request(text, count: 2)) { params, _ in
      guard params.priority == .background else { return .text("The keeper counted each night. \(Self.made)") }
      return params.workedOn.contains("P0 begins")
        ? .text("\(Self.made) Then wizards baked bread.") : .text("The ferry left the harbour. \(Self.made)")
    }
    #expect(outcome.text == "The keeper counted each night. The ferry left the harbour.")
    #expect(outcome.codes == [.retried])
  }

  @Test func aLimitOfTheCallersIsKept() async throws {
    var params = request()
    params.common.options = GenerationOptions()
    params.common.options?.maxTokens = 9
    let outcome = try await run(params) { _, _ in .text("Dragons destroyed wonderful", .scripted(.length)) }
    #expect(outcome.text == "Dragons destroyed wonderful")
    #expect(outcome.codes == [.truncatedByLimit] && outcome.prompts.count == 1)
    // Another end of the model's is not that of the text's own words.
    let own = try await run(request()) { _, _ in .text("Dragons destroyed wonderful", .scripted(.length)) }
    #expect(own.codes == [.retried, .unchanged] && own.result.common.finishReason == .stop)
  }

  @Test func furtherAnswersMayFail() async throws {
    for failure in [EngineFailure.overloaded(limit: 9), .died(.crashed)] {
      let isFull = failure == .overloaded(limit: 9)
      let engine = ReadingEngine(parameterCount: Self.small) { _, number in
        let refusal = "I'm sorry, but I can't assist with that."
        return number < 2 ? .text(number == 0 ? Self.made : refusal) : .failure(failure)
      }
      let result = try? await SummaryRunner(engine: engine).run(request())
      #expect(result?.text == (isFull ? Self.sentences[0] : nil))
      #expect(result?.common.warnings.map(\.code) == (isFull ? [.unchanged] : nil))
      #expect(engine.running == 0)
    }
  }

  @Test(arguments: [1, 2]) func cancelWhileMoreAreDrawn(_ stop: Int) async throws {
    let never = Gate<Void>()
    let engine = ReadingEngine(parameterCount: Self.small) { _, number in
      number < stop ? .text(Self.made) : .after(never, .text(Self.made))
    }
    let client = await TestClient(engine)
    try await client.initialize()
    let work = Task { try await client.connection.request(Summarize.self, request()) }
    try await withDeadline(.seconds(10), "the further answers") {
      while engine.prompts.count < 4 { await Task.yield() }
    }
    work.cancel()
    await #expect(throws: RPCError.cancelled) { try await work.value }
    try await withDeadline(.seconds(5), "the end of all jobs") { while engine.running > 0 { await Task.yield() } }
    never.open()
    _ = await client.end()
    #expect(engine.prompts.count == 4)
  }
}
