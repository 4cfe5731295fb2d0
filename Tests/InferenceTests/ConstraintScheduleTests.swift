import Inference
import Testing

/// Constrained outputs beside others, cancelled, preempted, on failing steps.
@Suite struct ConstraintScheduleTests {
  private func constrained(_ id: Int, _ constraint: Constraint, background: Bool = false) -> GenerationRequest {
    GenerationRequest(
      id: id, prompt: prompt(20, seed: UInt64(id)), sampling: SamplingParameters(temperature: 1, topK: 30, seed: 7),
      maxTokens: 90, isBackground: background, constraint: constraint)
  }

  @Test func twoConstrainedAndOneFree() throws {
    let document = try Constraint(.document(), vocabulary: Pieces.trie)
    let other = try Constraint(RandomGrammar(seed: 3).grammar, vocabulary: Pieces.trie)
    check(
      [
        constrained(1, document), constrained(2, other),
        GenerationRequest(id: 3, prompt: prompt(30, seed: 3), maxTokens: 60),
      ], on: Pieces.model(.random))
  }

  @Test(arguments: [MemoryKind.sliceable, .wholeOnly]) func preemptedAndStartedAgain(kind: MemoryKind) throws {
    let grammar = Grammar.document()
    let document = try Constraint(grammar, vocabulary: Pieces.trie)
    let model = ScriptedModel(contextSize: 130, memoryKind: kind, pieces: Pieces.all)
    var count = 0
    model.fault = { _ in
      count += 1
      return count % 7 == 3 ? .aborted : nil
    }
    let harness = check((1...4).map { constrained($0, document, background: $0 == 1) }, on: model)
    for output in harness.outputs.values { #expect(try isAccepted(output.text, by: grammar)) }
  }

  @Test func cancelledInTheMiddle() throws {
    let document = try Constraint(.document(), vocabulary: Pieces.trie)
    let harness = Harness(Pieces.model(.random)) { $0.idleCells = 0 }
    let other = constrained(1, document)
    harness.generator.submit(other)
    harness.generator.submit(constrained(2, document))
    while harness.outputs[2]?.text.count ?? 0 < 12 { harness.step() }
    #expect(harness.generator.cancel(2))
    harness.run()
    #expect(harness.outputs[2]?.end == nil)
    #expect(harness.outputs[1]?.essence == Harness.alone(other, like: harness.model).essence)
    #expect(harness.model.occupiedCells == 0)
  }

  /// The likelihood of a greedy output, by the plainest way.
  @Test func theLogarithmOfTheProbability() {
    let request = GenerationRequest(id: 1, prompt: prompt(20, seed: 1), maxTokens: 30)
    let harness = check([request])
    var tokens = request.prompt
    var expected = 0.0
    while tokens.count < 50 {
      let logits = ScriptedModel.randomLogits(
        state: ScriptedModel.state(after: tokens), count: ScriptedModel.letters.count)
      let token = logits.indices.max { logits[$0] < logits[$1] } ?? 0
      var survivors = Sampler(SamplingParameters())
      let weights = logits.withUnsafeBufferPointer { survivors.survivors($0) }
      // The likeliest has weight 1, so its probability is 1 / sum.
      let sum = weights.reduce(0.0) { $0 + Double($1.weight) }
      expected -= naturalLogarithm(sum)
      if token == 0 { break }
      tokens.append(Token(token))
    }
    #expect(abs((harness.outputs[1]?.logProbability ?? 0) - expected) < 1e-3)
    #expect(expected < -1)
  }

  /// By the series of ln(1 + t), from a number halved until it is near 1.
  private func naturalLogarithm(_ value: Double) -> Double {
    var (rest, result) = (value, 0.0)
    while rest > 1.5 {
      rest /= 2
      result += 0.693_147_180_559_945
    }
    let t = rest - 1
    for power in 1...60 {
      result += (power % 2 == 1 ? 1 : -1) * (0..<power).reduce(1.0) { product, _ in product * t } / Double(power)
    }
    return result
  }
}

/// Prompts that are read and nothing else.
@Suite struct PrefillOnlyTests {
  private func prewarm(_ id: Int, _ prompt: [Token]) -> GenerationRequest {
    GenerationRequest(id: id, prompt: prompt, prefillOnly: true)
  }

