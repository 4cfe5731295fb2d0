import JSON
import JSONRPC

/// Says the same in another tone.
public enum Rephrase: RequestMethod {
  public static let name = "assistant/rephrase"

  public struct Params: GenerationParams, Equatable {
    public var text = ""
    /// nil: `formal`, or the configuration's.
    public var tone: Tone?
    public var alternatives = 1
    public var common = CommonParams()
    public init() {}
    public init(text: String, tone: Tone? = nil, alternatives: Int = 1, common: CommonParams = CommonParams()) {
      self.text = text
      self.tone = tone
      self.alternatives = alternatives
      self.common = common
    }
    public static let fields: [JSONField<Params>] =
      [
        .required("text", \.text, "The text to rephrase."),
        .optional("tone", \.tone, "The tone to write in; if absent `formal`, or the configuration's."),
        .defaulted("alternatives", \.alternatives, "How many different texts to write.", in: 1...5),
      ] + .shared(\.common)
    public var texts: [String] { [text] }

    public mutating func complete(with customization: Customization) throws(JSONMismatch) {
      try completeCommon(with: customization)
      tone = try tone?.completed(from: customization.tones, in: "tone") ?? customization.tone
    }
  }

  public struct Result: GenerationResult, Equatable {
    public var text = ""
    public var alternatives: [String] = []
    public var tone = Tone.formal
    public var edits: [TextEdit] = []
    public var common = CommonResult()
    public init() {}
    /// - Parameter alternatives: the first is the text.
    public init(alternatives: [String], tone: Tone, edits: [TextEdit], common: CommonResult) {
      text = alternatives.first ?? ""
      self.alternatives = alternatives
      self.tone = tone
      self.edits = edits
      self.common = common
    }
    public static let fields: [JSONField<Result>] =
      [
        .required("text", \.text, "The new text; it can be pasted in the place of the old one."),
        .required("alternatives", \.alternatives, "Different texts, at most as many as were asked for; first `text`."),
        .required("tone", \.tone, "The tone it is in."),
        .required("edits", \.edits, "What makes `text` of the source: smallest changes, ascending, not overlapping."),
      ] + .shared(\.common)
  }
}

/// A change of a source text: what stands at a range of it from now on. All edits of a result count in the source as it
/// was.
public struct TextEdit: JSONMessage, Equatable {
  public var start = 0
  public var end = 0
  public var newText = ""
  public init() {}
  public init(start: Int, end: Int, newText: String) {
    self.start = start
    self.end = end
    self.newText = newText
  }
  public static let fields: [JSONField<TextEdit>] = [
    .required("start", \.start, "The first position of the source that is replaced."),
    .required("end", \.end, "The position after the last."), .required("newText", \.newText, "What stands there now."),
  ]
}

/// The tones of `assistant/rephrase`.
public enum Tone: Voice {
  case formal, exciting, simpler, shorter, longer, friendly, proofread
  /// One of the configuration's.
  case custom(CustomVoice)

  public static let builtin: [Tone] = [.formal, .exciting, .simpler, .shorter, .longer, .friendly, .proofread]

  public var id: String { choice.id }

  /// For menus and for protocol.md.
  public var choice: Choice {
    switch self {
    case .formal: Choice(id: "formal", title: "Formal", description: "Matter-of-fact and polite, without slang.")
    case .exciting: Choice(id: "exciting", title: "Exciting", description: "Lively, with strong verbs.")
    case .simpler: Choice(id: "simpler", title: "Simpler", description: "Short sentences and everyday words.")
    case .shorter: Choice(id: "shorter", title: "Shorter", description: "The same in fewer words.")
    case .longer: Choice(id: "longer", title: "Longer", description: "The same, told at greater length.")
    case .friendly: Choice(id: "friendly", title: "Friendly", description: "Warm, as to somebody you know.")
    case .proofread:
      Choice(
        id: "proofread", title: "Proofread",
        description: "The same words with spelling, grammar and punctuation put right.")
    case .custom(let voice): voice.choice
    }
  }
}
