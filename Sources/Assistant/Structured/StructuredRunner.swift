import AssistantProtocol
import EngineProtocol
import JSON

extension FeatureRunner {
  /// Runs a feature with a structured answer for one request. The schema is looked at before the engine is asked for
  /// anything, and the answer is checked against it on its own.
  public func run<Params, Output>(
    _ feature: StructuredFeature<Params, Output>, _ params: Params, sink: RequestSink = RequestSink()
  ) async throws(RequestFailure) -> Output {
    try await run(feature, params, tools: SessionTools(), sink: sink)
  }

  /// - Parameter tools: those of the request's session.
  func run<Params, Output>(
    _ feature: StructuredFeature<Params, Output>, _ params: Params, tools: SessionTools, sink: RequestSink
  ) async throws(RequestFailure) -> Output {
    let source = feature.source(params)
    try source.checkIsVisible()
    let shape = feature.shape(params)
    let schema = try JSONSchema(forRequest: shape.schema)

    let progress = ProgressReporter(title: feature.description.title, report: sink.report)
    progress.begin()
    // Also before an error: whoever shows the progress has to take it away.
    defer { progress.end() }
    var run = StructuredRun(runner: self, sink: sink, progress: progress)
    try await run.callTools(tools, for: params, source)
    if !shape.isOurs {
      run.facts = GivenFacts(schema, texts: [source] + params.common.texts + run.runner.engine.shownTexts)
    }
    let count = shape.distinctList?.count ?? 1
    let request = feature.generateParams(for: params, shape, count: count)
    var answer = try await run.answer(request, notCopying: shape.example)
    if let example = shape.example {
      // Once more with it, for it helps a great deal, and then without. What stands before the copied text stays.
      for retry in 1...2 where try answer.copies(example, schema) {
        run.warnings.copiedExample = true
        var again = feature.generateParams(for: params, shape, count: count, withExample: retry == 1).hotter(retry)
        again.answerPrefix = example.ownStart(of: answer.text)
        answer = try await run.answer(again, notCopying: retry == 1 ? example : nil)
      }
    }
    var value = try answer.value(schema)
    if let list = shape.distinctList {
      let taken = shape.example.map { list.items(in: $0.value) } ?? []
      value = try await run.completed(value, list, not: taken) { missing in
        let part = shape.part(list, count: missing)
        return feature.generateParams(for: params, part, count: missing)
      }
      guard schema.validate(value).isEmpty else { throw .assistant(.decodingFailure(.stop)) }
    }
    if let facts = run.facts { value = facts.given(value) { run.warnings.leftOut.append($0) } }
    if shape.isOurs, value.strings.allSatisfy(\.isBlank) { throw .assistant(.emptyOutput) }
    let outline: Outline
    do throws(JSONMismatch) { outline = try shape.outline(value) } catch {
      throw .assistant(.decodingFailure(AssistantProtocol.FinishReason(answer.result.finishReason)))
    }
    try run.show(final: value)
    // The value is whole, and shorter than the model meant it to be.
    if answer.result.cutShort, answer.result.finishReason == .stop { answer.result.finishReason = .length }
    let common = CommonResult(
      usage: run.costs.usage, finishReason: AssistantProtocol.FinishReason(answer.result.finishReason),
      warnings: run.warnings.all(value, source: source, answer.result))
    var output = feature.output(params, value, outline, common)
    output.toolCalls = tools.calls.all
    return output
  }
}

extension JSONSchema {
  /// The schema of a request, before anything is asked of the engine.
  fileprivate init(forRequest json: JSONValue) throws(RequestFailure) {
    do throws(UnsupportedSchema) {
      self = try JSONSchema(json)
    } catch {
      throw .assistant(
        .unsupportedSchema(pointer: error.pointer, keyword: error.keyword, problem: error.problem))
    }
  }
}

/// What the model has written for one call.
private struct StructuredAnswer {
  var text = ""
  var result = GenerateResult()
  /// It was ended since it had copied a text of the example.
  var isEnded = false

  /// Whether it holds a text of the example.
  func copies(_ example: ShapeExample, _ schema: JSONSchema) throws(RequestFailure) -> Bool {
    if isEnded { return true }
    return example.isCopied(in: try value(schema))
  }

  /// The value, when it is whole and as the schema says.
  func value(_ schema: JSONSchema) throws(RequestFailure) -> JSONValue {
    if text.isBlank, result.finishReason == .stop { throw .assistant(.emptyOutput) }
    guard let value = parsed, schema.validate(value).isEmpty else {
      throw .assistant(.decodingFailure(AssistantProtocol.FinishReason(result.finishReason)))
    }
    return value
  }

