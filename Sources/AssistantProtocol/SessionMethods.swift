import JSON
import JSONRPC

/// Makes a session, empty or from a transcript.
public enum SessionCreate: RequestMethod {
  public static let name = "session/create"
  public typealias Result = SessionResult

  public struct Params: JSONMessage, Equatable {
    public var sessionID: SessionID?
    public var title = ""
    public var instructions: String?
    /// nil: `neutral`, or the configuration's.
    public var personality: Personality?
    public var contextPolicy = ContextPolicy.error
    public var maxTurns: Int?
    public var tools: [ToolDefinition] = []
    public var persist = false
    public var transcript = Transcript()
    public init() {}
    public init(sessionID: SessionID) { self.sessionID = sessionID }
    public static let fields: [JSONField<Params>] = [
      .optional("sessionId", \.sessionID, "Its name; one is made up if absent."),
      .defaulted("title", \.title, "For people."),
      .optional(
        "instructions", \.instructions, "How the model is to behave; if absent, what the transcript begins with."),
      .optional("personality", \.personality, "The voice it answers in; if absent `neutral`, or the configuration's."),
      .defaulted("contextPolicy", \.contextPolicy, "What is done when the history does not fit the context window."),
      .optional(
        "maxTurns", \.maxTurns, "The model is shown no more than the last so many turns.", in: 1...Limits.sessionTurns),
      .defaulted("tools", \.tools, "What the model may call in it."),
      .defaulted("persist", \.persist, "Whether it is kept on the disk and shared by all of the user's clients."),
      .defaulted(
        "transcript", \.transcript, "What has been said already, as `session/get` or `session/export` gave it."),
    ]
    public func validate() throws(JSONMismatch) {
      try Limits.check([title, instructions ?? ""] + transcript.entries.map(\.words))
      guard transcript.json.approximateByteCount <= Limits.textBytes else {
        throw JSONMismatch(path: "transcript", "must be at most \(Limits.textBytes) bytes")
      }
      try tools.checkTogether()
    }
  }
}

/// The sessions of this connection and the persisted ones, the oldest first.
public enum SessionList: RequestMethod {
  public static let name = "session/list"
  public typealias Params = Empty

  public struct Result: JSONMessage, Equatable {
    public var sessions: [Session] = []
    public init() {}
    public init(sessions: [Session]) { self.sessions = sessions }
    public static let fields: [JSONField<Result>] = [.required("sessions", \.sessions, "The oldest first.")]
  }
}

/// A session with all that was said in it.
public enum SessionGet: RequestMethod {
  public static let name = "session/get"
  public typealias Params = SessionParams

  public struct Result: JSONMessage, Equatable {
    public var session = Session()
    public var transcript = Transcript()
    public init() {}
    public init(session: Session, transcript: Transcript) {
      self.session = session
      self.transcript = transcript
    }
    public static let fields: [JSONField<Result>] = [
      .required("session", \.session, "The session."),
      .required("transcript", \.transcript, "What was said in it, in order."),
    ]
  }
}

/// Changes what a session is like. A new personality, or new instructions, begin it afresh unless its history is kept.
public enum SessionUpdate: RequestMethod {
  public static let name = "session/update"
  public typealias Result = SessionResult

  public struct Params: JSONMessage, Equatable {
    public var sessionID = SessionID.placeholder
    public var title: String?
    public var personality: Personality?
    public var instructions: String?
    public var contextPolicy: ContextPolicy?
    public var maxTurns: Int?
    public var tools: [ToolDefinition]?
    public var keepHistory = false
    public init() {}
    public init(sessionID: SessionID) { self.sessionID = sessionID }
    public static let fields: [JSONField<Params>] = [
      .required("sessionId", \.sessionID, "Which session."), .optional("title", \.title, "For people."),
      .optional("personality", \.personality, "The voice it answers in from now on."),
      .optional("instructions", \.instructions, "How the model is to behave from now on."),
      .optional("contextPolicy", \.contextPolicy, "What is done when the history does not fit the context window."),
      .optional(
        "maxTurns", \.maxTurns, "The model is shown no more than the last so many turns.", in: 1...Limits.sessionTurns),
      .optional("tools", \.tools, "What the model may call in it from now on."),
      .defaulted(
        "keepHistory", \.keepHistory,
        "Whether a new personality, or new instructions, leave what has been said. Else it is forgotten."),
    ]
    public func validate() throws(JSONMismatch) {
      try Limits.check([title ?? "", instructions ?? ""])
      try (tools ?? []).checkTogether()
    }
  }
}

