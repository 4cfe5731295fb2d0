import JSON
import Testing

private struct Inner: JSONMessage, Equatable {
  enum Colour: String, JSONStringEnum { case red, green }
  var weight = 0.0
  var colour = Colour.red
  init() {}
  static let fields: [JSONField<Inner>] = [
    .required("weight", \.weight, "A number.", in: 0...2),
    .defaulted("colour", \.colour, "A word."),
  ]
}

private struct Outer: JSONMessage, Equatable {
  var name = ""
  var count: Int?
  var inner: [Inner] = []
  var parent: String?
  init() {}
  static let fields: [JSONField<Outer>] = [
    .required("name", \.name, "A text."),
    .optional("count", \.count, "An integer.", in: 1...5),
    .defaulted("inner", \.inner, "More."),
    .nullable("parent", \.parent, "A text or null."),
  ]
}

/// What several messages have in common, on the same level as their own fields.
private struct Ends: JSONMessage {
  var low: Int?
  var high: Int?
  init() {}
  static let fields: [JSONField<Ends>] = [
    .optional("low", \.low, "One end."), .optional("high", \.high, "The other end."),
  ]
}

private struct Span: JSONMessage {
  var colour = Inner.Colour.red
  var ends = Ends()
  init() {}
  static let fields: [JSONField<Span>] =
    [.constant("kind", "span", "Always the same."), .defaulted("colour", \.colour, "A word.")] + .shared(\.ends)

  func validate() throws(JSONMismatch) {
    if let low = ends.low, let high = ends.high, low > high {
      throw JSONMismatch(path: "low", "must not be above high")
    }
  }
}

/// The one door: what a message reads from a text and writes again, or the sentence it is refused with.
private func check(_ text: String, writes expected: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let message = try Outer(json: try JSONParser.parse(text))
  #expect(JSONWriter.text(of: message.json) == expected, sourceLocation: sourceLocation)
}

private func check(_ text: String, refused sentence: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let json = try JSONParser.parse(text)
  do throws(JSONMismatch) {
    let message = try Outer(json: json)
    Issue.record("read as \(JSONWriter.text(of: message.json))", sourceLocation: sourceLocation)
  } catch {
    #expect(error.message == sentence, sourceLocation: sourceLocation)
  }
}

@Suite struct MessageTests {
  @Test(arguments: [
    (#"{"name":"n"}"#, #"{"name":"n","inner":[],"parent":null}"#),
    (#"{"unknown":[1],"name":"n","count":null,"inner":null,"parent":"p"}"#, #"{"name":"n","inner":[],"parent":"p"}"#),
    (
      #"{"inner":[{"weight":2},{"colour":"green","weight":0.5}],"count":5,"name":""}"#,
      #"{"name":"","count":5,"inner":[{"weight":2,"colour":"red"},{"weight":0.5,"colour":"green"}],"parent":null}"#
    ),
    (#"{"name":"n","count":3.0}"#, #"{"name":"n","count":3,"inner":[],"parent":null}"#),
  ])
  func accepted(_ text: String, _ written: String) throws { try check(text, writes: written) }

  @Test(arguments: [
    ("[1]", "the value must be an object, not array"), ("{}", "name is missing"), ("[]", "name is missing"),
    ("null", "the value must be an object, not null"),
    (#"{"name":1}"#, "name must be a string, not number"), (#"{"name":"a","name":"b"}"#, "name is there twice"),
    (#"{"name":"n","count":0}"#, "count must be between 1 and 5"),
    (#"{"name":"n","count":1.5}"#, "count must be an integer, not a fraction"),
    (#"{"name":"n","count":1e300}"#, "count is too large an integer"),
    (#"{"name":"n","count":"1"}"#, "count must be an integer, not string"),
    (#"{"name":"n","inner":{}}"#, "inner must be an array, not object"),
    (#"{"name":"n","inner":[{"weight":1},{"weight":2.5}]}"#, "inner[1].weight must be between 0 and 2"),
    (#"{"name":"n","inner":[{"weight":1,"colour":"blue"}]}"#, "inner[0].colour must be one of “red”, “green”"),
  ])
  func refused(_ text: String, _ sentence: String) throws { try check(text, refused: sentence) }

  @Test(
    arguments: [
      ("1", 1, true), ("-0", 0, true), ("1.0", 1, true), ("1e2", 100, true), ("1.5", nil, false),
      ("9007199254740993", 9_007_199_254_740_993, true), ("9223372036854775808", nil, true), ("1e300", nil, true),
      ("1e-3", nil, false),
    ] as [(String, Int?, Bool)])
  func integers(_ text: String, _ int: Int?, _ isWhole: Bool) {
    let number = JSONNumber(text: text)
    #expect(number.int == int)
    #expect(number.isWhole == isWhole)
  }
}
