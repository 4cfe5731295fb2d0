/// Writes JSON text: compact, UTF-8, with the shortest escapes.
public enum JSONWriter {
  /// The value's text.
  public static func text(of value: JSONValue) -> String {
    String(decoding: bytes(of: value), as: UTF8.self)
  }

  /// The value's UTF-8 bytes.
  public static func bytes(of value: JSONValue) -> [UInt8] {
    var output: [UInt8] = []
    append(value, to: &output)
    return output
  }

  /// Appends the value's UTF-8 bytes to a buffer that may hold others already.
  public static func append(_ value: JSONValue, to output: inout [UInt8]) {
    switch value {
    case .null: output += "null".utf8
    case .bool(let flag): output += (flag ? "true" : "false").utf8
    case .number(let number): output += number.text.utf8
    case .string(let string): append(string, to: &output)
    case .array(let values):
      output.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        append(value, to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let object):
      output.append(UInt8(ascii: "{"))
      for (index, member) in object.members.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        append(member.name, to: &output)
        output.append(UInt8(ascii: ":"))
        append(member.value, to: &output)
      }
      output.append(UInt8(ascii: "}"))
    }
  }

  private static func append(_ string: String, to output: inout [UInt8]) {
    var string = string
    string.withUTF8 { append(UnsafeRawBufferPointer($0), to: &output) }
  }

  /// Writes a string's bytes in quotes; what needs no escape is copied in one go.
  private static func append(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    var start = 0
    while true {
      let end = indexOfSpecialByte(in: text, from: start)
      output.append(contentsOf: text[start..<end])
      guard end < text.count else { break }
      appendEscape(of: text[end], to: &output)
      start = end + 1
    }
    output.append(UInt8(ascii: "\""))
  }

  private static func appendEscape(of byte: UInt8, to output: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
    case 0x0A: output += "\\n".utf8
    case 0x0D: output += "\\r".utf8
    case 0x09: output += "\\t".utf8
    case _:
      // Controls only: the first of the two digits is 0 or 1.
      let low = byte & 15
      output += "\\u00".utf8
      output += [UInt8(ascii: "0") + byte >> 4, low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10]
    }
  }
}
