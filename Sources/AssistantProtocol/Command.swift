import JSON
import JSONRPC

/// Runs a command of the configuration.
public enum CustomCommand: RequestMethod {
  public static let name = "assistant/command"

  public struct Params: ToolCallingParams, Equatable {
    public var id = ""
    public var text: String?
    public var format = TextFormat.markdown
    public var tools: [ToolDefinition]?
    public var toolChoice = ToolChoice.auto
    public var common = CommonParams()
    /// What the configuration says of the command; not on the wire.
    public var definition = CommandDefinition()
    public init() {}
    public init(id: String, text: String? = nil, common: CommonParams = CommonParams()) {
      self.id = id
      self.text = text
      self.common = common
    }
    public static let fields: [JSONField<Params>] =
      [
        .required("id", \.id, "Which command: the `id` of a feature that is no method's."),
        .optional("text", \.text, "The selection or the topic; not used when the command's `input` is `none`."),
        .defaulted("format", \.format, "The format of `text` when the answer is a value."),
        .optional(
          "tools", \.tools,
          "What the model may call before it answers, unless it replaces a text; if absent, the session's tools."),
        .defaulted("toolChoice", \.toolChoice, "Whether it may."),
      ] + .shared(\.common)
    public var texts: [String] { [text ?? ""] }

    public func validate() throws(JSONMismatch) {
      try validateCommon()
      try (tools ?? []).checkTogether()
    }

    public mutating func complete(with customization: Customization) throws(JSONMismatch) {
      try completeCommon(with: customization)
      guard let found = customization.commands.first(where: { $0.id.hasSameBytes(as: id) }) else {
        let known = customization.commands.map { "“\($0.id)”" }.joined(separator: ", ")
        throw JSONMismatch(
          path: "id", known.isEmpty ? "names no command: none is configured" : "must be one of " + known)
      }
      definition = found
    }
  }

  public struct Result: ToolCallingResult, Equatable {
    public var id = ""
    public var output = FeatureDescription.Output.show
    public var text = ""
    public var value: JSONValue?
    public var edits: [TextEdit] = []
    public var toolCalls: [ToolCallRecord] = []
    public var common = CommonResult()
    public init() {}
    public init(_ definition: CommandDefinition, text: String, common: CommonResult) {
      id = definition.id
      output = definition.output
      self.text = text
      self.common = common
    }
    public static let fields: [JSONField<Result>] =
      [
        .required("id", \.id, "The command."), .required("output", \.output, "What to do with the text."),
        .required(
          "text", \.text, "The text; of a value the same as text that can be pasted, in the `format` asked for."),
        .optional("value", \.value, "The value, when the command has a schema or a kind."),
        .required(
          "edits", \.edits,
          "When a selection is replaced, what makes `text` of it, as in `assistant/rephrase`; else empty."),
        .required("toolCalls", \.toolCalls, "The tools that were called for it, in order."),
      ] + .shared(\.common)
  }
}

/// A command of the configuration: something the assistant is told to do with a text, a topic or nothing.
public struct CommandDefinition: Sendable, Equatable {
  public var id = ""
  public var title = ""
  public var description = ""
  public var instructions = ""
  public var input = FeatureDescription.Input.selection
  public var output = FeatureDescription.Output.show
  /// The answer is a value that is true to it.
  public var schema: JSONValue?
  /// The answer is a value of this kind.
  public var kind: BrainstormKind?
  public var suggestions: [String] = []
  public init() {}

  /// For menus.
  public var feature: FeatureDescription {
    FeatureDescription(
      id: id, title: title.isEmpty ? id : title, description: description, input: input, output: output,
      suggestions: suggestions)
  }

  /// How its answer is made.
  public enum Way: Sendable {
    /// A selected text is written anew, in its form.
    case rewrite
    case freeText
    case value
  }

  public var way: Way {
    if schema != nil || kind != nil { return .value }
    return input == .selection && output == .replace ? .rewrite : .freeText
  }
}
