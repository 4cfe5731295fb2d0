import Inference
import Testing

@Suite struct GeneratorTests {
  @Test func greedyOutputFollowsFromThePromptAlone() {
    // The plainest loop there is, without generator, cache or batches.
    let request = GenerationRequest(id: 1, prompt: prompt(20, seed: 1), maxTokens: 50)
    var tokens = request.prompt
    var bytes: [UInt8] = []
    while tokens.count < request.prompt.count + 50 {
      let logits = ScriptedModel.randomLogits(
        state: ScriptedModel.state(after: tokens), count: ScriptedModel.letters.count)
      let token = logits.indices.max { logits[$0] < logits[$1] } ?? 0
      if token == 0 { break }
      tokens.append(Token(token))
      bytes += ScriptedModel.letters[token]
    }
    var text = TextAssembler(stop: [])
    _ = text.append(bytes)
    text.finish(isWhole: false)
    let output = check([request]).outputs[1]
    #expect(output?.text == text.ready)
    #expect(output?.tokens == tokens.count - 20)
  }

  @Test func twoInterleavedEqualEachAlone() {
    check([
      GenerationRequest(id: 1, prompt: prompt(30, seed: 1), maxTokens: 80),
      GenerationRequest(
        id: 2, prompt: prompt(45, seed: 2), sampling: SamplingParameters(temperature: 0.8, topK: 10, seed: 3),
        maxTokens: 80),
    ])
  }

  @Test(arguments: [1, 31, 32, 33, 3 * 32 + 7]) func promptsAroundTheBatchSize(count: Int) {
    let harness = check(
      [GenerationRequest(id: 1, prompt: prompt(count, seed: 5), maxTokens: 10)], on: ScriptedModel(batchSize: 32))
    #expect(harness.model.batches.allSatisfy { $0.count <= 32 })
  }

  @Test func aLongPrefillDelaysARunningAnswerByOneChunkAStep() {
    let model = ScriptedModel(behaviour: .next { Token(1 + $0.count % 26) })
    let harness = Harness(model)
    harness.generator.submit(GenerationRequest(id: 1, prompt: prompt(10, seed: 1), maxTokens: 100))
    while harness.outputs[1]?.text.isEmpty ?? true { harness.step() }
    harness.generator.submit(GenerationRequest(id: 2, prompt: prompt(6000, seed: 2), maxTokens: 5))
    let sent = harness.outputs[1]?.text.count ?? 0
    var steps = 0
    while harness.outputs[2]?.text.isEmpty ?? true {
      harness.step()
      steps += 1
      #expect(harness.outputs[1]?.text.count == min(sent + steps, 100))
    }
    #expect(steps >= 6000 / model.batchSize)
    harness.run()
    #expect(harness.outputs[2]?.prefills.last == 6000)
    #expect(harness.outputs[2]?.prefills == harness.outputs[2]?.prefills.sorted())
    #expect(harness.outputs[1]?.prefills == [])
  }

  /// The window is 100 positions and the model never ends by itself.
  @Test(arguments: [
    // prompt, maxTokens, end, tokens
    (36, 64, Output.End.finished(.length), 64),
    (36, 65, .finished(.contextFull), 64),
    (37, 63, .finished(.length), 63),
    (37, 64, .failed(.contextWindowExceeded(promptTokens: 37, contextSize: 100, reservedForOutput: 64)), 0),
    (99, 1, .finished(.length), 1),
    (100, 1, .failed(.contextWindowExceeded(promptTokens: 100, contextSize: 100, reservedForOutput: 1)), 0),
    (0, 1, .failed(.invalidPrompt), 0),
  ]) func theWindowExactlyFull(promptCount: Int, maxTokens: Int, end: Output.End, tokens: Int) {
    let model = ScriptedModel(contextSize: 100, behaviour: .next { Token(1 + ($0.count * $0.count) % 26) })
    let harness = Harness(model)
    harness.generator.submit(
      GenerationRequest(id: 1, prompt: prompt(promptCount, seed: 1), maxTokens: maxTokens))
    harness.run()
    #expect(harness.outputs[1]?.end == end)
    #expect(harness.outputs[1]?.tokens == tokens)
    #expect(harness.outputs[1]?.used == (tokens == 0 ? 0 : promptCount + tokens))
  }

  @Test func invalidRequestsFailAlone() {
    let harness = Harness(ScriptedModel())
    let good = GenerationRequest(id: 1, prompt: prompt(9, seed: 1), maxTokens: 9)
    harness.generator.submit(good)
    harness.generator.submit(GenerationRequest(id: 2, prompt: [1, 999]))
    harness.generator.submit(GenerationRequest(id: 3, prompt: [-1]))
    harness.run()
    #expect(harness.outputs[1]?.essence == Harness.alone(good, like: harness.model).essence)
    #expect(harness.outputs[2]?.end == .failed(.invalidPrompt))
    #expect(harness.outputs[3]?.end == .failed(.invalidPrompt))
    harness.generator.submit(good)
    harness.generator.submit(good)
    harness.take()
    #expect(harness.outputs[1]?.end == .failed(.duplicateID))
  }

  @Test func timesComeFromTheClock() {
    let model = ScriptedModel(behaviour: .next { $0.count < 15 ? 5 : 0 })
    let harness = Harness(model)
    harness.clock.time = .seconds(7)
    model.fault = { [clock = harness.clock] _ in
      clock.time += .milliseconds(10)
      return nil
    }
    harness.generator.submit(GenerationRequest(id: 1, prompt: prompt(10, seed: 1)))
    var summary: GenerationSummary?
    while harness.generator.step() {
      for case .finished(_, let value) in harness.generator.takeEvents() { summary = value }
    }
    #expect(summary?.timeToFirstToken == .milliseconds(10))
    #expect(summary?.duration == .milliseconds(60))
    #expect(summary?.completionTokens == 5)
    #expect(harness.generator.statistics.stepTime == .milliseconds(10))
  }

  @Test func uselessLogitsFailOneRequestOnly() {
    let model = ScriptedModel(
      behaviour: .logits { tokens in
        var logits = ScriptedModel.randomLogits(
          state: ScriptedModel.state(after: tokens), count: ScriptedModel.letters.count)
        if tokens[0] == 3 && tokens.count == 12 { logits[7] = .nan }
        return logits
      })
    let harness = Harness(model)
    let good = GenerationRequest(id: 1, prompt: [4] + prompt(9, seed: 1), maxTokens: 30)
    harness.generator.submit(good)
    harness.generator.submit(GenerationRequest(id: 2, prompt: [3] + prompt(9, seed: 1), maxTokens: 30))
    harness.run()
    #expect(harness.outputs[1]?.essence == Harness.alone(good, like: model).essence)
    #expect(harness.outputs[2]?.end == .failed(.decodeFailed("the model's logits are not finite")))
  }
}
