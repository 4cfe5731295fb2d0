import AssistantProtocol
import EngineProtocol

/// How much text one call of the model is given, from the size of the context window.
struct SummaryWindow: Sendable {
  /// More tokens than this are read in parts even when the window has room for them: what a model says of a long text
  /// comes mostly from its beginning and its end, the more so the smaller the model is.
  static let longestReading = 3_000
  /// A window that is not known: the engine has just lost its model. What does not fit is cut again.
  private static let unknownSize = 4_096
  /// Calls for parts that are under way at the same time.
  static let mostAtOnce = 4
  /// The least text that is worth a call of its own.
  static let leastPart = 24

  /// Most tokens of a text that is read at once.
  private(set) var whole: Int
  /// Most tokens of a part of a longer text.
  private(set) var part: Int
  /// How many parts are read at the same time.
  private(set) var atOnce: Int

  /// - Parameters:
  ///   - contextSize: tokens of the window; 0 when it is not known.
  ///   - frame: tokens of the prompt besides the text, estimated.
  ///   - answer: most tokens of the answer.
  ///   - partAnswer: most tokens of the summary of a part.
  init(contextSize: Int, frame: Int, answer: Int, partAnswer: Int) {
    let size = contextSize > 0 ? contextSize : Self.unknownSize
    // An answer may be asked to be longer than the window; then it has a quarter of it.
    whole = max(Self.leastPart, min(Self.longestReading, size - frame - min(answer, size / 4)))
    // An eighth of the window: four parts, with their prompts and summaries, then leave a third of it to the requests
    // of a person who does not want to wait.
    part = max(Self.leastPart, min(whole, max(size / 8, 96)))
    atOnce = max(1, min(Self.mostAtOnce, size * 2 / 3 / (part + frame + partAnswer)))
  }

  /// A text of so many tokens was too long for one call, whatever was estimated.
  mutating func shrink(below tokens: Int) {
    whole = max(1, min(whole, tokens) / 2)
    part = min(part, whole)
  }
}
