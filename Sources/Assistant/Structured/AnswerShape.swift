import AssistantProtocol
import JSON

/// What a structured answer is to be like: its schema, what the model reads of it, how it is checked and shown. Made of
/// a `Generable` type, or of a schema that came with the request.
package struct AnswerShape: Sendable {
  /// The schema for the engine.
  package let schema: JSONValue
  /// A line for each property; empty when the model is not told.
  package let propertyLines: [String]
  /// What the answer to another topic looks like: a small model learns more from it than from the lines, which are left
  /// out then.
  package let example: ShapeExample?
  /// The list whose items have to differ from each other.
  package let distinctList: DistinctList?
  /// Made of a type of ours, whose strings are all meant to say something.
  package let isOurs: Bool
  /// Most tokens of the answer when the request does not say.
  package let maxTokens: Int
  /// Checks the answer besides the schema, and gives it as a person reads it.
  package let outline: @Sendable (JSONValue) throws(JSONMismatch) -> Outline
}

/// A topic and an answer to it.
package struct ShapeExample: Sendable {
  package let topic: String
  package let value: JSONValue

  /// Whether the value holds a text of the example. Short words may well be the same.
  package func isCopied(in value: JSONValue) -> Bool { isCopied(in: value.strings) }

  /// The same of a value that is being written: its last text may go on.
  package func isCopied(inPartial value: JSONValue) -> Bool { isCopied(in: value.strings.dropLast()) }

  /// The start of an answer in JSON up to its first text that is copied, with the quotation mark that opens it.
  package func ownStart(of answer: String) -> String {
    let copied = texts.compactMap { answer.firstRange(of: JSONWriter.text(of: .string($0)))?.lowerBound }.min()
    return copied.map { answer[..<$0] + "\"" } ?? ""
  }

  private func isCopied(in strings: some Sequence<String>) -> Bool {
    let texts = texts
    return strings.contains { text in texts.contains { $0.hasSameBytes(as: text) } }
  }

  private var texts: [String] { value.strings.filter { $0.unicodeScalars.count > 10 } }
}

/// A list with exactly so many different items.
package struct DistinctList: Sendable {
  package let name: String
  package let count: Int
  /// The schema of an object with only this list, of so many items.
  let schema: @Sendable (_ count: Int) -> JSONValue
  /// What the model reads of it when so many items are wanted.
  let line: @Sendable (_ count: Int) -> String
}

extension AnswerShape {
  /// The shape of a type of ours.
  package init<Value: StructuredKind>(_: Value.Type, count: Int) {
    schema = .object(Value.schema(count: count))
    propertyLines = Value.properties.map { Self.line($0, Self.isCounted($0) ? count : nil) }
    distinctList = Value.properties.first(where: Self.isCounted).map { property in
      DistinctList(
        name: property.name, count: count,
        schema: { wanted in
          .object(
            JSONObject([
              ("type", "object"),
              ("properties", .object(JSONObject([(property.name, .object(property.schema(wanted)))]))),
              ("required", [.string(property.name)]), ("additionalProperties", false),
            ]))
        },
        line: { Self.line(property, $0) })
    }
    example = ShapeExample(topic: Value.exampleTopic, value: Value.example.json)
    isOurs = true
    maxTokens = 32 + SchemaSize.tokens(.object(Value.schema(count: count)))
    outline = { json throws(JSONMismatch) in try Value(json: json).outline }
  }

  /// The shape of a schema that came with the request; nothing is known of it but that.
  package init(schema: JSONValue, isShown: Bool) {
    self.schema = schema
    propertyLines = isShown ? [JSONWriter.text(of: schema)] : []
    distinctList = nil
    example = nil
    isOurs = false
    maxTokens = GenerationLimits.tokens
    outline = { Outline($0) }
  }

  /// The shape of an object with the list alone, to ask for more items.
  package func part(_ list: DistinctList, count: Int) -> AnswerShape {
    let schema = list.schema(count)
    let example = example.map { example in
      ShapeExample(
        topic: example.topic,
        value: .object(JSONObject([(list.name, .array(Array(list.items(in: example.value).prefix(count))))])))
    }
    return AnswerShape(
      schema: schema, propertyLines: [list.line(count)], example: example, distinctList: nil, isOurs: isOurs,
      maxTokens: 32 + SchemaSize.tokens(schema), outline: { Outline($0) })
  }

  private static func line<Root>(_ property: GuidedProperty<Root>, _ count: Int?) -> String {
    "\(property.name): " + (count.map { "\($0) " } ?? "") + property.description
  }

  /// Whether the number of the property's items is the request's.
  private static func isCounted<Root>(_ property: GuidedProperty<Root>) -> Bool {
    property.schema(1)["maxItems"] != property.schema(2)["maxItems"]
  }
}

extension BrainstormKind {
  /// The kind's shape.
  /// - Parameter count: not used by `character` and `storyArc`.
  package func shape(count: Int) -> AnswerShape {
    switch self {
    case .ideas: AnswerShape(Ideas.self, count: count)
    case .sequel: AnswerShape(Sequel.self, count: count)
    case .character: AnswerShape(StoryCharacter.self, count: count)
    case .storyArc: AnswerShape(StoryArc.self, count: count)
    case .tags: AnswerShape(Tags.self, count: count)
    }
  }
}

enum GenerationLimits {
  /// Tokens of an answer of unknown length.
  static let tokens = 1_024
}

/// How many tokens the longest answer may take that one of our own schemas allows.
private enum SchemaSize {
  static func tokens(_ schema: JSONValue) -> Int {
    if case .object(let properties)? = schema["properties"] {
      return properties.members.reduce(2) { $0 + 6 + tokens($1.value) }
    }
    if let items = schema["items"] { return 2 + (int(schema["maxItems"]) ?? 1) * tokens(items) }
    // A token for each character, as scripts need that the vocabulary does not know, and the quotes; what ends an
    // answer is the model, or the bound of each string.
    return 4 + (int(schema["maxLength"]) ?? 24)
  }

  private static func int(_ json: JSONValue?) -> Int? {
    if case .number(let number)? = json { number.int } else { nil }
  }
}
