import JSON
import JSONRPC

/// Says the same in another tone.
public enum Rephrase: RequestMethod {
  public static let name = "assistant/rephrase"

  public struct Params: GenerationParams, Equatable {
    public var text = ""
    public var tone = Tone.formal
    public var common = CommonParams()
    public init() {}
    public init(text: String, tone: Tone = .formal, common: CommonParams = CommonParams()) {
      self.text = text
      self.tone = tone
      self.common = common
    }
    public static let fields: [JSONField<Params>] =
      [
        .required("text", \.text, "The text to rephrase."), .defaulted("tone", \.tone, "The tone to write in."),
      ] + .shared(\.common)
    public var texts: [String] { [text] }
  }

  public struct Result: GenerationResult, Equatable {
    public var text = ""
    public var tone = Tone.formal
    public var common = CommonResult()
    public init() {}
    public init(text: String, tone: Tone, common: CommonResult) {
      self.text = text
      self.tone = tone
      self.common = common
    }
    public static let fields: [JSONField<Result>] =
      [
        .required("text", \.text, "The new text; it can be pasted in the place of the old one."),
        .required("tone", \.tone, "The tone it is in."),
      ] + .shared(\.common)
  }
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
