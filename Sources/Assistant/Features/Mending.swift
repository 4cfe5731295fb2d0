import EngineProtocol

/// A stretch of prose as its sentences, which are written anew one by one when no draft of the whole was good: a small
/// model loses less of less. What it cannot say in other words stays as it is in the source.
struct Mending: Sendable {
  /// Longer stretches are not mended: each sentence is a call of the model.
  private static let mostSentences = 24
  /// What is wrong with a stretch and may be right with its sentences.
  private static let mendable: Set<Flaw> = [
    .protectedTextLost, .languageChanged, .copiedExample, .invention, .length, .repetition, .unfinished,
  ]
  /// No tone makes a sentence longer by more.
  private static let mostGrowth = 5.0

  private struct Sentence {
    let text: String
    /// The white space up to the next one.
    let gap: String
    var draft: Draft?

    var prose: Prose { Prose(original: text, text: text) }
  }

  /// What the model is asked for next.
  struct Job {
    let index: Int
    let prose: Prose
    let limit: Int?
    /// Strings of the sentence that the drafts of the whole have lost.
    let keeping: [String]
    /// Examples tempt to say what they say: a model that did is asked without.
    let withExamples: Bool
  }

  private let request: PieceRequest
  private let best: Draft
  private var sentences: [Sentence]
  private let language: Language?
  /// The tokens that the text may still have; nil for no limit of the caller's.
  private var left: Int?
  private var index = 0
  private var isOverLimit = false

  /// nil when the best draft is good or smaller units cannot help.
  /// - Parameter limit: most tokens of the text.
  init?(_ request: PieceRequest, best: Draft, limit: Int?) {
    guard !best.verdict.flaws.isDisjoint(with: Self.mendable) else { return nil }
    // What the caller's limit has cut is no fault of the model.
    if limit != nil, best.result.finishReason == .length { return nil }
    let scalars = Array(request.prose.text.unicodeScalars)
    let ranges = TextSplitter.sentences(in: scalars[...])
    guard (2...Self.mostSentences).contains(ranges.count) else { return nil }
    self.request = request
    self.best = best
    left = limit
    language = LanguageDetector.language(of: request.prose.text)
    sentences = ranges.map { range in
      let end = scalars[range].lastIndex { !$0.isWhitespace }.map { $0 + 1 } ?? range.lowerBound
      return Sentence(
        text: Self.string(scalars[range.lowerBound..<end]), gap: Self.string(scalars[end..<range.upperBound]))
    }
  }

  var isLimited: Bool { left != nil }

  /// nil when all sentences were asked for, or the limit is used up.
  mutating func next() -> Job? {
    while index < sentences.count {
      let prose = sentences[index].prose
      guard prose.isWorthWriting else {
        index += 1
        continue
      }
      if let left, left <= 0 {
        isOverLimit = true
        return nil
      }
      defer { index += 1 }
      return Job(
        index: index, prose: prose, limit: left.map { min($0, Self.mostTokens(for: prose)) },
        keeping: best.verdict.lost.filter(prose.text.hasBytes),
        withExamples: !best.verdict.flaws.contains(.copiedExample))
    }
    return nil
  }

  /// The draft takes the sentence's place if nothing is wrong with it.
  mutating func take(_ draft: Draft, for job: Job) {
    switch draft.result.finishReason {
    case .stop: break
    case .length, .contextFull:
      if let left, left <= Self.mostTokens(for: job.prose) { isOverLimit = true }
      return
    }
    guard draft.verdict.isGood, !isForeign(draft.text, job.prose.text) else { return }
    sentences[job.index].draft = draft
    left = left.map { $0 - draft.result.completionTokens }
  }

  /// The sentences put together, judged like any other draft of the stretch; nil when none was taken.
  var draft: Draft? {
    let taken = sentences.compactMap(\.draft)
    guard !taken.isEmpty else { return nil }
    var result = GenerateResult()
    for draft in taken {
      result.completionTokens += draft.result.completionTokens
      result.logProbability += draft.result.logProbability
    }
    if isOverLimit { result.finishReason = .length }
    let text = sentences.map { Self.ended($0.draft?.text, as: $0.text) + $0.gap }.joined()
    var mended = Draft(text, for: request.prose, request.verifier, result)
    // A word or two stay without a word about it, as they do elsewhere.
    let wanted = sentences.count { $0.prose.isWorthWriting }
    mended.stayed = Stayed(count: wanted - taken.count, of: wanted)
    // A text that is only somewhat long is better than one of which a part is missing its tone.
    if taken.count < wanted { mended.verdict.score -= Flaw.unchanged.weight }
    return mended
  }

  /// A sentence may be too short to tell its language, but its neighbours do.
  private func isForeign(_ text: String, _ source: String) -> Bool {
    guard language != nil, LanguageDetector.language(of: source) == nil else { return false }
    return LanguageDetector.hasChanged(from: request.prose.text, to: text)
  }

  /// With the source's mark at its end when the model wrote none: another sentence follows.
  private static func ended(_ text: String?, as source: String) -> String {
    guard let text, let last = text.unicodeScalars.last, let mark = source.unicodeScalars.last else { return source }
    let hasMark = SentenceMarks.endsSentence(last) || SentenceMarks.closes(last)
    return SentenceMarks.endsSentence(mark) && !hasMark ? text + String(mark) : text
  }

  private static func mostTokens(for prose: Prose) -> Int { TokenEstimate.limit(for: prose.text, growth: mostGrowth) }

  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }
}

/// How many sentences of a mended stretch are as they were in the source.
struct Stayed: Sendable {
  var count: Int
  var of: Int
}
