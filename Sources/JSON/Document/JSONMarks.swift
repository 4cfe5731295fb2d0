/// Where the values and names of a text begin, and where values end. The text is JSON: the strict parser has accepted
/// it.
struct JSONMarks: Sendable {
  /// Offsets in bytes, by JSON pointer.
  private(set) var values: [String: Int] = [:]
  private(set) var names: [String: Int] = [:]
  private(set) var valueEnds: [String: Int] = [:]
  private(set) var repeated: [(pointer: String, offset: Int)] = []

  init(_ bytes: [UInt8]) {
    var walk = Walk(bytes)
    walk.value(at: "", &self)
  }

  /// One pass over the text.
  private struct Walk {
    private let bytes: [UInt8]
    private var position: Int

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    mutating func value(at pointer: String, _ marks: inout JSONMarks) {
      skipWhiteSpace()
      let isFirst = marks.values[pointer] == nil
      if isFirst { marks.values[pointer] = position }
      switch current {
      case UInt8(ascii: "{"): object(at: pointer, &marks)
      case UInt8(ascii: "["): array(at: pointer, &marks)
      case UInt8(ascii: "\""): _ = string()
      case _: while let byte = current, !Self.endsScalar(byte) { position += 1 }
      }
      if isFirst { marks.valueEnds[pointer] = position }
      skipWhiteSpace()
    }

    private mutating func array(at pointer: String, _ marks: inout JSONMarks) {
      position += 1
      skipWhiteSpace()
      var index = 0
      while let byte = current, byte != UInt8(ascii: "]") {
        value(at: "\(pointer)/\(index)", &marks)
        index += 1
        if current == UInt8(ascii: ",") { position += 1 }
      }
      position += 1
    }

    private mutating func object(at pointer: String, _ marks: inout JSONMarks) {
      position += 1
      skipWhiteSpace()
      while let byte = current, byte != UInt8(ascii: "}") {
        let start = position
        let place = pointer + "/" + string().jsonPointerToken
        if marks.names[place] == nil {
          marks.names[place] = start
        } else {
          marks.repeated.append((place, start))
        }
        skipWhiteSpace()
        position += 1
        value(at: place, &marks)
        if current == UInt8(ascii: ",") { position += 1 }
        skipWhiteSpace()
      }
      position += 1
    }

    private mutating func string() -> String {
      let start = position
      position += 1
      while let byte = current, byte != UInt8(ascii: "\"") { position += byte == UInt8(ascii: "\\") ? 2 : 1 }
      position += 1
      let literal = Array(bytes[start..<min(position, bytes.count)])
      guard let value = try? JSONParser.parse(literal), case .string(let text) = value else { return "" }
      return text
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipWhiteSpace() {
      while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), 0x20, 0x0A, 0x0D, 0x09: true
      case _: false
      }
    }
  }
}
