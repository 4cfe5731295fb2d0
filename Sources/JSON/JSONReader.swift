/// One pass over the bytes of a document. Lives only inside `JSONParser.parse`, which keeps the bytes alive.
struct JSONReader {
  private let bytes: UnsafeRawBufferPointer
  private let maxDepth: Int
  private var position = 0
  private var depth = 0
  /// A string with escapes while it is put together.
  private var unescaped: [UInt8] = []

  init(_ bytes: UnsafeRawBufferPointer, maxDepth: Int) {
    self.bytes = bytes
    self.maxDepth = maxDepth
  }

  mutating func document() throws(JSONParseError) -> JSONValue {
    try skipByteOrderMark()
    if let index = indexOfInvalidUTF8(in: bytes) {
      throw JSONParseError("the text is not valid UTF-8", offset: index)
    }
    skipWhiteSpace()
    let result = try value()
    skipWhiteSpace()
    guard position == bytes.count else { throw failure("nothing may follow the document") }
    return result
  }

  // MARK: Values

  private mutating func value() throws(JSONParseError) -> JSONValue {
    guard let byte = current else { throw failure("a value must follow") }
    switch byte {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case _: throw failure("a value must follow")
    }
  }

  private mutating func literal(_ word: StaticString, _ value: JSONValue) throws(JSONParseError) -> JSONValue {
    let expected = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    guard bytes.count - position >= expected.count, bytes[position..<position + expected.count].elementsEqual(expected)
    else { throw failure("a value must follow") }
    position += expected.count
    return value
  }

  private mutating func array() throws(JSONParseError) -> JSONValue {
    try open()
    var values: [JSONValue] = []
    if current != UInt8(ascii: "]") {
      while true {
        values.append(try value())
        guard try comma(orEnd: UInt8(ascii: "]"), "a comma or “]” must follow") else { break }
      }
    }
    close()
    return .array(values)
  }

  private mutating func object() throws(JSONParseError) -> JSONValue {
    try open()
    var members: [JSONObject.Member] = []
    if current != UInt8(ascii: "}") {
      members.reserveCapacity(4)
      while true {
        guard current == UInt8(ascii: "\"") else { throw failure("a name in quotes must follow") }
        let name = try string()
        skipWhiteSpace()
        guard current == UInt8(ascii: ":") else { throw failure("a colon must follow the name") }
        position += 1
        skipWhiteSpace()
        members.append((name, try value()))
        guard try comma(orEnd: UInt8(ascii: "}"), "a comma or “}” must follow") else { break }
      }
    }
    close()
    return .object(JSONObject(members: members))
  }

  /// Passes the opening bracket and the white space after it.
  private mutating func open() throws(JSONParseError) {
    guard depth < maxDepth else { throw failure("arrays and objects may be nested \(maxDepth) deep") }
    depth += 1
    position += 1
    skipWhiteSpace()
  }

  /// Passes the closing bracket.
  private mutating func close() {
    depth -= 1
    position += 1
  }

  /// After a member: true past a comma, false before the closing bracket.
  private mutating func comma(orEnd end: UInt8, _ message: String) throws(JSONParseError) -> Bool {
    skipWhiteSpace()
    if current == end { return false }
    guard current == UInt8(ascii: ",") else { throw failure(message) }
    position += 1
    skipWhiteSpace()
    return true
  }

  // MARK: Numbers

