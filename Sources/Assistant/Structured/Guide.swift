import JSON

/// What a value must be like beyond its type, in the spirit of FoundationModels' `@Guide`: a length, a range, a count,
/// one of a few words, a pattern. Becomes keywords of the JSON Schema.
package struct Guide<Value>: Sendable {
  /// Adds its keywords to the schema of the value. The count is the number of items that the request wants.
  let constrain: @Sendable (_ schema: inout JSONObject, _ count: Int) -> Void

  /// A guide that is some keywords of its own.
  private static func keywords(_ members: [(String, JSONValue)]) -> Guide {
    Guide { schema, _ in for (name, value) in members { schema[name] = value } }
  }
}

extension Guide where Value == String {
  /// So many Unicode scalars.
  package static func length(_ range: ClosedRange<Int>) -> Guide {
    .keywords([("minLength", range.lowerBound.json), ("maxLength", range.upperBound.json)])
  }

  /// One of the words.
  package static func anyOf(_ words: [String]) -> Guide { .keywords([("enum", words.json)]) }

  /// A regular expression, of the subset that `JSONSchema` understands.
  package static func pattern(_ expression: String) -> Guide { .keywords([("pattern", .string(expression))]) }
}

extension Guide where Value: Comparable & JSONConvertible & Numeric {
  /// Both ends are allowed.
  package static func range(_ range: ClosedRange<Value>) -> Guide {
    .keywords([("minimum", range.lowerBound.json), ("maximum", range.upperBound.json)])
  }
}

extension Guide {
  /// Exactly so many items.
  package static func count<Item>(_ count: Int) -> Guide where Value == [Item] { .count(count...count) }

  /// So many items.
  package static func count<Item>(_ range: ClosedRange<Int>) -> Guide where Value == [Item] {
    .keywords([("minItems", range.lowerBound.json), ("maxItems", range.upperBound.json)])
  }

  /// Exactly as many items as the request wants.
  package static func requestedCount<Item>() -> Guide where Value == [Item] {
    Guide { schema, count in
      schema["minItems"] = count.json
      schema["maxItems"] = count.json
    }
  }

  /// What each item must be like.
  package static func each<Item>(_ guides: Guide<Item>...) -> Guide where Value == [Item] {
    Guide { schema, count in
      guard case .object(var items)? = schema["items"] else { return }
      for guide in guides { guide.constrain(&items, count) }
      schema["items"] = .object(items)
    }
  }
}

/// A type that can be a property of a generated value.
package protocol GuidedValue: JSONConvertible {
  /// The schema of any value of the type.
  static func schema(count: Int) -> JSONObject
}

extension String: GuidedValue {
  package static func schema(count: Int) -> JSONObject { JSONObject([("type", "string")]) }
}

extension Int: GuidedValue {
  package static func schema(count: Int) -> JSONObject { JSONObject([("type", "integer")]) }
}

extension Double: GuidedValue {
  package static func schema(count: Int) -> JSONObject { JSONObject([("type", "number")]) }
}

extension Bool: GuidedValue {
  package static func schema(count: Int) -> JSONObject { JSONObject([("type", "boolean")]) }
}

extension Array: GuidedValue where Element: GuidedValue {
  package static func schema(count: Int) -> JSONObject {
    JSONObject([("type", "array"), ("items", .object(Element.schema(count: count)))])
  }
}
