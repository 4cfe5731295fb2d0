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
    output.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
      case 0x0A: output += "\\n".utf8
      case 0x0D: output += "\\r".utf8
      case 0x09: output += "\\t".utf8
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        output += "\\u00".utf8
        output += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      case _: output.append(byte)
      }
    }
    output.append(UInt8(ascii: "\""))
  }
}
