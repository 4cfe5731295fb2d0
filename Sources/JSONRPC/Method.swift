import JSON

/// A request that one side sends and the other answers, exactly once.
public protocol RequestMethod: Sendable {
  associatedtype Params: JSONConvertible
  associatedtype Result: JSONConvertible
  /// The method's name on the wire.
  static var name: String { get }
}

/// A message without an answer.
public protocol NotificationMethod: Sendable {
  associatedtype Params: JSONConvertible
  static var name: String { get }
}

/// Parameters or a result that carry nothing: no `params`, `[]` or `{}` when read; a result is `null`.
public struct Empty: JSONConvertible, Equatable {
  public init() {}
  public init(json: JSONValue) throws(JSONMismatch) {
    switch json {
    case .null: break
    case .object(let object):
      if let name = object.duplicateName { throw JSONMismatch(path: name, "is there twice") }
    case .array(let values) where values.isEmpty: break
    case .array, .bool, .number, .string: throw JSONMismatch("must be absent, not \(json.typeName)")
    }
  }
  public var json: JSONValue { .null }
  public static var jsonTypeName: String { "null" }
}