  @Test func itIsReadAndServesTheNextRequest() {
    let harness = Harness(ScriptedModel(batchSize: 64))
    let text = prompt(300, seed: 1)
    harness.generator.submit(prewarm(1, text))
    harness.run()
    #expect(harness.outputs[1]?.end == .finished(.stop))
    #expect(harness.outputs[1]?.tokens == 0)
    #expect(harness.outputs[1]?.text == [])
    #expect(harness.outputs[1]?.used == 300)
    #expect(!harness.model.batches.joined().contains { $0.wantsLogits })
    let request = GenerationRequest(id: 2, prompt: text + prompt(10, seed: 2), maxTokens: 20)
    harness.generator.submit(request)
    harness.run()
    #expect(harness.outputs[2]?.cached == 300)
    #expect(harness.outputs[2]?.essence == Harness.alone(request, like: harness.model).essence)
    // A second time there is only the last token to read.
    harness.generator.submit(prewarm(3, text))
    harness.run()
    #expect(harness.outputs[3]?.cached == 299)
  }

  @Test func itGivesWayWithWhatIsRead() {
    let harness = Harness(ScriptedModel(batchSize: 64))
    let text = prompt(1000, seed: 1)
    harness.generator.submit(prewarm(1, text))
    harness.generator.submit(prewarm(2, prompt(500, seed: 9)))
    for _ in 0..<4 { harness.step() }
    #expect(harness.outputs[1]?.end == nil)
    let request = GenerationRequest(id: 3, prompt: text, maxTokens: 20)
    harness.generator.submit(request)
    harness.step()
    #expect(harness.outputs[1]?.end == .finished(.length) && harness.outputs[2]?.end == .finished(.length))
    let read = harness.outputs[1]?.used ?? 0
    #expect(read > 0 && read < 1000)
    harness.run()
    #expect(harness.outputs[3]?.cached == read)
    #expect(harness.outputs[3]?.essence == Harness.alone(request, like: harness.model).essence)
  }

  /// It needs no room for output, and one that does not fit beside what runs and what is pinned reads nothing.
  @Test func itEvictsNothingThatCounts() {
    let model = ScriptedModel(contextSize: 200, batchSize: 64)
    let harness = Harness(model)
    let pinned = prompt(60, seed: 4)
    harness.generator.submit(
      GenerationRequest(id: 1, prompt: pinned + prompt(5, seed: 5), savedBorders: [60], maxTokens: 3))
    harness.run()
    harness.generator.submit(prewarm(2, prompt(200, seed: 6)))
    harness.run()
    #expect(harness.outputs[2]?.end == .finished(.length))
    #expect(harness.outputs[2]?.used == 0)
    harness.generator.submit(prewarm(3, prompt(140, seed: 6)))
    harness.run()
    #expect(harness.outputs[3]?.used == 140)
    harness.generator.submit(prewarm(4, pinned + prompt(1, seed: 7)))
    harness.run()
    #expect(harness.outputs[4]?.cached == 60)
    harness.generator.submit(prewarm(5, prompt(201, seed: 6)))
    harness.run()
    #expect(
      harness.outputs[5]?.end
        == .failed(.contextWindowExceeded(promptTokens: 201, contextSize: 200, reservedForOutput: 0)))
  }

  @Test func besideARunningRequestItWaitsForRoom() {
    let model = ScriptedModel(
      contextSize: 200, batchSize: 64, behaviour: .next { Token(1 + ($0.count * $0.count) % 26) })
    let harness = Harness(model)
    let request = GenerationRequest(id: 1, prompt: prompt(50, seed: 1), maxTokens: 80)
    harness.generator.submit(request)
    for _ in 0..<5 { harness.step() }
    harness.generator.submit(prewarm(2, prompt(150, seed: 2)))
    harness.generator.submit(prewarm(3, prompt(20, seed: 3)))
    harness.run()
    #expect(harness.outputs[1]?.essence == Harness.alone(request, like: model).essence)
    #expect(harness.outputs[2]?.used == 150)
    #expect(harness.outputs[3]?.used == 20)
    #expect(harness.outputs.values.allSatisfy { $0.ends == 1 })
  }
}
