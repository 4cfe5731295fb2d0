import JSON
import JSONRPC
import TestSupport
import Testing

/// The rows of “Framing”. Each input is followed by a valid request, whose answer shows that the connection lives.
@Suite struct FramingTests {
  private let alive = framed(call("99"))

  @Test(
    "header names in any case, spaces around the value, other headers, Content-Type with utf-8, utf8 or quotes",
    arguments: [
      "Content-Length: #\r\n\r\n", "content-length:#\r\n\r\n", "cONTENT-LeNGTH:   # \t\r\n\r\n",
      "X-Other: a:b\r\nContent-Length: #\r\nX-More: \r\n\r\n", "Content-Length: #\r\nContent-Length: #\r\n\r\n",
      "Content-Length: #\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
      "Content-Type: application/vscode-jsonrpc;charset=utf8\r\nContent-Length: #\r\n\r\n",
      "Content-Type: a/b; x=y; CharSet = \"UTF-8\"\r\nContent-Length: #\r\n\r\n",
      "Content-Type: application/json\r\nContent-Length: #\r\n\r\n", "Content-Length: 000#\r\n\r\n",
      "\r\n\n\r\nContent-Length: #\r\n\r\n",
    ])
  func acceptedHeaders(_ header: String) async throws {
    let body = call("1")
    let header = header.replacing("#", with: "\(body.utf8.count)")
    try await check(Array(header.utf8) + Array(body.utf8) + alive, expect: ["1 = {}", "99 = {}"])
  }

  @Test("charset other than UTF-8: -32600 id null, the body is drained, alive", arguments: ["utf-16", "latin1", ""])
  func otherCharset(_ charset: String) async throws {
    let input = "Content-Length: 4\r\nContent-Type: a/b; charset=\(charset)\r\n\r\n{\"a\""
    try await check(Array(input.utf8) + alive, expect: ["null ! -32600", "99 = {}"])
  }

  @Test(
    "no length, abc, empty, 0x10, 1 2, +5, -5, no colon, bare LF, overflow: the connection ends",
    arguments: [
      "X-Other: 1\r\n\r\n{}", "Content-Length: abc\r\n\r\n", "Content-Length:\r\n\r\n", "Content-Length: 0x10\r\n\r\n",
      "Content-Length: 1 2\r\n\r\n", "Content-Length: +5\r\n\r\n", "Content-Length: -5\r\n\r\n",
      "Content-Length 5\r\n\r\n", "Content-Length: 5\n\n12345", "Content-Length: 5\r\n\n12345",
      "Content-Length: 5\r\r\n12345", ": 5\r\n\r\n", " Content-Length: 5\r\n\r\n", "Content Length: 5\r\n\r\n",
      "Content-Length: 5\r\nContent-Length: 6\r\n\r\n", "Content-Length: 99999999999999999999999999\r\n\r\n",
      "Content-Length: 9223372036854775807\r\n\r\n", "Content-Length: 268435457\r\n\r\n",
    ])
  func malformedHeaders(_ header: String) async throws {
    let input = framed(call("1")) + Array(header.utf8) + alive
    try await check(input, expect: ["1 = {}"], end: .protocolError(""))
  }

  @Test("header over 8 KiB: the connection ends; just under it: read")
  func headerLimit() async throws {
    let body = call("1")
    func header(_ total: Int) -> [UInt8] {
      let rest = "\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
      return Array("X: ".utf8) + Array(repeating: UInt8(ascii: "x"), count: total - rest.utf8.count - 3)
        + Array(rest.utf8)
    }
    try await check(header(8_192) + Array(body.utf8), expect: ["1 = {}"])
    try await check(header(8_193) + Array(body.utf8), expect: [], end: .protocolError(""))
  }

  @Test("CR and LF before a header are skipped, up to 4 KiB")
  func blankBeforeHeader() async throws {
    let blank: (Int) -> [UInt8] = { Array(repeating: 0x0A, count: $0) }
    try await check(blank(4_096) + framed(call("1")) + blank(4_096) + alive, expect: ["1 = {}", "99 = {}"])
    try await check(framed(call("1")) + blank(4_097) + alive, expect: ["1 = {}"], end: .protocolError(""))
    try await check(blank(4_097) + alive, .auto, expect: [], end: .protocolError(""))
  }

  @Test(
    "end of input inside a frame",
    arguments: [
      "C", "Content-Length: 5", "Content-Length: 5\r\n", "Content-Length: 5\r\n\r\n", "Content-Length: 5\r\n\r\n{",
    ])
  func endInsideFrame(_ part: String) async throws {
    try await check(framed(call("1")) + Array(part.utf8), expect: ["1 = {}"], end: .endOfInput(insideFrame: true))
  }

  @Test("length 0: -32700, alive")
  func lengthZero() async throws {
    try await check(framed("") + alive, expect: ["null ! -32700", "99 = {}"])
  }

