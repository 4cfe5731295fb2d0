import JSON
import TestSupport
import Testing

/// The one door of the parser's tests: what a document reads as, or where and why it is refused.
func check(
  _ bytes: some Sequence<UInt8>, reads expected: JSONValue, sourceLocation: SourceLocation = #_sourceLocation
) {
  do throws(JSONParseError) {
    let value = try JSONParser.parse(Array(bytes))
    #expect(value == expected, sourceLocation: sourceLocation)
  } catch {
    Issue.record("refused: \(error)", sourceLocation: sourceLocation)
  }
}

func check(
  _ bytes: some Sequence<UInt8>, refusedAt offset: Int, _ words: String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  do throws(JSONParseError) {
    let value = try JSONParser.parse(Array(bytes))
    Issue.record("read as \(JSONWriter.text(of: value))", sourceLocation: sourceLocation)
  } catch {
    #expect(error.offset == offset, "\(error)", sourceLocation: sourceLocation)
    #expect(error.message.contains(words), "\(error)", sourceLocation: sourceLocation)
  }
}

@Suite struct ParserTests {
  @Test(
    arguments: [
      ("null", .null), ("true", true), (" \t\r\n false \n", false), ("0", 0), ("-0", .number(JSONNumber(text: "-0"))),
      ("\"\"", ""), ("[]", []), ("[ ]", []), ("{}", [:]), ("{ }", [:]), ("[1,[2],{}]", [1, [2], [:]]),
      ("{\"a\" : 1 , \"b\" : [ true , null ] }", ["a": 1, "b": [true, nil]]),
      ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\u{8}\u{C}\n\r\t"),
      ("\"\\u0041\\u00e9\\u65E5\"", "A\u{E9}日"), ("\"\\u0000\"", "\u{0}"), ("\"\u{2028}\u{7F}\"", "\u{2028}\u{7F}"),
      ("\"12345678\\n12345678\\\"1234567\"", "12345678\n12345678\"1234567"),
    ] as [(String, JSONValue)])
  func accepted(_ text: String, _ expected: JSONValue) { check(text.utf8, reads: expected) }

  @Test(arguments: [
    ("", 0, "ends too early"), ("   ", 3, "ends too early"), ("[1,]", 3, "a value"), ("{\"a\":1,}", 7, "a name"),
    ("[1 2]", 3, "a comma"), ("{\"a\":1 \"b\":2}", 7, "a comma"), ("{\"a\" 1}", 5, "a colon"), ("{a:1}", 1, "a name"),
    ("{'a':1}", 1, "a name"), ("[1", 2, "ends too early"), ("{\"a\":", 5, "ends too early"), ("]", 0, "a value"),
    ("// x\n1", 0, "a value"), ("[1 /* x */]", 3, "a comma"), ("# x\n1", 0, "a value"),
    ("NaN", 0, "a value"), ("Infinity", 0, "a value"), ("-Infinity", 1, "a digit"), ("undefined", 0, "a value"),
    ("nul", 0, "a value"), ("nulL", 0, "a value"), ("True", 0, "a value"), ("truefalse", 4, "nothing may follow"),
    ("{} {}", 3, "nothing may follow"), ("1 2", 2, "nothing may follow"), ("[]]", 2, "nothing may follow"),
    ("{}\u{0}", 2, "nothing may follow"), ("\u{A0}1", 0, "a value"), ("[1}", 2, "a comma"), ("{\"a\":1]", 6, "a comma"),
    ("\"a", 2, "ends too early"), ("\"a\\", 3, "ends too early"), ("\"a\nb\"", 2, "control characters"),
    ("\"\u{0}\"", 1, "control characters"), ("\"\u{1F}\"", 1, "control characters"), ("\"\\x41\"", 2, "no such escape"),
    ("\"\\'\"", 2, "no such escape"), ("\"\\U0041\"", 2, "no such escape"), ("\"\\u12\"", 5, "four hexadecimal"),
    ("\"\\u12G4\"", 5, "four hexadecimal"), ("\"\\u+123\"", 3, "four hexadecimal"), ("'a'", 0, "a value"),
  ])
  func refused(_ text: String, _ offset: Int, _ words: String) { check(text.utf8, refusedAt: offset, words) }

  @Test(arguments: [
    "0", "-0", "7", "-7", "10", "1.0", "1.50", "-0.0", "1e5", "1E+5", "1e-5", "0.1e05", "9007199254740993",
    "123456789012345678901234567890", "3.141592653589793238462643383279", "1e308", "1e-400", "0e999",
    "-1.7976931348623157e308",
  ])
  func numbersKeepTheirText(_ text: String) throws {
    guard case .number(let number) = try JSONParser.parse(text) else { throw JSONParseError("no number", offset: 0) }
    #expect(number.text == text)
    #expect(JSONWriter.text(of: .number(number)) == text)
  }

