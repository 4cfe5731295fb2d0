import Foundation
import JSON
import TestSupport
import Testing

/// The one door of the writer's tests.
private func check(_ value: JSONValue, writes text: String, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(JSONWriter.bytes(of: value) == Array(text.utf8), sourceLocation: sourceLocation)
}

@Suite struct WriterTests {
  @Test(
    arguments: [
      (nil, "null"), (true, "true"), (false, "false"), (-12, "-12"), (1.5, "1.5"), (2.0, "2"), ("", "\"\""),
      ([1, "a", nil], "[1,\"a\",null]"), (["b": 1, "a": [:]], "{\"b\":1,\"a\":{}}"),
      ("a\"b\\c/d", "\"a\\\"b\\\\c/d\""), ("\n\r\t", "\"\\n\\r\\t\""),
      ("\u{0}\u{8}\u{1F}", "\"\\u0000\\u0008\\u001f\""),
      ("\u{7F}\u{2028}é日🙂", "\"\u{7F}\u{2028}é日🙂\""), ("12345678\"", "\"12345678\\\"\""),
      (["\"": "x"], "{\"\\\"\":\"x\"}"),
    ] as [(JSONValue, String)])
  func written(_ value: JSONValue, _ text: String) { check(value, writes: text) }

  @Test(
    arguments: [
      (0, "0"), (-0.0, "0"), (0.1, "0.1"), (1e16, "1e+16"), (123_456_789, "123456789"),
      (.leastNonzeroMagnitude, "5e-324"),
      (.infinity, "0"), (.nan, "0"), (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
    ] as [(Double, String)])
  func doubles(_ value: Double, _ text: String) { check(.number(JSONNumber(value)), writes: text) }

  /// Every text of one scalar, in the string's first and last place within a word of eight bytes.
  @Test func everyASCIICharacter() throws {
    for byte in UInt8(0)..<0x80 {
      for padding in 0..<9 {
        let text = String(repeating: "x", count: padding) + String(Unicode.Scalar(byte)) + "yz"
        let bytes = JSONWriter.bytes(of: .string(text))
        #expect(bytes.dropFirst().dropLast().allSatisfy { $0 >= 0x20 })
        #expect(try JSONParser.parse(bytes) == .string(text))
      }
    }
  }
}

@Suite struct RoundTripTests {
  @Test func randomDocumentsComeBackTheSame() throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<(Environment.isSoak ? 200_000 : 5000) {
      let value = random.jsonValue()
      let bytes = JSONWriter.bytes(of: value)
      #expect(try JSONParser.parse(bytes) == value)
      // An independent reader must take it too.
      _ = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    }
  }

  @Test func everyDocumentCutShortIsRefused() {
    var random = SplitMix64(seed: 2)
    for _ in 0..<300 {
      let bytes = JSONWriter.bytes(of: [random.jsonValue(depth: 3, width: 3)])
      for end in bytes.indices {
        #expect(throws: JSONParseError.self) { try JSONParser.parse(Array(bytes[..<end])) }
      }
    }
  }

  /// Documents with a few bytes changed: what is accepted comes back the same from its own text, and Foundation's
  /// parser, which knows the same grammar, accepts it as well.
  @Test func mutatedDocuments() throws {
    var random = SplitMix64(seed: 3)
    let spice = Array("{}[]\",:\\/0123456789eE+-.truefalsn \n\t\u{0}\u{FEFF}\u{E9}".utf8) + [0xFF, 0xC0, 0xED, 0xF4]
    var accepted = 0
    for _ in 0..<(Environment.isSoak ? 1_000_000 : 20_000) {
      var bytes = JSONWriter.bytes(of: random.jsonValue(depth: 3, width: 3))
      for _ in 0...random.int(in: 0..<3) where !bytes.isEmpty {
        let place = random.int(in: 0..<bytes.count)
        switch random.int(in: 0..<3) {
        case 0: bytes[place] = random.pick(spice)
        case 1: bytes.insert(random.pick(spice), at: place)
        case _: bytes.remove(at: place)
        }
      }
      guard let value = try? JSONParser.parse(bytes) else { continue }
      accepted += 1
      #expect(try JSONParser.parse(JSONWriter.bytes(of: value)) == value)
      #expect(throws: Never.self, "\(String(decoding: bytes, as: UTF8.self))") {
        try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
      }
    }
    #expect(accepted > 2000)
  }
}
