import JSON
import JSONRPC

/// Fills in a schema of the caller's.
public enum Generate: RequestMethod {
  public static let name = "assistant/generate"

  public struct Params: ToolCallingParams, Equatable {
    public var prompt = ""
    public var schema = JSONValue.null
    public var includeSchemaInPrompt = true
    public var tools: [ToolDefinition]?
    public var toolChoice = ToolChoice.auto
    public var common = CommonParams()
    public init() {}
    public init(
      prompt: String, schema: JSONValue, includeSchemaInPrompt: Bool = true, common: CommonParams = CommonParams()
    ) {
      self.prompt = prompt
      self.schema = schema
      self.includeSchemaInPrompt = includeSchemaInPrompt
      self.common = common
    }
    public static let fields: [JSONField<Params>] =
      [
        .required("prompt", \.prompt, "What the value is to say."),
        .required("schema", \.schema, "The JSON Schema that the value is true to."),
        .defaulted(
          "includeSchemaInPrompt", \.includeSchemaInPrompt,
          "Whether the model reads the schema. It keeps to it either way; without it the prompt is shorter."),
        .optional("tools", \.tools, "What the model may call before it answers; if absent, the session's tools."),
        .defaulted("toolChoice", \.toolChoice, "Whether it may."),
      ] + .shared(\.common)
    public var texts: [String] { [prompt] }

    public func validate() throws(JSONMismatch) {
      try validateCommon()
      try (tools ?? []).checkTogether()
    }
  }

  public struct Result: ToolCallingResult, Equatable {
    public var value = JSONValue.null
    public var toolCalls: [ToolCallRecord] = []
    public var common = CommonResult()
    public init() {}
    public init(value: JSONValue, common: CommonResult) {
      self.value = value
      self.common = common
    }
    public static let fields: [JSONField<Result>] =
      [
        .required("value", \.value, "The value, true to the schema."),
        .required("toolCalls", \.toolCalls, "The tools that were called for it, in order."),
      ] + .shared(\.common)
  }
}
