import Assistant
import AssistantProtocol
import EngineProtocol
import JSONRPC
import TestSupport
import Testing

/// Texts that are read in parts.
@Suite(.timeLimit(.minutes(3))) struct LongSummaryTests {
  private static let workToken = ProgressToken(RequestID(2))

  /// The summary of a part names its first paragraph; the last call's says that it is the last.
  private static func answer(_ prompt: GenerateParams) -> ReadingEngine.Answer {
    guard prompt.priority == .background else { return .text("The end. Really.") }
    let first = SummaryTexts.numbers(in: prompt.workedOn).first ?? -1
    return .text("It is about P\(first). Nothing else.")
  }

  private static func params(_ text: String) -> Summarize.Params {
    var common = CommonParams()
    common.workDoneToken = workToken
    return Summarize.Params(text: text, common: common)
  }

  @Test(arguments: PositionEncoding.allCases)
  func twoHundredThousandCharacters(encoding: PositionEncoding) async throws {
    let text = SummaryTexts.long(240_000, filler: "Die Fähre fuhr um neun ab 😀. ") + " \n\n"
    #expect(text.unicodeScalars.count > 200_000)
    let engine = ReadingEngine { prompt, _ in Self.answer(prompt) }
    let client = await TestClient(engine)
    try await client.initialize(encodings: [encoding])
    let result = try await client.connection.request(Summarize.self, Self.params(text), timeout: .seconds(60))
    #expect(result.text == "The end. Really.")
    let parts = engine.prompts.filter { $0.priority == .background }
    #expect(result.parts == parts.count && result.parts > 20)
    #expect(result.coverage.first?.start == 0 && result.coverage.last?.end == encoding.length(of: text))
    for (left, right) in zip(result.coverage, result.coverage.dropFirst()) { #expect(left.end == right.start) }
    // The last call reads the summaries of the parts in their order.
    let last = try #require(engine.prompts.last)
    #expect(last.priority == .interactive)
    let numbers = SummaryTexts.numbers(in: last.workedOn)
    #expect(numbers.count == result.parts && numbers == numbers.sorted() && numbers.first == 0)
    #expect((2...4).contains(engine.mostRunning))
    #expect(result.common.usage.promptTokens == 20 * engine.prompts.count)
    #expect(result.common.usage.completionTokens == 5 * engine.prompts.count)
    #expect(result.common.usage.contextUsed == 25)
    #expect(result.reduction.percent == 100 && result.reduction.originalCharacters == text.unicodeScalars.count)
    // Each part is where the coverage says, and begins a paragraph.
    for (range, prompt) in zip(result.coverage, parts.sorted(by: { Self.first($0) < Self.first($1) })) {
      let head = try #require(encoding.prefix(of: text, length: range.start))
      #expect(text[head.endIndex...].hasPrefix("P\(Self.first(prompt)) begins"))
    }
    _ = await client.end()
  }

  private static func first(_ prompt: GenerateParams) -> Int { SummaryTexts.numbers(in: prompt.workedOn).first ?? -1 }

  @Test func summariesThatAreTooLongTogetherAreSummarised() async throws {
    let long = String(repeating: "so it is told ", count: 40)
    let engine = ReadingEngine { prompt, _ in
      prompt.priority == .interactive
        ? .text("The end. Really.") : .text("It is P\(Self.first(prompt)), \(long). More.")
    }
    let text = SummaryTexts.long(150_000)
    let result = try await SummaryRunner(engine: engine).run(Self.params(text))
    let parts = engine.prompts.filter { $0.priority == .background }
    #expect(result.parts < parts.count)
    #expect(engine.prompts.count { $0.priority == .interactive } == 1)
    #expect(result.coverage.last?.end == text.utf16.count)
  }

  @Test func partsThatEndOutOfOrderStayInOrder() async throws {
    let gates = (0..<4).map { _ in Gate<Void>() }
    let engine = ReadingEngine { prompt, number in
      number < 4 ? .after(gates[number], Self.answer(prompt)) : Self.answer(prompt)
    }
    let text = SummaryTexts.long(60_000)
    async let result = SummaryRunner(engine: engine).run(Self.params(text))
    try await withDeadline(.seconds(10), "four parts") { while engine.prompts.count < 4 { await Task.yield() } }
    // The first comes last, after all that could go on without it.
    for gate in gates.dropFirst().reversed() {
      let before = engine.prompts.count
      gate.open()
      try await withDeadline(.seconds(10), "the next part") {
        while engine.prompts.count == before, engine.running > 1 { await Task.yield() }
      }
    }
    try await withDeadline(.seconds(10), "all other parts") { while engine.running > 1 { await Task.yield() } }
    gates[0].open()
    #expect(try await result.parts > 8)
    let numbers = SummaryTexts.numbers(in: engine.prompts.last?.workedOn ?? "")
    #expect(numbers == numbers.sorted() && numbers.first == 0 && numbers.count > 8)
  }

  @Test func progressCountsTheParts() async throws {
    let reports = Box<WorkDoneProgress>()
    var sink = RequestSink()
    sink.report = { reports.append($0) }
    let engine = ReadingEngine { prompt, _ in Self.answer(prompt) }
    let result = try await SummaryRunner(engine: engine).run(Self.params(SummaryTexts.long(50_000)), sink: sink)
    var messages: [String] = []
    var percentages: [Int] = []
    for case .report(let report) in reports.all {
      if messages.last != report.message { messages.append(report.message ?? "") }
      percentages.append(report.percentage ?? -1)
    }
    let expected = (1...result.parts).map { "Reading part \($0) of \(result.parts)" }
    #expect(messages.filter { $0.hasPrefix("Reading part") }.elementsEqual(expected))
    #expect(percentages == percentages.sorted() && percentages.allSatisfy((0...100).contains))
    #expect(Set(percentages).count > 5)
  }

  /// Whichever part is running, a cancellation ends all jobs.
  @Test(arguments: [1, 3, 6, 1_000])
  func cancelAtAnyPart(_ stop: Int) async throws {
    let never = Gate<Void>()
    let engine = ReadingEngine { prompt, number in
      number >= stop || prompt.priority == .interactive ? .after(never, Self.answer(prompt)) : Self.answer(prompt)
    }
    let client = await TestClient(engine)
    try await client.initialize()
    let text = SummaryTexts.long(50_000)
    let request = Task { try await client.connection.request(Summarize.self, Self.params(text)) }
    try await withDeadline(.seconds(20), "the part") {
      while engine.running < (stop == 1_000 ? 1 : 4) || !Self.hasReached(stop, engine) { await Task.yield() }
    }
    request.cancel()
    await #expect(throws: RPCError.cancelled) { try await request.value }
    try await withDeadline(.seconds(5), "the end of all jobs") { while engine.running > 0 { await Task.yield() } }
    let count = engine.prompts.count
    never.open()
    _ = await client.end()
    #expect(engine.prompts.count == count)
  }

  private static func hasReached(_ stop: Int, _ engine: ReadingEngine) -> Bool {
    engine.prompts.count > stop || engine.prompts.last?.priority == .interactive
  }

  @Test func aFailedPartFailsTheRequestAndEndsTheOthers() async throws {
    let never = Gate<Void>()
    let engine = ReadingEngine { prompt, number in
      number == 3 ? .failure(.died(.crashed)) : .after(never, Self.answer(prompt))
    }
    await #expect(throws: RequestFailure.engine(.died(.crashed))) {
      try await SummaryRunner(engine: engine).run(Self.params(SummaryTexts.long(50_000)))
    }
    #expect(engine.running == 0 && engine.prompts.count == 4)
    never.open()
  }

  @Test func whatAnEngineThatDiedHasSaidIsVoid() async throws {
    let engine = ReadingEngine { prompt, number in
      number == 2 ? .restarted(Self.answer(prompt)) : Self.answer(prompt)
    }
    let result = try await SummaryRunner(engine: engine).run(Self.params(SummaryTexts.long(50_000)))
    #expect(result.common.warnings.map(\.code) == [.retried])
    #expect(!(engine.prompts.last?.workedOn.contains("void") ?? true))
  }

  /// What a model puts around the summary of a part is not read by the next call, and a refusal is none.
  @Test func onlyTheSummaryOfAPartIsReadOn() async throws {
    let text = SummaryTexts.long(50_000)
    let engine = ReadingEngine { prompt, _ in
      prompt.priority == .interactive
        ? .text("The end. Really.")
        : .text("<think>Hm. Well.</think>Here is the summary:\n\n\"It is about P\(Self.first(prompt)). Nothing else.\"")
    }
    _ = try await SummaryRunner(engine: engine).run(Self.params(text))
    let read = try #require(engine.prompts.last?.workedOn)
    #expect(read.hasPrefix("It is about P0. Nothing else.\n\nIt is about P"))
    #expect(!read.contains("think") && !read.contains("Here is") && !read.contains("\""))
    let unwilling = ReadingEngine { _, number in
      number == 2 ? .text("I'm sorry, but I can't assist with that.") : .text("It is so. It is not.")
    }
    await #expect(throws: RequestFailure.assistant(.refusal)) {
      try await SummaryRunner(engine: unwilling).run(Self.params(text))
    }
  }

  /// Text of which much is denser than the average: its parts do not fit a small window and are cut again.
  @Test func aPartThatIsTooLongIsCutAgain() async throws {
    let engine = ReadingEngine(contextSize: 600) { prompt, _ in
      let words = prompt.messages.last?.text ?? ""
      // Seven times as many tokens as were counted.
      return words.contains("dense") && prompt.workedOn.utf8.count > 200
        ? .failure(.contextWindowExceeded(promptTokens: 700, contextSize: 600, reservedForOutput: 64))
        : Self.answer(prompt)
    }
    let text = SummaryTexts.long(3_000) + SummaryTexts.long(2_000, filler: "dense ")
    let result = try await SummaryRunner(engine: engine).run(Self.params(text))
    let refused = engine.prompts.count { $0.workedOn.contains("dense") && $0.workedOn.utf8.count > 200 }
    #expect(refused > 0)
    #expect(result.coverage.last?.end == text.utf16.count)
    for (left, right) in zip(result.coverage, result.coverage.dropFirst()) { #expect(left.end == right.start) }
    #expect(result.text == "The end. Really.")
  }

  @Test(arguments: [256, 512, 1_024, 2_048, 32_768])
  func anyWindowWillDo(_ contextSize: Int) async throws {
    let engine = ReadingEngine(contextSize: contextSize) { prompt, _ in Self.answer(prompt) }
    let text = SummaryTexts.long(30_000)
    let result = try await SummaryRunner(engine: engine).run(Self.params(text))
    #expect(result.text == "The end. Really.")
    #expect(result.coverage.last?.end == text.utf16.count)
    // Room is left for other requests, unless the window is tiny.
    let running = engine.mostRunning * (result.parts > 1 ? 30_000 / 4 / result.parts : 0)
    #expect(running <= contextSize)
  }
}
