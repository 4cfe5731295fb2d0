import Inference

/// A saved prefix as the bytes of a file: a mark, a checksum of all that follows it, the sizes of the three parts, then
/// the parts: the key, the tokens, the state. Numbers are little-endian.
enum PrefixFile {
  /// Another number is another form of the file.
  static let mark: UInt64 = 0x3130_4658_504B_4E49  // “INKPXF01”
  static let headerSize = 40

  /// The file's header and the parts before the state.
  static func head(of prefix: SavedPrefix, key: [UInt8]) -> [UInt8] {
    let parts = parts(of: prefix.tokens, key: key)
    let sizes = [key.count, prefix.tokens.count, prefix.state.count].flatMap { bytes(of: UInt64($0)) }
    var sum = Checksum()
    sum.add(sizes)
    sum.add(parts)
    sum.add(prefix.state)
    return bytes(of: mark) + bytes(of: sum.value) + sizes + parts
  }

  /// What stands between header and state.
  static func parts(of tokens: [Token], key: [UInt8]) -> [UInt8] {
    key + tokens.flatMap { bytes(of: UInt64(UInt32(bitPattern: $0))).prefix(4) }
  }

  /// Bytes of the state in a file with this header; nil when it is not one for the key and the tokens.
  static func stateSize(_ head: ArraySlice<UInt8>, tokens: [Token], key: [UInt8]) -> Int? {
    guard head.count >= headerSize, number(head, 0) == mark, number(head, 2) == UInt64(key.count),
      number(head, 3) == UInt64(tokens.count), head.dropFirst(headerSize).elementsEqual(parts(of: tokens, key: key))
    else { return nil }
    return Int(exactly: number(head, 4))
  }

  /// Whether the checksum in the head is the one of head and state.
  static func isWhole(_ head: ArraySlice<UInt8>, state: [UInt8]) -> Bool {
    var sum = Checksum()
    sum.add(Array(head.dropFirst(16).prefix(24)))
    sum.add(Array(head.dropFirst(headerSize)))
    sum.add(state)
    return number(head, 1) == sum.value
  }

  private static func number(_ bytes: ArraySlice<UInt8>, _ index: Int) -> UInt64 {
    bytes.dropFirst(index * 8).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func bytes(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}

/// A checksum against accidents, of megabytes in a fraction of a millisecond: sixteen 64-bit FNV-1a hashes side by
/// side, each fed eight bytes at a time. Each step is one to one, so that no single wrong word goes unseen.
struct Checksum {
  private typealias Words = SIMD16<UInt64>
  private static let prime: UInt64 = 0x0000_0100_0000_01B3
  private var lanes = Words(repeating: 0xCBF2_9CE4_8422_2325) ^ Words((0..<16).map { UInt64($0) })

  mutating func add(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { raw in
      let size = MemoryLayout<Words>.size
      var lanes = lanes
      var offset = 0
      while offset + size <= raw.count {
        lanes = (lanes ^ raw.loadUnaligned(fromByteOffset: offset, as: Words.self)) &* Self.prime
        offset += size
      }
      for byte in raw[offset...] { lanes = (lanes ^ Words(repeating: UInt64(byte))) &* Self.prime }
      self.lanes = (lanes ^ Words(repeating: UInt64(bytes.count))) &* Self.prime
    }
  }

  var value: UInt64 {
    lanes.indices.reduce(0) { result, index in
      let mixed = (result ^ lanes[index] ^ (lanes[index] >> 32)) &* 0x9E37_79B9_7F4A_7C15
      return mixed ^ (mixed >> 29)
    }
  }
}
