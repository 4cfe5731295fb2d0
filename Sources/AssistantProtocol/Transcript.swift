import JSON

/// What a session has been told and has answered, entry by entry. What `session/get` gives is taken by
/// `session/create`.
public struct TranscriptEntry: JSONMessage, Equatable {
  public enum Role: String, JSONStringEnum {
    /// How the model is to behave. Comes first, if it is there.
    case instructions
    /// What a person or a program has said.
    case prompt
    /// A tool that the model has called for the prompt before.
    case toolCall
    /// What the tool answered; follows its call.
    case toolOutput
    /// What the model has answered; ends a turn.
    case response
  }

  public var role = Role.prompt
  public var text: String?
  public var value: JSONValue?
  public var feature: String?
  public var kind: BrainstormKind?
  public var callID: String?
  public var name: String?
  public var arguments: JSONValue?
  public var error: String?
  public var at: String?
  public init() {}
  public init(
    _ role: Role, _ text: String, value: JSONValue? = nil, feature: String? = nil, kind: BrainstormKind? = nil,
    at: String? = nil
  ) {
    self.role = role
    self.text = text
    self.value = value
    self.feature = feature
    self.kind = kind
    self.at = at
  }
  public static let fields: [JSONField<TranscriptEntry>] = [
    .required("role", \.role, "Whose words they are."),
    .optional(
      "text", \.text,
      "The words; absent for a call. Those of a prompt are what the model was asked, with the text it was about."),
    .optional("value", \.value, "The value of a structured answer."),
    .optional("feature", \.feature, "The method that the turn is of."),
    .optional("kind", \.kind, "The kind of `assistant/brainstorm`."),
    .optional("callId", \.callID, "Of a call and its output: the same for both."),
    .optional("name", \.name, "Of a call: the tool."), .optional("arguments", \.arguments, "Of a call: its arguments."),
    .optional("error", \.error, "Of an output: what the model was told instead of a result."),
    .optional("at", \.at, "When, as RFC 3339 writes it, in UTC."),
  ]

  public func validate() throws(JSONMismatch) {
    switch role {
    case .instructions, .prompt, .response: if text == nil { throw JSONMismatch(path: "text", "is missing") }
    case .toolCall:
      if callID == nil { throw JSONMismatch(path: "callId", "is missing") }
      if name == nil { throw JSONMismatch(path: "name", "is missing") }
      if arguments == nil { throw JSONMismatch(path: "arguments", "is missing") }
    case .toolOutput:
      if callID == nil { throw JSONMismatch(path: "callId", "is missing") }
      if (text == nil) == (error == nil) { throw JSONMismatch(path: "text", "must be there, or error, and not both") }
    }
  }

  /// The text; of a call, its arguments as JSON.
  public var words: String { text ?? error ?? arguments.map(JSONWriter.text(of:)) ?? "" }
}

/// The entries of a session in order. Always whole turns: a question without its answer is never kept.
public struct Transcript: JSONConvertible, Equatable {
  /// A request and what was answered.
  public struct Turn: Sendable, Equatable {
    public var prompt: TranscriptEntry
    /// Calls of tools, each followed by its output.
    public var calls: [TranscriptEntry]
    public var response: TranscriptEntry

    public init(prompt: TranscriptEntry, calls: [TranscriptEntry] = [], response: TranscriptEntry) {
      self.prompt = prompt
      self.calls = calls
      self.response = response
    }

    public var entries: [TranscriptEntry] { [prompt] + calls + [response] }
  }

  /// How the model is to behave.
  public var instructions: TranscriptEntry?
  /// Takes the place of turns that are not there any more. On the wire the second entry with instructions.
  public var summary: TranscriptEntry?
  public var turns: [Turn] = []

  public init() {}

  public init(json: JSONValue) throws(JSONMismatch) {
    var prompt: TranscriptEntry?
    var calls: [TranscriptEntry] = []
    for (index, entry) in try [TranscriptEntry](json: json).enumerated() {
      let hasBegun = !turns.isEmpty || prompt != nil
      switch (entry.role, prompt) {
      case (.instructions, _) where !hasBegun && instructions == nil: instructions = entry
      case (.instructions, _) where !hasBegun && summary == nil: summary = entry
      case (.prompt, nil): prompt = entry
      case (.toolCall, .some) where calls.last?.role != .toolCall: calls.append(entry)
      case (.toolOutput, .some) where calls.last?.role == .toolCall && calls.last?.callID == entry.callID:
        calls.append(entry)
      case (.response, let question?) where calls.last?.role != .toolCall:
        turns.append(Turn(prompt: question, calls: calls, response: entry))
        prompt = nil
        calls = []
      case (.instructions, _), (.prompt, _), (.response, _), (.toolCall, _), (.toolOutput, _):
        throw JSONMismatch(
          path: "[\(index)].role",
          "must not be “\(entry.role.rawValue)” here: after the instructions, prompts and responses take turns, and "
            + "between them stand calls, each with its output")
      }
    }
    guard prompt == nil else { throw JSONMismatch("must not end with a prompt that has no response") }
  }

  public var json: JSONValue { entries.json }
  public static var jsonTypeName: String { [TranscriptEntry].jsonTypeName }

  public var entries: [TranscriptEntry] {
    var result: [TranscriptEntry] = []
    // Empty instructions keep the summary in its place.
    if let first = instructions ?? summary.map({ _ in TranscriptEntry(.instructions, "") }) { result.append(first) }
    if let summary { result.append(summary) }
    for turn in turns { result += turn.entries }
    return result
  }
}
