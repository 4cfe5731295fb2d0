/// Finds stop strings in text that comes in pieces. Holds back exactly as much of the end as may be the start of one,
/// so the result does not depend on where the pieces are split: the string that is complete first ends the text; of
/// two that end at the same byte, the longer one.
struct StopMatcher: Sendable {
  /// A stop string, and how far it goes on matching after a mismatch (Knuth, Morris and Pratt).
  private struct Pattern: Sendable {
    let bytes: [UInt8]
    let fallbacks: [Int]
    var matched = 0

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      var fallbacks = Array(repeating: 0, count: bytes.count + 1)
      var length = 0
      for index in bytes.indices.dropFirst() {
        while length > 0, bytes[index] != bytes[length] { length = fallbacks[length] }
        if bytes[index] == bytes[length] { length += 1 }
        fallbacks[index + 1] = length
      }
      self.fallbacks = fallbacks
    }

    mutating func append(_ byte: UInt8) {
      while matched > 0, bytes[matched] != byte { matched = fallbacks[matched] }
      if bytes[matched] == byte { matched += 1 }
    }
  }

  private var patterns: [Pattern]
  private var held: [Unicode.Scalar] = []
  private var heldBytes = 0
  /// Scalars that are surely not part of a stop string; the caller takes them out.
  var released: [Unicode.Scalar] = []

  init(_ strings: [[UInt8]]) {
    patterns = strings.filter { !$0.isEmpty }.map { Pattern($0) }
  }

  /// Takes a scalar in; true when a stop string is complete, which is then dropped with all that is held.
  mutating func append(_ scalar: Unicode.Scalar) -> Bool {
    guard !patterns.isEmpty else {
      released.append(scalar)
      return false
    }
    held.append(scalar)
    var longest = 0
    for byte in UTF8.encode(scalar).unsafelyUnwrapped {
      heldBytes += 1
      longest = 0
      var complete = 0
      for index in patterns.indices {
        patterns[index].append(byte)
        longest = max(longest, patterns[index].matched)
        if patterns[index].matched == patterns[index].bytes.count { complete = max(complete, patterns[index].matched) }
      }
      if complete > 0 {
        release(keeping: complete)
        held.removeAll()
        heldBytes = 0
        return true
      }
    }
    release(keeping: longest)
    return false
  }

  /// Nothing more comes: what was held is text.
  mutating func releaseAll() {
    released.append(contentsOf: held)
    held.removeAll()
    heldBytes = 0
  }

  /// Releases all but that many last bytes, and no part of a scalar.
  private mutating func release(keeping count: Int) {
    var taken = 0
    while taken < held.count, heldBytes - UTF8.width(held[taken]) >= count {
      heldBytes -= UTF8.width(held[taken])
      taken += 1
    }
    released.append(contentsOf: held.prefix(taken))
    held.removeFirst(taken)
  }
}
