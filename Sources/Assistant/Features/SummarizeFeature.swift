import AssistantProtocol
import EngineProtocol

extension Feature where Params == Summarize.Params, Output == Summarize.Result {
  /// Says in short what a text says. `SummaryRunner` runs it, for the text may be too long for one call.
  public static let summarize = Feature(
    description: FeatureDescription(
      id: "summarize", title: "Summarize", description: "Says in short what the selected text says.",
      input: .selection, output: .show),
    source: { $0.text },
    task: { $0.style.task(count: $0.units) }, examples: { _ in [] },
    // The length of a summary does not depend on that of its source: see `summaryParams`.
    growth: { _ in 1 },
    sampling: { _ in
      // As for rephrasing: no need of chance, and a brake for small models. It is a weak one, for a summary has to say
      // the names of its source again.
      var sampling = Sampling()
      sampling.repetitionPenalty = 1.3
      return sampling
    },
    output: { params, text, common in
      var result = Summarize.Result()
      result.text = text.alternatives[0]
      result.reduction = Reduction(from: params.text, to: result.text)
      result.common = common
      return result
    })

  /// What the engine is asked for, once for all the text or once for a part of it.
  func summaryParams(for params: Summarize.Params) -> GenerateParams {
    var result = generateParams(for: params, keeping: params.protected)
    result.shape = TextShape(params.style.unit, count: params.units)
    result.maxTokens = params.common.options?.maxTokens ?? params.style.mostTokens(count: params.units)
    return result
  }
}

extension Summarize.Style {
  /// What the model is told.
  func task(count: Int) -> String {
    switch self {
    case .sentences:
      count == 1
        ? "Summarize the input text in one short sentence." : "Summarize the input text in \(count) short sentences."
    case .bullets:
      count == 1
        ? "Summarize the input text as one bullet point that begins with \"- \"."
        : "Summarize the input text as \(count) short bullet points, each on a line that begins with \"- \"."
    case .headline: "Write a headline of a few words for the input text."
    }
  }

  /// The form that the engine holds the model to.
  var unit: TextShape.Unit {
    switch self {
    case .sentences: .sentence
    case .bullets: .bullet
    case .headline: .headline
    }
  }

  /// What it is called in a message to a person.
  func name(count: Int) -> String {
    switch self {
    case .sentences: count == 1 ? "sentence" : "sentences"
    case .bullets: count == 1 ? "bullet" : "bullets"
    case .headline: "headline"
    }
  }

  /// Enough for long sentences, also in scripts of which the vocabulary knows little.
  func mostTokens(count: Int) -> Int {
    switch self {
    case .sentences, .bullets: 32 + 80 * count
    case .headline: 64
    }
  }
}