  @Test("a length beyond the limit is drained and refused, far beyond it closed")
  func tooLong() async throws {
    var setting = Setting.header
    setting.limits.frames.message = 100
    setting.limits.frames.skipped = 300
    let text: (Int) -> String = { count in
      let empty = call("1", "echo", #","params":[""]"#).utf8.count
      return call("1", "echo", #","params":["\#(String(repeating: "a", count: count - empty))"]"#)
    }
    let small = framed(call("2"))
    for (count, expected) in [(100, "1 ="), (101, "null ! -32600"), (300, "null ! -32600")] {
      let (output, end) = try await exchange([(framed(text(count)) + small)[...]], setting)
      let messages = try messages(in: output, .header).map(summary)
      #expect(messages.count == 2 && messages[0].hasPrefix(expected) && messages[1] == "2 = {}", "\(count)")
      #expect(end == .endOfInput(insideFrame: false))
    }
    try await check(framed(text(301)) + small, setting, expect: [], end: .protocolError(""))
    setting.framing = .line
    try await check(
      Array("\(text(101))\n\(call("2"))\n".utf8), setting, expect: ["null ! -32600", "2 = {}"])
    try await check(Array("\(text(301))\n\(call("2"))\n".utf8), setting, expect: [], end: .protocolError(""))
  }

  @Test("64 MiB and one byte are drained without allocating them")
  func drainedWithoutAllocating() throws {
    var reader = FrameReader(framing: .header)
    let length = 200 << 20
    let chunk = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
    var events: [FrameReader.Event] = []
    let before = try residentBytes()
    for piece in [Array("Content-Length: \(length)\r\n\r\n".utf8)] + Array(repeating: chunk, count: 200) {
      events += reader.feed(piece)
    }
    #expect(events.count == 1 && events.first.map(isRefused) == true)
    #expect(reader.isBetweenMessages)
    let growth = try residentBytes() - before
    #expect(growth < 8 << 20)
    #expect(reader.feed(framed("{}")) == [.message(Array("{}".utf8))])
  }

  @Test("a length is a claim: nothing of it is allocated before the bytes come")
  func claimedLength() throws {
    let before = try residentBytes()
    let readers = (0..<100).map { _ in
      var reader = FrameReader(framing: .header)
      #expect(reader.feed(Array("Content-Length: 67108864\r\n\r\n{".utf8)).isEmpty)
      return reader
    }
    for reader in readers { #expect(reader.isInsideFrame) }
    let growth = try residentBytes() - before
    #expect(growth < 32 << 20)
  }

  @Test(
    "line framing: the first byte that is not white space decides; blank lines and one byte order mark are ignored",
    arguments: [
      call("1") + "\n" + call("2") + "\n", call("1") + "\r\n\r\n  \n" + call("2") + "\r\n",
      "\u{FEFF}" + call("1") + "\n" + call("2"), " \t\n\n\r\n " + call("1") + "\n" + call("2") + "\n",
      "\n\u{FEFF}" + call("1") + "\n\n" + call("2") + "\n",
    ])
  func lines(_ input: String) async throws {
    for setting in [Setting.auto, .line] {
      try await check(Array(input.utf8), setting, expect: ["1 = {}", "2 = {}"])
    }
  }

  @Test("line framing: a bad line is -32700, alive")
  func badLine() async throws {
    for bad in ["{", "Content-Length: 5", "\u{0}", "{}}"] {
      try await check(
        Array("\(call("1"))\n\(bad)\n\(call("2"))\n".utf8), .auto, expect: ["1 = {}", "null ! -32700", "2 = {}"])
    }
  }

  @Test("auto framing finds a header; white space that no header may follow ends the connection")
  func autoHeader() async throws {
    try await check(framed(call("1")), .auto, expect: ["1 = {}"])
    try await check(Array("\r\n\r\n".utf8) + framed(call("1")), .auto, expect: ["1 = {}"])
    try await check([0x20] + framed(call("1")), .auto, expect: [], end: .protocolError(""))
    try await check([0xEF, 0xBB, 0xBF] + framed(call("1")), .auto, expect: [], end: .protocolError(""))
    try await check([0xEF, 0x20], .auto, expect: [], end: .protocolError(""))
    try await check([], .auto, expect: [])
  }

  @Test("all output is one write per frame")
  func oneWritePerFrame() async throws {
    let channel = RecordingChannel(input: (0..<50).flatMap { framed(call("\($0)", "work", #","params":["é\#($0)"]"#)) })
    let connection = Connection(channel: channel, framing: .header, router: .testServer, lifecycle: .none)
    connection.start()
    try await withDeadline(patience) { await channel.waitForWrites(50) }
    for write in channel.writes { #expect(try messages(in: write, .header).count == 1) }
    channel.endInput()
    let end = try await withDeadline(patience) { await connection.waitUntilClosed() }
    #expect(end == .endOfInput(insideFrame: false))
  }
}

extension FrameReader {
  mutating func feed(_ bytes: [UInt8]) -> [Event] {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer
      var events: [Event] = []
      while let event = next(&rest) { events.append(event) }
      return events
    }
  }
}

private func isRefused(_ event: FrameReader.Event) -> Bool {
  if case .refused(let error) = event { error.code == -32600 } else { false }
}
