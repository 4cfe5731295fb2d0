import JSON
import TestSupport
import Testing

@Suite struct PatternTests {
  @Test(
    arguments: [
      ("", ["", "a"], []), ("a", ["a", "xay"], ["", "b"]), ("^a", ["a", "ab"], ["ba"]), ("a$", ["ba"], ["ab", "a\n"]),
      ("^$", [""], ["a", "\n"]), ("^", ["", "x"], []), ("^a|b$", ["ax", "xb"], ["xa", "bx"]),
      ("^(a|b)$", ["a", "b"], ["ab", ""]), ("(^a|b)c$", ["ac", "xbc"], ["xac"]),
      ("^(?:ab)+$", ["ab", "abab"], ["aba", ""]),
      ("^a{2}$", ["aa"], ["a", "aaa"]), ("^a{2,}$", ["aa", "aaaa"], ["a"]), ("^a{1,3}?$", ["a", "aaa"], ["aaaa", ""]),
      ("^a{0}$", [""], ["a"]), ("^a?b*c+?$", ["c", "abbcc"], ["aab", "ab"]),
      ("^.$", ["a", "é", "👍"], ["", "\n", "\u{2028}"]),
      (#"^[a-c\d_]+$"#, ["a1_c"], ["d", ""]), ("^[^a-c]$", ["d", "日"], ["a"]), ("^[-a]+$", ["a-"], ["b"]),
      ("^[a-]+$", ["a-"], ["b"]), (#"^[\]\\^]+$"#, ["]\\^"], ["a"]), ("^[^]$", ["x", "\n"], [""]),
      (#"^\d{3}-\d{4}$"#, ["555-1234"], ["5555-123", "٣٣٣-١٢٣٤"]),
      (#"^\w+\s\W\S\D$"#, ["ab !xy", "a\u{3000}é-é"], ["ab !x1"]),
      (#"^\.\*\/\-$"#, [".*/-"], ["..."]), (#"^\x41\u00e9\u{1F44D}\n\t$"#, ["Aé👍\n\t"], ["A"]),
      (#"^\0$"#, ["\0"], ["0"]),
      ("^(a|ab)(c|bcd)$", ["abcd", "ac", "abc"], ["ab"]), ("(a*)*b", ["aab", "b"], ["aaa"]),
      ("^((a?){3}){3}$", ["", "aaaaaaaaa"], ["aaaaaaaaaa"]),
      ("日本", ["私は日本人"], ["日", "本日"]),
    ] as [(String, [String], [String])])
  func matching(_ text: String, _ accepted: [String], _ refused: [String]) throws {
    let pattern = try JSONPattern(text)
    for string in accepted { #expect(pattern.matches(string), "\(string)") }
    for string in refused { #expect(!pattern.matches(string), "\(string)") }
  }

  @Test(arguments: [
    "(", ")", "(?=a)", "(?<n>a)", "(?i)a", "[", "[a", "[b-a]", #"[\d-z]"#, "*", "a**", "a{2", "a{3,2}", "a{1001}", "{",
    "}", "]",
    #"\1"#, #"\b"#, #"\p{L}"#, #"\k"#, "\\", #"\u12"#, #"\ud800"#, #"\x4"#, #"\u{110000}"#, #"\01"#, "a^b", "a$b",
    "(a^)", "^*",
    "(?:^a)+", "((a{1000}){1000}){1000}", "(((((((((((((((((((((((((((((((((a)))))))))))))))))))))))))))))))))",
  ])
  func refused(_ text: String) { #expect(throws: PatternError.self) { try JSONPattern(text) } }

  @Test(
    arguments: [
      ("^a{2,5}$", 2, 5), ("abc", 3, nil), ("^(a|bcd)?$", 0, 3), ("^$", 0, 0), ("^[]$", nil, 1), ("^a*$", 0, nil),
      ("^((){1000}){1000}$", 0, 0),
    ] as [(String, Int?, Int?)])
  func lengths(_ text: String, _ minimum: Int?, _ maximum: Int?) throws {
    let pattern = try JSONPattern(text)
    #expect(pattern.minimumLength == minimum)
    #expect(pattern.maximumLength == maximum)
  }

  /// Expressions that make a matcher by backtracking run for years.
  @Test(arguments: ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(.*a){20}$", "(a?){100}a{100}$", "((a*)*)*b"])
  func timeIsLinear(_ text: String) throws {
    let pattern = try JSONPattern(text)
    let string = String(repeating: "a", count: 5_000) + "!"
    let start = ContinuousClock.now
    #expect(!pattern.matches(string))
    #expect(ContinuousClock.now - start < .seconds(5))
  }

  @Test(arguments: [
    ("1", "1.0", 0), ("10e-1", "1", 0), ("-0", "0.0", 0), ("1e2", "99.9", 1), ("-5", "3", -1), ("-5", "-5.1", 1),
    ("9007199254740993", "9007199254740992", 1), ("0.1", "0.10000000000000000001", -1), ("1e-400", "0", 1),
    ("1e300", "1e301", -1), ("0.05", "0.5", -1), ("-0.05", "-0.5", 1),
  ])
  func decimals(_ left: String, _ right: String, _ order: Int) {
    let (a, b) = (JSONDecimal(JSONNumber(text: left)), JSONDecimal(JSONNumber(text: right)))
    #expect((a < b ? -1 : a > b ? 1 : 0) == order)
    #expect((a == b) == (order == 0))
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("12e1", 120), ("1.0", 1), ("-7", -7), ("9223372036854775807", .max),
      ("9223372036854775808", nil),
      ("-9223372036854775808", .min), ("1.5", nil), ("1e300", nil),
    ] as [(String, Int?)])
  func wholeNumbers(_ text: String, _ value: Int?) { #expect(JSONDecimal(JSONNumber(text: text)).int == value) }
}
