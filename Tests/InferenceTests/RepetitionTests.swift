import Inference
import Testing

@Suite struct RepetitionTests {
  /// Output of tokens, all different up to the loop.
  private func states(_ tokens: [Token]) -> [RepetitionTracker.State] {
    var tracker = RepetitionTracker()
    return tokens.map { tracker.append($0) }
  }

  private func loop(period: Int, copies: Int) -> [Token] {
    let block = (0..<period).map { Token(1000 + $0) }
    return (0..<10).map { Token(10 + $0) } + (0..<copies).flatMap { _ in block }
  }

  /// Tokens of the loop at which it is suspected and sure.
  @Test(arguments: [
    (1, 24, 64), (2, 24, 64), (7, 24, 64), (12, 24, 64), (16, 32, 64), (22, 44, 66), (30, 60, 90), (128, 256, 384),
  ]) func loopsAreFound(period: Int, suspected: Int, sure: Int) {
    let states = states(loop(period: period, copies: 4 + 64 / period))
    let looping = states.firstIndex { if case .looping = $0 { true } else { false } }
    #expect(looping == 10 + sure - 1)
    #expect(states.firstIndex { $0 != .fresh } == 10 + suspected - 1)
    #expect(states[10 + suspected - 1] == .suspected(stretch: suspected))
  }

  @Test func whatIsNoLoop() {
    // Two copies of a paragraph, a block too long to be watched, and a list whose items begin alike.
    #expect(states(loop(period: 30, copies: 1) + [5]).allSatisfy { $0 == .fresh })
    #expect(states(loop(period: 129, copies: 4)).allSatisfy { $0 == .fresh })
    let list = (0..<40).flatMap { (number: Int32) -> [Token] in [1, 2, 3, 4, 100 + number] }
    #expect(states(list).allSatisfy { $0 == .fresh })
  }

  @Test(
    arguments: [
      // How long the stretch is that the token 1006 would go on, and what it loses with a penalty of 2.
      (5, 0), (6, 1), (7, 1.5), (8, 2.25), (12, 11.390625),
    ] as [(Int, Float)]) func repetitionCostsMoreTheLongerItIs(length: Int, reduction: Float)
  {
    var tracker = RepetitionTracker()
    let stretch = (0..<Int32(length)).map { 2000 + $0 }
    for token in stretch + [1006] + (0..<5) + stretch { _ = tracker.append(token) }
    var logits = Array(repeating: Float(0), count: 3000)
    _ = logits.withUnsafeMutableBufferPointer { tracker.penalise($0, penalty: 2) }
    #expect(logits[1006] == -reduction)
    logits[1006] = 0
    #expect(logits.allSatisfy { $0 == 0 })
    _ = logits.withUnsafeMutableBufferPointer { tracker.penalise($0, penalty: 1) }
    #expect(logits.allSatisfy { $0 == 0 })
  }

  /// Says "abcdefghij " for ever, and at each step would rather say "z" than anything else.
  private func loopingModel(until end: Int = .max) -> ScriptedModel {
    ScriptedModel(
      behaviour: .logits { tokens in
        var logits = Array(repeating: Float(-10), count: ScriptedModel.letters.count)
        logits[tokens.count >= end ? Int(ScriptedModel.end) : 1 + (tokens.count - 1) % 11] = 5
        logits[26] = 1
        return logits
      })
  }

  private func run(_ request: GenerationRequest, on model: ScriptedModel) -> Output? {
    let harness = Harness(model)
    harness.generator.submit(request)
    harness.run()
    return harness.outputs[request.id]
  }

  @Test func aLoopEndsAndItsCopiesAreNotSent() {
    let output = run(GenerationRequest(id: 1, prompt: [20]), on: loopingModel())
    #expect(output?.repeated == true)
    #expect(output?.end == .finished(.stop))
    #expect(output?.tokens == 64)
    // Two copies and one letter had been sent before it could be suspected (22 < 24 tokens).
    #expect(output?.string == "abcdefghijkabcdefghijka")
  }

  @Test func whatWasHeldBackComesWhenItIsNoLoop() {
    let output = run(GenerationRequest(id: 1, prompt: [20]), on: loopingModel(until: 41))
    #expect(output?.repeated == false)
    #expect(output?.text.count == 40)
    let limited = run(GenerationRequest(id: 1, prompt: [20], maxTokens: 63), on: loopingModel())
    #expect(limited?.text.count == 63)
    #expect(limited?.end == .finished(.length))
  }

  @Test func theSourcesOwnRepetitionMayBeCopied() {
    let table = (0..<10).flatMap { _ in (1...11).map { Token($0) } }
    // The prompt has as many tokens as keep the model's place in its block.
    let output = run(GenerationRequest(id: 1, prompt: table + [20], maxTokens: 90), on: loopingModel())
    #expect(output?.repeated == false)
    #expect(output?.tokens == 90)
    #expect(output?.text.count == 90)
    let longer = run(GenerationRequest(id: 1, prompt: table + [20], maxTokens: 200), on: loopingModel())
    #expect(longer?.repeated == true)
    #expect(longer?.tokens == 111)
  }

  @Test func thePenaltyBreaksALoop() {
    let request = GenerationRequest(
      id: 1, prompt: [20], sampling: SamplingParameters(repetitionPenalty: 1.5), maxTokens: 200)
    let output = run(request, on: loopingModel())
    #expect(output?.repeated == false)
    #expect(output?.text.contains(122) == true)
  }
}
