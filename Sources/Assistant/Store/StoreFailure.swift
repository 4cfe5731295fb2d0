import AssistantProtocol

/// Why a request about persisted sessions has no result.
public enum StoreFailure: Error, Equatable {
  /// Another daemon has written to the session since the request came.
  case changedElsewhere(SessionID)
  /// The file cannot be read or written; the reason is the end of a sentence.
  case unusable(String)
}

/// What went wrong with the file of sessions.
enum StoreError: Error, Equatable {
  /// SQLite's primary result code, and what it says.
  case sqlite(code: Int32, message: String)
  /// It cannot be used at all, and has not been touched.
  case unusable(String)
  /// It was damaged, has been moved aside, and a new one begins.
  case movedAside
  /// The session has another revision there.
  case conflict
  /// The session is not there any more.
  case gone
  /// There is a session of that name.
  case nameTaken
  /// No more sessions are kept.
  case full(limit: Int)
  /// What is kept of the session makes no sense.
  case illegible(String)

  /// The reason as the end of a sentence.
  var reason: String {
    switch self {
    case .sqlite(let code, let message): SQLiteDatabase.reason(code, message)
    case .unusable(let reason), .illegible(let reason): reason
    case .movedAside: "the file of sessions was damaged and has been moved aside"
    case .conflict: "another daemon has changed the session in the file"
    case .gone: "another daemon has deleted the session"
    case .nameTaken: "another daemon has made a session of that name"
    case .full(let limit): "there are \(limit) persisted sessions already"
    }
  }
}
