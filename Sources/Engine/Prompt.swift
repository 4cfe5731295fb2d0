import EngineProtocol
import Inference
import Llama

/// A request of the front end as tokens. Made in the request's task: templates and tokenising stay off the engine's
/// thread.
struct Prompt {
  var request: GenerationRequest
  var filter: ThoughtFilter

  /// - Parameters:
  ///   - constraint: what the answer must be; then it begins at once, without a thought.
  ///   - memory: of the tokens of earlier messages.
  ///   - noteProgress: called now and then while a long text is read.
  init(
    _ params: GenerateParams, for model: LoadedModel, constraint: Constraint?, memory: TokenMemory,
    noteProgress: () -> Void
  ) throws(CancellationError) {
    let isFree = constraint == nil
    let messages = params.messages.map { ChatMessage(.init($0.role), $0.text) }
    let rendered = model.template.render(
      messages, answerPrefix: params.answerPrefix, reasoning: params.reasoning && isFree)
    let (tokens, ends) = try model.vocabulary.tokenise(
      rendered.segments, memory: memory, noteProgress: noteProgress)
    func border(after count: Int) -> Int? {
      guard (1...messages.count).contains(count) else { return nil }
      let segments = rendered.messageEnds[count - 1]
      return segments > 0 && ends[segments - 1] < tokens.count ? ends[segments - 1] : nil
    }
    // An answer may follow the message that it answers: the one with the text that is to be written anew.
    var draftSource: Range<Int>?
    if isFree, let last = rendered.messageEnds.last, last > 0 {
      let before = rendered.messageEnds.dropLast().last ?? 0
      draftSource = (before > 0 ? ends[before - 1] : 0)..<ends[last - 1]
    }
    let builtIn = border(after: params.builtInMessages)
    let borders = Set([border(after: params.pinnedMessages), builtIn].compactMap { $0 })
    request = GenerationRequest(
      id: params.request, prompt: tokens, savedBorders: borders.sorted(), sampling: SamplingParameters(params.sampling),
      maxTokens: params.maxTokens, stop: params.stop.map { Array($0.utf8) },
      isBackground: params.priority == .background, constraint: constraint, prefillOnly: params.prefillOnly,
      isConversation: params.isConversation, draftSource: draftSource)
    request.savedLength = builtIn ?? 0
    if !isFree { request.constrainedStart = Array(params.answerPrefix.utf8) }
    filter =
      params.answerPrefix.isEmpty && isFree
      ? ThoughtFilter(
        open: model.template.thoughtOpening, close: model.template.thoughtClosing,
        beginsInThought: rendered.beginsInThought)
      : .none
  }
}

extension ChatMessage.Role {
  init(_ role: PromptMessage.Role) {
    switch role {
    case .system: self = .system
    case .user: self = .user
    case .assistant: self = .assistant
    }
  }
}

extension SamplingParameters {
  init(_ sampling: Sampling) {
    self.init(
      temperature: Float(sampling.temperature), topK: sampling.topK, topP: Float(sampling.topP),
      minP: Float(sampling.minP), seed: UInt64(clamping: sampling.seed),
      repetitionPenalty: Float(sampling.repetitionPenalty))
  }
}

extension GenerateResult {
  init(_ summary: GenerationSummary, contextSize: Int) {
    self.init()
    finishReason =
      switch summary.finishReason {
      case .stop: .stop
      case .length: .length
      case .contextFull: .contextFull
      }
    promptTokens = summary.promptTokens
    cachedTokens = summary.cachedTokens
    completionTokens = summary.completionTokens
    contextUsed = summary.contextUsed
    self.contextSize = contextSize
    timeToFirstTokenMs = summary.timeToFirstToken.milliseconds
    durationMs = summary.duration.milliseconds
    repeated = summary.repeated
    cutShort = summary.cutShort
    logProbability = summary.logProbability
  }
}

extension ModelFacts {
  init(_ facts: LlamaFacts) {
    self.init()
    name = facts.name
    path = facts.path
    architecture = facts.architecture
    parameterCount = facts.parameterCount
    quantization = facts.quantization
    sizeBytes = facts.sizeBytes
    contextSize = facts.contextSize
    trainedContext = facts.trainedContext
    chatTemplate = facts.chatTemplate
    chatTemplateWarning = facts.chatTemplateWarning
    license = facts.license
    libllama = facts.libllama
    threads = facts.threads.batch
    devices = facts.devices
    flashAttention = facts.flashAttention.rawValue
  }
}
