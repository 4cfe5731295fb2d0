import JSON
import JSONRPC

/// Makes something up for a topic, as a value of a known shape.
public enum Brainstorm: RequestMethod {
  public static let name = "assistant/brainstorm"

  public struct Params: ToolCallingParams, Equatable {
    public var topic = ""
    public var kind = BrainstormKind.ideas
    public var count = 3
    public var schema: JSONValue?
    public var format = TextFormat.markdown
    public var tools: [ToolDefinition]?
    public var toolChoice = ToolChoice.auto
    public var common = CommonParams()
    public init() {}
    public init(
      topic: String, kind: BrainstormKind = .ideas, count: Int = 3, schema: JSONValue? = nil,
      format: TextFormat = .markdown, common: CommonParams = CommonParams()
    ) {
      self.topic = topic
      self.kind = kind
      self.count = count
      self.schema = schema
      self.format = format
      self.common = common
    }
    public static let fields: [JSONField<Params>] =
      [
        .required("topic", \.topic, "What it is to be about."),
        .defaulted("kind", \.kind, "What to make up."),
        .defaulted(
          "count", \.count, "How many concepts or tags, exactly. Not used by `character` and `storyArc`.",
          in: 1...Limits.brainstormCount),
        .optional(
          "schema", \.schema, "A JSON Schema for `value`, instead of the kind's own; `count` is not used then."),
        .defaulted("format", \.format, "The format of `rendered`."),
        .optional("tools", \.tools, "What the model may call before it answers; if absent, the session's tools."),
        .defaulted("toolChoice", \.toolChoice, "Whether it may."),
      ] + .shared(\.common)
    public var texts: [String] { [topic] }

    public func validate() throws(JSONMismatch) {
      try validateCommon()
      try (tools ?? []).checkTogether()
    }
  }

  public struct Result: ToolCallingResult, Equatable {
    public var kind = BrainstormKind.ideas
    public var value = JSONValue.null
    public var rendered = ""
    public var toolCalls: [ToolCallRecord] = []
    public var common = CommonResult()
    public init() {}
    public init(kind: BrainstormKind, value: JSONValue, rendered: String, common: CommonResult) {
      self.kind = kind
      self.value = value
      self.rendered = rendered
      self.common = common
    }
    public static let fields: [JSONField<Result>] =
      [
        .required("kind", \.kind, "The kind that was asked for."),
        .required("value", \.value, "The value, true to the kind's schema or to yours."),
        .required("rendered", \.rendered, "The same as text that can be pasted, in the `format` that was asked for."),
        .required("toolCalls", \.toolCalls, "The tools that were called for it, in order."),
      ] + .shared(\.common)
  }
}

/// The kinds of `assistant/brainstorm`.
public enum BrainstormKind: String, JSONStringEnum {
  case ideas, sequel, character, storyArc, tags

  /// For menus and for protocol.md.
  public var choice: Choice {
    let (title, description) =
      switch self {
      case .ideas: ("Ideas", "A number of ideas for a topic, with themes and a title.")
      case .sequel: ("Sequel", "A number of ideas for the sequel of a story, with themes and a title.")
      case .character: ("Character", "A character of a story: name, species, personality, motivation, flaw, saying.")
      case .storyArc: ("Story arc", "A story from its setting to its resolution.")
      case .tags: ("Tags", "A number of tags for a text.")
      }
    return Choice(id: rawValue, title: title, description: description)
  }

  /// The names in `value`, for protocol.md.
  public var valueSummary: String {
    switch self {
    case .ideas, .sequel: "{concepts: [string], themes: [string], suggestedTitle: string}"
    case .character: "{name, species, personality, motivation, flaw, catchphrase: string}"
    case .storyArc:
      "{movieTitle, setting, incitingIncident, centralConflict, darkestMoment, resolution, theme: string}"
    case .tags: "{tags: [string]}"
    }
  }
}

/// The format of a text for a document.
public enum TextFormat: String, JSONStringEnum { case markdown, plaintext, org, latex }
