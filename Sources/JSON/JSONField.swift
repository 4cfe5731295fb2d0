/// Whether a field has to be there.
public enum JSONFieldPresence: Sendable, Equatable {
  case required
  case optional
  /// Absent means this value; the text is as JSON.
  case defaulted(to: String)
}

/// One field of a `JSONMessage`.
public struct JSONField<Root>: Sendable {
  public let name: String
  public let typeName: String
  public let presence: JSONFieldPresence
  /// One or two plain sentences for protocol.md.
  public let summary: String
  /// The type whose fields these are when a message takes them from a shared part; nil for its own fields.
  public fileprivate(set) var sharedFrom: String?
  let read: @Sendable (JSONValue?, inout Root) throws(JSONMismatch) -> Void
  let write: @Sendable (Root) -> JSONValue?
}

extension JSONField {
  fileprivate init(
    _ name: String, _ typeName: String, _ presence: JSONFieldPresence, _ summary: String,
    read: @escaping @Sendable (JSONValue?, inout Root) throws(JSONMismatch) -> Void,
    write: @escaping @Sendable (Root) -> JSONValue?
  ) {
    self.name = name
    self.typeName = typeName
    self.presence = presence
    self.summary = summary
    self.read = read
    self.write = write
  }
}

extension Array {
  /// The fields of a part that several messages share, on the same level as the message's own fields.
  public static func shared<Root: JSONMessage, Part: JSONMessage>(
    _ path: any WritableKeyPath<Root, Part> & Sendable
  ) -> [JSONField<Root>] where Element == JSONField<Root> {
    Part.fields.map { field in
      var shared = JSONField<Root>(
        field.name, field.typeName, field.presence, field.summary,
        read: { (json, root) throws(JSONMismatch) in try field.read(json, &root[keyPath: path]) },
        write: { field.write($0[keyPath: path]) })
      shared.sharedFrom = Part.jsonTypeName
      return shared
    }
  }
}

extension JSONField where Root: JSONMessage {
  /// A word that is always there and always the same, by which the kinds of a value are told apart.
  public static func constant(_ name: String, _ word: String, _ summary: String) -> JSONField {
    JSONField(
      name, "\"\(word)\"", .required, summary,
      read: { (json, _) throws(JSONMismatch) in
        guard let json else { throw JSONMismatch("is missing") }
        guard json == .string(word) else { throw JSONMismatch("must be “\(word)”") }
      },
      write: { _ in .string(word) })
  }

  /// A field that must be there.
  public static func required<Value: JSONConvertible>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ summary: String
  ) -> JSONField {
    JSONField(
      name, Value.jsonTypeName, .required, summary,
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
      name, Value.jsonTypeName + describe(range), .required, summary,
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
      name, Value.jsonTypeName, .optional, summary,
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
      name, Value.jsonTypeName + describe(range), .optional, summary,
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
      name, Value.jsonTypeName, .defaulted(to: JSONWriter.text(of: Root()[keyPath: path].json)), summary,
      read: { (json, root) throws(JSONMismatch) in
        guard let json, json != .null else { return }
        root[keyPath: path] = try Value(json: json)
      },
      write: { $0[keyPath: path].json })
  }

  /// A number that is taken from the message's `init()` when it is absent or null, and lies within the range.
  public static func defaulted<Value: JSONConvertible & Comparable>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ summary: String,
    in range: ClosedRange<Value>
  ) -> JSONField where Value: Sendable {
    JSONField(
      name, Value.jsonTypeName + describe(range), .defaulted(to: JSONWriter.text(of: Root()[keyPath: path].json)),
      summary,
      read: { (json, root) throws(JSONMismatch) in
        guard let json, json != .null else { return }
        root[keyPath: path] = try within(range, Value(json: json))
      },
      write: { $0[keyPath: path].json })
  }

  /// A nullable field: always written, as null when nil.
  public static func nullable<Value: JSONConvertible>(
    _ name: String, _ path: any WritableKeyPath<Root, Value?> & Sendable, _ summary: String
  ) -> JSONField {
    JSONField(
      name, Value.jsonTypeName + " \\| null", .required, summary,
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
