import AssistantProtocol
import EngineProtocol

/// Runs `assistant/summarize`. A text that is short enough is read at once. A longer one is cut into parts, which are
/// summarised side by side; their summaries, put together, are the text of the next round, until it can be read at
/// once.
public struct SummaryRunner: Sendable {
  /// Each round leaves less than a third or so, so that the longest text of a request takes four.
  static let mostRounds = 8
  /// What a model may call its answer.
  static let names = ["summary", "headline"]

  private let engine: any EngineService

  public init(engine: any EngineService) { self.engine = engine }

  public func run(
    _ params: Summarize.Params, encoding: PositionEncoding = .utf16, sink: RequestSink = RequestSink()
  ) async throws(RequestFailure) -> Summarize.Result {
    try params.text.checkIsVisible()
    let progress = ProgressReporter(title: Feature.summarize.description.title, report: sink.report)
    progress.begin()
    defer { progress.end() }
    var run = SummaryRun(engine: engine, params: params, encoding: encoding, sink: sink, progress: progress)
    return try await run.summarize()
  }

  /// The tokens of a text, which the engine counts, and how much of it one call is given.
  static func plan(
    _ params: Summarize.Params, engine: any EngineService, progress: inout ProgressReporter
  ) async throws(RequestFailure) -> (tokens: Int, window: SummaryWindow) {
    // First: it loads the model if need be, and only then the size of the window is known.
    let tokens = try await engine.countTokens(in: params.text, progress: &progress)
    var empty = params
    empty.text = ""
    let frame = Feature.summarize.summaryParams(for: empty)
    let window = SummaryWindow(
      contextSize: await engine.status().model?.contextSize ?? 0,
      // Each message has a few tokens of the template around it.
      frame: frame.messages.reduce(0) { $0 + TokenEstimate.tokens(in: $1.text) + 8 },
      answer: frame.maxTokens,
      partAnswer: Summarize.Style.sentences.mostTokens(count: PartReader.sentences(for: params.units, parts: 4)))
    return (tokens, window)
  }
}

extension FeatureRunner {
  /// `Feature.summarize` for a text of any length.
  public func summarize(
    _ params: Summarize.Params, encoding: PositionEncoding = .utf16, sink: RequestSink = RequestSink()
  ) async throws(RequestFailure) -> Summarize.Result {
    try await SummaryRunner(engine: engine).run(params, encoding: encoding, sink: sink)
  }
}
