import AssistantProtocol
import EngineProtocol

extension Feature where Params == Rephrase.Params, Output == Rephrase.Result {
  /// Says the same in another tone.
  public static let rephrase = Feature(
    description: FeatureDescription(
      id: "rephrase", title: "Rephrase", description: "Says the selected text again in another tone.",
      input: .selection, output: .replace),
    source: { $0.text },
    task: { $0.tone.task },
    growth: { $0.tone.growth },
    sampling: { params in
      // A rewrite has no need of chance, and small models run in circles without a brake. What is only corrected may
      // repeat itself as its source does.
      var sampling = Sampling()
      if params.tone != .proofread { sampling.repetitionPenalty = 1.8 }
      return sampling
    },
    output: { params, text, common in Rephrase.Result(text: text, tone: params.tone, common: common) })
}

extension Tone {
  /// What the model is told.
  var task: String {
    switch self {
    case .formal:
      "Rewrite the input text to make it more professional and formal while retaining its essential content."
    case .exciting: "Rewrite the input text to make it more exciting and energetic while keeping its meaning."
    case .simpler: "Rewrite the input text in simpler words and short sentences while keeping its meaning."
    case .shorter: "Rewrite the input text to make it more concise while preserving its core meaning."
    case .longer: "Rewrite the input text to make it longer and more detailed while keeping its meaning."
    case .friendly:
      "Rewrite the input text to make it more friendly and approachable while maintaining its main points."
    case .proofread: "Correct the spelling, grammar and punctuation of the input text. Change nothing else."
    }
  }

  /// See `Feature.growth`.
  var growth: Double {
    switch self {
    case .shorter: 1.5
    case .proofread, .simpler: 2
    case .formal, .exciting, .friendly: 3
    case .longer: 5
    }
  }
}
