/// A JSON object with named fields. One list of fields reads it, writes it and makes its table in protocol.md, so
/// the three cannot drift apart.
///
///     struct Point: JSONMessage {
///       var x = 0
///       var label: String?
///       static let fields: [JSONField<Point>] = [
///         .required("x", \.x, "Pixels from the left edge.", in: 0...4096),
///         .optional("label", \.label, "Shown beside the point."),
///       ]
///     }
///
/// Unknown names are ignored, as LSP does, so that a newer client can talk to an older daemon.
public protocol JSONMessage: JSONConvertible {
  /// A value with every field at its default; reading fills the fields in.
  init()
  static var fields: [JSONField<Self>] { get }
}

extension JSONMessage {
  public init(json: JSONValue) throws(JSONMismatch) {
    guard case .object(let object) = json else { throw JSONMismatch("must be an object, not \(json.typeName)") }
    if let name = object.duplicateName { throw JSONMismatch(path: name, "is there twice") }
    self.init()
    for field in Self.fields {
      do throws(JSONMismatch) {
        try field.read(object[field.name], &self)
      } catch {
        throw error.inside(field.name)
      }
    }
  }

  public var json: JSONValue {
    var object = JSONObject()
    for field in Self.fields {
      if let value = field.write(self) { object.append(field.name, value) }
    }
    return .object(object)
  }

  public static var jsonTypeName: String { "\(Self.self)" }
}

/// One field of a `JSONMessage`.
public struct JSONField<Root>: Sendable {
  public enum Presence: Sendable, Equatable {
    case required
    case optional
    /// Absent means this value; the text is as JSON.
    case defaulted(to: String)
  }

  public let name: String
  public let typeName: String
  public let presence: Presence
  /// One or two plain sentences for protocol.md.
  public let summary: String
  let read: @Sendable (JSONValue?, inout Root) throws(JSONMismatch) -> Void
  let write: @Sendable (Root) -> JSONValue?
}

extension JSONField where Root: JSONMessage {
  /// A field that must be there.
  public static func required<Value: JSONConvertible>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ summary: String
  ) -> JSONField {
    JSONField(
      name: name, typeName: Value.jsonTypeName, presence: .required, summary: summary,
      read: { (json, root) throws(JSONMismatch) in
        guard let json else { throw JSONMismatch("is missing") }
        root[keyPath: path] = try Value(json: json)
      },
      write: { $0[keyPath: path].json })
  }

  /// A number that must be there and within a range.
  public static func required<Value: JSONConvertible & Comparable>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ summary: String,
    in range: ClosedRange<Value>
  ) -> JSONField where Value: Sendable {
    JSONField(
      name: name, typeName: Value.jsonTypeName + describe(range), presence: .required, summary: summary,
      read: { (json, root) throws(JSONMismatch) in
        guard let json else { throw JSONMismatch("is missing") }
        root[keyPath: path] = try within(range, Value(json: json))
      },
      write: { $0[keyPath: path].json })
  }

  /// A field that may be absent or null; both read as nil, and nil is not written.
  public static func optional<Value: JSONConvertible>(
    _ name: String, _ path: any WritableKeyPath<Root, Value?> & Sendable, _ summary: String
  ) -> JSONField {
    JSONField(
      name: name, typeName: Value.jsonTypeName, presence: .optional, summary: summary,
      read: { (json, root) throws(JSONMismatch) in
        guard let json, json != .null else { return }
        root[keyPath: path] = try Value(json: json)
      },
      write: { $0[keyPath: path]?.json })
  }

  /// A number that may be absent; when it is there it lies within the range.
  public static func optional<Value: JSONConvertible & Comparable>(
    _ name: String, _ path: any WritableKeyPath<Root, Value?> & Sendable, _ summary: String,
    in range: ClosedRange<Value>
  ) -> JSONField where Value: Sendable {
    JSONField(
      name: name, typeName: Value.jsonTypeName + describe(range), presence: .optional, summary: summary,
      read: { (json, root) throws(JSONMismatch) in
        guard let json, json != .null else { return }
        root[keyPath: path] = try within(range, Value(json: json))
      },
      write: { $0[keyPath: path]?.json })
  }

  /// A field that is taken from the message's `init()` when it is absent or null, and always written.
  public static func defaulted<Value: JSONConvertible>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ summary: String
  ) -> JSONField {
    JSONField(
      name: name, typeName: Value.jsonTypeName,
      presence: .defaulted(to: JSONWriter.text(of: Root()[keyPath: path].json)), summary: summary,
      read: { (json, root) throws(JSONMismatch) in
        guard let json, json != .null else { return }
        root[keyPath: path] = try Value(json: json)
      },
      write: { $0[keyPath: path].json })
  }

  /// A nullable field: always written, as null when nil.
  public static func nullable<Value: JSONConvertible>(
    _ name: String, _ path: any WritableKeyPath<Root, Value?> & Sendable, _ summary: String
  ) -> JSONField {
    JSONField(
      name: name, typeName: Value.jsonTypeName + " \\| null", presence: .required, summary: summary,
      read: { (json, root) throws(JSONMismatch) in
        guard let json, json != .null else { return }
        root[keyPath: path] = try Value(json: json)
      },
      write: { $0[keyPath: path]?.json ?? .null })
  }

  private static func within<Value: JSONConvertible & Comparable>(
    _ range: ClosedRange<Value>, _ value: Value
  ) throws(JSONMismatch) -> Value {
    guard range.contains(value) else {
      throw JSONMismatch(
        "must be between \(JSONWriter.text(of: range.lowerBound.json)) and "
          + JSONWriter.text(of: range.upperBound.json))
    }
    return value
  }

  private static func describe<Value: JSONConvertible>(_ range: ClosedRange<Value>) -> String {
    ", \(JSONWriter.text(of: range.lowerBound.json))…\(JSONWriter.text(of: range.upperBound.json))"
  }
}
