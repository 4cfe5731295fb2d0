import JSON

/// How the next token is chosen.
public enum SamplingMode: String, JSONStringEnum { case greedy, random }

/// Options of a request that generates text. What is absent is chosen by the feature.
public struct GenerationOptions: JSONMessage, Equatable {
  public var temperature: Double?
  public var topP: Double?
  public var topK: Int?
  public var minP: Double?
  public var seed: Int?
  public var maxTokens: Int?
  public var sampling: SamplingMode?
  public var reasoning = false
  public init() {}
  public static let fields: [JSONField<GenerationOptions>] = [
    .optional("temperature", \.temperature, "Higher is more varied; 0 always takes the likeliest token.", in: 0...2),
    .optional("topP", \.topP, "Only the likeliest tokens that together have this probability.", in: 0...1),
    .optional("topK", \.topK, "Only the `topK` likeliest tokens; 0 means all.", in: 0...Int(Int32.max)),
    .optional("minP", \.minP, "Only tokens at least this share as likely as the likeliest one.", in: 0...1),
    .optional("seed", \.seed, "Makes random sampling repeatable.", in: 0...Int(UInt32.max)),
    .optional(
      "maxTokens", \.maxTokens, "Most tokens of the answer; if absent, as the task needs.", in: 1...Int(Int32.max)),
    .optional("sampling", \.sampling, "`greedy`: always the likeliest token, but for further drafts."),
    .defaulted("reasoning", \.reasoning, "Lets a model that can think do so before it answers."),
  ]
}

/// The voice the assistant writes in.
public enum Personality: Voice {
  case neutral, woody, buzz, dory
  /// One of the configuration's.
  case custom(CustomVoice)

  public static let builtin: [Personality] = [.neutral, .woody, .buzz, .dory]

  public var id: String { choice.id }

  /// For menus.
  public var choice: Choice {
    switch self {
    case .neutral:
      Choice(id: "neutral", title: "Neutral", description: "Plain and helpful, without a character of its own.")
    case .woody:
      Choice(id: "woody", title: "Woody", description: "A loyal cowboy: warm, encouraging, a friend to the end.")
    case .buzz:
      Choice(id: "buzz", title: "Buzz", description: "A space ranger: bold, precise, always on a mission.")
    case .dory:
      Choice(id: "dory", title: "Dory", description: "A cheerful fish: curious, kind, and easily distracted.")
    case .custom(let voice): voice.choice
    }
  }
}

/// How text arrives in partial results.
public enum StreamMode: String, JSONStringEnum {
  /// What is new, and where it goes.
  case delta
  /// All text so far.
  case snapshot
}

/// Where a text stands in its document.
public struct TextContext: JSONMessage, Equatable {
  public var languageID: String?
  public var before: String?
  public var after: String?
  public var uri: String?
  public init() {}
  public static let fields: [JSONField<TextContext>] = [
    .optional(
      "languageId", \.languageID, "What the document is written in, as LSP names it: `markdown`, `latex`, `swift`."),
    .optional("before", \.before, "What stands before the text; the end of it is read."),
    .optional("after", \.after, "What stands behind the text; the start of it is read."),
    .optional("uri", \.uri, "The document's address; its ending stands in for `languageId`. It is never opened."),
  ]
}

/// What every request that generates text takes besides its own fields.
public struct CommonParams: JSONMessage, Equatable {
  public var sessionID: SessionID?
  public var personality: Personality?
  public var instructions: String?
  public var options: GenerationOptions?
  public var context: TextContext?
  public var protect: [String] = []
  public var partialResultToken: ProgressToken?
  public var stream = StreamMode.delta
  public var workDoneToken: ProgressToken?
  public init() {}
  public static let fields: [JSONField<CommonParams>] = [
    .optional(
      "sessionId", \.sessionID,
      "The session to work in: its instructions and its voice hold, and request and answer become part of it."),
    .optional(
      "personality", \.personality,
      "The voice to write in; if absent the session's, else `neutral` or the configuration's."),
    .optional(
      "instructions", \.instructions, "What else to heed, in your words; added to the feature's own instructions."),
    .optional("options", \.options, "How to generate."),
    .optional("context", \.context, "Where the text stands."),
    .defaulted("protect", \.protect, "Strings that must stay byte for byte in a rephrase or a summary."),
    .optional("partialResultToken", \.partialResultToken, "Asks for partial results, sent with this token."),
    .defaulted("stream", \.stream, "How text arrives in partial results."),
    .optional("workDoneToken", \.workDoneToken, "Asks for progress reports, sent with this token."),
  ]
}

extension CommonParams {
  /// What the model may read of them.
  public var texts: [String] { [instructions ?? "", context?.before ?? "", context?.after ?? ""] }
}

/// Parameters of a request that generates text.
public protocol GenerationParams: JSONMessage {
  var common: CommonParams { get set }
  /// The texts of this request besides the common ones; they count against `Limits.textBytes`.
  var texts: [String] { get }
  /// Fills in what the configuration knows. By default the voice.
  mutating func complete(with customization: Customization) throws(JSONMismatch)
}

extension GenerationParams {
  public func validate() throws(JSONMismatch) { try validateCommon() }

  /// What every such request has to heed; part of any `validate` of its own.
  func validateCommon() throws(JSONMismatch) {
    let context = [common.context?.before ?? "", common.context?.after ?? "", common.context?.uri ?? ""]
    try Limits.check(texts + [common.instructions ?? ""] + context + common.protect)
    guard common.protect.count <= Limits.protectedStrings else {
      throw JSONMismatch(path: "protect", "must hold at most \(Limits.protectedStrings) strings")
    }
    guard !common.protect.contains("") else { throw JSONMismatch(path: "protect", "must not hold an empty string") }
  }
}

extension Limits {
  /// Refuses texts that are too long together.
  static func check(_ texts: [String], atMost limit: Int = textBytes) throws(JSONMismatch) {
    guard texts.reduce(0, { $0 + $1.utf8.count }) <= limit else {
      throw JSONMismatch(path: "text", "and all other texts of a request must be at most \(limit) bytes together")
    }
  }
}
