import JSON

/// Why an answer ended.
public enum FinishReason: String, JSONStringEnum {
  /// The model had finished.
  case stop
  /// `options.maxTokens` was reached.
  case length
  /// The context window was full.
  case contextFull
}

/// What a request cost. Over several calls of the model counts are sums, and `contextUsed` is the last call's.
public struct Usage: JSONMessage, Equatable {
  public var promptTokens = 0
  public var cachedTokens = 0
  public var completionTokens = 0
  public var contextUsed = 0
  public var contextSize = 0
  public var timeToFirstTokenMs = 0.0
  public var durationMs = 0.0
  public init() {}
  public static let fields: [JSONField<Usage>] = [
    .required("promptTokens", \.promptTokens, "Tokens the model was given, with `cachedTokens`."),
    .required("cachedTokens", \.cachedTokens, "Those that did not have to be read again."),
    .required("completionTokens", \.completionTokens, "Tokens the model wrote."),
    .required("contextUsed", \.contextUsed, "Tokens in the context window at the end."),
    .required("contextSize", \.contextSize, "Tokens the context window holds."),
    .required("timeToFirstTokenMs", \.timeToFirstTokenMs, "Milliseconds from the request to the first token sampled."),
    .required("durationMs", \.durationMs, "Milliseconds from the request to its end."),
  ]
}

/// Part of a text, in the negotiated position encoding, counted from its start. Half-open, never inside a scalar.
public struct TextRange: JSONMessage, Equatable {
  public var start = 0
  public var end = 0
  public init() {}
  public init(start: Int, end: Int) {
    self.start = start
    self.end = end
  }
  public static let fields: [JSONField<TextRange>] = [
    .required("start", \.start, "The first position."), .required("end", \.end, "The position after the last."),
  ]
}

/// What the reader of a result should know.
public enum WarningCode: String, JSONStringEnum {
  case protectedTextLost, languageChanged, suspiciousCharacters, structureChanged, unchanged, truncatedByLimit
  case noProse, fewerAlternatives, retried, contextNearlyFull, historyShortened, guardrail, notPersisted
  case leftOut

  /// What it means, for protocol.md.
  public var summary: String {
    switch self {
    case .protectedTextLost: "A string that must stay is missing; the message names it, `range` is the part it was in."
    case .languageChanged: "Part of the text is in another language than the source; `range` says which."
    case .structureChanged: "The text has not the form it should have, or was brought into it; the message says how."
    case .unchanged: "Part of the text, or all of it, is as it was in the source; `range` says which."
    case .noProse: "The source is code or markup only, and what the text says of it may be made up."
    case .fewerAlternatives: "The model did not find as many different texts as were asked for."
    case .suspiciousCharacters:
      "The text holds invisible, control or bidirectional characters that the source did not have; `range` says where."
    case .truncatedByLimit: "The text ends early because a limit was reached; `finishReason` says which."
    case .retried: "The request was run again: the engine was restarted, or the first answer was not usable."
    case .historyShortened: "The model was not shown all of the session; the message says what became of the rest."
    case .guardrail: "A rule of the configuration was met; the message names it, `range` says where in `text`."
    case .notPersisted: "The session, or part of it, is not on the disk; the message says why."
    case .leftOut: "An optional member of the value is absent, since the request does not give what it held."
    case .contextNearlyFull: "More than 90 % of the context window is used."
    }
  }
}

/// A result is good, but its reader should know something.
public struct Warning: JSONMessage, Equatable {
  public var code = WarningCode.retried
  public var message = ""
  public var range: TextRange?
  public init() {}
  public init(_ code: WarningCode, _ message: String, range: TextRange? = nil) {
    self.code = code
    self.message = message
    self.range = range
  }
  public static let fields: [JSONField<Warning>] = [
    .required("code", \.code, "Which warning."), .required("message", \.message, "The same for a person."),
    .optional("range", \.range, "The part of the result's `text` that is meant."),
  ]
}

/// What every result of a request that generates text has besides its own fields.
public struct CommonResult: JSONMessage, Equatable {
  public var usage = Usage()
  public var finishReason = FinishReason.stop
  public var warnings: [Warning] = []
  public init() {}
  public init(usage: Usage, finishReason: FinishReason, warnings: [Warning]) {
    self.usage = usage
    self.finishReason = finishReason
    self.warnings = warnings
  }
  public static let fields: [JSONField<CommonResult>] = [
    .required("usage", \.usage, "What it cost."), .required("finishReason", \.finishReason, "Why the answer ended."),
    .required("warnings", \.warnings, "What the reader should know; mostly empty."),
  ]
}

/// The result of a request that generates text.
public protocol GenerationResult: JSONMessage {
  var common: CommonResult { get set }
}
