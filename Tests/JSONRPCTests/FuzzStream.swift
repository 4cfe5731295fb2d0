import JSON
import JSONRPC
import TestSupport

/// One input of the fuzzer: a valid session, then damaged. The same seed always gives the same stream.
struct FuzzStream {
  /// Messages of the session before any damage.
  private(set) var messages: [String] = []
  private(set) var setting = Setting()
  private(set) var bytes: [UInt8] = []
  /// Where `bytes` are cut apart on the way.
  private(set) var pieces: [Range<Int>] = []
  private(set) var isDamaged = false

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    setting.framing = random.pick([.header, .header, .line, .auto])
    setting.lifecycle = random.oneIn(2) ? .none : .languageServer
    if random.oneIn(2) {
      setting.limits.frames.message = 1 << random.int(in: 6..<13)
      setting.limits.frames.skipped = setting.limits.frames.message * 4
    }
    let usesHeaders = setting.framing == .header || (setting.framing == .auto && random.oneIn(2))
    if random.oneIn(2) { messages.append(call("0", "initialize")) }
    for _ in 0..<random.int(in: 1..<9) { messages.append(Self.message(&random)) }
    for message in messages { bytes += usesHeaders ? Self.frame(message, &random) : Array(message.utf8) + [0x0A] }
    if !random.oneIn(8) {
      isDamaged = true
      for _ in 0..<random.int(in: 1..<7) { damage(&random) }
    }
    cut(&random)
  }

  // MARK: - Valid sessions

  private static func message(_ random: inout SplitMix64) -> String {
    let id = JSONWriter.text(of: random.pick(ids))
    switch random.int(in: 0..<12) {
    case 0...3: return call(id, random.pick(["echo", "work"]), params(&random))
    case 4: return call(id, "fail", #","params":{"count":\#(random.int(in: 0..<12))}"#)
    case 5: return call(id, random.pick(["nothing", "shutdown", "initialize", "$/x", "ech\u{F6}"]))
    case 6: return note(random.pick(["note", "nothing", "exit", "initialized"]), #","params":{"count":1}"#)
    case 7: return note("$/cancelRequest", #","params":{"id":\#(id)}"#)
    case 8: return #"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#
    case 9: return "[" + (0..<random.int(in: 0..<4)).map { _ in message(&random) }.joined(separator: ",") + "]"
    case 10: return JSONWriter.text(of: random.jsonValue())
    case _: return call(id, "echo", #","params":\#(nested(random.int(in: 1..<140)))"#)
    }
  }

  private static let ids: [JSONValue] = [
    1, 2, 3, "1", "", -1, "é", .number(JSONNumber(Int.max)), 1.5, nil, true, ["a": 1],
  ]

  private static func params(_ random: inout SplitMix64) -> String {
    random.oneIn(4) ? "" : #","params":"# + JSONWriter.text(of: random.jsonValue(depth: 3, width: 4))
  }

  private static func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  private static func frame(_ body: String, _ random: inout SplitMix64) -> [UInt8] {
    let name = random.pick(["Content-Length: ", "content-length:", "CONTENT-LENGTH:  "])
    let type = random.pick([
      "", "", "", "Content-Type: a/b; charset=utf-8\r\n", "X: y\r\n", "Content-Type: a/b; charset=latin1\r\n",
    ])
    return Array((random.oneIn(10) ? "\r\n" : "").utf8)
      + Array("\(name)\(body.utf8.count)\r\n\(type)\r\n\(body)".utf8)
  }

  // MARK: - Damage

  private static let tokens: [String] = [
    "Content-Length: ", "\r\n\r\n", "\r\n", "\n", "\r", "{", "[", "]", "}", "\"", "\\", "\\u0000", "\\ud800",
    "\u{FEFF}",
    "99999999999999999999999", "-1", "1e999", "4294967296", "268435456", "67108865", "0", "null", ",", ":", "é",
    "\u{0}",
    #""jsonrpc":"2.0","#, #""id":1,"#, #""method":"echo","#, "Content-Type: x; charset=utf-16\r\n",
    "Content-Length: 5\r\n\r\n[1,2]", "{}", "[]", #"{"jsonrpc":"2.0","method":"exit"}"#,
    String(repeating: "[", count: 300), String(repeating: " ", count: 5_000), String(repeating: "\n", count: 5_000),
  ]

  private mutating func damage(_ random: inout SplitMix64) {
    guard !bytes.isEmpty else { return }
    let place = random.int(in: 0..<bytes.count)
    let end = min(bytes.count, place + random.int(in: 1..<(random.oneIn(4) ? 400 : 12)))
    switch random.int(in: 0..<9) {
    case 0: bytes[place] ^= 1 << UInt8(random.int(in: 0..<8))
    case 1: bytes[place] = UInt8(random.int(in: 0..<256))
    case 2: bytes.removeSubrange(place..<end)
    case 3: bytes.insert(contentsOf: bytes[place..<end], at: random.int(in: 0..<bytes.count))
    case 4, 5: bytes.insert(contentsOf: random.pick(Self.tokens).utf8, at: place)
    case 6: bytes.removeLast(bytes.count - place)
    case 7: bytes.replaceSubrange(place..<end, with: random.pick(Self.tokens).utf8)
    case _: changeDigit(&random)
    }
  }

  /// Lengths and ids are digits: changing just one of them gets deep into the reader.
  private mutating func changeDigit(_ random: inout SplitMix64) {
    let digits = bytes.indices.filter { (0x30...0x39).contains(bytes[$0]) }
    guard !digits.isEmpty else { return }
    let place = random.pick(digits)
    bytes[place] = UInt8(random.int(in: 0x30..<0x3A))
    if random.oneIn(3) { bytes.insert(UInt8(random.int(in: 0x30..<0x3A)), at: place) }
  }

  private mutating func cut(_ random: inout SplitMix64) {
    let longest = random.pick([1, 7, 100, 2_000]) + 1
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + random.int(in: 1..<longest))
      pieces.append(start..<end)
      start = end
    }
  }
}
