/// Bounds on what one message may hold.
public enum Limits {
  /// UTF-8 bytes of all texts of one request together: 4 MiB.
  public static let textBytes = 4 << 20
  /// Strings in `protect`.
  public static let protectedStrings = 1_000
}
