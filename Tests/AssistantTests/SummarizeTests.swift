import Assistant
import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

/// `assistant/summarize` through a connection, on an engine that reads.
@Suite(.timeLimit(.minutes(2))) struct SummarizeTests {
  private static let token = ProgressToken(RequestID(1))
  private static let text = "The ferry leaves late in 2024, at 3.5 or 1.5 of 2.0."
  private static let workToken = ProgressToken(RequestID(2))

  private static func params(
    _ text: String, _ style: Summarize.Style = .sentences, count: Int? = nil, stream: StreamMode = .delta
  ) -> Summarize.Params {
    var common = CommonParams()
    common.partialResultToken = token
    common.workDoneToken = workToken
    common.stream = stream
    return Summarize.Params(text: text, style: style, count: count, common: common)
  }

  /// Percentages do not fall; begin is the first report and end the last.
  private static func checkProgress(_ reports: [WorkDoneProgress], sourceLocation: SourceLocation) {
    var last = 0
    for report in reports {
      let percentage =
        switch report {
        case .begin(let begin): begin.percentage
        case .report(let report): report.percentage
        case .end: last
        }
      #expect(percentage ?? -1 >= last, "\(reports)", sourceLocation: sourceLocation)
      last = percentage ?? last
    }
    #expect(reports.first == .begin(WorkDoneBegin(title: "Summarize", percentage: 0)), sourceLocation: sourceLocation)
    #expect(reports.last == .end(WorkDoneEnd()), sourceLocation: sourceLocation)
  }

  @discardableResult
  private func summarize(
    _ params: Summarize.Params, _ engine: ReadingEngine, encoding: PositionEncoding = .utf16,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Summarize.Result {
    let client = await TestClient(engine)
    try await client.initialize(encodings: [encoding])
    let result = try await client.connection.request(Summarize.self, params, timeout: .seconds(60))
    let shown = assembled(client.partials(Self.token), encoding)
    #expect(shown?.hasSameBytes(as: result.text) ?? false, "\(shown ?? "?")", sourceLocation: sourceLocation)
    Self.checkProgress(client.work(Self.workToken), sourceLocation: sourceLocation)
    #expect(result.parts == result.coverage.count, sourceLocation: sourceLocation)
    var position = 0
    for range in result.coverage {
      #expect(range.start == position && range.end >= position, sourceLocation: sourceLocation)
      position = range.end
    }
    #expect(position == encoding.length(of: params.text), sourceLocation: sourceLocation)
    #expect(engine.running == 0, sourceLocation: sourceLocation)
    _ = await client.end()
    return result
  }

  private func check(
    _ text: String = Self.text, _ style: Summarize.Style = .sentences, count: Int? = nil, writes answers: [String],
    _ expected: String, stream: StreamMode = .delta, warnings: [WarningCode] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let engine = ReadingEngine { _, number in .text(answers[min(number, answers.count - 1)]) }
    let params = Self.params(text, style, count: count, stream: stream)
    let result = try await summarize(params, engine, sourceLocation: sourceLocation)
    #expect(result.text.hasSameBytes(as: expected), "\(result.text)", sourceLocation: sourceLocation)
    #expect(result.common.warnings.map(\.code) == warnings, sourceLocation: sourceLocation)
    #expect(engine.prompts.count == answers.count, sourceLocation: sourceLocation)
    #expect(result.reduction == Reduction(from: text, to: expected), sourceLocation: sourceLocation)
  }

  @Test func theFormIsKept() async throws {
    try await check(writes: ["One. Two."], "One. Two.")
    try await check(writes: ["One. Two. Three."], "One. Two.")
    try await check(writes: ["one is here. two is there."], "one is here. two is there.")
    try await check(writes: ["\n One is\nhere.  Two. \n\nThree"], "One is here. Two.", stream: .snapshot)
    try await check(count: 1, writes: ["Dr. Who came (at 3.5). Then he left."], "Dr. Who came (at 3.5).")
    try await check("文。", count: 2, writes: ["今日は晴れ。明日は雨。明後日"], "今日は晴れ。明日は雨。")
    try await check("a\nb", .bullets, writes: ["- One.\n- Two.\n- Three."], "- One.\n- Two.")
    try await check("a\r\nb", .bullets, count: 3, writes: ["* One\n\n2. Two\n• Three\n"], "- One\r\n- Two\r\n- Three")
    try await check(.bullets, count: 1, writes: ["2024 was 1.5 times better"], "- 2024 was 1.5 times better")
    try await check(.headline, writes: ["# Ferry leaves late.\n\nMore text."], "Ferry leaves late")
    try await check(.headline, writes: ["Version 2.0 is out"], "Version 2.0 is out")
    try await check(.headline, writes: ["To be continued..."], "To be continued...")
  }

  private func check(
    _ style: Summarize.Style, count: Int? = nil, writes answers: [String], _ expected: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await check(Self.text, style, count: count, writes: answers, expected, sourceLocation: sourceLocation)
  }

  @Test func tooFewAreAskedForOnceMore() async throws {
    try await check(writes: ["Only one.", "One. Two."], "One. Two.", warnings: [.retried])
    try await check(writes: ["Only one.", "Still one."], "Still one.", warnings: [.retried, .structureChanged])
    try await check(writes: ["", "One. Two."], "One. Two.", warnings: [.retried])
  }

  /// Also where the engine counts it: a list of one thing said twenty times is no list of twenty things.
  @Test func whatIsSaidTwiceCountsOnce() async throws {
    let greetings = String(repeating: "- Hi.\n- hi\n", count: 10)
    try await check(
      "A text.", .bullets, count: 20, writes: [greetings, greetings], "- Hi.", warnings: [.retried, .structureChanged])
    try await check(
      "A text.", .bullets, count: 3, writes: [greetings, "- Hi.\n- H\n- Hi there.\n- HI!\n- You."],
      "- Hi.\n- H\n- Hi there.", warnings: [.retried])
    try await check(count: 3, writes: ["One. ONE. One is here. Two. Three."], "One. One is here. Two.")
    try await check("文。", count: 2, writes: ["今日は晴れ。今日は晴れ。明日は雨。"], "今日は晴れ。明日は雨。")
    try await check(
      writes: ["it is so. it is so.", "It is so. It is so."], "It is so.", warnings: [.retried, .structureChanged])
  }

  @Test func aTextWithoutProseIsSaidToBeOne() async throws {
    for text in ["```\nlet a = 1\n```\n", "---\n", "\\begin{figure}\n\\end{figure}\n"] {
      try await check(text, writes: ["One. Two."], "One. Two.", warnings: [.noProse])
    }
  }

  @Test func whatTheCallerNamesIsKeptOrMissed() async throws {
    var params = Self.params("Buzz flies to the Moon. Woody does not.")
    params.common.protect = ["Buzz", "Moon", "Mars"]
    let engine = ReadingEngine { _, _ in .text("Buzz flies far. Woody stays.") }
    let result = try await summarize(params, engine)
    #expect(result.common.warnings.map(\.code) == [.protectedTextLost])
    let message = result.common.warnings.first?.message ?? ""
    #expect(message.contains("Moon") && !message.contains("Buzz") && !message.contains("Mars"))
    #expect(engine.prompts.first?.messages.last?.text.contains("Keep exactly: Buzz , Moon .") ?? false)
  }

  /// What was too short by a limit is given more room, and what ended by itself some chance.
  @Test func theSecondAttemptIsAnotherOne() async throws {
    for reason in [EngineProtocol.FinishReason.length, .stop] {
      let engine = ReadingEngine { _, number in
        number == 0 ? .text("One", .scripted(reason)) : .text("One. Two.")
      }
      let result = try await summarize(Self.params("A text."), engine)
      #expect(result.text == "One. Two.")
      let (first, second) = (engine.prompts[0], engine.prompts[1])
      #expect(first.messages == second.messages)
      #expect((second.maxTokens > first.maxTokens) == (reason == .length))
      #expect((second.sampling.temperature > 0) == (reason == .stop))
      #expect(result.common.usage.promptTokens == 40 && result.common.usage.contextUsed == 25)
    }
  }

  @Test func aLimitBehindTheSummaryIsNone() async throws {
    for (written, warnings) in [("One. Two. Thr", []), ("One. Tw", [WarningCode.truncatedByLimit])] {
      let engine = ReadingEngine { _, _ in .text(written, .scripted(.length)) }
      let result = try await summarize(Self.params("A text."), engine)
      #expect(result.common.warnings.map(\.code) == warnings)
      #expect(result.common.finishReason == (warnings.isEmpty ? .stop : .length))
      #expect(engine.prompts.count == 1)
    }
  }

  @Test func whatTheEngineIsAskedFor() async throws {
    let rows: [(Summarize.Style, Int?, TextShape)] = [
      (.sentences, nil, TextShape(.sentence, count: 2)), (.bullets, 5, TextShape(.bullet, count: 5)),
      (.headline, nil, TextShape(.headline, count: 1)), (.headline, 1, TextShape(.headline, count: 1)),
    ]
    for (style, count, shape) in rows {
      let engine = ReadingEngine { _, _ in .text("- A.\n- B.\n- C.\n- D.\n- E.") }
      try await summarize(Self.params("  The source. \n", style, count: count), engine)
      let prompt = try #require(engine.prompts.first)
      #expect(prompt.shape == shape)
      #expect(prompt.priority == .interactive && prompt.schema == nil && !prompt.prefillOnly)
      #expect(prompt.workedOn == "The source.")
    }
  }

  @Test func failuresHaveTheirCodes() async throws {
    func fails(
      _ params: Summarize.Params, _ answer: ReadingEngine.Answer, code: Int,
      sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let engine = ReadingEngine { _, _ in answer }
      let client = await TestClient(engine)
      try await client.initialize()
      let error = await #expect(throws: RPCError.self, sourceLocation: sourceLocation) {
        try await client.connection.request(Summarize.self, params, timeout: .seconds(20))
      }
      #expect(error?.code == code, sourceLocation: sourceLocation)
      #expect(engine.running == 0, sourceLocation: sourceLocation)
      _ = await client.end()
    }
    try await fails(Self.params(" \n"), .text("x"), code: 1005)
    try await fails(Self.params("a"), .text(" "), code: 1009)
    try await fails(Self.params("a"), .failure(.died(.crashed)), code: 1013)
    var params = Self.params("a")
    params.common.sessionID = SessionID("s")
    try await fails(params, .text("x"), code: 1003)
    try await fails(Self.params(SummaryTexts.long(40_000)), .text(" "), code: 1009)
    try await fails(Self.params(SummaryTexts.long(40_000)), .failure(.overloaded(limit: 256)), code: 1012)
    // Instructions that fill the window: no part can be small enough.
    params = Self.params(SummaryTexts.long(40_000))
    params.common.instructions = String(repeating: "Mind this. ", count: 4_000)
    try await fails(params, .text("x"), code: 1002)
    // A model that says more than it was given ends with an error, not never.
    let endless = String(repeating: "on and on ", count: 2_000) + "."
    try await fails(Self.params(SummaryTexts.long(40_000)), .text(endless), code: -32803)
  }
}

/// Texts whose parts can be told apart.
enum SummaryTexts {
  /// Paragraphs that begin with P0, P1 … up to a number of bytes.
  static func long(_ bytes: Int, filler: String = "The ferry left the harbour at nine. ") -> String {
    var text = ""
    var number = 0
    while text.utf8.count < bytes {
      text += "P\(number) begins. " + String(repeating: filler, count: 12) + "\n\n"
      number += 1
    }
    return text
  }

  /// The numbers after a P, in order.
  static func numbers(in text: String) -> [Int] {
    text.split { !$0.isLetter && !$0.isNumber }.compactMap { $0.first == "P" ? Int($0.dropFirst()) : nil }
  }
}
