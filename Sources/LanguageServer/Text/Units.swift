import AssistantProtocol

/// Bytes of UTF-8 with a meaning.
enum Byte {
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")

  static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  /// How many bytes the scalar has that begins with this one.
  static func length(of first: UInt8) -> Int {
    switch first {
    case ..<0xC0: 1
    case ..<0xE0: 2
    case ..<0xF0: 3
    case _: 4
    }
  }
}

extension PositionEncoding {
  /// How many units the scalar takes whose UTF-8 begins with this byte.
  func length(ofScalarWith first: UInt8) -> Int {
    switch self {
    case .utf8: Byte.length(of: first)
    case .utf16: first < 0xF0 ? 1 : 2
    case .utf32: 1
    }
  }

  /// The offsets in UTF-8 of places in a text; nil when they do not ascend, or one lies inside a scalar or beyond the
  /// end.
  func offsets(of places: [Int], in bytes: [UInt8]) -> [Int]? {
    var found: [Int] = []
    var (offset, units) = (0, 0)
    for place in places {
      while units < place, offset < bytes.count {
        units += length(ofScalarWith: bytes[offset])
        offset += Byte.length(of: bytes[offset])
      }
      guard units == place else { return nil }
      found.append(offset)
    }
    return found
  }
}
