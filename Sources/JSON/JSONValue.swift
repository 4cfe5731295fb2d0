/// Any JSON value (RFC 8259). Numbers keep the text they were written with, objects keep the order of their
/// members and even repeated names, so that a value that is read and written again stays as it was.
///
/// Equality is by bytes: two strings that are only canonically equal (U+00E9 against U+0065 U+0301) differ.
public enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue: Equatable {
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
    }
  }
}

extension JSONValue {
  /// What kind of value this is, in the words of JSON Schema, for messages to people.
  public var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "boolean"
    case .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }

  /// The member of that name, when this is an object that has it.
  public subscript(name: String) -> JSONValue? {
    if case .object(let object) = self { object[name] } else { nil }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
  public init(floatLiteral value: Double) { self = .number(JSONNumber(value)) }
  public init(nilLiteral: ()) { self = .null }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
}

/// A JSON number, kept as the text it was written with: ids come back as they came, and no digit is lost.
public struct JSONNumber: Sendable, Hashable, CustomStringConvertible {
  /// The number's text; always valid by the grammar of RFC 8259.
  public let text: String

  public init(_ value: Int) { text = String(value) }

  /// A finite number; NaN and infinities, which JSON cannot say, become 0.
  public init(_ value: Double) {
    if !value.isFinite {
      text = "0"
    } else if value == value.rounded(), abs(value) < 1e15 {
      text = String(Int64(value))
    } else {
      text = "\(value)"
    }
  }

  /// For the parser, which has checked the grammar already.
  package init(validatedText: String) { text = validatedText }

  /// The value when it is a whole number that fits, however it was written (`1`, `1.0` and `1e0` are all 1).
  public var int: Int? {
    if let exact = Int(text) { return exact }
    guard let value = Double(text), value == value.rounded(), abs(value) < 9_007_199_254_740_992 else { return nil }
    return Int(value)
  }

  /// Whether the value is a whole number of any size: `9007199254740993` and `1.0`, not `1.5`.
  public var isWhole: Bool {
    if text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      return true
    }
    return Double(text).map { $0 == $0.rounded() } ?? false
  }

  public var double: Double { Double(text) ?? 0 }

  public var description: String { text }
}

extension String {
  /// Equal byte for byte. Swift's `==` takes canonically equal strings for the same, which ids, keys, method and
  /// tool names must not be.
  public func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}

extension JSONValue {
  /// The size of the value's text, without its escapes.
  package var approximateByteCount: Int {
    switch self {
    case .null, .bool: 5
    case .number(let number): number.text.utf8.count
    case .string(let text): text.utf8.count + 2
    case .array(let values): values.reduce(2) { $0 + $1.approximateByteCount + 1 }
    case .object(let object):
      object.members.reduce(2) { $0 + $1.name.utf8.count + $1.value.approximateByteCount + 4 }
    }
  }
}
