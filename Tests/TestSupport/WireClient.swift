import JSON

/// A client of a spawned program that speaks JSON-RPC, in either framing, one message after another.
public final class WireClient {
  public enum Framing: Sendable { case header, line }

  /// What came for one request: its partial results in order, and the one reply.
  public struct Outcome {
    public var progress: [JSONValue] = []
    public var reply: JSONValue

    public var result: JSONValue? { reply["result"] }
    public var errorCode: Int? { reply["error"]?["code"]?.intValue }
    public var errorKind: String? { reply["error"]?["data"]?["kind"]?.stringValue }
  }

  public let process: SpawnedProcess
  public let framing: Framing
  /// Messages that came while another was waited for.
  public private(set) var others: [JSONValue] = []
  private var nextID = 1

  public init(_ process: SpawnedProcess, framing: Framing = .header) {
    self.process = process
    self.framing = framing
  }

  public func send(_ message: JSONValue) throws {
    let body = JSONWriter.bytes(of: message)
    switch framing {
    case .header: try process.write(Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body)
    case .line: try process.write(body + [UInt8(ascii: "\n")])
    }
  }

  /// Sends a request and gives its id.
  @discardableResult
  public func start(_ method: String, _ params: JSONValue? = nil) throws -> Int {
    let id = nextID
    nextID += 1
    var message: JSONObject = JSONObject([
      ("jsonrpc", "2.0"), ("id", .number(JSONNumber(id))), ("method", .string(method)),
    ])
    if let params { message.append("params", params) }
    try send(.object(message))
    return id
  }

  public func notify(_ method: String, _ params: JSONValue) throws {
    try send(["jsonrpc": "2.0", "method": .string(method), "params": params])
  }

  /// The next message, whatever it is; nil at the end of output.
  public func next(within seconds: Double = 60, _ what: String = "for a message") throws -> JSONValue? {
    guard let bytes = try process.read(within: seconds, what, { self.frameEnd(in: $0) }) else { return nil }
    let body: ArraySlice<UInt8>
    switch framing {
    case .line: body = bytes.dropLast()
    case .header:
      guard let head = Self.headerLength(in: bytes[...]) else {
        throw SpawnedProcess.Failure("a frame without a header")
      }
      body = bytes[head...]
    }
    return try JSONParser.parse(Array(body))
  }

  /// Waits for the replies of these requests; each must come exactly once, and no partial result after its reply.
  public func outcomes(_ ids: [Int], within seconds: Double = 120) throws -> [Int: Outcome] {
    var progress: [JSONValue] = []
    var replies: [Int: Outcome] = [:]
    let deadline = Deadline(seconds)
    while replies.count < ids.count {
      let missing = ids.filter { replies[$0] == nil }
      guard let message = try next(within: deadline.remaining, "for the replies to \(missing)") else {
        throw SpawnedProcess.Failure("the output ended before the replies to \(missing): \(process.standardError())")
      }
      if message["method"] != nil {
        if message["method"] == "$/progress", let params = message["params"] {
          progress.append(params)
        } else {
          others.append(message)
        }
      } else if let id = message["id"]?.intValue, ids.contains(id) {
        guard replies[id] == nil else { throw SpawnedProcess.Failure("a second reply to \(id)") }
        replies[id] = Outcome(progress: progress, reply: message)
      } else {
        others.append(message)
      }
    }
    return replies
  }

  public func request(_ method: String, _ params: JSONValue? = nil, within seconds: Double = 60) throws -> Outcome {
    let id = try start(method, params)
    guard let outcome = try outcomes([id], within: seconds)[id] else {
      throw SpawnedProcess.Failure("no reply to \(method)")
    }
    return outcome
  }

  /// The handshake, as an editor that knows our extension does it.
  @discardableResult
  public func initialize(_ more: JSONValue = [:], within seconds: Double = 10) throws -> Outcome {
    var params = JSONObject([
      ("processId", nil), ("rootUri", nil),
      ("capabilities", ["experimental": ["assistant": [:]]]),
    ])
    if case .object(let object) = more { for member in object.members { params[member.name] = member.value } }
    let outcome = try request("initialize", .object(params), within: seconds)
    try notify("initialized", [:])
    return outcome
  }

  private func frameEnd(in bytes: ArraySlice<UInt8>) -> Int? {
    switch framing {
    case .line: return bytes.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 - bytes.startIndex }
    case .header:
      guard let head = Self.headerLength(in: bytes) else { return nil }
      let header = String(decoding: bytes.prefix(head), as: UTF8.self)
      let prefix = "Content-Length: "
      guard header.hasPrefix(prefix), header.hasSuffix("\r\n\r\n"),
        let length = Int(String(header.utf8.dropFirst(prefix.utf8.count).dropLast(4)) ?? "")
      else { return nil }
      return bytes.count >= head + length ? head + length : nil
    }
  }

  /// The length of the header at the start of the bytes, with the empty line that ends it.
  private static func headerLength(in bytes: ArraySlice<UInt8>) -> Int? {
    for index in bytes.indices.dropLast(3)
    where bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13 && bytes[index + 3] == 10 {
      return index + 4 - bytes.startIndex
    }
    return nil
  }
}

extension JSONValue {
  public var stringValue: String? { if case .string(let text) = self { text } else { nil } }
  public var intValue: Int? { if case .number(let number) = self { number.int } else { nil } }
  public var arrayValue: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
}

extension [JSONValue] {
  /// What an editor shows after these `$/progress` values for one token: deltas put together by the rule of
  /// protocol.md, offsets counted in UTF-16 units.
  public func textShown(token: JSONValue) -> String? {
    var shown: [UInt16] = []
    var any = false
    for params in self where params["token"] == token {
      guard let value = params["value"], value["kind"] == "text" else { continue }
      any = true
      if let whole = value["text"]?.stringValue {
        shown = [UInt16](whole.utf16)
      } else if let offset = value["offset"]?.intValue, let delta = value["delta"]?.stringValue, offset <= shown.count {
        shown.removeSubrange(offset...)
        shown += [UInt16](delta.utf16)
      } else {
        return nil
      }
    }
    return any ? String(decoding: shown, as: UTF16.self) : nil
  }
}