  /// The value, when it is whole.
  var parsed: JSONValue? {
    do { return try JSONParser.parse(text) } catch { return nil }
  }
}

/// The calls of the model for one structured result.
private struct StructuredRun {
  /// How often missing items are asked for when the model repeats itself.
  private static let mostRetries = 4

  private(set) var runner: FeatureRunner
  let sink: RequestSink
  var progress: ProgressReporter
  var costs = CallCosts()
  var warnings = StructuredWarnings()
  /// What a value of the caller's may hold; nil for one of ours.
  var facts: GivenFacts?
  private var lastShown: JSONValue?

  init(runner: FeatureRunner, sink: RequestSink, progress: ProgressReporter) {
    self.runner = runner
    self.sink = sink
    self.progress = progress
  }

  /// Lets the model call tools for the source; what they say stands in all prompts from then on.
  mutating func callTools<Params: ToolCallingParams>(
    _ available: SessionTools, for params: Params, _ source: String
  ) async throws(RequestFailure) {
    var tools = ToolRun(
      engine: runner.engine, tools: try available.tools(params.tools), choice: params.toolChoice,
      sessionID: available.sessionID, sink: sink, calls: available.calls)
    try await tools.run([PromptMessage(.user, source.trimmed)], &progress)
    costs.add(tools.costs)
    runner = FeatureRunner(engine: EngineWithHistory(base: runner.engine, history: [], appended: tools.results))
  }

  /// One call of the model.
  /// - Parameters:
  ///   - example: the answer ends when it has copied a text of this.
  ///   - shown: what of a snapshot is shown to the client.
  mutating func answer(
    _ params: GenerateParams, notCopying example: ShapeExample? = nil, shown: (JSONValue) -> JSONValue = { $0 }
  ) async throws(RequestFailure) -> StructuredAnswer {
    let job = runner.engine.generate(params)
    var answer = StructuredAnswer(text: params.answerPrefix)
    answer.result = try await job.result { news throws(RequestFailure) in
      switch news {
      case .loading(let fraction): progress.loading(fraction)
      case .reading(let done, let total): progress.reading(done: done, total: total)
      case .text(let piece):
        progress.writing()
        answer.text += piece
      case .structured(let value):
        guard !answer.isEnded else { return }
        progress.writing()
        if let example, example.isCopied(inPartial: value) {
          answer.isEnded = true
          job.finish()
        }
        let snapshot = shown(facts.map { $0.given(value) } ?? value)
        guard snapshot != lastShown else { return }
        lastShown = snapshot
        try await sink.send(.structured(StructuredSnapshot(value: snapshot)), of: job)
      case .restarted:
        warnings.engineRestarted = true
        answer = StructuredAnswer(text: params.answerPrefix)
      }
    }
    costs.add(answer.result)
    return answer
  }

  /// The value with a list of different items, exactly as many as there are to be: while some are missing, more are
  /// asked for with another seed and a higher temperature.
  /// - Parameter taken: items that do not count, those of the example.
  mutating func completed(
    _ value: JSONValue, _ list: DistinctList, not taken: [JSONValue], _ request: (_ missing: Int) -> GenerateParams
  ) async throws(RequestFailure) -> JSONValue {
    var distinct = DistinctItems(not: taken)
    distinct.add(list.items(in: value))
    let found = distinct.items.count
    for retry in 1...Self.mostRetries where distinct.items.count < list.count {
      // Two more than needed: some will repeat as well.
      let wanted = min(list.count - distinct.items.count + 2, Limits.brainstormCount)
      let kept = distinct.items
      let answer = try await answer(request(wanted).hotter(retry)) { snapshot in
        let items = list.withoutRepetitions(in: snapshot, kept: kept).prefix(list.count)
        return list.replaceItems(of: value, with: Array(items))
      }
      // An answer that is not whole has nothing to offer; the next one may.
      if let parsed = answer.parsed { distinct.add(list.items(in: parsed)) }
    }
    guard distinct.items.count >= list.count else { throw .assistant(.decodingFailure(.stop)) }
    warnings.replacedItems = max(0, list.count - found)
    return list.replaceItems(of: value, with: Array(distinct.items.prefix(list.count)))
  }

  /// The last snapshot is the value itself.
  mutating func show(final value: JSONValue) throws(RequestFailure) {
    guard let sendPartial = sink.sendPartial, value != lastShown else { return }
    lastShown = value
    try sendPartial(.structured(StructuredSnapshot(value: value)))
  }
}
