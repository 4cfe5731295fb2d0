import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC

/// Where a request's partial results and progress reports go, besides its result.
public struct RequestSink: Sendable {
  /// nil when no partial results are wanted. Throws for what must not be shown.
  public var sendPartial: (@Sendable (PartialResult) throws(RequestFailure) -> Void)?
  /// nil when no progress is wanted.
  public var report: (@Sendable (WorkDoneProgress) -> Void)?
  /// Asks the client to run one of its tools, within the time; nil when there is no client to ask. The answer is as it
  /// came.
  public var callTool: (@Sendable (ToolCall.Params, Duration) async throws(RPCError) -> JSONValue)?
  /// How hot the machine is; asked before long work.
  public var thermalState: @Sendable () -> ThermalState = { .unknown }
  /// What `catalogSearch` looks in.
  package var catalog = Catalog.films
  /// Whether the reader keeps up.
  public var isWritable: @Sendable () -> Bool = { true }
  /// Waits until the reader has caught up.
  public var waitUntilWritable: @Sendable () async throws(CancellationError) -> Void = {}

  /// The user's rules about what is read and written.
  public var guardrails = Guardrails.none

  public init() {}
}

/// Why a request has no result.
public enum RequestFailure: Error, Equatable {
  case assistant(AssistantError)
  case engine(EngineFailure)
  /// A parameter says something that there is not.
  case invalid(JSONMismatch)
  case store(StoreFailure)
}

extension String {
  /// What every text has to pass before the engine hears of it.
  func checkIsVisible() throws(RequestFailure) { if isInvisible { throw .assistant(.emptyPrompt) } }
}

/// Runs a feature for one request, from the check of the text to the result.
public struct FeatureRunner: Sendable {
  let engine: any EngineService

  public init(engine: any EngineService) { self.engine = engine }

  public func run<Params, Output>(
    _ feature: Feature<Params, Output>, _ params: Params, encoding: PositionEncoding = .utf16,
    sink: RequestSink = RequestSink()
  ) async throws(RequestFailure) -> Output {
    let source = feature.source(params)
    try source.checkIsVisible()

    let progress = ProgressReporter(title: feature.description.title, report: sink.report)
    progress.begin()
    // Also before an error: whoever shows the progress has to take it away.
    defer { progress.end() }
    let rules = feature.rules(params)
    let form = Form(source, language: rules.documentLanguage)
    var writer = TextWriter(
      self, sink: sink, encoding: encoding, mode: params.common.stream, count: max(1, rules.alternatives),
      progress: progress)
    let examples = feature.examples(params)
    let text = try await writer.write(form, limit: params.common.options?.maxTokens) { prose, limit in
      PieceRequest(
        prose, verifier: Verifier(source: prose.text, examples: examples, rules: rules), rules: rules
      ) { withExamples, lost in
        var request = feature.generateParams(
          for: params, piece: prose.text, withExamples: withExamples, keeping: lost)
        if let limit { request.maxTokens = limit }
        return request
      }
    }
    var common = writer.tally.common(text: text.alternatives[0], source: source, encoding: encoding)
    if text.alternatives.count < rules.alternatives {
      let count = text.alternatives.count
      common.warnings.append(
        Warning(.fewerAlternatives, "Only \(count) of \(rules.alternatives) texts are different from each other."))
    }
    return feature.output(params, text, common)
  }

  /// Counts the tokens of a text.
  public func count(_ text: String, sink: RequestSink = RequestSink()) async throws(RequestFailure) -> Int {
    var progress = ProgressReporter(title: "Count tokens", report: sink.report)
    progress.begin()
    defer { progress.end() }
    return try await engine.countTokens(in: text, progress: &progress)
  }
}

extension EngineService {
  /// The tokens of a text; reports while the model loads.
  func countTokens(in text: String, progress: inout ProgressReporter) async throws(RequestFailure) -> Int {
    for await event in count(text).events {
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
}

extension RequestSink {
  /// Sends a partial result; the engine pauses while the reader is behind.
  /// - Parameter job: what the partial result is of; nil when its job has ended.
  func send(_ partial: PartialResult, of job: EngineJob?) async throws(RequestFailure) {
    guard let sendPartial else { return }
    job?.notePartialSent()
    try sendPartial(partial)
    guard !isWritable() else { return }
    job?.setPaused(true)
    defer { job?.setPaused(false) }
    do { try await waitUntilWritable() } catch { throw .engine(.cancelled) }
  }
}
