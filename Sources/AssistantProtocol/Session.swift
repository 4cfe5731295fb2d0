import JSON

/// What is done when a session's history does not fit the context window any more.
public enum ContextPolicy: String, JSONStringEnum {
  /// The request fails with `contextWindowExceeded`.
  case error
  /// The model is shown the last whole turns that fit.
  case slidingWindow
  /// The model makes a summary of the older turns, which takes their place.
  case summarize
}

/// A conversation with its memory.
public struct Session: JSONMessage, Equatable {
  public var sessionID = SessionID.placeholder
  public var title = ""
  public var personality = Personality.neutral
  public var instructions = ""
  public var contextPolicy = ContextPolicy.error
  public var maxTurns: Int?
  public var turns = 0
  public var contextUsed = 0
  public var contextSize = 0
  public var busy = false
  public var persisted = false
  public var createdAt = ""
  public var updatedAt = ""
  public init() {}
  public static let fields: [JSONField<Session>] = [
    .required("sessionId", \.sessionID, "Its name."), .required("title", \.title, "For people; may be empty."),
    .required("personality", \.personality, "The voice it answers in."),
    .required("instructions", \.instructions, "How the model is to behave; may be empty."),
    .required("contextPolicy", \.contextPolicy, "What is done when the history does not fit the context window."),
    .nullable("maxTurns", \.maxTurns, "The model is shown no more than the last so many turns; null means all."),
    .required("turns", \.turns, "Requests that were answered, as far as they are in the transcript."),
    .required(
      "contextUsed", \.contextUsed,
      "Tokens in the context window after the last answer; 0 before the first, and when turns were taken back."),
    .required("contextSize", \.contextSize, "Tokens the context window holds; 0 before the first answer."),
    .required("busy", \.busy, "Whether a request is at work in it."),
    .required("persisted", \.persisted, "Whether all of it is on the disk: it outlives the connection and the daemon."),
    .required("createdAt", \.createdAt, "When it was made, as RFC 3339 writes it, in UTC."),
    .required("updatedAt", \.updatedAt, "When it was last changed."),
  ]
}
