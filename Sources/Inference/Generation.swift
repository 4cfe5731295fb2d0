/// The output of one request on its way from logits to text. Survives the preemption of its sequence, so that the
/// output goes on where it was.
final class Generation {
  enum Progress: Equatable {
    case next(Token)
    case end(GenerationSummary.FinishReason, repeated: Bool)
    /// The logits are not numbers.
    case notFinite
  }

  let id: Int
  let promptCount: Int
  let submitted: Duration
  private(set) var completionCount = 0
  var firstToken: Duration?
  /// The last prefill that was reported.
  var prefillDone = 0
  var cachedTokens = 0

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

  init(_ request: GenerationRequest, contextSize: Int, submitted: Duration) {
    id = request.id
    prompt = request.prompt
    promptCount = request.prompt.count
    maxTokens = request.maxTokens
    self.contextSize = contextSize
    self.submitted = submitted
    penalty = request.sampling.repetitionPenalty
    sampler = Sampler(request.sampling)
    text = TextAssembler(stop: request.stop)
  }

  var contextUsed: Int { promptCount + completionCount }

  /// Chooses the next token from the logits, which it may change.
  func advance(_ logits: UnsafeMutableBufferPointer<Float>, model: any TokenModel) -> Progress {
    repetition.penalise(logits, penalty: penalty)
    guard let token = sampler.sample(UnsafeBufferPointer(logits)) else { return .notFinite }
    if model.isEndOfGeneration(token) { return finish(.stop) }
    completionCount += 1
    bytes.removeAll(keepingCapacity: true)
    model.appendBytes(of: token, to: &bytes)
    if text.append(bytes) { return finish(.stop) }
    if noteRepetition(token) { return .end(.stop, repeated: true) }
    if completionCount >= maxTokens { return finish(.length) }
    if contextUsed >= contextSize { return finish(.contextFull) }
    return .next(token)
  }

  /// The text that can be sent now.
  func takeText() -> [UInt8] {
    guard !isSuspected, !text.ready.isEmpty else { return [] }
    defer { text.ready.removeAll(keepingCapacity: true) }
    return text.ready
  }

  /// Nothing more comes though the output was not ended by its last token: releases what is held back.
  func cutOff() { _ = finish(.contextFull) }

  private func finish(_ reason: GenerationSummary.FinishReason) -> Progress {
    text.finish(isWhole: reason == .stop)
    isSuspected = false
    return .end(reason, repeated: false)
  }

  /// Whether the output runs in circles. The text of a loop that was held back is dropped.
  private func noteRepetition(_ token: Token) -> Bool {
    switch repetition.append(token) {
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
