/// A type with one JSON form.
public protocol JSONConvertible: Sendable {
  /// Reads the value; the error's path starts empty and is extended on the way up.
  init(json: JSONValue) throws(JSONMismatch)
  var json: JSONValue { get }
  /// The type's name in field tables: `string`, `integer`, `[string]`, or a link to a named type.
  static var jsonTypeName: String { get }
}

/// A JSON value was not what a type wants. Becomes `-32602` (invalid params) at the wire.
public struct JSONMismatch: Error, Equatable {
  /// Where, from the outermost value: `options.temperature`, `messages[2].role`; empty for the whole value.
  public var path: String
  /// What was wrong, as the end of a sentence that begins with the path: `must be a string, not a number`.
  public var problem: String

  public init(path: String = "", _ problem: String) {
    self.path = path
    self.problem = problem
  }

  /// The same error seen from one level further out.
  public func inside(_ component: String) -> JSONMismatch {
    let joined =
      path.isEmpty ? component : path.utf8.first == UInt8(ascii: "[") ? component + path : component + "." + path
    return JSONMismatch(path: joined, problem)
  }

  /// The whole sentence: `options.temperature must be between 0 and 2`.
  public var message: String { path.isEmpty ? "the value " + problem : path + " " + problem }
}

extension JSONValue: JSONConvertible {
  public init(json: JSONValue) { self = json }
  public var json: JSONValue { self }
  public static var jsonTypeName: String { "any" }
}

extension String: JSONConvertible {
  public init(json: JSONValue) throws(JSONMismatch) {
    guard case .string(let value) = json else { throw JSONMismatch("must be a string, not \(json.typeName)") }
    self = value
  }
  public var json: JSONValue { .string(self) }
  public static var jsonTypeName: String { "string" }
}

extension Bool: JSONConvertible {
  public init(json: JSONValue) throws(JSONMismatch) {
    guard case .bool(let value) = json else { throw JSONMismatch("must be true or false, not \(json.typeName)") }
    self = value
  }
  public var json: JSONValue { .bool(self) }
  public static var jsonTypeName: String { "boolean" }
}

extension Int: JSONConvertible {
  public init(json: JSONValue) throws(JSONMismatch) {
    guard case .number(let number) = json else { throw JSONMismatch("must be an integer, not \(json.typeName)") }
    guard let value = number.int else {
      throw JSONMismatch(number.isWhole ? "is too large an integer" : "must be an integer, not a fraction")
    }
    self = value
  }
  public var json: JSONValue { .number(JSONNumber(self)) }
  public static var jsonTypeName: String { "integer" }
}

extension Double: JSONConvertible {
  public init(json: JSONValue) throws(JSONMismatch) {
    guard case .number(let number) = json else { throw JSONMismatch("must be a number, not \(json.typeName)") }
    self = number.double
  }
  public var json: JSONValue { .number(JSONNumber(self)) }
  public static var jsonTypeName: String { "number" }
}

extension Array: JSONConvertible where Element: JSONConvertible {
  public init(json: JSONValue) throws(JSONMismatch) {
    guard case .array(let values) = json else { throw JSONMismatch("must be an array, not \(json.typeName)") }
    var result: [Element] = []
    result.reserveCapacity(values.count)
    for (index, value) in values.enumerated() {
      do throws(JSONMismatch) {
        result.append(try Element(json: value))
      } catch {
        throw error.inside("[\(index)]")
      }
    }
    self = result
  }
  public var json: JSONValue { .array(map(\.json)) }
  public static var jsonTypeName: String { "[\(Element.jsonTypeName)]" }
}

/// Enumerations of strings: the raw values are the wire's words, and a wrong word is answered with the list of them.
public protocol JSONStringEnum: JSONConvertible, RawRepresentable, CaseIterable where RawValue == String {}

extension JSONStringEnum {
  public init(json: JSONValue) throws(JSONMismatch) {
    let word = try String(json: json)
    guard let match = Self.allCases.first(where: { $0.rawValue.hasSameBytes(as: word) }) else {
      throw JSONMismatch("must be one of " + Self.allCases.map { "“\($0.rawValue)”" }.joined(separator: ", "))
    }
    self = match
  }
  public var json: JSONValue { .string(rawValue) }
  public static var jsonTypeName: String { allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " \\| ") }
}
