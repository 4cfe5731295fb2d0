import AssistantProtocol
import EngineProtocol

/// What the model reads. All features begin with the same messages, which stay in the engine's cache.
enum Prompt {
  /// So many characters of the text around are shown.
  private static let mostContext = 400
  private static let mostKept = 8

  static let sharedMessages = [
    PromptMessage(
      .system,
      "You're an AI assistant for text re-writing. You reply with the rewritten text only, in its language, and never "
        + "answer it.")
  ]

  /// The task comes before the text, so that a text that looks like a task is seen as what it is.
  /// - Parameter namesLanguage: whether the model is told to keep to the language of the text.
  static func messages(
    task: String, examples: [(source: String, result: String)], instructions: String?, context: TextContext? = nil,
    keeping: [String] = [], namesLanguage: Bool = true, source: String
  ) -> [PromptMessage] {
    let shown = examples.flatMap { example in
      [PromptMessage(.user, task + "\n\n" + example.source), PromptMessage(.assistant, example.result)]
    }
    var request = task
    if namesLanguage, let language = LanguageDetector.language(of: source), language != .en {
      request += " Write in \(language.name)."
    }
    if !keeping.isEmpty { request += " Keep exactly: " + keeping.prefix(mostKept).joined(separator: " , ") + " ." }
    if let instructions, !instructions.isBlank { request += " " + instructions.trimmed }
    return sharedMessages + shown + [PromptMessage(.user, around(context) + request + "\n\n" + source.trimmed)]
  }

  /// What stands before and behind the text in its document.
  static func around(_ context: TextContext?) -> String {
    let before = String((context?.before ?? "").suffix(mostContext)).trimmed
    let after = String((context?.after ?? "").prefix(mostContext)).trimmed
    var result = ""
    if !before.isEmpty { result += "The document says before the input text: " + before + "\n\n" }
    if !after.isEmpty { result += "The document says after the input text: " + after + "\n\n" }
    return result
  }
}

extension String {
  /// Without white space at both ends.
  var trimmed: String {
    let scalars = unicodeScalars
    let start = scalars.firstIndex { !$0.isWhitespace } ?? endIndex
    let end = scalars.lastIndex { !$0.isWhitespace }.map { scalars.index(after: $0) } ?? start
    return String(scalars[start..<end])
  }
}
