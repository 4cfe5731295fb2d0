/// Bounds on what one message may hold.
public enum Limits {
  /// UTF-8 bytes of all texts of one request together: 4 MiB.
  public static let textBytes = 4 << 20
  /// Concepts or tags of one `assistant/brainstorm`.
  public static let brainstormCount = 50
  /// Strings in `protect`.
  public static let protectedStrings = 1_000
  /// Sessions of one connection.
  public static let sessions = 64
  /// The largest number of turns that a request can name.
  public static let sessionTurns = 1_000_000
}
