import AssistantProtocol

extension Personality {
  /// For `initialize`.
  var choice: Choice {
    switch self {
    case .neutral:
      Choice(id: rawValue, title: "Neutral", description: "Plain and helpful, without a character of its own.")
    case .woody:
      Choice(id: rawValue, title: "Woody", description: "A loyal cowboy: warm, encouraging, a friend to the end.")
    case .buzz:
      Choice(id: rawValue, title: "Buzz", description: "A space ranger: bold, precise, always on a mission.")
    case .dory:
      Choice(id: rawValue, title: "Dory", description: "A cheerful fish: curious, kind, and easily distracted.")
    }
  }

  /// What the model is told of it; empty for the neutral voice.
  var instructions: String {
    switch self {
    case .neutral: ""
    case .woody: "Speak like a loyal cowboy: warm and encouraging, as a good friend does."
    case .buzz: "Speak like a brave space ranger: bold and precise, as if on a mission."
    case .dory: "Speak like a cheerful little fish: curious, kind and full of hope."
    }
  }
}

extension GenerationParams {
  /// The same without the session, whose voice and instructions stand in it now.
  /// - Parameter summary: of the session's older turns, when it is to be heeded.
  func speaking(in session: Session?, summary: TranscriptEntry? = nil) -> Self {
    var result = self
    result.common.sessionID = nil
    let voice = common.personality ?? session?.personality ?? .neutral
    let all = [
      voice.instructions, session?.instructions.trimmed ?? "", common.instructions?.trimmed ?? "",
      summary.map { SessionPrompt.summaryStart + $0.words } ?? "",
    ]
    let told = all.filter { !$0.isEmpty }.joined(separator: " ")
    result.common.instructions = told.isEmpty ? nil : told
    return result
  }
}
