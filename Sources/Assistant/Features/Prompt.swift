import EngineProtocol

/// What the model reads. All features begin with the same messages, which stay in the engine's cache.
enum Prompt {
  static let sharedMessages = [
    PromptMessage(
      .system,
      "You're an AI assistant for text re-writing. You reply with the rewritten text only, in its language, and never "
        + "answer it.")
  ]

  /// The task comes before the text, so that a text that looks like a task is seen as what it is.
  static func messages(
    task: String, examples: [(source: String, result: String)], instructions: String?, source: String
  ) -> [PromptMessage] {
    let shown = examples.flatMap { example in
      [PromptMessage(.user, task + "\n\n" + example.source), PromptMessage(.assistant, example.result)]
    }
    var request = task
    if let instructions, !instructions.isBlank { request += " " + instructions.trimmed }
    return sharedMessages + shown + [PromptMessage(.user, request + "\n\n" + source.trimmed)]
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
