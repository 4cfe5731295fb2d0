/// Bounds on what one message may hold.
public enum Limits {
  /// UTF-8 bytes of all texts of one request together: 4 MiB.
  public static let textBytes = 4 << 20
  /// Concepts or tags of one `assistant/brainstorm`.
  public static let brainstormCount = 50
  /// Strings in `protect`.
  public static let protectedStrings = 1_000
  /// Sessions of one connection; persisted ones in memory, of all connections together.
  public static let sessions = 64
  /// Persisted sessions of one user.
  public static let storedSessions = 1_000
  /// Bytes of what was said in a session: 8 MiB. Beyond it nothing can be said any more.
  public static let sessionBytes = 8 << 20
  /// The largest number of turns that a request can name.
  public static let sessionTurns = 1_000_000
  /// Tools of one session or request.
  public static let tools = 16
  /// UTF-8 bytes of what a tool answers: 64 KiB.
  public static let toolResultBytes = 64 << 10
  /// Calls of tools for one request.
  public static let toolCalls = 8
}
