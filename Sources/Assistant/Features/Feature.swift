import AssistantProtocol
import EngineProtocol

/// What the assistant can do for a person, as a value: which text is worked on, what the model is told, how it writes,
/// and what the result is made of. `FeatureRunner` runs those that write a text anew, `SummaryRunner` the summary.
public struct Feature<Params: GenerationParams, Output: GenerationResult>: Sendable {
  /// For menus; part of the answer to `initialize`.
  public let description: FeatureDescription
  /// The text that is worked on.
  let source: @Sendable (Params) -> String
  /// What to do with the text, in one or two sentences.
  let task: @Sendable (Params) -> String
  /// Texts with what is to become of them: a small model learns more from them than from the task.
  let examples: @Sendable (Params) -> [(source: String, result: String)]
  /// How many times longer than the source the result may well be; bounds an answer that does not end when the caller
  /// has not said how long it may be.
  let growth: @Sendable (Params) -> Double
  /// How tokens are chosen when the request's options say nothing else.
  let sampling: @Sendable (Params) -> Sampling
  /// What the answer must be like.
  var rules: @Sendable (Params) -> TextRules = { _ in TextRules() }
  let output: @Sendable (Params, WrittenText, CommonResult) -> Output
}

extension Feature {
  /// What the engine is asked for.
  /// - Parameters:
  ///   - piece: the part of the source that is worked on; nil for all of it.
  ///   - keeping: strings that the model is told to keep.
  func generateParams(
    for params: Params, piece: String? = nil, withExamples: Bool = true, keeping: [String] = []
  ) -> GenerateParams {
    let options = params.common.options ?? GenerationOptions()
    let text = piece ?? source(params)
    var result = GenerateParams()
    result.messages = Prompt.messages(
      task: task(params), examples: withExamples ? examples(params) : [], instructions: params.common.instructions,
      context: params.common.context, keeping: keeping,
      namesLanguage: !rules(params).isFree, source: text)
    result.pinnedMessages = Prompt.sharedMessages.count
    result.sampling = sampling(params).applying(options)
    result.maxTokens = options.maxTokens ?? TokenEstimate.limit(for: text, growth: growth(params))
    result.reasoning = options.reasoning
    return result
  }
}

extension Sampling {
  /// The feature's defaults with what the caller wants. A temperature, or `random`, ends greedy decoding; `greedy`
  /// wins over a temperature.
  func applying(_ options: GenerationOptions) -> Sampling {
    var result = self
    if let topK = options.topK { result.topK = topK }
    if let topP = options.topP { result.topP = topP }
    if let minP = options.minP { result.minP = minP }
    if let temperature = options.temperature { result.temperature = temperature }
    switch options.sampling {
    case .greedy?: result.temperature = 0
    case .random?:
      if options.temperature == nil, result.temperature == 0 {
        result.temperature = 0.7
        if options.minP == nil, options.topP == nil, options.topK == nil { result.minP = 0.05 }
      }
    case nil: break
    }
    result.seed = options.seed ?? (result.temperature > 0 ? Int(UInt32.random(in: 0 ... .max)) : 0)
    return result
  }
}

extension GenerateParams {
  /// The same for another try, which is to come out differently.
  func hotter(_ retry: Int) -> GenerateParams {
    var result = self
    result.sampling.temperature = min(max(sampling.temperature, 0.6) + 0.2 * Double(retry), 2)
    result.sampling.seed = (sampling.seed + retry) & Int(UInt32.max)
    return result
  }
}

/// How many tokens a text may have, without a tokeniser.
enum TokenEstimate {
  /// A generous estimate: three bytes of ASCII to a token, and each byte of anything else a token, which is what a
  /// vocabulary without that script comes to.
  static func tokens(in text: String) -> Int {
    var ascii = 0
    var other = 0
    for byte in text.utf8 { if byte < 0x80 { ascii += 1 } else { other += 1 } }
    return ascii / 3 + other + 1
  }

  /// The longest answer that is waited for when the caller has not said.
  static func limit(for text: String, growth: Double) -> Int {
    48 + Int((Double(tokens(in: text)) * growth).rounded(.up))
  }
}
