import AssistantProtocol
import EngineProtocol
import JSONRPC

/// Where a request's partial results and progress reports go, besides its result.
public struct RequestSink: Sendable {
  /// nil when no partial results are wanted.
  public var sendPartial: (@Sendable (PartialResult) -> Void)?
  /// nil when no progress is wanted.
  public var report: (@Sendable (WorkDoneProgress) -> Void)?
  /// Whether the reader keeps up.
  public var isWritable: @Sendable () -> Bool = { true }
  /// Waits until the reader has caught up.
  public var waitUntilWritable: @Sendable () async throws(CancellationError) -> Void = {}

  public init() {}
}

/// Why a request has no result.
public enum RequestFailure: Error, Equatable {
  case assistant(AssistantError)
  case engine(EngineFailure)
}

/// Runs a feature for one request, from the check of the text to the result.
public struct FeatureRunner: Sendable {
  let engine: any EngineService

  public init(engine: any EngineService) { self.engine = engine }

  public func run<Params, Output>(
    _ feature: Feature<Params, Output>, _ params: Params, encoding: PositionEncoding = .utf16,
    sink: RequestSink = RequestSink()
  ) async throws(RequestFailure) -> Output {
    if let session = params.common.sessionID { throw .assistant(.sessionNotFound(sessionID: session.text)) }
    let source = feature.source(params)
    guard !source.isBlank else { throw .assistant(.emptyPrompt) }

    var progress = ProgressReporter(title: feature.description.title, report: sink.report)
    progress.begin()
    // Also before an error: whoever shows the progress has to take it away.
    defer { progress.end() }
    let clock = ContinuousClock()
    let start = clock.now
    var composer = TextComposer(source: source, encoding: encoding, mode: params.common.stream)
    var attempt = try await write(feature.generateParams(for: params), &composer, &progress, sink)
    if CopiedExample.isIn(composer.text, examples: feature.examples(params), source: source) {
      composer.restart()
      let second = try await write(
        feature.generateParams(for: params, withExamples: false), &composer, &progress, sink)
      attempt = attempt.followed(by: second)
    }
    guard composer.hasContent else { throw .assistant(.emptyOutput) }
    var common = CommonResult()
    common.usage = Usage(attempt.result)
    // As the caller sees it: with the wait for the model.
    let total = start.duration(to: clock.now).milliseconds
    let waited = max(0, total - attempt.result.durationMs)
    common.usage.timeToFirstTokenMs = (common.usage.timeToFirstTokenMs + waited).toTenths
    common.usage.durationMs = total.toTenths
    common.finishReason = AssistantProtocol.FinishReason(attempt.result.finishReason)
    common.warnings = ResultWarnings.all(
      text: composer.text, source: source, encoding: encoding, result: attempt.result, retries: attempt.retries)
    return feature.output(params, composer.text, common)
  }

  /// One answer of the model, or two of which the second counts.
  private struct Attempt {
    var result: GenerateResult
    var retries: Set<ResultWarnings.Retry> = []

    /// Counts are sums; the rest is the later one's.
    func followed(by later: Attempt) -> Attempt {
      var sum = later
      sum.result.promptTokens += result.promptTokens
      sum.result.cachedTokens += result.cachedTokens
      sum.result.completionTokens += result.completionTokens
      sum.result.timeToFirstTokenMs = result.timeToFirstTokenMs
      sum.result.durationMs += result.durationMs
      sum.retries.formUnion(retries.union([.copiedExample]))
      return sum
    }
  }

  private func write(
    _ params: GenerateParams, _ composer: inout TextComposer, _ progress: inout ProgressReporter, _ sink: RequestSink
  ) async throws(RequestFailure) -> Attempt {
    let job = engine.generate(params)
    var retries: Set<ResultWarnings.Retry> = []
    for await event in job.events {
      switch event {
      case .loading(let fraction): progress.loading(fraction)
      case .reading(let done, let total): progress.reading(done: done, total: total)
      case .text(let piece):
        progress.writing()
        if let partial = composer.append(piece) { try await send(partial, of: job, to: sink) }
      case .restarted:
        retries.insert(.engineRestarted)
        composer.restart()
      case .finished(let result):
        if let partial = composer.finish() { try await send(partial, of: job, to: sink) }
        return Attempt(result: result, retries: retries)
      case .structured: break
      case .counted: throw .engine(.refused("the engine counted instead of generating"))
      case .failed(let failure): throw .engine(failure)
      }
    }
    throw .engine(.cancelled)
  }

  /// Counts the tokens of a text.
  public func count(_ text: String, sink: RequestSink = RequestSink()) async throws(RequestFailure) -> Int {
    var progress = ProgressReporter(title: "Count tokens", report: sink.report)
    progress.begin()
    defer { progress.end() }
    for await event in engine.count(text).events {
      switch event {
      case .loading(let fraction): progress.loading(fraction)
      case .counted(let tokens): return tokens
      case .failed(let failure): throw .engine(failure)
      case .reading, .text, .structured, .restarted: break
      case .finished: throw .engine(.refused("the engine generated instead of counting"))
      }
    }
    throw .engine(.cancelled)
  }

  /// Sends a partial result; the engine pauses while the reader is behind.
  private func send(_ partial: PartialResult, of job: EngineJob, to sink: RequestSink) async throws(RequestFailure) {
    guard let sendPartial = sink.sendPartial else { return }
    job.notePartialSent()
    sendPartial(partial)
    guard !sink.isWritable() else { return }
    job.setPaused(true)
    defer { job.setPaused(false) }
    do { try await sink.waitUntilWritable() } catch { throw .engine(.cancelled) }
  }
}

extension Double {
  /// Milliseconds as a person wants to read them.
  fileprivate var toTenths: Double { (self * 10).rounded() / 10 }
}

extension Duration {
  var milliseconds: Double {
    Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1e15
  }
}
