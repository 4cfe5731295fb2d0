import JSON

/// The id of a request: a string or a whole number, echoed as it was written. `1` and `"1"` differ.
public enum RequestID: Sendable {
  case number(JSONNumber)
  case string(String)

  /// nil when the value cannot be an id: null, a boolean, a fraction, an array, an object.
  public init?(json: JSONValue) {
    switch json {
    case .string(let text): self = .string(text)
    case .number(let number) where number.isWhole: self = .number(number)
    case .number, .null, .bool, .array, .object: return nil
    }
  }

  public init(_ value: Int) { self = .number(JSONNumber(value)) }

  public var json: JSONValue {
    switch self {
    case .number(let number): .number(number)
    case .string(let text): .string(text)
    }
  }
}

extension RequestID: Hashable {
  public static func == (left: RequestID, right: RequestID) -> Bool {
    switch (left, right) {
    case (.number(let a), .number(let b)): a == b
    case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
    case (.number, _), (.string, _): false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .number(let number): hasher.combine(number)
    case .string(let text): for byte in text.utf8 { hasher.combine(byte) }
    }
  }
}
