import Inference

/// What inference itself costs on the engine's thread, beside the model's own computing.
let inferenceBenchmark = Benchmark(name: "inference", summary: "choosing of 49,152 tokens, a step without a model") {
  let model = IdleModel()
  for (what, parameters) in [
    ("greedy", SamplingParameters()), ("temperature", SamplingParameters(temperature: 0.8)),
    ("temperature, topK", SamplingParameters(temperature: 0.8, topK: 40)),
    ("temperature, topP", SamplingParameters(temperature: 0.8, topP: 0.95)),
    ("temperature, minP", SamplingParameters(temperature: 0.8, minP: 0.05)),
  ] {
    var sampler = Sampler(parameters)
    let times = microseconds(300) { model.logits.withUnsafeBufferPointer { _ = sampler.sample($0) } }
    print("  \(what): \(times) µs")
  }
  for sequences in [1, 8] {
    let generator = Generator(model: IdleModel())
    for id in 0..<sequences {
      generator.submit(
        GenerationRequest(
          id: id, prompt: Array(repeating: Token(id), count: 100), sampling: SamplingParameters(repetitionPenalty: 1.2),
          maxTokens: 4000, stop: [Array("\n\n".utf8)]))
    }
    for _ in 0..<20 { _ = generator.step() }
    let times = microseconds(500) {
      _ = generator.step()
      _ = generator.takeEvents()
    }
    // A sequence that has ended would make the step look cheap.
    guard generator.statistics.active == sequences else { throw HasEnded() }
    print("  step of \(sequences) decoding: \(times) µs")
  }
}

private struct HasEnded: Error {}

private func microseconds(_ runs: Int, _ work: () -> Void) -> Spread {
  Spread((0..<runs).map { _ in milliseconds(work) * 1000 })
}

/// Logits made once, as peaked as a model's mostly are, and no computation.
private final class IdleModel: TokenModel {
  let vocabularySize = 49_152
  let contextSize = 8192
  let batchSize = 512
  let maxSequences = 16
  let memoryKind = MemoryKind.sliceable
  var logits: [Float]

  init() {
    var random = RandomGenerator(seed: 1)
    logits = (0..<49_152).map { _ in Float(20 * random.nextUnit() - 10) }
    for token in 0..<50 { logits[token * 977] = 18 + Float(token) / 10 }
  }

  func isEndOfGeneration(_ token: Token) -> Bool { false }
  func appendBytes(of token: Token, to bytes: inout [UInt8]) { bytes.append(UInt8(97 + token % 26)) }
  func apply(_ operation: MemoryOperation) -> Bool { true }
  func decode(_ rows: [BatchRow]) throws(DecodeFailure) {
    // Another token each time, so that nothing is taken for a loop.
    for row in rows where row.wantsLogits {
      let token = Int(row.position) &* 1_103_515_245 % 49_152
      logits[token] = 30 + Float(row.position) / 8192
    }
  }
  func withLogits<Value>(row: Int, _ body: (UnsafeMutableBufferPointer<Float>) -> Value) -> Value {
    logits.withUnsafeMutableBufferPointer { body($0) }
  }
}
