import AssistantProtocol
import EngineProtocol

extension StructuredFeature where Params == Generate.Params, Output == Generate.Result {
  /// Fills in a schema of the caller's.
  public static let generate = StructuredFeature(
    description: FeatureDescription(
      id: "generate", title: "Generate", description: "Fills in a JSON Schema, for programs.", input: .topic,
      output: .show),
    source: { $0.prompt },
    shape: { AnswerShape(schema: $0.schema, isShown: $0.includeSchemaInPrompt) },
    task: { params, prompt, _ in
      params.includeSchemaInPrompt ? "\(prompt)\n\nAnswer in JSON of this schema:" : prompt
    },
    sampling: .exact,
    output: { _, value, _, common in Generate.Result(value: value, common: common) })
}

extension Sampling {
  /// The likeliest words, but no circles.
  static let exact: Sampling = {
    var sampling = Sampling()
    sampling.repetitionPenalty = 1.2
    return sampling
  }()
}
