import JSON
import TestSupport
import Testing

/// JSON as people write it in a file.
@Suite struct DocumentTests {
  @Test(arguments: [
    ("{\"a\": 1, // one\n \"b\": [1, 2,], /* two */ }", #"{"a":1,"b":[1,2]}"#),
    ("/* a\n b */ [1] // end", "[1]"), ("// only\r\n{}\r\n", "{}"), ("[\"//\", \"/* */\", \"a\\\"//\",]", "a"),
    ("{\"a\":[{\"b\":1,},],}", #"{"a":[{"b":1}]}"#), ("[1,/* c */]", "[1]"), ("/***/1", "1"), ("\u{FEFF}[1,]", "[1]"),
  ])
  func commentsAndLastCommasAreAllowed(text: String, plain: String) throws {
    let expected = plain == "a" ? ["//", "/* */", "a\"//"] : try JSONParser.parse(plain)
    #expect(try JSONDocument(Array(text.utf8)).value == expected)
  }

  @Test(arguments: [
    ("{\"a\": }", 1, 7, "a value must follow"), ("{\n  \"a\" 1}", 2, 7, "a colon must follow the name"),
    ("[1\n/* a", 2, 1, "the comment does not end"), ("[/]", 1, 2, "a slash alone is no comment"),
    ("[,]", 1, 2, "a value must follow"), ("[1,,]", 1, 4, "a value must follow"),
    ("{,}", 1, 2, "a name in quotes must follow"), ("[\"ä€😀\", x]", 1, 9, "a value must follow"),
    ("[1] 2", 1, 5, "nothing may follow the document"),
    ("[1", 1, 3, "the text ends too early: a comma or “]” must follow"),
    ("", 1, 1, "the text ends too early: a value must follow"), ("\u{FEFF}x", 1, 1, "a value must follow"),
    ("{'a': 1}", 1, 2, "a name in quotes must follow"),
    ("[\"a\n\"]", 1, 4, "control characters in a string must be escaped"),
  ])
  func whatIsNotJSONIsFound(text: String, line: Int, column: Int, message: String) {
    #expect(throws: JSONDocumentError(message: message, position: JSONPosition(line: line, column: column))) {
      try JSONDocument(Array(text.utf8))
    }
  }

  @Test func invalidBytesAreFound() {
    #expect(
      throws: JSONDocumentError(message: "the text is not valid UTF-8", position: JSONPosition(line: 2, column: 2))
    ) {
      try JSONDocument(Array("\n\"".utf8) + [0xFF])
    }
  }

  @Test func everythingHasItsPlace() throws {
    let text = """
      // A comment with "quotes", [brackets] and {braces}.
      {
        "a/b": [10, {"ü": true}, /* between */ "x"],
        "c~": {"d": null,
          "d": "again"},
      }
      """
    let document = try JSONDocument(Array(text.utf8))
    func place(_ pointer: String) -> [Int] {
      let position = document.position(of: pointer)
      return [position.line, position.column]
    }
    #expect(place("") == [2, 1])
    #expect(place("/a~1b") == [3, 10])
    #expect(place("/a~1b/0") == [3, 11])
    #expect(place("/a~1b/1/ü") == [3, 21])
    #expect(place("/a~1b/2") == [3, 42])
    #expect(place("/c~0/d") == [4, 15])
    // What is not there stands where the value around it does.
    #expect(place("/c~0/nothing/at/all") == [4, 9])
    #expect(document.namePosition(of: "/c~0") == JSONPosition(line: 4, column: 3))
    #expect(document.namePosition(of: "/a~1b/1") == JSONPosition(line: 3, column: 15))
    #expect(document.repeatedNames.map(\.pointer) == ["/c~0/d"])
    #expect(document.repeatedNames.map(\.position) == [JSONPosition(line: 5, column: 5)])
  }

  /// Strict JSON means the same in both, and the strict parser still refuses what only a file may hold.
  @Test func strictTextsMeanTheSame() throws {
    var random = SplitMix64(seed: 11)
    for _ in 0..<300 {
      let bytes = JSONWriter.bytes(of: random.jsonValue())
      #expect(try JSONDocument(bytes).value == JSONParser.parse(bytes))
    }
    for text in ["[1,]", "// a\n1", "/* a */ 1", "{\"a\":1,}"] {
      #expect(throws: JSONParseError.self) { try JSONParser.parse(text) }
    }
  }
}

/// A member of a document is set, and every other byte stays.
@Suite struct DocumentSettingTests {
  @Test(arguments: [
    (#"{}"#, #"{"model": "x"}"#), (#"{"a": 1}"#, #"{"model": "x", "a": 1}"#),
    ("{\n}\n", "{\n  \"model\": \"x\"\n}\n"),
    ("{\r\n\t\"a\": 1\r\n}", "{\r\n\t\"model\": \"x\",\r\n\t\"a\": 1\r\n}"),
    (
      "{ // mine\n    // of a\n    \"a\": [1,],\n}",
      "{ // mine\n    \"model\": \"x\",\n    // of a\n    \"a\": [1,],\n}"
    ),
    ("{ /* a\n b */ \"a\": 1}", "{\"model\": \"x\",  /* a\n b */ \"a\": 1}"),
    (
      "{\"a\": {\"model\": 1}, /* m */ \"model\" :\"old\" // c\n}",
      "{\"a\": {\"model\": 1}, /* m */ \"model\" :\"x\" // c\n}"
    ),
    ("{\"model\": null, \"model\": 2}", "{\"model\": \"x\", \"model\": 2}"),
    ("// \"model\": \"y\"\n\u{FEFF}{}", nil), ("\u{FEFF}{\"model\": [1, {\"b\": 2}] }", "\u{FEFF}{\"model\": \"x\" }"),
    ("[1]", nil), ("{\"a\": }", nil),
  ])
  func oneMemberIsSet(text: String, expected: String?) throws {
    guard let expected else {
      #expect(throws: JSONDocumentError.self) { try JSONDocument(Array(text.utf8)).setting("model", to: "x") }
      return
    }
    let set = try JSONDocument(Array(text.utf8)).setting("model", to: "x")
    #expect(String(decoding: set, as: UTF8.self) == expected)
    #expect(try JSONDocument(set).value["model"] == "x")
  }
}