/// Makes another session that begins with the same turns.
public enum SessionFork: RequestMethod {
  public static let name = "session/fork"
  public typealias Result = SessionResult

  public struct Params: JSONMessage, Equatable {
    public var sessionID = SessionID.placeholder
    public var turns: Int?
    public init() {}
    public init(sessionID: SessionID, turns: Int? = nil) {
      self.sessionID = sessionID
      self.turns = turns
    }
    public static let fields: [JSONField<Params>] = [
      .required("sessionId", \.sessionID, "Which session."),
      .optional("turns", \.turns, "How many first turns the new one has; all if absent.", in: 0...Limits.sessionTurns),
    ]
  }
}

/// Forgets the last turns of a session.
public enum SessionRewind: RequestMethod {
  public static let name = "session/rewind"
  public typealias Result = SessionResult

  public struct Params: JSONMessage, Equatable {
    public var sessionID = SessionID.placeholder
    public var turns = 1
    public init() {}
    public init(sessionID: SessionID, turns: Int = 1) {
      self.sessionID = sessionID
      self.turns = turns
    }
    public static let fields: [JSONField<Params>] = [
      .required("sessionId", \.sessionID, "Which session."),
      .defaulted("turns", \.turns, "How many; all when there are fewer.", in: 1...Limits.sessionTurns),
    ]
  }
}

/// Forgets all turns of a session; its instructions stay.
public enum SessionReset: RequestMethod {
  public static let name = "session/reset"
  public typealias Params = SessionParams
  public typealias Result = SessionResult
}

/// Ends a session. A request that is at work in it is cancelled.
public enum SessionDelete: RequestMethod {
  public static let name = "session/delete"
  public typealias Params = SessionParams
  public typealias Result = Empty
}

/// A session as a text to keep.
public enum SessionExport: RequestMethod {
  public static let name = "session/export"

  public enum Format: String, JSONStringEnum {
    /// To be read.
    case markdown
    /// The parameters of a `session/create` that makes it again.
    case json
  }

  public struct Params: JSONMessage, Equatable {
    public var sessionID = SessionID.placeholder
    public var format = Format.markdown
    public init() {}
    public init(sessionID: SessionID, format: Format) {
      self.sessionID = sessionID
      self.format = format
    }
    public static let fields: [JSONField<Params>] = [
      .required("sessionId", \.sessionID, "Which session."),
      .defaulted(
        "format", \.format, "`markdown` is to be read, `json` holds the parameters of a `session/create` for it."),
    ]
  }

  public struct Result: JSONMessage, Equatable {
    public var text = ""
    public init() {}
    public init(text: String) { self.text = text }
    public static let fields: [JSONField<Result>] = [.required("text", \.text, "The session.")]
  }
}

/// How near a session is to its end.
public enum SessionLevel: String, JSONStringEnum {
  case ok
  /// 75 % of the context window is used, or there are 15 turns.
  case warning
  /// 90 % of the context window is used.
  case critical
}

/// A request has been answered in a session.
public enum SessionDidChange: NotificationMethod {
  public static let name = "session/didChange"

  public struct Params: JSONMessage, Equatable {
    public var session = Session()
    public var level = SessionLevel.ok
    public init() {}
    public init(session: Session, level: SessionLevel) {
      self.session = session
      self.level = level
    }
    public static let fields: [JSONField<Params>] = [
      .required("session", \.session, "The session as it is now."),
      .required(
        "level", \.level,
        "`warning` from 75 % of the context window or 15 turns on, `critical` from 90 % of the context window on."),
    ]
  }
}

/// Parameters that only name a session.
public struct SessionParams: JSONMessage, Equatable {
  public var sessionID = SessionID.placeholder
  public init() {}
  public init(sessionID: SessionID) { self.sessionID = sessionID }
  public static let fields: [JSONField<SessionParams>] = [.required("sessionId", \.sessionID, "Which session.")]
}

/// A result that is only a session.
public struct SessionResult: JSONMessage, Equatable {
  public var session = Session()
  public var warnings: [Warning] = []
  public init() {}
  public init(session: Session, warnings: [Warning] = []) {
    self.session = session
    self.warnings = warnings
  }
  public static let fields: [JSONField<SessionResult>] = [
    .required("session", \.session, "The session."),
    .defaulted("warnings", \.warnings, "What the reader should know, such as `notPersisted`; mostly empty."),
  ]
}
