import CLlama
import Inference

/// The vocabulary of a loaded model: what each token stands for, and text into tokens. Made once when the model is
/// loaded; safe to use from any thread.
public final class Vocabulary: Sendable {
  /// Tokens there are.
  public let size: Int
  /// Whether a prompt begins with the beginning-of-sequence token.
  public let addsBeginning: Bool
  /// The token a prompt begins with when `addsBeginning`.
  let beginning: Token?

  let weights: Weights
  /// The bytes of all tokens, one after another; token `t` has those from `starts[t]` to `starts[t + 1]`.
  private let bytes: [UInt8]
  private let starts: [Int32]
  private let traits: [Traits]
  /// Tokens of a single scalar or byte by their bytes, for spelling a text out.
  private let spelling: [[UInt8]: Token]
  /// Whether the tokenizer puts a space before a text (SentencePiece).
  let prefixesSpace: Bool

  private struct Traits: OptionSet {
    let rawValue: UInt8
    /// Steers the model; never comes out of a user's text.
    static let control = Traits(rawValue: 1)
    static let endOfGeneration = Traits(rawValue: 2)
  }

  /// - Parameters:
  ///   - template: its tokens count as control tokens, whatever the file says of them, and its end of a turn ends an
  ///     answer.
  init(weights: Weights, template: ChatTemplate) {
    self.weights = weights
    let pointer = unsafe weights.handle.vocabulary
    let count = unsafe Int(llama_vocab_n_tokens(pointer))
    size = count
    addsBeginning = unsafe llama_vocab_get_add_bos(pointer)
    let first = unsafe llama_vocab_bos(pointer)
    beginning = first >= 0 && Int(first) < count ? first : nil

    var bytes: [UInt8] = []
    var starts: [Int32] = [0]
    var traits: [Traits] = []
    var spelling: [[UInt8]: Token] = [:]
    bytes.reserveCapacity(count * 6)
    starts.reserveCapacity(count + 1)
    traits.reserveCapacity(count)
    let scaffolding = Set(template.controlTokens.map { Array($0.utf8) })
    let endOfTurn = Set(template.endOfTurn.map { Array($0.utf8) })
    let visible = Set((template.thinking?.tags ?? []).map { Array($0.utf8) })
    for token in 0..<Token(count) {
      let attributes = unsafe llama_vocab_get_attr(pointer, token).rawValue
      var piece = unsafe RawVocabulary.piece(token, in: pointer, special: false)
      var trait: Traits = unsafe llama_vocab_is_eog(pointer, token) ? [.endOfGeneration, .control] : []
      let isControl = attributes & LLAMA_TOKEN_ATTR_CONTROL.rawValue != 0
      if isControl { trait.insert(.control) }
      if isControl || attributes & LLAMA_TOKEN_ATTR_USER_DEFINED.rawValue != 0 {
        let name = isControl ? unsafe RawVocabulary.piece(token, in: pointer, special: true) : piece
        if scaffolding.contains(name) { trait.insert(.control) }
        if endOfTurn.contains(name) { trait.formUnion([.control, .endOfGeneration]) }
        // Tags around thoughts stay visible, so that the thoughts can be cut out of the answer.
        if visible.contains(name) { piece = name } else if trait.contains(.control) { piece = [] }
      } else if !piece.isEmpty, piece.count <= 4 {
        let isByte = attributes & LLAMA_TOKEN_ATTR_BYTE.rawValue != 0
        if !isByte || spelling[piece] == nil { spelling[piece] = token }
      }
      bytes.append(contentsOf: piece)
      starts.append(Int32(bytes.count))
      traits.append(trait)
    }
    self.bytes = bytes
    self.starts = starts
    self.traits = traits
    self.spelling = spelling
    prefixesSpace = unsafe RawVocabulary.prefixesSpace(pointer)
  }

  /// Whether the token ends an answer.
  public func isEndOfGeneration(_ token: Token) -> Bool { traits[Int(token)].contains(.endOfGeneration) }

  /// Whether the token steers the model: control tokens, ends of generation, and the chat template's own.
  public func isControl(_ token: Token) -> Bool { traits[Int(token)].contains(.control) }

  /// Appends the token's bytes, which may be part of a character. Control tokens have none, except for the tags of
  /// a thinking model.
  public func appendBytes(of token: Token, to result: inout [UInt8]) {
    result.append(contentsOf: bytes[Int(starts[Int(token)])..<Int(starts[Int(token) + 1])])
  }

  /// The text that a token is written as in a prompt's scaffolding, control tokens included.
  public func name(of token: Token) -> [UInt8] {
    unsafe RawVocabulary.piece(token, in: weights.handle.vocabulary, special: true)
  }

  /// Writes text with tokens of single characters or bytes, so that no control token can come of it. Bytes that the
  /// vocabulary cannot write are left out.
  func spell(_ text: [UInt8], into tokens: inout [Token]) {
    var rest = text[...]
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
      if length <= rest.count, let token = spelling[Array(rest.prefix(length))] {
        tokens.append(token)
        rest = rest.dropFirst(length)
      } else {
        if let token = spelling[[first]] { tokens.append(token) }
        rest = rest.dropFirst()
      }
    }
  }
}

/// The calls of libllama's vocabulary that fill a buffer.
enum RawVocabulary {
  /// The token's bytes; those of control tokens only when `special`.
  static func piece(_ token: Token, in vocabulary: OpaquePointer, special: Bool) -> [UInt8] {
    var capacity = 64
    while true {
      var needed = 0
      let piece = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
        let written = unsafe buffer.withMemoryRebound(to: CChar.self) { chars in
          unsafe llama_token_to_piece(vocabulary, token, chars.baseAddress, Int32(capacity), 0, special)
        }
        count = Int(max(0, written))
        needed = Int(max(0, -written))
      }
      if needed == 0 { return piece }
      capacity = needed
    }
  }

  /// Tokens of a text. No beginning or end is added.
  static func tokens(of text: ArraySlice<UInt8>, in vocabulary: OpaquePointer, parseSpecial: Bool) -> [Token] {
    guard !text.isEmpty else { return [] }
    var capacity = text.count + 16
    while true {
      var needed = 0
      let tokens = unsafe [Token](unsafeUninitializedCapacity: capacity) { buffer, count in
        let written = unsafe text.withUnsafeBytes { bytes in
          unsafe llama_tokenize(
            vocabulary, bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count), buffer.baseAddress,
            Int32(capacity), false, parseSpecial)
        }
        count = Int(max(0, written))
        needed = written < 0 ? Int(-Int64(written)) : 0
      }
      if needed == 0 { return tokens }
      capacity = needed
    }
  }

  /// Whether `a` becomes a token of ` a`.
  static func prefixesSpace(_ vocabulary: OpaquePointer) -> Bool {
    let tokens = unsafe tokens(of: Array("a".utf8)[...], in: vocabulary, parseSpecial: false)
    guard let first = tokens.first else { return false }
    return unsafe piece(first, in: vocabulary, special: false).first == UInt8(ascii: " ")
  }
}
