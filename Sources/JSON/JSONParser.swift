/// Reads JSON text: RFC 8259 and nothing besides it, one document, UTF-8.
///
/// Three things go beyond the grammar, because editors need them: a byte order mark before the document is ignored,
/// an escaped surrogate without its other half becomes U+FFFD, and repeated names are kept
/// (`JSONObject.duplicateName` tells of them). Numbers keep their text; one that no `Double` can hold is refused.
public enum JSONParser {
  /// How deep arrays and objects may lie within each other.
  public static let defaultMaxDepth = 128

  /// Reads one document.
  /// - Parameter maxDepth: Reading recurses this deep at most; 128 levels fit in a thread's stack of 512 KiB.
  public static func parse(
    _ bytes: UnsafeRawBufferPointer, maxDepth: Int = defaultMaxDepth
  ) throws(JSONParseError) -> JSONValue {
    var reader = JSONReader(bytes, maxDepth: maxDepth)
    return try reader.document()
  }

  /// Reads one document.
  public static func parse(_ bytes: [UInt8], maxDepth: Int = defaultMaxDepth) throws(JSONParseError) -> JSONValue {
    try bytes.withUnsafeBytes { buffer in
      Result { () throws(JSONParseError) in try parse(buffer, maxDepth: maxDepth) }
    }.get()
  }

  /// Reads one document.
  public static func parse(_ text: String, maxDepth: Int = defaultMaxDepth) throws(JSONParseError) -> JSONValue {
    var text = text
    return try text.withUTF8 { buffer in
      Result { () throws(JSONParseError) in try parse(UnsafeRawBufferPointer(buffer), maxDepth: maxDepth) }
    }.get()
  }
}

/// A text is not JSON. Becomes `-32700` (parse error) at the wire. The message quotes nothing of the text.
public struct JSONParseError: Error, Equatable, CustomStringConvertible {
  /// What was wrong, in a few words: `a comma or “]” must follow`.
  public var message: String
  /// Where it was noticed, in bytes from the start of the text.
  public var offset: Int

  public init(_ message: String, offset: Int) {
    self.message = message
    self.offset = offset
  }

  public var description: String { "\(message) (at byte \(offset))" }
}
