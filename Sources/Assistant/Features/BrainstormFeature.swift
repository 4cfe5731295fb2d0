import AssistantProtocol
import EngineProtocol

extension StructuredFeature where Params == Brainstorm.Params, Output == Brainstorm.Result {
  /// Makes something up for a topic.
  public static let brainstorm = StructuredFeature(
    description: FeatureDescription(
      id: "brainstorm", title: "Brainstorm", description: "Makes up ideas, characters, stories or tags for a topic.",
      input: .topic, output: .insert,
      suggestions: ["A toy that is afraid of the dark", "A lighthouse on a mountain", "The last bookshop in town"]),
    source: { $0.topic },
    shape: { params in
      params.schema.map { AnswerShape(schema: $0, isShown: true) } ?? params.kind.shape(count: params.count)
    },
    task: { params, topic, count in
      params.schema == nil ? params.kind.task(topic, count: count) : "\(topic)\n\nAnswer in JSON of this schema:"
    },
    sampling: .inventive,
    output: { params, value, outline, common in
      Brainstorm.Result(
        kind: params.kind, value: value, rendered: OutlineRenderer(params.format).render(outline), common: common)
    })
}

extension BrainstormKind {
  /// What the model is told. Short, for small models write down what they read.
  func task(_ topic: String, count: Int) -> String {
    switch self {
    case .ideas: "Give \(count) different ideas about: \(topic)"
    case .sequel: "Give \(count) different ideas for a sequel of: \(topic)"
    case .character: "Invent a character about: \(topic)"
    case .storyArc: "Invent a story about: \(topic)"
    case .tags: "Give \(count) different tags for: \(topic)"
    }
  }
}

extension Sampling {
  /// Varied, but without what is unlikely; and against running in circles.
  static let inventive: Sampling = {
    var sampling = Sampling()
    sampling.temperature = 0.8
    sampling.minP = 0.05
    sampling.repetitionPenalty = 1.2
    return sampling
  }()
}