  private mutating func number() throws(JSONParseError) -> JSONNumber {
    let start = position
    if current == UInt8(ascii: "-") { position += 1 }
    if current == UInt8(ascii: "0") {
      position += 1
      if current.map(Self.isDigit) == true { throw failure("a number may not begin with 0 and another digit") }
    } else {
      try digits()
    }
    let wholeDigits = position - start
    if current == UInt8(ascii: ".") {
      position += 1
      try digits()
    }
    var hasExponent = false
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      hasExponent = true
      position += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
      try digits()
    }
    let text = text(start..<position)
    // 308 digits and no exponent are below the greatest Double.
    if hasExponent || wholeDigits > 308 {
      guard let value = Double(text), value.isFinite else {
        throw JSONParseError("the number is too large", offset: start)
      }
    }
    return JSONNumber(validatedText: text)
  }

  /// At least one digit.
  private mutating func digits() throws(JSONParseError) {
    guard let first = current, Self.isDigit(first) else { throw failure("a digit must follow") }
    repeat { position += 1 } while current.map(Self.isDigit) == true
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  // MARK: Strings

  private mutating func string() throws(JSONParseError) -> String {
    position += 1
    let start = position
    position = indexOfSpecialByte(in: bytes, from: position)
    guard current == UInt8(ascii: "\"") else { return try stringWithEscapes(from: start) }
    defer { position += 1 }
    return text(start..<position)
  }

  /// The rest of a string after its first special byte, which is not the closing quote.
  private mutating func stringWithEscapes(from start: Int) throws(JSONParseError) -> String {
    unescaped.removeAll(keepingCapacity: true)
    var runStart = start
    while true {
      unescaped.append(contentsOf: bytes[runStart..<position])
      guard let byte = current else { throw failure("the string does not end") }
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: unescaped, as: UTF8.self)
      case UInt8(ascii: "\\"):
        position += 1
        try escape()
      case _: throw failure("control characters in a string must be escaped")
      }
      runStart = position
      position = indexOfSpecialByte(in: bytes, from: position)
    }
  }

  /// What follows a backslash.
  private mutating func escape() throws(JSONParseError) {
    guard let byte = current else { throw failure("the string does not end") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(byte)
    case UInt8(ascii: "n"): unescaped.append(0x0A)
    case UInt8(ascii: "t"): unescaped.append(0x09)
    case UInt8(ascii: "r"): unescaped.append(0x0D)
    case UInt8(ascii: "b"): unescaped.append(0x08)
    case UInt8(ascii: "f"): unescaped.append(0x0C)
    case UInt8(ascii: "u"):
      unescaped.append(contentsOf: UTF8.encode(try unicodeEscape()) ?? UTF8.encodedReplacementCharacter)
    case _:
      position -= 1
      throw failure("there is no such escape")
    }
  }

  /// What follows `\u`: a code unit of UTF-16, together with its other half when that follows. Half a pair alone
  /// becomes U+FFFD; VS Code sends it when a selection cuts an emoji in two.
  private mutating func unicodeEscape() throws(JSONParseError) -> Unicode.Scalar {
    let unit = try codeUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    let afterFirst = position
    if UTF16.isLeadSurrogate(UInt16(unit)), current == UInt8(ascii: "\\"), next == UInt8(ascii: "u") {
      position += 2
      let second = try codeUnit()
      if UTF16.isTrailSurrogate(UInt16(second)) {
        return Unicode.Scalar(0x1_0000 + (unit - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
      }
      position = afterFirst
    }
    return "\u{FFFD}"
  }

  /// Four hexadecimal digits.
  private mutating func codeUnit() throws(JSONParseError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = current.flatMap(Self.hexadecimalDigit) else {
        throw failure("four hexadecimal digits must follow “\\u”")
      }
      unit = unit << 4 | UInt32(digit)
      position += 1
    }
    return unit
  }

  private static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case _: nil
    }
  }

  // MARK: Bytes

  /// Bytes that `document` has found to be valid UTF-8.
  private func text(_ range: Range<Int>) -> String {
    String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]).bindMemory(to: UInt8.self), as: UTF8.self)
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private var next: UInt8? { position + 1 < bytes.count ? bytes[position + 1] : nil }

  private mutating func skipWhiteSpace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func skipByteOrderMark() throws(JSONParseError) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      position = 3
    } else if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
      throw failure("the text is UTF-16 and must be UTF-8")
    }
  }

  private func failure(_ message: String) -> JSONParseError {
    guard position < bytes.count else { return JSONParseError("the text ends too early: " + message, offset: position) }
    return JSONParseError(message, offset: position)
  }
}
