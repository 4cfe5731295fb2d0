import JSON
import JSONRPC

/// Says the same in another tone.
public enum Rephrase: RequestMethod {
  public static let name = "assistant/rephrase"

  public struct Params: GenerationParams, Equatable {
    public var text = ""
    public var tone = Tone.formal
    public var alternatives = 1
    public var common = CommonParams()
    public init() {}
    public init(text: String, tone: Tone = .formal, alternatives: Int = 1, common: CommonParams = CommonParams()) {
      self.text = text
      self.tone = tone
      self.alternatives = alternatives
      self.common = common
    }
    public static let fields: [JSONField<Params>] =
      [
        .required("text", \.text, "The text to rephrase."), .defaulted("tone", \.tone, "The tone to write in."),
        .defaulted("alternatives", \.alternatives, "How many different texts to write.", in: 1...5),
      ] + .shared(\.common)
    public var texts: [String] { [text] }
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
public enum Tone: String, JSONStringEnum {
  case formal, exciting, simpler, shorter, longer, friendly, proofread

  /// For menus and for protocol.md.
  public var choice: Choice {
    let (title, description) =
      switch self {
      case .formal: ("Formal", "Matter-of-fact and polite, without slang.")
      case .exciting: ("Exciting", "Lively, with strong verbs.")
      case .simpler: ("Simpler", "Short sentences and everyday words.")
      case .shorter: ("Shorter", "The same in fewer words.")
      case .longer: ("Longer", "The same, told at greater length.")
      case .friendly: ("Friendly", "Warm, as to somebody you know.")
      case .proofread: ("Proofread", "The same words with spelling, grammar and punctuation put right.")
      }
    return Choice(id: rawValue, title: title, description: description)
  }
}
