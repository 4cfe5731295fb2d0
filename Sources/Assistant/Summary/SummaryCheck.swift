import AssistantProtocol
import EngineProtocol

/// What is looked at in a summary before it is given out, in one place: whatever else a text that can be pasted must be
/// or must not be belongs here.
enum SummaryCheck {
  struct Checked: Sendable {
    /// What is given out.
    var text: String
    var warnings: [Warning]
  }

  /// - Parameters:
  ///   - text: the summary in its form.
  ///   - missing: what the form lacks, for a person; nil when it lacks nothing.
  /// - Throws: what makes the text unfit to be given out at all.
  static func check(
    _ text: String, of params: Summarize.Params, missing: String?, encoding: PositionEncoding, result: GenerateResult,
    retries: Set<ResultWarnings.Retry>
  ) throws(AssistantError) -> Checked {
    guard !text.isBlank else { throw .emptyOutput }
    let source = params.text
    var warnings = ResultWarnings.all(
      text: text, source: source, encoding: encoding, result: result, retries: retries)
    let range = TextRange(start: 0, end: encoding.length(of: text))
    if LanguageDetector.hasChanged(from: source, to: text) {
      warnings.append(Warning(.languageChanged, "The summary is in another language than the text.", range: range))
    }
    if let missing { warnings.append(Warning(.structureChanged, missing)) }
    // A summary leaves out most of what a text holds, but not what the caller names.
    let lost = ProtectedText.lost(params.protected, in: text)
    if !lost.isEmpty { warnings.append(FlawWarnings.lost(lost, range: range)) }
    if Form(source, language: TextRules(params.common).documentLanguage).prose.isEmpty {
      let message = "The text is code or markup without prose; the summary may say what is not in it."
      warnings.append(Warning(.noProse, message, range: range))
    }
    return Checked(text: text, warnings: warnings)
  }
}

extension Summarize.Params {
  /// The strings of the caller's that the text holds.
  var protected: [String] { common.protect.filter { !$0.isBlank && text.hasBytes(of: $0) } }
}
