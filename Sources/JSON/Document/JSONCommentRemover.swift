/// Turns JSON with comments into plain JSON of the same length: what is too much becomes spaces, so that every byte
/// stays where it is. Everything else is left to the strict parser.
enum JSONCommentRemover {
  static func plain(_ bytes: [UInt8]) throws(JSONParseError) -> [UInt8] {
    var result = bytes
    var index = 0
    /// The last byte that is neither white space nor comment, and the comma among them that nothing has followed yet.
    var last: UInt8?
    var openComma: Int?
    while index < result.count {
      switch result[index] {
      case UInt8(ascii: "/"):
        let end = try commentEnd(in: result, from: index)
        for place in index..<end where !isLineBreak(result[place]) { result[place] = UInt8(ascii: " ") }
        index = end
      case UInt8(ascii: "\""):
        (last, openComma) = (UInt8(ascii: "\""), nil)
        index = stringEnd(in: result, from: index)
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): index += 1
      case UInt8(ascii: ","):
        openComma = last.map(endsValue) == true ? index : nil
        last = UInt8(ascii: ",")
        index += 1
      case let byte:
        if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}"), let comma = openComma {
          result[comma] = UInt8(ascii: " ")
        }
        (last, openComma) = (byte, nil)
        index += 1
      }
    }
    return result
  }

  /// Behind the comment that begins there. A slash that begins none is left to the parser, which refuses it.
  private static func commentEnd(in bytes: [UInt8], from start: Int) throws(JSONParseError) -> Int {
    guard start + 1 < bytes.count else { throw JSONParseError("a slash alone is no comment", offset: start) }
    switch bytes[start + 1] {
    case UInt8(ascii: "/"): return bytes[start...].firstIndex(where: isLineBreak) ?? bytes.count
    case UInt8(ascii: "*"):
      var index = start + 2
      while index + 1 < bytes.count {
        if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") { return index + 2 }
        index += 1
      }
      throw JSONParseError("the comment does not end", offset: start)
    case _: throw JSONParseError("a slash alone is no comment", offset: start)
    }
  }

  /// Behind the string that begins there. One that does not end on its line is the parser's to refuse.
  private static func stringEnd(in bytes: [UInt8], from start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, !isLineBreak(bytes[index]) {
      switch bytes[index] {
      case UInt8(ascii: "\""): return index + 1
      case UInt8(ascii: "\\"): index += 2
      case _: index += 1
      }
    }
    return min(index, bytes.count)
  }

  private static func isLineBreak(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

  /// Whether a comma may follow the byte. After an opening bracket, a comma or a colon it stands for nothing.
  private static func endsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ","), UInt8(ascii: ":"): false
    case _: true
    }
  }
}
