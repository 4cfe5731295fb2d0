import JSON
import TestSupport
import Testing

@Suite struct DepthTests {
  private static func nested(_ depth: Int, _ open: String = "[", _ close: String = "]") -> [UInt8] {
    Array((String(repeating: open, count: depth) + String(repeating: close, count: depth)).utf8)
  }

  /// On the stack of a thread as small as the platforms give, and in the debug configuration too.
  @Test func depthOf128IsRead() async throws {
    for (open, close) in [("[", "]"), ("{\"a\":[", "]}")] {
      let levels = 128 / open.utf8.count(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") })
      let text = Self.nested(levels, open, close)
      let written = try await onThread(stackSize: 512 << 10) { JSONWriter.bytes(of: try JSONParser.parse(text)) }
      #expect(written == text)
    }
  }

  @Test func depthOf129IsRefused() {
    check(Self.nested(129), refusedAt: 128, "nested 128 deep")
    check(Self.nested(65, "{\"a\":[", "]}"), refusedAt: 64 * 6, "nested 128 deep")
  }

  @Test func theLimitCanBeChosen() throws {
    #expect(try JSONParser.parse(Self.nested(3), maxDepth: 3) == [[[]]])
    #expect(throws: JSONParseError("arrays and objects may be nested 2 deep", offset: 2)) {
      try JSONParser.parse(Self.nested(3), maxDepth: 2)
    }
    #expect(try JSONParser.parse("7", maxDepth: 0) == 7)
  }

  @Test func aHundredThousandBracketsAreRefusedAtOnce() async throws {
    for open in ["[", "{\"a\":"] {
      let text = Array(String(repeating: open, count: 100_000).utf8)
      // The least of five: other tests run beside this one.
      let fastest = try await onThread(stackSize: 512 << 10) {
        (0..<5).map { _ in
          ContinuousClock().measure { check(text, refusedAt: 128 * open.utf8.count, "nested 128 deep") }
        }.min()
      }
      #expect(try #require(fastest) < .milliseconds(50))
    }
  }
}
