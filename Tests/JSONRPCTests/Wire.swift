import JSON
import JSONRPC
import TestSupport
import Testing

/// The deadline of each wait: far beyond what anything takes, even while other tests keep every core busy.
let patience = Duration.seconds(60)

/// How bytes reach the connection.
enum Delivery: CaseIterable {
  case whole, byteByByte, randomPieces

  func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    switch self {
    case .whole: return [bytes[...]]
    case .byteByByte: return bytes.indices.map { bytes[$0...$0] }
    case .randomPieces:
      var random = SplitMix64(seed: UInt64(bytes.count))
      var rest = bytes[...]
      var pieces: [ArraySlice<UInt8>] = []
      while !rest.isEmpty {
        pieces.append(rest.prefix(random.int(in: 1..<20)))
        rest = rest.dropFirst(pieces[pieces.count - 1].count)
      }
      return pieces
    }
  }
}

/// Settings of a connection under test.
struct Setting {
  var framing = Framing.header
  var lifecycle = LifecyclePolicy.none
  var limits = ConnectionLimits()
  var deliveries = Delivery.allCases

  static let header = Setting()
  static let line = Setting(framing: .line)
  static let auto = Setting(framing: .auto)
  static let editor = Setting(lifecycle: .languageServer)
  static let script = Setting(framing: .auto, lifecycle: .languageServer)
}

/// A message in header framing.
func framed(_ body: String) -> [UInt8] { Array("Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8) }

/// The text of a request of the test server; the rest is what follows the method in the object.
func call(_ id: String, _ method: String = "echo", _ rest: String = "") -> String {
  #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"\#(rest)}"#
}

/// The text of a notification.
func note(_ method: String, _ rest: String = "") -> String {
  #"{"jsonrpc":"2.0","method":"\#(method)"\#(rest)}"#
}

/// The one door of the wire tests: sends bytes to a new connection, whole and in pieces, ends the input, and compares
/// everything that came back, each message as `summary` has it, and how the connection ended.
func check(
  _ input: [UInt8], _ setting: Setting = .header, expect expected: [String],
  end: ConnectionEnd = .endOfInput(insideFrame: false), sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  for delivery in setting.deliveries {
    let (output, actualEnd) = try await exchange(delivery.pieces(of: input), setting)
    let framing = setting.framing == .auto ? nil : setting.framing
    let messages = try messages(in: output, framing).map(summary)
    #expect(messages == expected, "\(delivery)", sourceLocation: sourceLocation)
    #expect(actualEnd.hasSameCase(as: end), "\(delivery): \(actualEnd)", sourceLocation: sourceLocation)
  }
}

/// Sends messages in the setting's framing through the same door.
func check(
  messages: [String], _ setting: Setting = .header, expect expected: [String],
  end: ConnectionEnd = .endOfInput(insideFrame: false), sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let input: [UInt8] =
    switch setting.framing {
    case .header: messages.flatMap(framed)
    case .line, .auto: messages.flatMap { Array($0.utf8) + [0x0A] }
    }
  try await check(input, setting, expect: expected, end: end, sourceLocation: sourceLocation)
}

/// Everything a new connection answers to these pieces, and its end.
func exchange(_ pieces: [ArraySlice<UInt8>], _ setting: Setting) async throws -> ([UInt8], ConnectionEnd) {
  let (near, far) = InMemoryChannel.pair()
  let connection = Connection(
    channel: far, framing: setting.framing, router: .testServer, lifecycle: setting.lifecycle, limits: setting.limits)
  connection.start()
  async let output = onThread(deadline: patience, "reading the output") { near.readToEnd() }
  try await onThread(deadline: patience, "writing the input") {
    for piece in pieces where (try? near.writeAll(Array(piece))) == nil { break }
    near.finishWriting()
  }
  let end = try await withDeadline(patience, "the end") { await connection.waitUntilClosed() }
  return (try await output, end)
}

extension InMemoryChannel {
  func readToEnd() -> [UInt8] {
    var all: [UInt8] = []
    while let piece = readSome(), !piece.isEmpty { all += piece }
    return all
  }
}

struct NotWellFramed: Error { let message: String }

/// The messages in a server's output, which must be exactly framed. Without a framing the first byte tells it.
func messages(in output: [UInt8], _ framing: Framing?) throws -> [JSONValue] {
  var rest = output[...]
  var messages: [JSONValue] = []
  let isHeader = framing.map { $0 == .header } ?? (output.first == UInt8(ascii: "C"))
  while !rest.isEmpty {
    let body: ArraySlice<UInt8>
    if isHeader {
      let prefix = Array("Content-Length: ".utf8)
      guard rest.starts(with: prefix) else { throw NotWellFramed(message: "no header at \(rest.startIndex)") }
      rest = rest.dropFirst(prefix.count)
      let digits = rest.prefix { $0 != 13 }
      rest = rest.dropFirst(digits.count)
      guard rest.starts(with: [13, 10, 13, 10]), let count = Int(String(decoding: digits, as: UTF8.self)),
        String(count).utf8.elementsEqual(digits), rest.count >= 4 + count
      else { throw NotWellFramed(message: "a bad header at \(rest.startIndex)") }
      body = rest.dropFirst(4).prefix(count)
      rest = rest.dropFirst(4 + count)
    } else {
      body = rest.prefix { $0 != 10 }
      guard body.count < rest.count else { throw NotWellFramed(message: "a line without end") }
      rest = rest.dropFirst(body.count + 1)
    }
    messages.append(try JSONParser.parse(Array(body)))
  }
  return messages
}

/// A message in short: `1 = result`, `null ! -32600`, `noted {"count":1}`, `1 ? method`, `[…, …]` for a batch.
func summary(_ message: JSONValue) -> String {
  if case .array(let members) = message { return "[" + members.map(summary).joined(separator: ", ") + "]" }
  guard message["jsonrpc"] == "2.0" else { return "no JSON-RPC: \(JSONWriter.text(of: message))" }
  let id = message["id"].map(JSONWriter.text) ?? ""
  if case .string(let method)? = message["method"] {
    return id.isEmpty ? "\(method) \(JSONWriter.text(of: message["params"] ?? .null))" : "\(id) ? \(method)"
  }
  if let error = message["error"] { return "\(id) ! \(JSONWriter.text(of: error["code"] ?? .null))" }
  return "\(id) = \(JSONWriter.text(of: message["result"] ?? "nothing"))"
}

extension ConnectionEnd {
  /// Equal but for the text of a message.
  func hasSameCase(as other: ConnectionEnd) -> Bool {
    switch (self, other) {
    case (.protocolError, .protocolError), (.ioError, .ioError): true
    case (.protocolError, _), (.ioError, _), (.endOfInput, _), (.exit, _), (.closed, _): self == other
    }
  }
}