  @Test(arguments: [
    ("01", 1, "may not begin with 0"), ("-01", 2, "may not begin with 0"), ("+1", 0, "a value"), (".5", 0, "a value"),
    ("1.", 2, "a digit"), ("1.e5", 2, "a digit"), ("1e", 2, "a digit"), ("1e+", 3, "a digit"), ("-", 1, "a digit"),
    ("--1", 1, "a digit"), ("0x10", 1, "nothing may follow"), ("1_000", 1, "nothing may follow"),
    ("[1e400]", 1, "too large"), ("-1e400", 0, "too large"), ("1e99999999999999999999", 0, "too large"),
    (String(repeating: "9", count: 400), 0, "too large"),
  ])
  func numbersRefused(_ text: String, _ offset: Int, _ words: String) { check(text.utf8, refusedAt: offset, words) }

  /// Well-formed sequences are table 3-7 of The Unicode Standard.
  @Test(
    arguments: [
      ([0x80], 1), ([0xBF], 1), ([0xC0, 0x80], 1), ([0xC1, 0xBF], 1), ([0xC2], 1), ([0xC2, 0x41], 1),
      ([0xE0, 0x80, 0x80], 1), ([0xE0, 0x9F, 0xBF], 1), ([0xED, 0xA0, 0x80], 1), ([0xED, 0xBF, 0xBF], 1),
      ([0xE2, 0x82], 1), ([0xE2, 0x82, 0x41], 1), ([0xF0, 0x80, 0x80, 0x80], 1), ([0xF0, 0x8F, 0xBF, 0xBF], 1),
      ([0xF4, 0x90, 0x80, 0x80], 1), ([0xF5, 0x80, 0x80, 0x80], 1), ([0xF0, 0x9F, 0x99], 1), ([0xFE], 1), ([0xFF], 1),
      ([0x41, 0xC3, 0xA9, 0xF8], 4),
    ] as [([UInt8], Int)])
  func invalidUTF8(_ inside: [UInt8], _ offset: Int) {
    check([UInt8(ascii: "\"")] + inside + [UInt8(ascii: "\"")], refusedAt: offset, "not valid UTF-8")
  }

  @Test(arguments: ["\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}"])
  func bordersOfUTF8(_ text: String) { check("\"\(text)\"".utf8, reads: .string(text)) }

  @Test func otherEncodings() {
    check([0xFF, 0xFE] + "{}".utf16.flatMap { [UInt8($0), 0] }, refusedAt: 0, "UTF-16")
    check([0xFE, 0xFF] + "{}".utf16.flatMap { [0, UInt8($0)] }, refusedAt: 0, "UTF-16")
    check("{}".utf16.flatMap { [UInt8($0), 0] }, refusedAt: 1, "a name")
    check("{}".utf16.flatMap { [0, UInt8($0)] }, refusedAt: 0, "a value")
  }

  @Test func oneByteOrderMark() {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    check(mark + "[1]".utf8, reads: [1])
    check(mark + mark + "[1]".utf8, refusedAt: 3, "a value")
    check(" ".utf8 + mark + "[1]".utf8, refusedAt: 1, "a value")
    check("[".utf8 + mark + "1]".utf8, refusedAt: 1, "a value")
    check("\"".utf8 + mark + "\"".utf8, reads: "\u{FEFF}")
  }

  @Test(arguments: [
    ("\\ud83d\\ude42", "🙂"), ("\\uD83D\\uDE42!", "🙂!"), ("\\ud83d", "\u{FFFD}"), ("\\ude42", "\u{FFFD}"),
    ("\\ude42\\ud83d", "\u{FFFD}\u{FFFD}"), ("\\ud83dx", "\u{FFFD}x"), ("\\ud83d\\n", "\u{FFFD}\n"),
    ("\\ud83d\\u0041", "\u{FFFD}A"), ("\\ud83d\\ud83d\\ude42", "\u{FFFD}🙂"), ("\\udbff\\udfff", "\u{10FFFF}"),
    ("\\ud800\\udc00", "\u{10000}"), ("a\\ud83d\\ude42\\ude42b", "a🙂\u{FFFD}b"),
  ])
  func surrogateEscapes(_ inside: String, _ expected: String) {
    check("\"\(inside)\"".utf8, reads: .string(expected))
  }

  @Test func duplicatesAreKept() throws {
    let text = #"{"a":1,"b":2,"a":3}"#
    guard case .object(let object) = try JSONParser.parse(text) else { throw JSONParseError("no object", offset: 0) }
    #expect(object.count == 3)
    #expect(object["a"] == 1)
    #expect(object.duplicateName == "a")
    #expect(JSONWriter.text(of: .object(object)) == text)
  }

  @Test func canonicallyEqualNamesDiffer() throws {
    guard case .object(let object) = try JSONParser.parse("{\"\u{E9}\":1,\"e\u{301}\":2}") else {
      throw JSONParseError("no object", offset: 0)
    }
    #expect(object.duplicateName == nil)
    #expect(object["\u{E9}"] == 1)
    #expect(object["e\u{301}"] == 2)
    #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
  }
}
