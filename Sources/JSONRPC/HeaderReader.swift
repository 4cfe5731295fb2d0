/// A header that cannot be understood, so that the place of the next message is unknown.
struct MalformedHeader: Error {
  let message: String
  init(_ message: String) { self.message = message }
}

/// The lines of one header (LSP 3.17, "Header Part"), taken byte by byte.
struct HeaderReader {
  private var count = 0
  private var line: [UInt8] = []
  private var endsInCarriageReturn = false
  private var contentLength: Int?
  /// Set when the body is to be skipped and answered with this.
  private(set) var refusal: RPCError?

  /// Returns true after the empty line that ends the header.
  mutating func take(_ byte: UInt8, limit: Int) throws(MalformedHeader) -> Bool {
    count += 1
    if count > limit { throw MalformedHeader("a header of over \(limit) bytes") }
    if endsInCarriageReturn {
      guard byte == Byte.lineFeed else { throw MalformedHeader("a carriage return alone inside a header") }
      endsInCarriageReturn = false
      if line.isEmpty { return true }
      try readField()
      line.removeAll(keepingCapacity: true)
    } else if byte == Byte.carriageReturn {
      endsInCarriageReturn = true
    } else if byte == Byte.lineFeed {
      throw MalformedHeader("a line of a header ends in a line feed alone, not in CR LF")
    } else {
      line.append(byte)
    }
    return false
  }

  /// The body's length in bytes.
  func length() throws(MalformedHeader) -> Int {
    guard let contentLength else { throw MalformedHeader("a header without Content-Length") }
    return contentLength
  }

  private mutating func readField() throws(MalformedHeader) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      throw MalformedHeader("a line of a header has no colon")
    }
    let name = line[..<colon]
    guard !name.isEmpty, name.allSatisfy(Self.isTokenByte) else {
      throw MalformedHeader("a line of a header does not begin with a name")
    }
    let value = Self.trim(line[(colon + 1)...])
    switch Self.lowercased(name) {
    case "content-length": try readLength(value)
    case "content-type": readType(value)
    case _: break
    }
  }

  private mutating func readLength(_ value: ArraySlice<UInt8>) throws(MalformedHeader) {
    var length = 0
    for byte in value {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
        throw MalformedHeader("Content-Length is not a number of digits")
      }
      let (tens, overflow) = length.multipliedReportingOverflow(by: 10)
      let (sum, overflowAgain) = tens.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
      if overflow || overflowAgain { throw MalformedHeader("Content-Length is too large") }
      length = sum
    }
    if value.isEmpty { throw MalformedHeader("Content-Length is empty") }
    if let contentLength, contentLength != length { throw MalformedHeader("two different Content-Length") }
    contentLength = length
  }

  private mutating func readType(_ value: ArraySlice<UInt8>) {
    for parameter in value.split(separator: UInt8(ascii: ";")).dropFirst() {
      let parts = parameter.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, Self.lowercased(Self.trim(parts[0])) == "charset" else { continue }
      let charset = Self.lowercased(Self.trim(parts[1]).filter { $0 != UInt8(ascii: "\"") }[...])
      // `utf8` is what some older clients send (LSP 3.17, "Header Part").
      if charset != "utf-8", charset != "utf8" {
        refusal = .invalidRequest("the charset must be utf-8")
      }
    }
  }

  /// The bytes that RFC 9110 (section 5.6.2) allows in a field's name.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case _: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  private static func trim(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    var bytes = bytes.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return bytes
  }

  /// The bytes as ASCII in lower case; what is not ASCII equals none of our words.
  private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
