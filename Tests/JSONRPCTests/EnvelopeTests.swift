import JSON
import JSONRPC
import Testing

/// The rows of “JSON” that the wire shows, and of “Envelope and life cycle” that concern one message. Each input is
/// followed by a valid request, whose answer shows that the connection lives.
@Suite struct EnvelopeTests {
  private func check(
    _ message: String, _ expected: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for setting in [Setting.header, .line] {
      try await JSONRPCTests.check(
        messages: [message, call("99")], setting, expect: expected + ["99 = {}"], sourceLocation: sourceLocation)
    }
  }

  @Test(
    "not JSON: -32700",
    arguments: [
      #"{"jsonrpc":"2.0","id":1,"method":"echo",}"#, #"{"jsonrpc":"2.0",/* */"id":1,"method":"echo"}"#,
      #"{"jsonrpc":"2.0","id":NaN,"method":"echo"}"#, #"{"jsonrpc":"2.0","id":01,"method":"echo"}"#,
      #"{"jsonrpc":"2.0","id":1e400,"method":"echo"}"#, #"{} {}"#, #"[1] x"#, "{",
    ])
  func notJSON(_ message: String) async throws {
    try await check(message, "null ! -32700")
  }

  @Test("invalid or overlong UTF-8, UTF-16 body: -32700")
  func notUTF8() async throws {
    let utf16 = "{}".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    for body in [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], utf16] as [[UInt8]] {
      let input = Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body + framed(call("99"))
      try await JSONRPCTests.check(input, expect: ["null ! -32700", "99 = {}"])
    }
  }

  @Test("lone or reversed surrogate escapes: accepted as U+FFFD")
  func surrogates() async throws {
    try await check(call("1", "echo", #","params":["\ud800","\udc00\ud800"]"#), #"1 = ["�","��"]"#)
  }

  @Test("one UTF-8 byte order mark: ignored")
  func byteOrderMark() async throws {
    try await check("\u{FEFF}" + call("1"), "1 = {}")
  }

  @Test("depth 128 / 129; 100,000 [")
  func depth() async throws {
    let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    let deep = nested(127)
    try await check(call("1", "echo", #","params":\#(deep)"#), "1 = \(deep)")
    try await check(call("1", "echo", #","params":\#(nested(128))"#), "null ! -32700")
    let start = ContinuousClock.now
    var setting = Setting.header
    setting.deliveries = [.whole]
    let bomb = String(repeating: "[", count: 100_000)
    try await JSONRPCTests.check(messages: [bomb, call("99")], setting, expect: ["null ! -32700", "99 = {}"])
    #expect(ContinuousClock.now - start < .seconds(1))
  }

  @Test("duplicate keys in the envelope: -32600")
  func duplicateKeys() async throws {
    try await check(#"{"jsonrpc":"2.0","id":1,"method":"echo","method":"work"}"#, "1 ! -32600")
    try await check(#"{"jsonrpc":"2.0","id":1,"id":2,"method":"echo"}"#, "null ! -32600")
    try await check(#"{"jsonrpc":"2.0","id":1,"method":"echo","params":{},"\u0070arams":{}}"#, "1 ! -32600")
  }

  @Test(
    "ids are echoed as written",
    arguments: [
      "9007199254740993", #""1""#, #""""#, "1.0", "-1", "1", "0", "123456789012345678901234567890", "1e2",
      #""\u00e9""#,
    ])
  func ids(_ id: String) async throws {
    try await check(call(id), "\(id.replacing(#"\u00e9"#, with: "\u{E9}")) = {}")
  }

  @Test("names that are only canonically equal are different")
  func canonicallyEqual() async throws {
    // U+212A KELVIN SIGN is canonically equal to K; no method is called “wor\u{212A}”.
    try await check(call("1", "wor\u{212A}"), "1 ! -32601")
    try await check(
      #"[{"jsonrpc":"2.0","id":"\u00e9","method":"hang"},{"jsonrpc":"2.0","id":"e\u0301","method":"echo"}"#
        + #",{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"\u00e9"}}]"#,
      "[\"\u{E9}\" ! -32800, \"e\u{301}\" = {}]", inBatch: true)
  }

  /// The batch is answered after what follows it when one of its requests runs in a task.
  private func check(_ message: String, _ expected: String, inBatch: Bool) async throws {
    let (output, _) = try await exchange([framed(message)[...]], .header)
    let replies = try messages(in: output, .header).map(summary)
    #expect(replies.count == 1)
    // Compared by bytes: that is what the test is about.
    for reply in replies { #expect(Array(reply.utf8) == Array(expected.utf8)) }
  }

  @Test(
    "jsonrpc missing or not 2.0; id true, {}, 1.5, null with a method: -32600, id null",
    arguments: [
      #"{"id":1,"method":"echo"}"#, #"{"jsonrpc":"1.0","id":1,"method":"echo"}"#,
      #"{"jsonrpc":2.0,"id":1,"method":"echo"}"#, #"{"method":"note"}"#,
      call("true"), call("{}"), call("[]"), call("1.5"), call("null"), "{}", "1", #""text""#, "null",
      #"{"jsonrpc":"2.0","method":1,"params":"bar"}"#,
    ])
  func invalid(_ message: String) async throws {
    try await check(message, "null ! -32600")
  }

  @Test("an invalid request whose id could be read is answered with it")
  func invalidWithID() async throws {
    try await check(#"{"jsonrpc":"2.0","id":1}"#, "1 ! -32600")
    try await check(#"{"jsonrpc":"2.0","id":"a","method":null}"#, #""a" ! -32600"#)
  }

  @Test("params a scalar: -32600; absent, null, [] and {}: no parameters")
  func params() async throws {
    for scalar in ["1", "true", #""x""#] {
      try await check(call("1", "echo", #","params":\#(scalar)"#), "1 ! -32600")
    }
    for none in ["", #","params":null"#, #","params":[]"#, #","params":{}"#] {
      try await check(call("1", "shutdown", none), "1 = null")
      try await check(call("1", "echo", none), "1 = {}")
    }
  }

  @Test("parameters that do not decode: -32602 naming the field")
  func invalidParams() async throws {
    try await check(call("1", "fail", #","params":{"count":10}"#), "1 ! -32602")
    try await check(call("1", "fail", #","params":[1]"#), "1 ! -32602")
    let input = framed(call("1", "fail", #","params":{"count":"x"}"#))
    let (output, _) = try await exchange([input[...]], .header)
    let error = try messages(in: output, .header).first?["error"]
    #expect(error?["message"] == "count must be an integer, not string")
  }

  @Test("unknown request / notification; $/x request / notification: -32601 / silence")
  func unknown() async throws {
    try await check(call("1", "nothing"), "1 ! -32601")
    try await check(note("nothing"))
    try await check(call("1", "$/x"), "1 ! -32601")
    try await check(note("$/x"))
    try await check(call("1", "note", #","params":{"count":1}"#), "1 ! -32601")
    try await check(note("echo"))
  }

  @Test("batches: [], [1], two requests, only notifications, mixed, batch in a batch")
  func batches() async throws {
    try await check("[]", "null ! -32600")
    try await check("[1]", "[null ! -32600]")
    try await check("[1,2,3]", "[null ! -32600, null ! -32600, null ! -32600]")
    try await check("[\(call("1")),\(call("2"))]", "[1 = {}, 2 = {}]")
    try await check(
      "[\(note("note", #","params":{"count":1}"#)),\(note("nothing"))]", #"noted {"count":1}"#)
    try await check("[\(note("nothing"))]")
    try await check(
      "[\(call("1")),1,\(note("nothing")),\(call("2", "nothing"))]", "[1 = {}, null ! -32600, 2 ! -32601]")
    try await check("[[\(call("1"))]]", "[null ! -32600]")
    try await check(#"[{"jsonrpc":"2.0","id":1,"result":1}]"#)
  }

  @Test("a batch over the limit is refused as a whole")
  func batchLimit() async throws {
    var setting = Setting.header
    setting.limits.batchSize = 3
    try await JSONRPCTests.check(
      messages: ["[1,2,3,4]", "[1,2,3]"], setting,
      expect: ["null ! -32600", "[null ! -32600, null ! -32600, null ! -32600]"])
  }

  @Test(
    "malformed notification; a response to nothing: silence, alive",
    arguments: [
      note("note", #","params":1"#), note("note", #","params":{"count":"x"}"#), note("note"),
      #"{"jsonrpc":"2.0","id":1,"result":1}"#, #"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}"#,
      #"{"jsonrpc":"2.0","id":"x","error":1}"#, #"{"id":1,"result":1}"#, #"{"jsonrpc":"2.0","result":1}"#,
      #"{"jsonrpc":"2.0","id":99999999999999999999,"result":1}"#, note("$/cancelRequest"),
      note("$/cancelRequest", #","params":{"id":{}}"#), note("$/cancelRequest", #","params":[1]"#),
      note("$/cancelRequest", #","params":{"id":99}"#),
    ])
  func silence(_ message: String) async throws {
    try await check(message)
  }

  @Test("handler failure: its own error for that request, alive")
  func handlerFailure() async throws {
    try await check(call("1", "fail", #","params":{"count":7}"#), "1 ! 7")
  }
}
