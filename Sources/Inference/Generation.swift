/// The output of one request on its way from logits to text. Survives the preemption of its sequence, so that the
/// output goes on where it was.
final class Generation {
  enum Progress: Equatable {
    /// The output goes on with these.
    case next([Token])
    case end(GenerationSummary.FinishReason, repeated: Bool)
    /// The logits are not numbers.
    case notFinite
  }

  let id: Int
  let promptCount: Int
  let submitted: Duration
  private(set) var completionCount = 0
  /// As `GenerationSummary.logProbability`.
  private(set) var logProbability = 0.0
  var firstToken: Duration?
  /// The last prefill that was reported.
  var prefillDone = 0
  var cachedTokens = 0
  /// What a prewarm has read.
  private var tokensRead: Int?

  private let prompt: [Token]
  private let maxTokens: Int
  private let contextSize: Int
  private let penalty: Float
  private var sampler: Sampler
  private var repetition = RepetitionTracker()
  private var text: TextAssembler
  private var bytes: [UInt8] = []
  /// Whether the output may be a loop, so that its text stays here until that is known.
  private var isSuspected = false
  private var constrained: ConstrainedOutput?
  private var drafter: Drafter?
  /// Constrained texts that were closed because they ran in circles, and the output's length after the last.
  private var closedTexts = 0
  private var lastClosed = 0

  /// Texts closed for running in circles before the whole output is.
  private static let mostClosedTexts = 32

  init(_ request: GenerationRequest, contextSize: Int, submitted: Duration) {
    id = request.id
    prompt = request.prompt
    promptCount = request.prompt.count
    maxTokens = request.maxTokens
    self.contextSize = contextSize
    self.submitted = submitted
    penalty = request.sampling.repetitionPenalty
    sampler = Sampler(request.sampling)
    constrained = request.constraint.map { ConstrainedOutput($0, behind: request.constrainedStart) }
    if constrained == nil, let source = request.draftSource?.clamped(to: 0..<promptCount), !source.isEmpty {
      drafter = Drafter(source: Array(prompt[source]))
    }
    text = constrained == nil ? TextAssembler(stop: request.stop) : TextAssembler(stop: [], isVerbatim: true)
  }

  var contextUsed: Int { (tokensRead ?? promptCount) + completionCount }

  /// Tokens that may still come.
  private var remaining: Int { min(maxTokens - completionCount, contextSize - contextUsed) }

  /// Chooses what comes next from the logits, which it may change.
  /// - Parameters:
  ///   - endTokens: those that end an answer.
  ///   - jumpsForward: whether tokens that are decided come all at once.
  func advance(
    _ logits: UnsafeMutableBufferPointer<Float>, model: any TokenModel, endTokens: [Token], jumpsForward: Bool
  ) -> Progress {
    if constrained != nil {
      return advanceConstrained(logits, model: model, endTokens: endTokens, jumpsForward: jumpsForward)
    }
    guard let (token, logProbability) = sample(logits) else { return .notFinite }
    self.logProbability += logProbability
    if model.isEndOfGeneration(token) { return finish(.stop) }
    if append(token, model) { return finish(.stop) }
    drafter?.append(token)
    if noteRepetition(repetition.append(token)) { return .end(.stop, repeated: true) }
    return end() ?? .next([token])
  }

  /// Tokens that are likely to come next, when it pays to compute them together with the last one.
  func draft(_ room: DraftRoom, cost: StepCost) -> ArraySlice<Token> {
    // Behind the last token that may come nothing is needed.
    drafter?.draft(most: min(room.most, remaining - 1), rows: room.rows, outputs: room.outputs, cost: cost) ?? []
  }

  /// See `GenerationSummary.cutShort`.
  var isCutShort: Bool { constrained?.isCutShort ?? false }

  /// The output, when it is free text.
  var freeTokens: [Token] { constrained == nil ? Array(repetition.tail(completionCount)) : [] }

  /// The text that can be sent now.
  func takeText() -> [UInt8] {
    guard !isSuspected, !text.ready.isEmpty else { return [] }
    defer { text.ready.removeAll(keepingCapacity: true) }
    return text.ready
  }

  /// Nothing more comes though the output was not ended by its last token: releases what is held back.
  func cutOff() { _ = finish(.contextFull) }

  /// The output is over though the model would have gone on.
  func endHere() { _ = finish(.stop) }

  /// A prewarm is over.
  /// - Returns: `length` when it was ended before all was read.
  func endReading(_ count: Int, cached: Int) -> GenerationSummary.FinishReason {
    tokensRead = count
    cachedTokens = cached
    return count < promptCount ? .length : .stop
  }

  /// A token, and the logarithm of its probability at temperature 1 before penalties; nil when the logits are not
  /// numbers, or all are -∞.
  private func sample(_ logits: UnsafeMutableBufferPointer<Float>) -> (Token, Double)? {
    let total = Logits.logOfSum(UnsafeBufferPointer(logits))
    let reductions = repetition.penalise(logits, penalty: penalty)
    guard let token = sampler.sample(UnsafeBufferPointer(logits)), let total else { return nil }
    return (token, Double(logits[Int(token)] + (reductions[token] ?? 0)) - total)
  }

