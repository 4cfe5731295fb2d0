import AssistantProtocol
import EngineProtocol

/// One request of `assistant/summarize` under way.
struct SummaryRun {
  let engine: any EngineService
  let params: Summarize.Params
  let encoding: PositionEncoding
  let sink: RequestSink
  var progress: ProgressReporter
  var costs = CallCosts()
  var isRestarted = false
  /// The parts of the source.
  var parts: [Range<Int>] = []

  mutating func summarize() async throws(RequestFailure) -> Summarize.Result {
    var (tokens, window) = try await SummaryRunner.plan(params, engine: engine, progress: &progress)
    // What is read next: the source, then the summaries of its parts.
    var text = params.text
    for round in 0...SummaryRunner.mostRounds {
      if tokens <= window.whole {
        do throws(RequestFailure) {
          return try await finish(text)
        } catch {
          guard case .engine(.contextWindowExceeded) = error, window.whole > SummaryWindow.leastPart else {
            throw error
          }
          window.shrink(below: tokens)
        }
      }
      if round == SummaryRunner.mostRounds { break }
      text = try await readParts(text, tokens, window)
      let rest = try await engine.countTokens(in: text, progress: &progress)
      // By construction it is much less; but the loop has to end whatever a model writes.
      guard rest < tokens else { break }
      tokens = rest
    }
    throw .engine(.refused("the summaries of the parts do not get shorter"))
  }

  /// The summaries of all parts, as paragraphs.
  private mutating func readParts(
    _ text: String, _ tokens: Int, _ window: SummaryWindow
  ) async throws(RequestFailure) -> String {
    // Minutes of full load are not for a machine that is about to turn itself off.
    let state = sink.thermalState()
    if state == .critical { throw .assistant(.tooHot(state)) }
    let reader = PartReader(
      engine: engine, params: params, text: Array(text.unicodeScalars),
      density: TokenDensity(tokens: tokens, in: text), window: window)
    progress.beginParts()
    let read = try await reader.read(since: costs.start) { done, total in progress.parts(done: done, of: total) }
    for part in read {
      costs.add(part.call)
      if part.isRestarted { isRestarted = true }
    }
    if parts.isEmpty { parts = read.map(\.range) }
    return read.map(\.summary).joined(separator: "\n\n")
  }

  /// The last call, whose text is the result's. Too few sentences are asked for once more; if there are too few
  /// again, the result carries a warning: a text of one word has no two sentences, and a short summary is better than
  /// none. What is said twice counts once.
  ///
  /// What says something else than the text is drawn again, or replaced by the text's own words; see
  /// `SummaryRun+Judging.swift`.
  private mutating func finish(_ text: String) async throws(RequestFailure) -> Summarize.Result {
    var request = params
    request.text = text
    var generate = Feature.summarize.summaryParams(for: request)
    let form = SummaryForm(params.style, count: params.units, source: params.text)
    var shown = TextComposer(encoding: encoding, mode: params.common.stream)
    var written = try await write(engine.generate(generate), form, &shown)
    var retries: Set<ResultWarnings.Retry> = []
    if written.formed.units < params.units {
      retries.insert(.tooShort)
      changeAfterTooShort(&generate, written.result)
      shown.restart()
      written = try await better(written, engine.generate(generate), form, &shown)
    }
    let judged = try await judged(&written, read: text, generate, form, &retries)
    if isRestarted { retries.insert(.engineRestarted) }
    let checked: SummaryCheck.Checked
    do throws(AssistantError) {
      checked = try SummaryCheck.check(
        written.formed.text, of: params, missing: missing(written.formed), encoding: encoding,
        result: written.result, retries: retries)
    } catch {
      throw .assistant(error)
    }
    if let partial = shown.settle(checked.text) { try await sink.send(partial, of: written.job) }
    var common = CommonResult()
    common.usage = costs.usage
    common.finishReason = AssistantProtocol.FinishReason(written.result.finishReason)
    common.warnings = checked.warnings + judged
    var result = Feature.summarize.output(params, WrittenText(alternatives: [checked.text]), common)
    result.coverage = coverage()
    result.parts = result.coverage.count
    return result
  }

