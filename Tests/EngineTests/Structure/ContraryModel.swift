import Inference

import struct TestSupport.SplitMix64

/// A token model without a memory, whose logits are random or against all reason: tests of constrained decoding ask no
/// more of it. Its vocabulary has every byte, and pieces of JSON across the borders of its parts.
final class ContraryModel: TokenModel {
  enum Mood: CaseIterable, Sendable {
    /// Any token, by chance.
    case random
    /// Always the same few tokens, mostly wrong ones: the end, quotes, brackets, white space, half characters.
    case stubborn
    /// Text without an end.
    case talkative
    /// The end of the answer, at every step.
    case hasty
  }

  static let end: Token = 0
  static let pieces: [[UInt8]] =
    [[]] + (0...255).map { [UInt8($0)] }
    + [
      "{\"", "\":", "\":\"", "\",\"", "\"}", "}}", "[[", "]]", "],", "[\"", "the ", " and", "null", "true", "false",
      "12",
      "0.", "-", "00", "2025-", "\\n", "\\\"", "\\u", "é", "日本", "👩‍👩‍👧", "name", "va", "lue\":", "  ", "\n\n",
      "<|im_end|>",
    ].map { Array($0.utf8) } + [[0xF0, 0x9F], [0xE6, 0x97]]

  let mood: Mood
  let contextSize = 16_384
  let batchSize = 256
  let maxSequences = 16
  let memoryKind = MemoryKind.sliceable
  private var random: SplitMix64
  private var logits = Array(repeating: Float(0), count: pieces.count)

  init(_ mood: Mood, seed: UInt64) {
    self.mood = mood
    random = SplitMix64(seed: seed)
  }

  static let trie = TokenTrie(
    tokenCount: pieces.count, bytes: { pieces[Int($0)] }, isUsable: { $0 != end && $0 != Token(pieces.count - 3) })

  var vocabularySize: Int { Self.pieces.count }
  func isEndOfGeneration(_ token: Token) -> Bool { token == Self.end }
  func appendBytes(of token: Token, to bytes: inout [UInt8]) { bytes += Self.pieces[Int(token)] }
  func apply(_ operation: MemoryOperation) -> Bool { true }
  func decode(_ rows: [BatchRow]) {}

  func withLogits<Value>(row: Int, _ body: (UnsafeMutableBufferPointer<Float>) -> Value) -> Value {
    for index in logits.indices { logits[index] = Float(random.int(in: 0..<1_000)) / 100 }
    switch mood {
    case .random: break
    case .stubborn: for token in [0, 11, 35, 94, 126, 256, 257, 260, 288, 289] { logits[token] += 40 }
    case .talkative: for token in [98, 102, 33, 267, 268, 280, 281] { logits[token] += 30 }
    case .hasty: logits[0] += 100
    }
    return logits.withUnsafeMutableBufferPointer { body($0) }
  }

  /// Generates one answer.
  func answer(to constraint: Constraint, maxTokens: Int) -> (text: [UInt8], reason: GenerationSummary.FinishReason?) {
    let generator = Generator(model: self)
    generator.submit(
      GenerationRequest(
        id: 1, prompt: [1, 2, 3], sampling: SamplingParameters(temperature: 1, seed: random.next()),
        maxTokens: maxTokens, constraint: constraint))
    var text: [UInt8] = []
    for _ in 0..<20 * maxTokens + 100 {
      _ = generator.step()
      for event in generator.takeEvents() {
        switch event {
        case .prefill: break
        case .text(_, let bytes): text += bytes
        case .finished(_, let summary): return (text, summary.finishReason)
        case .failed: return (text, nil)
        }
      }
    }
    return (text, nil)
  }
}
