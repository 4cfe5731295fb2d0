import AssistantProtocol
import EngineProtocol

/// Summarises the parts of a text, a few at a time, each as a background job of the engine.
struct PartReader: Sendable {
  let engine: any EngineService
  /// The request, whose text is not looked at.
  let params: Summarize.Params
  let text: [Unicode.Scalar]
  let density: TokenDensity
  let window: SummaryWindow

  /// A part that has been read.
  struct Part: Sendable {
    let range: Range<Int>
    let summary: String
    let call: CallCosts.Call
    /// The engine died meanwhile, and the part was read again.
    let isRestarted: Bool
  }

  /// Reads the whole text.
  /// - Parameter partDone: told how many parts are done, of how many. A part that has to be cut again makes it more.
  /// - Returns: the parts in the order of the text, side by side, or why the first that failed did. No job is left
  ///   running then, nor when the task is cancelled.
  func read(
    since start: ContinuousClock.Instant, partDone: (_ done: Int, _ total: Int) -> Void
  ) async throws(RequestFailure) -> [Part] {
    let ranges = TextParts.parts(of: text[...], limit: Double(window.part), density: density)
    let sentences = Self.sentences(for: params.units, parts: ranges.count)
    // Taken from the end, so a part that is cut again goes on at once, and one that can never be read is soon known.
    var waiting: [Range<Int>] = ranges.reversed()
    var total = ranges.count
    partDone(0, total)
    let outcome = await withTaskGroup(of: PartEnd.self) { group -> Result<[Part], RequestFailure> in
      var done: [Part] = []
      var running = 0
      while true {
        while running < window.atOnce, let range = waiting.popLast() {
          group.addTask { await readPart(range, sentences: sentences, since: start) }
          running += 1
        }
        guard let end = await group.next() else { return .success(done) }
        running -= 1
        switch end.outcome {
        case .success(let part):
          done.append(part)
          partDone(done.count, total)
        case .failure(let failure):
          guard case .engine(.contextWindowExceeded) = failure, let pieces = cutAgain(end.range) else {
            // The group's end waits for those that run; they end at once.
            group.cancelAll()
            return .failure(failure)
          }
          waiting.append(contentsOf: pieces.reversed())
          total += pieces.count - 1
        }
      }
    }
    if Task.isCancelled { throw .engine(.cancelled) }
    return try outcome.get().sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  private struct PartEnd: Sendable {
    let range: Range<Int>
    let outcome: Result<Part, RequestFailure>
  }

  /// A part of a short text may say more, so that there is enough for what is wanted in the end.
  static func sentences(for units: Int, parts: Int) -> Int {
    min(16, max(2, (units * 3 / 2 + parts - 1) / max(parts, 1) + 1))
  }

  /// nil when the part is so small that its size cannot be the reason.
  private func cutAgain(_ range: Range<Int>) -> [Range<Int>]? {
    let tokens = density.tokens(in: text[range])
    guard tokens >= Double(SummaryWindow.leastPart) else { return nil }
    let pieces = TextParts.parts(of: text[range], limit: tokens * 0.55, density: density)
    return pieces.count > 1 ? pieces : nil
  }

  private func readPart(_ range: Range<Int>, sentences: Int, since start: ContinuousClock.Instant) async -> PartEnd {
    do throws(RequestFailure) {
      return PartEnd(range: range, outcome: .success(try await part(range, sentences: sentences, since: start)))
    } catch {
      return PartEnd(range: range, outcome: .failure(error))
    }
  }

  private func part(
    _ range: Range<Int>, sentences: Int, since start: ContinuousClock.Instant
  ) async throws(RequestFailure) -> Part {
    let source = String(scalars: text[range])
    var written = ""
    var isRestarted = false
    let job = engine.generate(generateParams(for: source, sentences: sentences))
    let result = try await job.result { news in
      switch news {
      case .text(let piece): written += piece
      case .restarted:
        written = ""
        isRestarted = true
      case .loading, .reading, .structured: break
      }
    }
    guard let answer = OutputFilter.text(of: written, source: source, names: SummaryRunner.names) else {
      throw .assistant(.refusal)
    }
    let summary = Self.wholeSentences(of: answer, most: sentences, source: source)
    guard !summary.isEmpty else { throw .assistant(.emptyOutput) }
    return Part(range: range, summary: summary, call: CallCosts.Call(result, since: start), isRestarted: isRestarted)
  }

  private func generateParams(for source: String, sentences: Int) -> GenerateParams {
    var part = Summarize.Params(text: source, style: .sentences, count: sentences, common: params.common)
    // The limit is meant for the answer.
    part.common.options?.maxTokens = nil
    var result = Feature.summarize.summaryParams(for: part)
    // At most half of a full part, so that each round has less to read than the one before.
    result.maxTokens = min(result.maxTokens, max(SummaryWindow.leastPart, window.part / 2))
    result.priority = .background
    return result
  }

  /// The sentences in their form, without a last one that a limit has cut off, unless there is no other.
  static func wholeSentences(of written: String, most count: Int, source: String) -> String {
    let text = SummaryForm(.sentences, count: count, source: source).formed(written, isComplete: true).text
    let scalars = Array(text.unicodeScalars)
    let sentences = TextSplitter.sentences(in: scalars[...])
    guard sentences.count > 1, let last = sentences.last,
      !scalars[last].contains(where: SentenceMarks.endsSentence)
    else { return text }
    return String(scalars: scalars[..<last.lowerBound]).trimmed
  }
}
