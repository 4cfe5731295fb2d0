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
    _ text: String, source: String, missing: String?, encoding: PositionEncoding, result: GenerateResult,
    retries: Set<ResultWarnings.Retry>
  ) throws(AssistantError) -> Checked {
    guard !text.isBlank else { throw .emptyOutput }
    var warnings = ResultWarnings.all(
      text: text, source: source, encoding: encoding, result: result, retries: retries)
    if LanguageDetector.hasChanged(from: source, to: text) {
      let range = TextRange(start: 0, end: encoding.length(of: text))
      warnings.append(Warning(.languageChanged, "The summary is in another language than the text.", range: range))
    }
    if let missing { warnings.append(Warning(.structureChanged, missing)) }
    return Checked(text: text, warnings: warnings)
  }
}
