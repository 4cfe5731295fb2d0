import AssistantProtocol
import EngineProtocol
import JSON

/// Something the assistant can do whose answer is a value with a schema, as a value: what the model is told, what the
/// answer is to be like, and what the result is made of. `FeatureRunner` runs all of them the same way.
public struct StructuredFeature<Params: ToolCallingParams, Output: ToolCallingResult>: Sendable {
  /// For menus; part of the answer to `initialize`.
  public let description: FeatureDescription
  /// What the person or the program has written; never empty.
  let source: @Sendable (Params) -> String
  let shape: @Sendable (Params) -> AnswerShape
  /// What the model is to do with the source, before the shape's lines.
  let task: @Sendable (Params, _ source: String, _ count: Int) -> String
  /// How tokens are chosen when the request's options say nothing else.
  let sampling: Sampling
  let output: @Sendable (Params, JSONValue, Outline, CommonResult) -> Output
}

extension StructuredFeature {
  /// What the engine is asked for.
  /// - Parameters:
  ///   - count: how many items of the shape's list are wanted.
  ///   - withExample: an answer to another topic is shown instead of the shape's lines.
  func generateParams(
    for params: Params, _ shape: AnswerShape, count: Int, withExample: Bool = true
  ) -> GenerateParams {
    let options = params.common.options ?? GenerationOptions()
    let example = withExample ? shape.example : nil
    var request = [task(params, source(params).trimmed, count)]
    if example == nil { request += shape.propertyLines }
    if let instructions = params.common.instructions, !instructions.isBlank { request.append(instructions.trimmed) }
    var result = GenerateParams()
    result.messages = [PromptMessage(.system, "You are a creative assistant. You answer in JSON.")]
    if let example {
      let count = shape.distinctList?.items(in: example.value).count ?? count
      result.messages.append(PromptMessage(.user, task(params, example.topic, count)))
      result.messages.append(PromptMessage(.assistant, JSONWriter.text(of: example.value)))
    }
    result.pinnedMessages = result.messages.count
    result.messages.append(PromptMessage(.user, request.joined(separator: "\n")))
    result.sampling = sampling.applying(options)
    result.maxTokens = options.maxTokens ?? shape.maxTokens
    result.reasoning = options.reasoning
    result.schema = shape.schema
    return result
  }
}