  /// The second answer, unless it has less than the first.
  private mutating func better(
    _ first: Written, _ job: EngineJob, _ form: SummaryForm, _ shown: inout TextComposer
  ) async throws(RequestFailure) -> Written {
    do throws(RequestFailure) {
      let second = try await write(job, form, &shown)
      return second.formed.units < first.formed.units ? first : second
    } catch {
      if error == .assistant(.refusal), first.formed.units > 0 { return first }
      throw error
    }
  }

  /// What the same question would be answered to in the same way: more room when it was too little, else some chance,
  /// unless the caller has chosen.
  private func changeAfterTooShort(_ generate: inout GenerateParams, _ result: GenerateResult) {
    let options = params.common.options
    switch result.finishReason {
    case .length: if options?.maxTokens == nil { generate.maxTokens *= 2 }
    case .stop, .contextFull:
      guard options?.temperature == nil, options?.sampling == nil else { return }
      generate.sampling.temperature = 0.5
      generate.sampling.minP = max(generate.sampling.minP, 0.05)
      generate.sampling.seed = options?.seed ?? 1
    }
  }

  private func missing(_ formed: SummaryForm.Formed) -> String? {
    guard formed.units < params.units else { return nil }
    let names = params.style.name(count: params.units)
    return "The summary has \(formed.units) of the \(params.units) different \(names) that were asked for."
  }

  struct Written {
    var formed: SummaryForm.Formed
    var result: GenerateResult
    let job: EngineJob

    init(_ formed: SummaryForm.Formed, _ result: GenerateResult, _ job: EngineJob) {
      self.formed = formed
      var result = result
      if formed.isFull {
        // Only what is cut off anyway ended early.
        result.finishReason = .stop
        result.repeated = false
      }
      self.result = result
      self.job = job
    }
  }

  /// - Parameter isShown: whether it is what the client sees grow.
  mutating func write(
    _ job: EngineJob, _ form: SummaryForm, _ shown: inout TextComposer, isShown: Bool = true
  ) async throws(RequestFailure) -> Written {
    var filter = OutputFilter(source: params.text, names: SummaryRunner.names)
    var text = ""
    var formed = SummaryForm.Formed()
    let result = try await job.result { news throws(RequestFailure) in
      switch news {
      case .loading(let fraction): if isShown { progress.loading(fraction) }
      case .reading(let done, let total): if isShown { progress.reading(done: done, total: total) }
      case .text(let piece):
        if isShown { progress.writing() }
        text += filter.append(piece)
        if formed.isFull || !isShown { return }
        formed = form.formed(text, isComplete: false)
        if let partial = shown.settle(formed.text) { try await sink.send(partial, of: job) }
      case .restarted:
        isRestarted = true
        filter = OutputFilter(source: params.text, names: SummaryRunner.names)
        text = ""
        formed = SummaryForm.Formed()
        if isShown { shown.restart() }
      case .structured: break
      }
    }
    costs.add(result)
    guard let whole = filter.finish() else { throw .assistant(.refusal) }
    return Written(form.formed(whole, isComplete: true), result, job)
  }

  /// The parts in the client's units.
  private func coverage() -> [TextRange] {
    guard !parts.isEmpty else { return [TextRange(start: 0, end: encoding.length(of: params.text))] }
    var result: [TextRange] = []
    var index = params.text.unicodeScalars.startIndex
    var position = 0
    for part in parts {
      let start = position
      for _ in part {
        position += encoding.length(of: params.text.unicodeScalars[index])
        params.text.unicodeScalars.formIndex(after: &index)
      }
      result.append(TextRange(start: start, end: position))
    }
    return result
  }
}
