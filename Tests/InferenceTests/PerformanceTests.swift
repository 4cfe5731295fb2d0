import Inference
import Testing

#if DEBUG
  private let isOptimised = false
#else
  private let isOptimised = true
#endif

/// What inference itself costs on the engine's thread. Only optimised code is measured; the best of many runs counts,
/// so that a busy machine does not fail it.
@Suite(.serialized, .enabled(if: isOptimised)) struct PerformanceTests {
  /// Logits of a vocabulary of 49,152, made once, and no computation.
  private final class IdleModel: TokenModel {
    let vocabularySize = 49_152
    let contextSize = 8192
    let batchSize = 512
    let maxSequences = 16
    let memoryKind = MemoryKind.sliceable
    var logits: [Float]

    init() {
      var random = RandomGenerator(seed: 1)
      logits = (0..<49_152).map { _ in Float(20 * random.nextUnit() - 10) + Float(random.nextUnit()) }
    }

    func isEndOfGeneration(_ token: Token) -> Bool { false }
    func appendBytes(of token: Token, to bytes: inout [UInt8]) { bytes.append(UInt8(97 + token % 26)) }
    func apply(_ operation: MemoryOperation) -> Bool { true }
    func decode(_ rows: [BatchRow]) throws(DecodeFailure) {
      // Another token each time, so that nothing is taken for a loop.
      for row in rows where row.wantsLogits {
        logits[Int(ScriptedModel.state(after: [row.position]) % 49_152)] = 12 + Float(row.position) / 8192
      }
    }
    func withLogits<Value>(row: Int, _ body: (UnsafeMutableBufferPointer<Float>) -> Value) -> Value {
      logits.withUnsafeMutableBufferPointer { body($0) }
    }
  }

  private func best(of runs: Int, _ body: () -> Void) -> Duration {
    (0..<runs).map { _ in ContinuousClock().measure(body) }.min() ?? .zero
  }

  @Test func greedySamplingOfAWholeVocabulary() {
    let model = IdleModel()
    var sampler = Sampler(SamplingParameters())
    let time = best(of: 300) { model.logits.withUnsafeBufferPointer { _ = sampler.sample($0) } }
    report("argmax of 49,152", time)
    #expect(time <= .microseconds(200))
  }

  @Test(arguments: [
    SamplingParameters(temperature: 0.8), SamplingParameters(temperature: 0.8, topK: 40),
    SamplingParameters(temperature: 0.8, topP: 0.95), SamplingParameters(temperature: 0.8, minP: 0.05),
    SamplingParameters(temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05),
  ]) func randomSamplingOfAWholeVocabulary(parameters: SamplingParameters) {
    let model = IdleModel()
    // As peaked as a model's logits mostly are: a few dozen tokens stand out.
    for token in 0..<50 { model.logits[token * 977] = 18 + Float(token) / 10 }
    var sampler = Sampler(parameters)
    let time = best(of: 300) { model.logits.withUnsafeBufferPointer { _ = sampler.sample($0) } }
    report("\(parameters)", time)
    #expect(time <= .microseconds(400))
  }

  /// Plan, absorb, sampling, repetition, text and events of a decoding step take about 0.1 ms a sequence, two thirds of
  /// it the exponentials of the whole vocabulary, for the likelihood of the output. The bound is far above, for
  /// machines are shared: it is for work that should not be there at all.
  @Test(arguments: [1, 8]) func aStepOutsideTheModel(sequences: Int) {
    let generator = Generator(model: IdleModel())
    for id in 0..<sequences {
      generator.submit(
        GenerationRequest(
          id: id, prompt: Array(repeating: Token(id), count: 100), sampling: SamplingParameters(repetitionPenalty: 1.2),
          maxTokens: 4000, stop: [Array("\n\n".utf8)]))
    }
    for _ in 0..<20 { _ = generator.step() }
    let time = best(of: 500) {
      _ = generator.step()
      _ = generator.takeEvents()
    }
    report("step of \(sequences)", time)
    #expect(generator.statistics.active == sequences)
    #expect(time <= .microseconds(600 * sequences))
  }

  private func report(_ what: String, _ time: Duration) {
    print("\(what): \(time / .microseconds(1)) µs")
  }
}
