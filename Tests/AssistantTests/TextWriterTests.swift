import Assistant
import AssistantProtocol
import EngineProtocol
import JSONRPC
import TestSupport
import Testing

/// Stretches, drafts, alternatives and edits of `assistant/rephrase`, on an engine that answers by the prompt.
@Suite(.timeLimit(.minutes(2))) struct TextWriterTests {
  private static let token = ProgressToken(RequestID(71))

  private struct Outcome {
    var result: Rephrase.Result
    var prompts: [GenerateParams]
    /// The partial results put together.
    var shown: String
    var partials: [PartialResult]
    var work: [WorkDoneProgress]

    var codes: [WarningCode] { result.common.warnings.map(\.code) }
  }

  /// The one door: a request, and an engine that writes what the closure says.
  private func run(
    _ params: Rephrase.Params, encoding: PositionEncoding = .utf16,
    _ writes: @escaping @Sendable (GenerateParams, _ number: Int) -> String
  ) async throws -> Outcome {
    let engine = ScriptedEngine(writes: writes)
    let client = await TestClient(engine)
    try await client.initialize(encodings: [encoding])
    var params = params
    params.common.partialResultToken = Self.token
    params.common.workDoneToken = ProgressToken(RequestID(72))
    let result = try await client.connection.request(Rephrase.self, params, timeout: .seconds(60))
    let partials = client.partials(Self.token)
    let shown = try #require(assembled(partials, encoding))
    #expect(shown.hasSameBytes(as: result.text))
    #expect(result.alternatives.first == result.text)
    #expect(Self.apply(result.edits, to: params.text, encoding)?.hasSameBytes(as: result.text) ?? false)
    let outcome = Outcome(
      result: result, prompts: engine.prompts, shown: shown, partials: partials,
      work: client.work(ProgressToken(RequestID(72))))
    _ = await client.end()
    return outcome
  }

  /// nil when an edit lies outside of the text, inside a scalar, or not behind the one before.
  private static func apply(_ edits: [TextEdit], to text: String, _ encoding: PositionEncoding) -> String? {
    var result = ""
    var at = 0
    for edit in edits {
      guard edit.start >= at, edit.end >= edit.start, let head = encoding.prefix(of: text, length: edit.start),
        let kept = encoding.prefix(of: text, length: at)
      else { return nil }
      result += head[kept.endIndex...] + edit.newText
      at = edit.end
    }
    return encoding.prefix(of: text, length: at).map { result + text[$0.endIndex...] }
  }

  private func request(_ text: String, _ tone: Tone = .formal, alternatives: Int = 1) -> Rephrase.Params {
    Rephrase.Params(text: text, tone: tone, alternatives: alternatives)
  }

  @Test func eachStretchIsWrittenInItsPlace() async throws {
    let source = "# A heading of it\r\n\r\n- gets the thing\r\n- puts it all back\r\n\r\n```\ncode\n```\r\n"
    for encoding in PositionEncoding.allCases {
      let outcome = try await run(request(source), encoding: encoding) { params, _ in
        "Sure! Here is the text:\n😀 " + params.source + " now"
      }
      #expect(
        outcome.result.text
          == "# A heading of it\r\n\r\n- 😀 gets the thing now\r\n- 😀 puts it all back now\r\n\r\n```\ncode\n```\r\n")
      #expect(outcome.prompts.map(\.source) == ["gets the thing", "puts it all back"])
      #expect(outcome.codes.isEmpty)
      #expect(outcome.result.edits.count == 4)
      #expect(outcome.result.common.usage.promptTokens == 2 * GenerateResult.scripted().promptTokens)
    }
  }

  @Test func nothingButCodeStaysAsItIs() async throws {
    let outcome = try await run(request("```\ncode it is\n```\n")) { _, _ in "never" }
    #expect(outcome.result.text == "```\ncode it is\n```\n")
    #expect(outcome.codes == [.unchanged])
    #expect(outcome.prompts.isEmpty)
  }

  @Test func flawedDraftsAreDrawnAgain() async throws {
    let german = "Ich wollte nur mal fragen ob ihr das Dokument schon bekommen habt."
    let loop = String(repeating: "We slept well and then we went home. ", count: 5)
    let rows: [(source: String, first: String, later: String, text: String, codes: [WarningCode])] = [
      (
        "It takes 41 ms at most.", "It takes some time at most.", "At most it takes 41 ms.", "At most it takes 41 ms.",
        [.retried]
      ),
      (
        "It takes 41 ms at most.", "It takes some time.", "It takes a while.", "It takes 41 ms at most.",
        [.retried, .unchanged]
      ),
      ("Run `a b` on it all.", "Run a b for all of it.", "never", "Run `a b` for all of it.", []),
      (
        german, "I only wanted to ask if you have it.", "Habt ihr das Dokument schon bekommen?",
        "Habt ihr das Dokument schon bekommen?", [.retried]
      ),
      (
        german, "I only wanted to ask if you have it.", "Did you get the document from us?",
        "I only wanted to ask if you have it.", [.retried, .languageChanged]
      ),
      (
        "we slept and went home", loop, "We slept, and then we went home.", "We slept, and then we went home.",
        [.retried]
      ),
      ("we slept and went home", "we slept and  went home", "We slept and left.", "We slept and left.", [.retried]),
      (
        "we slept and went home", "we slept and went home", "we slept and went home", "we slept and went home",
        [.retried, .unchanged]
      ),
      (
        "we slept and went home", "I'm sorry, but I can't assist with that.", "We slept and left.",
        "We slept and left.", [.retried]
      ),
      ("we slept and went home", "", "We slept and left.", "We slept and left.", [.retried]),
    ]
    for row in rows {
      let outcome = try await run(request(row.source)) { _, number in number == 0 ? row.first : row.later }
      #expect(outcome.result.text == row.text, "\(row.first)")
      #expect(outcome.codes == row.codes, "\(row.first): \(outcome.codes)")
      // Further drafts are drawn by chance, the same each time.
      for prompt in outcome.prompts.dropFirst() { #expect(prompt.sampling.temperature > 0) }
      #expect(outcome.prompts.first?.sampling.temperature == 0)
      #expect(Set(outcome.prompts.dropFirst().map(\.sampling.seed)).count == outcome.prompts.count - 1)
      let again = try await run(request(row.source)) { _, number in number == 0 ? row.first : row.later }
      #expect(again.prompts.map(\.sampling) == outcome.prompts.map(\.sampling))
    }
  }

  /// What has nothing to do with the source is no text of a person's: then the source stays.
  @Test func draftsBesideThePointAreNotTaken() async throws {
    let source = "You need to install the thing first, then it just works."
    let chat = "I'm ready to assist. Please go ahead and ask your question."
    let outcome = try await run(request(source)) { _, _ in chat }
    #expect(outcome.result.text == source)
    #expect(outcome.codes == [.retried, .unchanged])
    let list = try await run(request("- it is slow on big files\n- it leaks memory too\n")) { params, _ in
      params.source.contains("slow")
        ? "Big files are slow with it."
        : "There it was, and on it went from here to there, and he said to her that it was good, and that was it."
    }
    #expect(list.result.text == "- Big files are slow with it.\n- it leaks memory too\n")
    #expect(list.codes == [.retried, .unchanged])
  }

  @Test func whatIsLostIsNamedInTheNextPrompt() async throws {
    var params = request("Woody misses Buzz and goes to find him.")
    params.common.protect = ["Buzz", "Rex"]
    let outcome = try await run(params) { params, _ in
      params.messages.last?.text.contains("Keep exactly: Buzz .") ?? false
        ? "Woody looks for Buzz." : "Woody looks for him."
    }
    #expect(outcome.result.text == "Woody looks for Buzz.")
    #expect(outcome.codes == [.retried])
  }

  @Test func warningsHaveTheirRange() async throws {
    let one = try await run(request("  😀 it takes 41 ms at most, she said.\n")) { _, _ in
      "Ich weiß ja auch nicht, was das mit 41 ms ist, und ob er es schon hat. 😀"
    }
    let warning = one.result.common.warnings.last
    #expect(warning?.code == .languageChanged)
    #expect(warning?.range == TextRange(start: 2, end: one.result.text.utf16.count - 1))
    // One of several that loses something stays as it is.
    let two = try await run(request("😀 it is all here\n\nIt takes 41 ms at most.\n")) { params, _ in
      params.source.contains("41") ? "It takes a while at most." : "😀 all of it is here"
    }
    #expect(two.result.text == "😀 all of it is here\n\nIt takes 41 ms at most.\n")
    #expect(two.result.common.warnings.last?.code == .unchanged)
    #expect(two.result.common.warnings.last?.range == TextRange(start: 22, end: 45))
  }

  @Test func proofreadMayChangeNothing() async throws {
    let text = "A ragged line of this kind\nof text is\nleft where it is and goes on here.\n"
    let outcome = try await run(request(text, .proofread)) { params, _ in params.source }
    #expect(outcome.result.text == text)
    #expect(outcome.result.edits.isEmpty)
    #expect(outcome.codes.isEmpty)
  }

  @Test func refusalsAreErrors() async throws {
    let client = await TestClient(ScriptedEngine(writes: { _, _ in "As an AI language model, I cannot do that." }))
    try await client.initialize()
    let error = await #expect(throws: RPCError.self) {
      try await client.connection.request(Rephrase.self, Rephrase.Params(text: "hi there"), timeout: .seconds(10))
    }
    #expect(error?.code == 1008)
    _ = await client.end()
  }

  @Test func alternativesAreDifferent() async throws {
    let texts = ["It is late now.", "It is  late now.", "Now it is late.", "It has become late.", "Late it is now."]
    let three = try await run(request("its late now", alternatives: 3)) { _, number in texts[number % texts.count] }
    #expect(Set(three.result.alternatives.map { $0.filter { $0 != " " } }).count == 3)
    #expect(three.result.alternatives[0] == texts[0])
    #expect(three.codes == [.retried])
    let few = try await run(request("its late now", alternatives: 4)) { _, _ in "It is late." }
    #expect(few.result.alternatives == ["It is late."])
    #expect(few.codes == [.retried, .fewerAlternatives])
    #expect(few.prompts.count <= 16)
    let lists = try await run(request("- its late now\n- we all go home\n", alternatives: 2)) { params, number in
      params.source + (number.isMultiple(of: 2) ? "!" : "?")
    }
    #expect(lists.result.alternatives.count == 2)
    for text in lists.result.alternatives { #expect(text.hasPrefix("- its late now") && text.contains("\n- we all")) }
  }

  /// Only the first text comes with warnings, so the others are fit to be offered, or there are fewer.
  @Test func alternativesAreFitToBeOffered() async throws {
    let source = "We meet Anna at 10:30 by the old lighthouse, and then we all go home."
    let first = "At 10:30 we meet Anna by the old lighthouse, and then all of us go home."
    let good = "By the old lighthouse we meet Anna at 10:30, and after that we all go home."
    let unfit = [
      // Loses what must stay, another language, says something else, copies an example.
      "We meet Anna by the old lighthouse soon, and then we all go home.",
      "Um 10:30 treffen wir Anna am alten Turm, und dann gehen wir alle nach Hause.",
      "At 10:30 wonderful dragons quickly destroy castles beyond mountains with burning thunder.",
      "10:30 Yesterday we moved the large table to room 12, as nobody was using it there.",
    ]
    for text in unfit {
      let two = try await run(request(source, alternatives: 2)) { _, number in [first, text, good][min(number, 2)] }
      #expect(two.result.alternatives == [first, good], "\(text)")
      #expect(two.codes == [.retried], "\(text)")
      let one = try await run(request(source, alternatives: 2)) { _, number in number == 0 ? first : text }
      #expect(one.result.alternatives == [first], "\(text)")
      #expect(one.codes == [.retried, .fewerAlternatives], "\(text)")
      #expect(one.prompts.count == 4, "\(text)")
    }
    // What one of them has lost is named when more are drawn.
    let named = try await run(request(source, alternatives: 2)) { params, number in
      number == 0 ? first : params.messages.last?.text.contains("Keep exactly: 10:30 .") ?? false ? good : unfit[0]
    }
    #expect(named.result.alternatives == [first, good])
  }

  /// A request that was taken in does not fail because there is no place for what would make it better.
  @Test func whatIsTooMuchForTheEngineIsDoneWithout() async throws {
    let full = [ScriptedEngine.Step.event(.failed(.overloaded(limit: 9)))]
    let source = "It takes 41 ms at most. She goes home by train."
    for alternatives in [1, 3] {
      let engine = ScriptedEngine([[.event(.text("It takes a while.")), .event(.finished(.scripted()))], full])
      let result = try await FeatureRunner(engine: engine).run(.rephrase, request(source, alternatives: alternatives))
      #expect(result.alternatives == [source])
      #expect(
        result.common.warnings.map(\.code)
          == [.unchanged] + (alternatives > 1 ? [.fewerAlternatives] : []))
      // The drafts, a further one, and the sentences were asked for all the same.
      #expect(engine.prompts.count >= 4)
    }
    // One draft of the text has to be.
    await #expect(throws: RequestFailure.engine(.overloaded(limit: 9))) {
      try await FeatureRunner(engine: ScriptedEngine([full])).run(.rephrase, request(source))
    }
  }

  /// How a draft ended is not said of a text that it is no part of.
  @Test func theEndOfADraftThatIsThrownAwayIsNotTheTexts() async throws {
    let source = "- it is slow on big files\n- it takes 41 ms at most\n"
    var circles = GenerateResult.scripted()
    circles.repeated = true
    for end in [GenerateResult.scripted(.length), .scripted(.contextFull), circles] {
      let engine = ScriptedEngine(answers: { params in
        params.source.contains("41")
          ? [.event(.text("It takes a while.")), .event(.finished(end))]
          : [.event(.text("Big files are slow with it.")), .event(.finished(.scripted()))]
      })
      let result = try await FeatureRunner(engine: engine).run(.rephrase, request(source))
      #expect(result.text == "- Big files are slow with it.\n- it takes 41 ms at most\n")
      #expect(result.common.warnings.map(\.code) == [.retried, .unchanged])
      #expect(result.common.finishReason == .stop)
      // But a limit of the caller's has had its effect.
      var limited = request(source)
      limited.common.options = GenerationOptions()
      limited.common.options?.maxTokens = 100
      let cut = try await FeatureRunner(engine: engine).run(.rephrase, limited)
      #expect(cut.common.finishReason == (end.finishReason == .length ? .length : .stop))
    }
  }

  /// A draft that makes a number up is taken last.
  @Test func inventedNumbersAreNotPreferred() async throws {
    let outcome = try await run(request("It takes 41 ms at most, she said.")) { _, number in
      ["It takes a while, she said.", "She said 41 ms at most, on the 22nd.", "She said it takes 41 ms at most."][
        min(number, 2)]
    }
    #expect(outcome.result.text == "She said it takes 41 ms at most.")
  }

  @Test func theLimitIsForTheWholeText() async throws {
    var params = request("One is here now.\n\nTwo is there now.\n\nThree is not here.\n")
    params.common.options = GenerationOptions()
    params.common.options?.maxTokens = GenerateResult.scripted().completionTokens + 1
    let outcome = try await run(params) { params, _ in params.source + " Really." }
    #expect(outcome.result.text == "One is here now. Really.\n\nTwo is there now. Really.\n\nThree is not here.\n")
    #expect(outcome.prompts.map(\.maxTokens) == [GenerateResult.scripted().completionTokens + 1, 1])
    #expect(outcome.result.common.finishReason == .length)
    #expect(outcome.codes == [.truncatedByLimit])
  }

  @Test func manyLinesAreWrittenInOrder() async throws {
    let lines = (0..<2_000).map { "- this is line \($0)\n" }
    let outcome = try await run(request(lines.joined())) { params, _ in params.source + " indeed" }
    #expect(outcome.result.text == (0..<2_000).map { "- this is line \($0) indeed\n" }.joined())
    #expect(outcome.result.edits.count == 2_000)
    let reports = outcome.work.compactMap { if case .report(let report) = $0 { report } else { nil } }
    #expect(reports.last?.message == "Writing part 2000 of 2000")
    let percentages = reports.compactMap(\.percentage)
    #expect(percentages == percentages.sorted())
  }

  @Test func severalStretchesCanBeCancelled() async throws {
    let never = Gate<Void>()
    let engine = ScriptedEngine([[.event(.text("It is so")), .wait(never)]])
    let client = await TestClient(engine)
    try await client.initialize()
    var params = request((0..<50).map { "- this is line \($0)\n" }.joined())
    params.common.partialResultToken = Self.token
    let work = Task { [params] in try await client.connection.request(Rephrase.self, params) }
    try await withDeadline(.seconds(5), "a partial result") {
      while client.partials(Self.token).isEmpty { await Task.yield() }
    }
    #expect(engine.prompts.count <= 8)
    work.cancel()
    await #expect(throws: RPCError.cancelled) { try await work.value }
    try await withDeadline(.seconds(5), "the engine's cancel") { await engine.cancelled.wait() }
    never.open()
    _ = await client.end()
  }
}
