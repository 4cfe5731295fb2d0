import AssistantProtocol
import EngineProtocol

/// Writes the text of one request: each stretch of prose in the form by the model, in order, everything between as it
/// was. Several stretches are at the engine at once; what comes of those that are not yet due waits in their streams.
///
/// The first draft of a stretch is shown while it is written. When it turns out to have a flaw, more are drawn, and the
/// best replaces it. A draft that is much too long, or says what an example says, ends at once. When none is good, the
/// stretch is written sentence by sentence as well. What would still lose a string that must stay is left as it is in
/// the source.
struct TextWriter {
  /// Jobs at the engine at once: they share its steps, and more would only make the first wait.
  private static let mostJobs = 8

  private struct Piece {
    let request: PieceRequest
    let jobs: [EngineJob]
  }

  private let runner: FeatureRunner
  private let sink: RequestSink
  private let encoding: PositionEncoding
  private var composer: TextComposer
  private var progress: ProgressReporter
  /// Reading and writing are reported for a single stretch; several are counted.
  private var reportsSteps = true
  private(set) var tally = Tally()
  private var alternatives: [String]
  private var edits: [TextEdit] = []
  /// Where the source is read, in units of the encoding.
  private var position = 0

  init(
    _ runner: FeatureRunner, sink: RequestSink, encoding: PositionEncoding, mode: StreamMode, count: Int,
    progress: ProgressReporter
  ) {
    self.runner = runner
    self.sink = sink
    self.encoding = encoding
    self.progress = progress
    composer = TextComposer(encoding: encoding, mode: mode)
    alternatives = Array(repeating: "", count: count)
  }

  /// - Parameters:
  ///   - limit: most tokens of the text, for all stretches together.
  ///   - request: what the engine is asked for a stretch, with so many tokens at most.
  mutating func write(
    _ form: Form, limit: Int?, request: (Prose, _ limit: Int?) -> PieceRequest
  ) async throws(RequestFailure) -> WrittenText {
    let prose = form.prose
    reportsSteps = prose.count == 1
    if prose.isEmpty { tally.warnings.append(Warning(.unchanged, "There is no prose in it, so nothing was changed.")) }
    // What the first stretch leaves of the limit is the second's, so they go one after the other.
    let window = limit == nil ? max(1, Self.mostJobs / alternatives.count) : 1
    var left = limit
    var waiting: [Piece] = []
    var (started, done) = (0, 0)
    for part in form.parts {
      try await pauseIfCancelled()
      switch part {
      case .kept(let text): keep(text)
      case .prose(let stretch):
        if let left, left <= 0 {
          tally.reachLimit()
          keep(stretch.original)
          continue
        }
        while started < prose.count, waiting.count < window {
          waiting.append(start(request(prose[started], left)))
          started += 1
        }
        let piece = waiting.removeFirst()
        done += 1
        if prose.count > 1 { progress.writing(part: done, of: prose.count) }
        let used = try await write(piece, isOnly: prose.count == 1, limit: left, request: request)
        left = left.map { $0 - used }
      }
    }
    if let partial = composer.finish() { try await sink.send(partial, of: nil) }
    return written
  }

  private var written: WrittenText {
    var seen: Set<[UInt8]> = []
    var result = WrittenText(alternatives: alternatives, edits: edits)
    result.alternatives = alternatives.filter { seen.insert(Array($0.spaceFolded.utf8)).inserted }
    return result
  }

  private mutating func keep(_ text: String) {
    composer.keep(text)
    for index in alternatives.indices { alternatives[index] += text }
    position += encoding.length(of: text)
  }

  private func start(_ request: PieceRequest) -> Piece {
    Piece(request: request, jobs: request.first.map(runner.engine.generate))
  }

  // MARK: One stretch

