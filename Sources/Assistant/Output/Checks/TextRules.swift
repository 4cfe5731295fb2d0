import AssistantProtocol

/// What a feature's text must be like, besides being well formed.
public struct TextRules: Sendable {
  /// Strings that must stay byte for byte, besides those found by themselves.
  var protect: [String] = []
  /// What the source is written in, as an editor names it.
  var documentLanguage: String?
  /// Whether the caller limits the text: then it may end early.
  var isLimited = false
  /// How many texts are wanted that differ.
  var alternatives = 1
  /// Whether the source as it is may be the answer.
  var mayStayTheSame = false
  /// Whether the text may be in another language and say what the source does not.
  var isFree = false
  /// Words that name the answer in a preamble.
  var names: [String] = []
  /// The text's length as a multiple of the source's.
  var length = 0.35...3.0

  init() {}

  /// What every request says for itself.
  init(_ common: CommonParams) {
    protect = common.protect
    isLimited = common.options?.maxTokens != nil
    documentLanguage = common.context?.languageID ?? common.context?.uri.flatMap(Syntax.language(of:))
  }
}
