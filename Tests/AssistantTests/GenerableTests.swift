import Assistant
import AssistantProtocol
import JSON
import Testing

/// A type with every guide there is.
private struct Pet: Generable, Equatable {
  var name = ""
  var kind = ""
  var code = ""
  var age = 0
  var weight = 0.0
  var isTame = false
  var toys: [String] = []
  var friends: [Friend] = []
  static let properties: [GuidedProperty<Pet>] = [
    .property("name", \.name, "Name", "a name", .length(1...20)),
    .property("kind", \.kind, "Kind", "an animal", .anyOf(["cat", "dog"])),
    .property("code", \.code, "Code", "a code", .pattern("^[a-z]+$")),
    .property("age", \.age, "Age", "in years", .range(0...30)),
    .property("weight", \.weight, "Weight", "in kg", .range(0.5...90)),
    .property("isTame", \.isTame, "Tame", "whether it bites"),
    .property("toys", \.toys, "Toys", "its toys", style: .bullets, .requestedCount(), .each(.length(1...9))),
    .property("friends", \.friends, "Friends", "its friends", .count(1)),
  ]
}

private struct Friend: Generable, Equatable {
  var name = ""
  static let properties: [GuidedProperty<Friend>] = [.property("name", \.name, "Name", "a name")]
}

@Suite struct GenerableTests {
  private static let text =
    #"{"name":"Rex","kind":"dog","code":"ab","age":3,"weight":4.5,"isTame":true,"toys":["ball","bone"],"#
    + #""friends":[{"name":"Tom"}]}"#

  @Test func schemaOfEveryGuide() {
    let schema = JSONWriter.text(of: .object(Pet.schema(count: 2)))
    let friend =
      #"{"type":"object","properties":{"name":{"type":"string","description":"a name"}},"required":["name"],"#
      + #""additionalProperties":false}"#
    #expect(
      schema == #"{"type":"object","properties":{"#
        + #""name":{"type":"string","minLength":1,"maxLength":20,"description":"a name"},"#
        + #""kind":{"type":"string","enum":["cat","dog"],"description":"an animal"},"#
        + #""code":{"type":"string","pattern":"^[a-z]+$","description":"a code"},"#
        + #""age":{"type":"integer","minimum":0,"maximum":30,"description":"in years"},"#
        + #""weight":{"type":"number","minimum":0.5,"maximum":90,"description":"in kg"},"#
        + #""isTame":{"type":"boolean","description":"whether it bites"},"#
        + #""toys":{"type":"array","items":{"type":"string","minLength":1,"maxLength":9},"minItems":2,"maxItems":2,"#
        + #""description":"its toys"},"#
        + #""friends":{"type":"array","items":"# + friend + #","minItems":1,"maxItems":1,"#
        + #""description":"its friends"}},"#
        + #""required":["name","kind","code","age","weight","isTame","toys","friends"],"additionalProperties":false}"#)
  }

  @Test func valuesAreReadAndWritten() throws {
    let json = try JSONParser.parse(Self.text)
    let pet = try Pet(json: json)
    #expect(pet.friends.map(\.name) == ["Tom"])
    #expect(pet.age == 3 && pet.weight == 4.5 && pet.isTame && pet.toys == ["ball", "bone"])
    #expect(pet.json == json)
    #expect(try JSONSchema(.object(Pet.schema(count: 2))).validate(json).isEmpty)
    let problem = #expect(throws: JSONMismatch.self) { try Pet(json: ["name": "Rex", "kind": 1]) }
    #expect(problem?.path == "kind")
  }

  /// Each guide's keyword is one that the schema parser holds values to.
  @Test(
    arguments: [
      (#""Rex""#, #""""#, "minLength"), (#""dog""#, #""cow""#, "enum"), (#""ab""#, #""A""#, "pattern"),
      ("3,", "31,", "maximum"), ("4.5", "0.25", "minimum"), ("true", #""no""#, "type"),
      (#"["ball","bone"]"#, #"["ball"]"#, "minItems"), (#"[{"name":"Tom"}]"#, "[{}]", "required"),
    ])
  func guidesAreKept(_ good: String, _ bad: String, _ keyword: String) throws {
    let schema = try JSONSchema(.object(Pet.schema(count: 2)))
    let text = Self.text.split(separator: good, maxSplits: 1, omittingEmptySubsequences: false).joined(separator: bad)
    #expect(schema.validate(try JSONParser.parse(text)).map(\.keyword) == [keyword], "\(text)")
  }

  @Test(arguments: BrainstormKind.allCases, [1, 3, 50])
  func kindsHaveTheShapeOfTheProtocol(_ kind: BrainstormKind, _ count: Int) throws {
    let shape = kind.shape(count: count)
    let schema = try JSONSchema(shape.schema)
    guard case .object(let properties)? = shape.schema["properties"] else { throw JSONMismatch("no properties") }
    // protocol.md names them in this order.
    let named = kind.valueSummary.split { !$0.isLetter }.map(String.init).filter { $0 != "string" }
    #expect(properties.members.map(\.name) == named)
    #expect(shape.propertyLines.map { String($0.prefix { $0 != ":" }) } == named)
    #expect(shape.distinctList?.count == (properties["concepts"] ?? properties["tags"]).map { _ in count })
    // A value as large as the schema allows is valid, and fits the limit even when most characters take a token.
    let largest = Self.largest(shape.schema)
    #expect(schema.validate(largest).isEmpty)
    #expect(JSONWriter.bytes(of: largest).count * 2 < shape.maxTokens * 3)
    _ = try shape.outline(largest)
    // The example is a good answer when as many items are wanted as it has.
    let example = try #require(shape.example)
    let items = shape.distinctList?.items(in: example.value) ?? []
    #expect(Set(items.flatMap(\.strings)).count == items.count)
    #expect(try JSONSchema(kind.shape(count: items.count).schema).validate(example.value).isEmpty)
    #expect(example.isCopied(in: example.value))
    #expect(!example.isCopied(in: largest))
    #expect(throws: JSONMismatch.self) { try shape.outline(["name": 1]) }
  }

  /// Every string and list as long as it may be.
  private static func largest(_ schema: JSONValue) -> JSONValue {
    func int(_ json: JSONValue?) -> Int { if case .number(let number)? = json { number.int ?? 0 } else { 0 } }
    if case .object(let properties)? = schema["properties"] {
      return .object(JSONObject(properties.members.map { ($0.name, largest($0.value)) }))
    }
    if let items = schema["items"] {
      return .array((0..<int(schema["maxItems"])).map { _ in largest(items) })
    }
    return .string(String(repeating: "e", count: int(schema["maxLength"])))
  }
}
