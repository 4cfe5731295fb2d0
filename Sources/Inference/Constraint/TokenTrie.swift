/// The tokens of a vocabulary by their bytes: a tree in preorder, in flat arrays. Built once per model; only tokens
/// that a constrained output may use are in it.
public final class TokenTrie: Sendable {
  /// By node, in preorder; node 0 is the root. The tokens that end at a node, and those of everything below it, lie
  /// side by side in `tokens`.
  let bytes: [UInt8]
  let depths: [UInt16]
  /// By node: the first one after everything below it.
  let ends: [Int32]
  /// By node, and once more at the end: where its tokens begin.
  let tokenStarts: [Int32]
  let tokens: [Token]
  /// Tokens of the vocabulary, usable or not.
  public let tokenCount: Int
  /// Most bytes of a token.
  let longest: Int
  /// By byte: whether there is a token of just this byte. Only these may occur in an output, so that every output can
  /// be spelled from wherever it is.
  let isSpellable: [Bool]
  /// By byte: the node of that first byte, or -1.
  private let roots: [Int32]
  private let usable: TokenMask

  /// - Parameters:
  ///   - bytes: what a token stands for, possibly part of a character; tokens without bytes, and those longer than
  ///     1,024, are not used.
  ///   - isUsable: false for control tokens and whatever else must not occur in an output.
  public init(tokenCount: Int, bytes: (Token) -> [UInt8], isUsable: (Token) -> Bool) {
    self.tokenCount = max(0, tokenCount)
    var builder = TokenTrieBuilder()
    for token in 0..<Token(self.tokenCount) where isUsable(token) { builder.add(token, bytes(token)) }
    builder.build()
    self.bytes = builder.bytes
    depths = builder.depths
    ends = builder.ends
    tokenStarts = builder.tokenStarts
    tokens = builder.tokens
    longest = Int(builder.depths.max() ?? 0)
    var usable = TokenMask(count: self.tokenCount)
    for token in tokens { usable.insert(token) }
    self.usable = usable
    var roots = Array(repeating: Int32(-1), count: 256)
    var node = 1
    while node < self.bytes.count {
      roots[Int(self.bytes[node])] = Int32(node)
      node = Int(ends[node])
    }
    self.roots = roots
    isSpellable = roots.map { [tokenStarts] in $0 >= 0 && tokenStarts[Int($0)] < tokenStarts[Int($0) + 1] }
  }

  var nodeCount: Int { bytes.count }

  func isUsable(_ token: Token) -> Bool { usable.contains(token) }

  /// Spells bytes with the longest token that fits, again and again; of tokens with equal bytes the lowest. Bytes that
  /// no token begins with are left out, which cannot be when all are spellable. Stops after `most` tokens.
  func spell(_ text: [UInt8], most: Int = .max) -> [Token] {
    var result: [Token] = []
    var start = 0
    while start < text.count, result.count < most {
      var node = roots[Int(text[start])]
      var index = start
      var best: (token: Token, end: Int)?
      while node >= 0 {
        index += 1
        let first = Int(tokenStarts[Int(node)])
        if first < Int(tokenStarts[Int(node) + 1]) { best = (tokens[first], index) }
        guard index < text.count else { break }
        node = child(of: node, text[index])
      }
      if let best { result.append(best.token) }
      start = best?.end ?? start + 1
    }
    return result
  }

  private func child(of node: Int32, _ byte: UInt8) -> Int32 {
    var child = node + 1
    let end = ends[Int(node)]
    while child < end, bytes[Int(child)] < byte { child = ends[Int(child)] }
    return child < end && bytes[Int(child)] == byte ? child : -1
  }
}

/// A set of tokens, a bit for each.
struct TokenMask: Sendable, Equatable {
  private(set) var words: [UInt64]

  init(count: Int) {
    words = Array(repeating: 0, count: (count + 63) / 64)
  }

  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  mutating func insert(_ token: Token) { words[Int(token) >> 6] |= 1 << UInt64(token & 63) }

  func contains(_ token: Token) -> Bool {
    let index = Int(token) >> 6
    return token >= 0 && index < words.count && words[index] >> UInt64(token & 63) & 1 == 1
  }

  /// Sets the logits of all other tokens to -∞.
  func apply(to logits: UnsafeMutableBufferPointer<Float>) {
    for start in stride(from: 0, to: logits.count, by: 64) {
      let word = start >> 6 < words.count ? words[start >> 6] : 0
      if word == .max { continue }
      for index in start..<min(start + 64, logits.count) where word >> UInt64(index - start) & 1 == 0 {
        logits[index] = -.infinity
      }
    }
  }
}

/// Sorts the tokens by their bytes and lays the tree out.
private struct TokenTrieBuilder {
  static let longest = 1024

  private var pool: [UInt8] = []
  private var entries: [(start: Int, count: Int, token: Token)] = []
  var bytes: [UInt8] = [0]
  var depths: [UInt16] = [0]
  var ends: [Int32] = [1]
  var tokenStarts: [Int32] = [0]
  var tokens: [Token] = []

  mutating func add(_ token: Token, _ text: [UInt8]) {
    guard !text.isEmpty, text.count <= Self.longest else { return }
    entries.append((pool.count, text.count, token))
    pool.append(contentsOf: text)
  }

  mutating func build() {
    sort()
    var open = [0]
    var path: [UInt8] = []
    for entry in entries {
      let text = pool[entry.start..<(entry.start + entry.count)]
      let shared = zip(path, text).prefix { $0 == $1 }.count
      close(&open, to: shared)
      path.removeLast(path.count - shared)
      for byte in text.dropFirst(shared) {
        path.append(byte)
        open.append(bytes.count)
        bytes.append(byte)
        depths.append(UInt16(path.count))
        ends.append(0)
        tokenStarts.append(Int32(tokens.count))
      }
      tokens.append(entry.token)
    }
    close(&open, to: 0)
    ends[0] = Int32(bytes.count)
    tokenStarts.append(Int32(tokens.count))
  }

  private mutating func sort() {
    pool.withUnsafeBufferPointer { pool in
      entries.sort { left, right in
        let count = min(left.count, right.count)
        for index in 0..<count where pool[left.start + index] != pool[right.start + index] {
          return pool[left.start + index] < pool[right.start + index]
        }
        return left.count != right.count ? left.count < right.count : left.token < right.token
      }
    }
  }

  private mutating func close(_ open: inout [Int], to depth: Int) {
    while open.count > depth + 1 { ends[open.removeLast()] = Int32(bytes.count) }
  }
}
