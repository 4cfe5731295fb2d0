/// One message of a conversation.
public struct ChatMessage: Sendable, Equatable {
  public enum Role: Sendable { case system, user, assistant }
  public var role: Role
  public var text: String
  public init(_ role: Role, _ text: String) {
    self.role = role
    self.text = text
  }
}

/// How a family of models wants a conversation written. A table of our own instead of the Jinja programs in the
/// files: those are programs of strangers, and they cannot tell scaffolding from a user's text.
public struct ChatTemplate: Sendable {
  /// What stands around a message.
  struct Turn: Sendable {
    var open: String
    var close: String
    init(_ open: String, _ close: String) {
      self.open = open
      self.close = close
    }
  }

  /// Where the system message goes.
  enum System: Sendable {
    /// A turn of its own.
    case turn(Turn)
    /// Inside the first user turn, before its text.
    case insideUser(Turn)
  }

  /// What a thinking family does around a thought.
  struct Thinking: Sendable {
    /// Begins and ends a thought in the model's output.
    var open: String
    var close: String
    /// Written at the start of the answer, it keeps the model from thinking.
    var empty: String
    /// Written at the start of the answer when the model may think, if its own template begins the thought.
    var begun = ""
    /// Written before the model's earlier answers when it may not think.
    var earlier = ""
    /// The system turn's opening when the model may think, where the two differ.
    var systemOpen: String?
    /// Control tokens that stand in `open` and `close`.
    var tags: [String] = []
  }

  /// The name in `model/status`.
  public let name: String
  /// Written before everything else.
  var prelude = ""
  var system: System
  var user: Turn
  var assistant: Turn
  /// Opens the answer.
  var answer: String
  /// Whether the family cuts white space off around a message.
  var trims = false
  /// The system message of a conversation that has none, where the family cannot do without.
  var defaultSystem: String?
  var thinking: Thinking?
  /// The control tokens of the scaffolding; each must be one token of the vocabulary.
  var controlTokens: [String] = []
  /// Tokens that end an answer, also when the file does not say so.
  var endOfTurn: [String] = []
  /// Control tokens that the family's own template names besides, for things that are not done here.
  var otherTokens: [String] = []
}

/// A conversation as a template writes it.
public struct RenderedPrompt: Sendable, Equatable {
  public var segments: [PromptSegment] = []
  /// For each message, how many segments there are up to its end.
  public var messageEnds: [Int] = []
  /// The answer begins inside a thought.
  public var beginsInThought = false

  /// The whole text.
  public var text: String {
    segments.reduce(into: "") { text, segment in
      switch segment {
      case .control(let part), .user(let part): text += part
      }
    }
  }

  fileprivate mutating func control(_ text: String) {
    if !text.isEmpty { segments.append(.control(text)) }
  }

  fileprivate mutating func user(_ text: String) {
    if !text.isEmpty { segments.append(.user(text)) }
  }
}

extension ChatTemplate {
  /// Writes the conversation and opens the answer.
  ///
  /// - Parameters:
  ///   - answerPrefix: the start of the answer, which the model goes on with.
  ///   - reasoning: whether a thinking model may think; if not, the family's empty thought is written.
  public func render(_ messages: [ChatMessage], answerPrefix: String = "", reasoning: Bool = false) -> RenderedPrompt {
    var prompt = RenderedPrompt()
    prompt.control(prelude)
    if let defaultSystem, messages.first?.role != .system {
      renderSystem(trusted: defaultSystem, reasoning: reasoning, into: &prompt)
    }
    var waitingSystem: [(turn: Turn, text: String)] = []
    for message in messages {
      let text = trims ? Self.trimmed(message.text) : message.text
      switch message.role {
      case .system:
        switch system {
        case .turn(let turn):
          prompt.control(reasoning ? thinking?.systemOpen ?? turn.open : turn.open)
          prompt.user(text)
          prompt.control(turn.close)
        case .insideUser(let turn):
          // Written at once, so that what comes before the user's text is the same whatever the text is.
          if waitingSystem.isEmpty { prompt.control(user.open) }
          prompt.control(turn.open)
          prompt.user(text)
          prompt.control(turn.close)
          waitingSystem.append((turn, text))
        }
      case .user:
        if waitingSystem.isEmpty { prompt.control(user.open) }
        waitingSystem = []
        prompt.user(text)
        prompt.control(user.close)
      case .assistant:
        prompt.control(assistant.open + (reasoning ? "" : thinking?.earlier ?? ""))
        prompt.user(text)
        prompt.control(assistant.close)
      }
      prompt.messageEnds.append(prompt.segments.count)
    }
    prompt.control(answer)
    if let thinking {
      prompt.control(reasoning ? thinking.begun : thinking.empty)
      prompt.beginsInThought = reasoning && !thinking.begun.isEmpty
    }
    prompt.user(answerPrefix)
    return prompt
  }

  /// Begins and ends a thought in the output. Models without a family of thinkers write these tags too when they were
  /// tuned on such a model's answers.
  public var thoughtOpening: String { thinking?.open ?? "<think>" }
  public var thoughtClosing: String { thinking?.close ?? "</think>" }

  private func renderSystem(trusted text: String, reasoning: Bool, into prompt: inout RenderedPrompt) {
    guard case .turn(let turn) = system else { return }
    prompt.control((reasoning ? thinking?.systemOpen ?? turn.open : turn.open) + text + turn.close)
  }

  private static func trimmed(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return String(scalars[first...last])
  }
}