  /// Adds a token to the output; true when a stop string is complete.
  private func append(_ token: Token, _ model: any TokenModel) -> Bool {
    readBytes(of: token, model)
    return appendBytes()
  }

  private func readBytes(of token: Token, _ model: any TokenModel) {
    bytes.removeAll(keepingCapacity: true)
    model.appendBytes(of: token, to: &bytes)
  }

  /// Adds the token whose bytes were read last.
  private func appendBytes() -> Bool {
    completionCount += 1
    return text.append(bytes)
  }

  private func end() -> Progress? {
    if completionCount >= maxTokens { return finish(.length) }
    if contextUsed >= contextSize { return finish(.contextFull) }
    return nil
  }

  private func finish(_ reason: GenerationSummary.FinishReason) -> Progress {
    text.finish(isWhole: reason == .stop)
    isSuspected = false
    return .end(reason, repeated: closedTexts > 0)
  }

  /// Whether the output runs in circles. The text of a loop that was held back is dropped.
  private func noteRepetition(_ state: RepetitionTracker.State) -> Bool {
    switch state {
    case .fresh: isSuspected = false
    case .suspected(let stretch): isSuspected = !promptContains(repetition.tail(stretch))
    case .looping(let stretch):
      isSuspected = !promptContains(repetition.tail(stretch))
      if isSuspected {
        text.ready.removeAll()
        isSuspected = false
        return true
      }
    }
    return false
  }

  /// What stands in the prompt just as often in a row is no loop of the model's: it may be asked to copy a table.
  private func promptContains(_ stretch: ArraySlice<Token>) -> Bool {
    guard let first = stretch.first, stretch.count <= prompt.count else { return false }
    return (0...(prompt.count - stretch.count)).contains { start in
      prompt[start] == first && prompt[start..<(start + stretch.count)].elementsEqual(stretch)
    }
  }
}

// With a constraint.
extension Generation {
  private func advanceConstrained(
    _ logits: UnsafeMutableBufferPointer<Float>, model: any TokenModel, endTokens: [Token], jumpsForward: Bool
  ) -> Progress {
    var tokens: [Token] = []
    constrained?.decideForced(remaining: remaining)
    if constrained?.hasDecided == false, constrained?.mustEnd == false {
      switch choose(logits, model, endTokens) {
      case .token(let token):
        tokens.append(token)
        _ = appendBytes()
        closeLoop(repetition.append(token))
        if let progress = endConstrained() { return progress }
        constrained?.decideForced(remaining: remaining)
      case .end: return finish(.stop)
      case .notFinite: return .notFinite
      case .nothing: constrained?.close(remaining: remaining)
      }
    }
    // Off, a decided token waits for the step that it would have been sampled in.
    while jumpsForward || tokens.isEmpty, let token = constrained?.takeDecided() {
      tokens.append(token)
      _ = append(token, model)
      _ = repetition.append(token)
      if let progress = endConstrained() { return progress }
    }
    return endConstrained() ?? .next(tokens)
  }

  private func endConstrained() -> Progress? {
    if constrained?.mustEnd == true { return finish(.stop) }
    guard remaining <= 0 else { return nil }
    return constrained?.mayEnd == true ? finish(.stop) : end()
  }

  private enum Choice {
    /// Its bytes were read.
    case token(Token)
    case end
    case notFinite
    /// No token that is allowed has a probability, or can still be followed by a complete output.
    case nothing
  }

  /// Samples first, and only when that may not stand here masks what may not and samples again.
  private func choose(
    _ logits: UnsafeMutableBufferPointer<Float>, _ model: any TokenModel, _ endTokens: [Token]
  ) -> Choice {
    let total = Logits.logOfSum(UnsafeBufferPointer(logits))
    guard let total else { return logits.contains { !($0 < .infinity) } ? .notFinite : .nothing }
    let reductions = repetition.penalise(logits, penalty: penalty)
    func take(_ token: Token) -> Choice? {
      let logProbability = Double(logits[Int(token)] + (reductions[token] ?? 0)) - total
      guard logProbability > -.infinity else { return nil }
      if model.isEndOfGeneration(token) {
        guard constrained?.mayEnd == true else { return nil }
        self.logProbability += logProbability
        return .end
      }
      readBytes(of: token, model)
      guard constrained?.accept(token, bytes, remaining: remaining) == true else { return nil }
      self.logProbability += logProbability
      return .token(token)
    }
    if let token = sampler.sample(UnsafeBufferPointer(logits)), let choice = take(token) { return choice }
    guard var mask = constrained?.mask() else { return .nothing }
    if constrained?.mayEnd == true { for token in endTokens { mask.insert(token) } }
    mask.apply(to: logits)
    guard let token = sampler.sample(UnsafeBufferPointer(logits)) else { return .nothing }
    return take(token) ?? .nothing
  }

  /// An output that runs in circles is closed: at first only the text that does so, and all of it when that did not
  /// help or is not possible.
  private func closeLoop(_ state: RepetitionTracker.State) {
    guard case .looping(let stretch) = state, !promptContains(repetition.tail(stretch)) else { return }
    let isNew = completionCount - lastClosed >= stretch && closedTexts < Self.mostClosedTexts
    closedTexts += 1
    lastClosed = completionCount
    if !isNew || constrained?.closeText(remaining: remaining) != true { constrained?.close(remaining: remaining) }
  }
}
