import JSON
import JSONRPC

/// What connects a request with its progress: a string or a whole number of the client's choice, sent back exactly as
/// it was written.
public struct ProgressToken: JSONConvertible, Hashable {
  public let id: RequestID

  public init(_ id: RequestID) { self.id = id }

  public init(json: JSONValue) throws(JSONMismatch) {
    guard let id = RequestID(json: json) else { throw JSONMismatch("must be a string or an integer") }
    self.id = id
  }
  public var json: JSONValue { id.json }
  public static var jsonTypeName: String { "string \\| integer" }
}

/// The name of a session: 1 to 128 ASCII letters, digits, dots, hyphens and underscores.
public struct SessionID: JSONConvertible, Hashable {
  public let text: String

  /// What a message holds until it is read.
  static let placeholder = SessionID(unchecked: "")

  private init(unchecked text: String) { self.text = text }

  /// nil when the text is no such name.
  public init?(_ text: String) {
    guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy(Self.allows) else { return nil }
    self.text = text
  }

  public init(json: JSONValue) throws(JSONMismatch) {
    guard let id = SessionID(try String(json: json)) else {
      throw JSONMismatch("must be 1 to 128 letters, digits, dots, hyphens or underscores")
    }
    self = id
  }
  public var json: JSONValue { .string(text) }
  public static var jsonTypeName: String { "string" }

  private static func allows(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    case _: false
    }
  }
}

/// The path of a file on the daemon's machine.
public struct FilePath: JSONConvertible, Equatable {
  public let text: String

  /// What a message holds until it is read.
  static let placeholder = FilePath(unchecked: "")

  private init(unchecked text: String) { self.text = text }

  /// nil when no file can have that path: it is empty or holds U+0000.
  public init?(_ text: String) {
    guard !text.isEmpty, !text.utf8.contains(0) else { return nil }
    self.text = text
  }

  public init(json: JSONValue) throws(JSONMismatch) {
    guard let path = FilePath(try String(json: json)) else {
      throw JSONMismatch("must not be empty and must not hold U+0000")
    }
    self = path
  }
  public var json: JSONValue { .string(text) }
  public static var jsonTypeName: String { "string" }
}
