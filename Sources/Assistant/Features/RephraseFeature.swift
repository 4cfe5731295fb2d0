import AssistantProtocol
import EngineProtocol

extension Feature where Params == Rephrase.Params, Output == Rephrase.Result {
  /// Says the same in another tone.
  public static let rephrase = Feature(
    description: FeatureDescription(
      id: "rephrase", title: "Rephrase", description: "Says the selected text again in another tone.",
      input: .selection, output: .replace),
    source: { $0.text },
    task: { $0.toneOfText.task }, examples: { $0.toneOfText.examples },
    growth: { $0.toneOfText.growth },
    sampling: { params in
      // A rewrite has no need of chance, and small models run in circles without a brake. What is only corrected may
      // repeat itself as its source does.
      var sampling = Sampling()
      if params.toneOfText != .proofread { sampling.repetitionPenalty = 1.8 }
      return sampling
    },
    rules: { params in
      var rules = TextRules(params.common)
      rules.alternatives = params.alternatives
      rules.mayStayTheSame = params.toneOfText == .proofread
      rules.names = [params.toneOfText.id]
      rules.length = params.toneOfText.length
      return rules
    },
    output: { params, text, common in
      Rephrase.Result(alternatives: text.alternatives, tone: params.toneOfText, edits: text.edits, common: common)
    })
}

extension Rephrase.Params {
  /// The tone of a request that has been completed, or that no configuration is known for.
  var toneOfText: Tone { tone ?? .formal }
}

extension Tone {
  /// What the model is told.
  var task: String {
    switch self {
    case .formal: "Rewrite the input text in a formal tone. Keep its meaning and its length."
    case .exciting: "Rewrite the input text in an exciting tone. Keep its meaning and its length."
    case .simpler: "Rewrite the input text in simpler words. Keep its meaning."
    case .shorter: "Rewrite the input text in fewer words. Keep its meaning."
    case .longer: "Rewrite the input text with more words. Keep its meaning."
    case .friendly: "Rewrite the input text in a friendly tone. Keep its meaning and its length."
    case .proofread: "Correct the spelling, grammar and punctuation of the input text. Change nothing else."
    case .custom(let voice): voice.instructions.trimmed
    }
  }

  /// The first text of each pair is a question, so that a model sees that it must not answer. The second is, where that
  /// measured better, as long as what people select and full of facts that the result keeps: a short one ("The shop is
  /// closed today.") came back in the results of other texts.
  var examples: [(source: String, result: String)] {
    let question = "hi, where r u? call me when u get home pls"
    let notice = "The shop is closed today."
    let news = "we moved the big table to room 12 yesterday cuz nobody was using it there, and Anna said its fine"
    return switch self {
    case .formal:
      [
        (question, "Hello, where are you? Please call me when you arrive at home."),
        (
          news,
          "Yesterday we moved the large table to room 12, as nobody was using it there, and Anna said that it is fine."
        ),
      ]
    case .exciting:
      [
        (question, "Hey, where on earth are you?! Call me the very second you get home!"),
        ("The shop opens on Monday.", "At last! The shop throws its doors open on Monday!"),
      ]
    case .simpler:
      [
        ("I would be grateful if you could inform me of your whereabouts.", "Please tell me where you are."),
        (
          "The large table was relocated to room 12 yesterday since it was not being utilised, a measure of which Anna "
            + "approved.",
          "We moved the big table to room 12 yesterday because nobody used it. Anna said yes."
        ),
      ]
    case .shorter:
      [
        ("Hi there, could you please tell me where you are at the moment?", "Where are you now?"),
        (news, "We moved the unused big table to room 12 yesterday. Anna agreed."),
      ]
    case .longer:
      [
        (question, "Hi there, where are you at the moment? Please give me a call as soon as you get home."),
        (
          news,
          "Just so that you know, we moved the big table over to room 12 yesterday, because nobody was using it in its "
            + "old place any more, and Anna has told us that she is fine with it."
        ),
      ]
    case .friendly:
      [
        (question, "Hi there! Where are you? Give me a call when you get home, please!"),
        (notice, "Just so you know, the shop is closed today. See you tomorrow!"),
      ]
    case .proofread:
      [("where does he lives now , do you knows ?", "Where does he live now, do you know?"), (notice, notice)]
    case .custom: []
    }
  }

  /// See `TextRules.length`.
  var length: ClosedRange<Double> {
    switch self {
    case .shorter: 0.1...1
    case .proofread: 0.7...1.4
    case .simpler: 0.3...1.6
    case .formal, .exciting, .friendly: 0.4...2.2
    case .longer: 1.05...5
    case .custom: 0.1...5
    }
  }

  /// See `Feature.growth`.
  var growth: Double {
    switch self {
    case .shorter: 1.5
    case .proofread, .simpler: 2
    case .formal, .exciting, .friendly: 3
    case .longer, .custom: 5
    }
  }
}