  /// Returns the tokens of the text it chose.
  private mutating func write(
    _ piece: Piece, isOnly: Bool, limit: Int?, request sentence: (Prose, _ limit: Int?) -> PieceRequest
  ) async throws(RequestFailure) -> Int {
    let request = piece.request
    composer.begin()
    var drafts: [Draft] = []
    for (index, job) in piece.jobs.enumerated() {
      if index == 0 {
        drafts.append(try await draft(request, job, isShown: true))
      } else if let draft = try await furtherDraft(request, job) {
        drafts.append(draft)
      }
    }
    var choice = DraftChoice(drafts, count: request.count)
    var round = 0
    while case let more = request.further(choice, round: round), !more.isEmpty {
      let jobs = more.map(runner.engine.generate)
      var found: [Draft] = []
      for job in jobs { if let draft = try await furtherDraft(request, job) { found.append(draft) } }
      if found.isEmpty { break }
      tally.retries.insert(choice.flaws.contains(.copiedExample) ? .copiedExample : .flawed)
      choice.add(found)
      round += 1
    }
    var chosen = choice.chosen
    guard var best = chosen.first else { throw .engine(.cancelled) }
    if let mending = Mending(request, best: best, limit: limit),
      let mended = try await mend(mending, sentence), mended.verdict.score > best.verdict.score
    {
      best = mended
      chosen[0] = mended
    }
    if best.verdict.flaws.contains(.refusal) { throw .assistant(.refusal) }
    if isOnly, best.verdict.flaws.contains(.empty) { throw .assistant(.emptyOutput) }
    // Rather as it was than what nobody meant, or without what must stay.
    let staysTheSame = best.verdict.isBeside || best.verdict.loses || (!isOnly && best.verdict.isOdd)
    let text = staysTheSame ? request.prose.original : best.text
    if let partial = composer.settle(text) { try await sink.send(partial, of: nil) }
    // How a draft ended that is thrown away says nothing of the text, unless the caller's limit has spoilt it.
    let isCut = limit != nil && best.result.finishReason == .length
    if !staysTheSame { tally.take(best.result) } else if isCut { tally.reachLimit() }
    for index in alternatives.indices {
      alternatives[index] += index == 0 || !chosen.indices.contains(index) ? text : chosen[index].text
    }
    addEdits(from: request.prose.original, to: text)
    let verdict = staysTheSame ? Verdict(flaws: [.unchanged], lost: best.verdict.lost) : best.verdict
    tally.warnings += FlawWarnings.all(
      verdict, stayed: staysTheSame ? nil : best.stayed, range: composer.stretch)
    return staysTheSame && !isCut ? 0 : best.result.completionTokens
  }

  /// The stretch from its sentences, several of which are at the engine at once.
  private mutating func mend(
    _ plan: Mending, _ request: (Prose, _ limit: Int?) -> PieceRequest
  ) async throws(RequestFailure) -> Draft? {
    var mending = plan
    // As with stretches: what one sentence leaves of the limit is the next one's.
    let window = mending.isLimited ? 1 : Self.mostJobs
    var waiting: [(sentence: Mending.Job, piece: Piece)] = []
    while true {
      while waiting.count < window, let next = mending.next() {
        let piece = request(next.prose, next.limit)
        let job = runner.engine.generate(piece.single(withExamples: next.withExamples, keeping: next.keeping))
        waiting.append((next, Piece(request: piece, jobs: [job])))
      }
      guard !waiting.isEmpty else { return mending.draft }
      let (sentence, piece) = waiting.removeFirst()
      for job in piece.jobs {
        if let draft = try await furtherDraft(piece.request, job) { mending.take(draft, for: sentence) }
      }
    }
  }

  /// A draft that would be good to have; nil when the engine has no place for it.
  private mutating func furtherDraft(_ request: PieceRequest, _ job: EngineJob) async throws(RequestFailure) -> Draft? {
    do throws(RequestFailure) {
      return try await draft(request, job, isShown: false)
    } catch {
      guard case .engine(.overloaded) = error else { throw error }
      return nil
    }
  }

  private mutating func draft(
    _ request: PieceRequest, _ job: EngineJob, isShown: Bool
  ) async throws(RequestFailure) -> Draft {
    var filter = OutputFilter(source: request.prose.text, names: request.names, showsEarly: isShown)
    var filler = LineFiller(request.prose)
    var watch = DraftWatch(request.verifier)
    let result = try await job.result { news throws(RequestFailure) in
      switch news {
      case .loading(let fraction): if isShown { progress.loading(fraction) }
      case .reading(let done, let total): if isShown, reportsSteps { progress.reading(done: done, total: total) }
      case .text(let piece):
        if isShown, reportsSteps { progress.writing() }
        guard !watch.isSpoiled else { return }
        let text = filter.append(piece)
        if filter.takeVoid() {
          filler = LineFiller(request.prose)
          watch = DraftWatch(request.verifier)
          composer.restart()
        }
        watch.append(text)
        if watch.isSpoiled { job.finish() }
        guard isShown, let partial = composer.append(filler.append(text)) else { return }
        try await sink.send(partial, of: job)
      case .restarted:
        tally.retries.insert(.engineRestarted)
        filter = OutputFilter(source: request.prose.text, names: request.names, showsEarly: isShown)
        filler = LineFiller(request.prose)
        watch = DraftWatch(request.verifier)
        if isShown { composer.restart() }
      case .structured: break
      }
    }
    tally.add(result)
    return Draft(filter.finish(), for: request.prose, request.verifier, result, isEnded: watch.isSpoiled)
  }

  private mutating func addEdits(from old: String, to new: String) {
    let bytes = Array(old.utf8)
    var (at, units) = (0, position)
    func length(_ range: Range<Int>) -> Int { encoding.length(of: String(decoding: bytes[range], as: UTF8.self)) }
    for change in WordDiff.changes(from: old, to: new) {
      units += length(at..<change.range.lowerBound)
      let end = units + length(change.range)
      edits.append(TextEdit(start: units, end: end, newText: change.text))
      (at, units) = (change.range.upperBound, end)
    }
    position += encoding.length(of: old)
  }

  /// A text of nothing but kept parts has no other place where its cancellation is seen.
  private func pauseIfCancelled() async throws(RequestFailure) {
    if Task.isCancelled { throw .engine(.cancelled) }
  }
}
