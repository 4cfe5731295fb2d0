import Inference
import TestSupport
import Testing

/// States of prefixes that outlive their generator.
@Suite struct SavedPrefixTests {
  let instructions = prompt(40, seed: 1)

  private func request(_ id: Int, _ tokens: [Token], saving length: Int = 0, from saved: SavedPrefix? = nil)
    -> GenerationRequest
  {
    var request = GenerationRequest(
      id: id, prompt: tokens, savedBorders: length > 0 ? [length] : [], maxTokens: 12)
    request.savedLength = length
    request.savedPrefix = saved
    return request
  }

  /// What a generator has to save after a request.
  private func saved(_ kind: MemoryKind) throws -> SavedPrefix {
    let harness = Harness(ScriptedModel(memoryKind: kind))
    harness.generator.submit(request(1, prompt(60, seed: 2, sharing: instructions), saving: 40))
    harness.run()
    let saved = try #require(harness.generator.takeSavedPrefix())
    #expect(saved.tokens == instructions)
    #expect(harness.generator.takeSavedPrefix() == nil)
    harness.run()
    return saved
  }

  @Test(arguments: [MemoryKind.sliceable, .wholeOnly])
  func aNewGeneratorGoesOnWhereTheStateEnds(_ kind: MemoryKind) throws {
    let saved = try saved(kind)
    let model = ScriptedModel(memoryKind: kind)
    let harness = Harness(model)
    for (id, seed) in [(1, 3), (2, 4)] as [(Int, UInt64)] {
      let tokens = prompt(70, seed: seed, sharing: instructions)
      harness.generator.submit(request(id, tokens, from: saved))
      harness.run()
      #expect((harness.outputs[id]?.cached ?? 0) >= 40)
      #expect(harness.outputs[id]?.essence == Harness.alone(request(id, tokens), like: model).essence)
    }
    // The second one found it in the cache.
    let restores = model.operations.count { if case .restore = $0 { true } else { false } }
    #expect(kind == .wholeOnly || restores == 1)
    let rows = model.batches.reduce(0) { $0 + $1.count { $0.position < 40 } }
    #expect(rows == 0)
  }

  /// What the cache has more of is not taken from the state.
  @Test func theLongerPrefixCounts() throws {
    let saved = try saved(.sliceable)
    let harness = Harness(ScriptedModel())
    let long = prompt(80, seed: 3, sharing: instructions)
    harness.generator.submit(request(1, long))
    harness.run()
    harness.generator.submit(request(2, long + [5], from: saved))
    harness.run()
    #expect(harness.outputs[2]?.cached == 80)
  }

  /// A state that the model does not have is read anew, and so is one of other tokens.
  @Test(arguments: [MemoryKind.sliceable, .wholeOnly])
  func aStateThatIsWrongCostsNothingButTime(_ kind: MemoryKind) throws {
    let good = try saved(kind)
    let model = ScriptedModel(memoryKind: kind)
    let tokens = prompt(70, seed: 3, sharing: instructions)
    let wrong = [
      SavedPrefix(tokens: instructions, state: Array(good.state.dropLast())),
      SavedPrefix(tokens: instructions, state: []),
      SavedPrefix(tokens: instructions.reversed(), state: good.state),
      SavedPrefix(tokens: tokens, state: good.state),
    ]
    for (id, saved) in wrong.enumerated() {
      let harness = Harness(ScriptedModel(memoryKind: kind))
      harness.generator.submit(request(id, tokens, from: saved))
      harness.run()
      #expect(harness.outputs[id]?.cached == 0)
      #expect(harness.outputs[id]?.essence == Harness.alone(request(id, tokens), like: model).essence)
    }
  }

  @Test func nothingIsSavedThatIsNotWantedOrNotThere() {
    let harness = Harness(ScriptedModel())
    harness.generator.submit(request(1, prompt(60, seed: 2, sharing: instructions)))
    harness.run()
    #expect(harness.generator.takeSavedPrefix() == nil)
    // Cancelled before it was read.
    harness.generator.submit(request(2, prompt(60, seed: 3), saving: 40))
    harness.generator.cancel(2)
    harness.run()
    #expect(harness.generator.takeSavedPrefix() == nil)
    // Gone from the cache.
    let small = Harness(ScriptedModel()) {
      $0.idleCells = 50
      $0.maxPinned = 0
    }
    small.generator.submit(request(3, prompt(60, seed: 4), saving: 40))
    small.generator.submit(request(4, prompt(60, seed: 5)))
    small.run()
    small.generator.submit(request(5, prompt(60, seed: 6)))
    small.run()
    #expect(small.generator.takeSavedPrefix() == nil)
    // A model that gives no states.
    let mute = ScriptedModel()
    mute.savesStates = false
    let without = Harness(mute)
    without.generator.submit(request(6, prompt(60, seed: 7), saving: 40))
    without.run()
    #expect(without.generator.takeSavedPrefix() == nil)
  }

  /// With the cache off nothing is shared, kept or saved, and the output is the same.
  @Test func withoutTheCacheEachPromptIsReadWhole() throws {
    let saved = try saved(.sliceable)
    let model = ScriptedModel()
    let harness = Harness(model) { $0.reusesPrefixes = false }
    let tokens = prompt(60, seed: 2, sharing: instructions)
    for id in 1...3 {
      harness.generator.submit(request(id, tokens, saving: 40, from: id == 3 ? saved : nil))
      if id > 1 { harness.run() }
    }
    for id in 1...3 {
      #expect(harness.outputs[id]?.cached == 0)
      #expect(harness.outputs[id]?.essence == Harness.alone(request(id, tokens), like: model).essence)
    }
    #expect(harness.generator.statistics.occupiedCells == 0 && model.occupiedCells == 0)
    #expect(harness.generator.takeSavedPrefix() == nil)
  }

  /// In a small cache, with everything at once: requests that bring states, good and bad, and that want some saved.
  @Test(arguments: 0..<12) func underPressureEveryOutputIsThatOfTheRequestAlone(_ seed: UInt64) throws {
    let kind = seed % 2 == 0 ? MemoryKind.sliceable : .wholeOnly
    let good = try saved(kind)
    var random = SplitMix64(state: seed)
    let model = ScriptedModel(contextSize: 220, batchSize: 32, maxSequences: 6, memoryKind: kind)
    let harness = Harness(model) { $0.idleCells = 80 }
    var requests: [GenerationRequest] = []
    for id in 0..<24 {
      let count = Int.random(in: 41...90, using: &random)
      let tokens = prompt(count, seed: UInt64.random(in: 0...9, using: &random), sharing: instructions)
      let bad = SavedPrefix(tokens: instructions, state: [1, 2, 3])
      let states: [SavedPrefix?] = [nil, good, good, bad]
      var next = request(
        id, tokens, saving: Bool.random(using: &random) ? 40 : 0, from: states.randomElement(using: &random) ?? nil)
      next.isBackground = Bool.random(using: &random)
      requests.append(next)
      harness.generator.submit(next)
      for _ in 0..<Int.random(in: 0...6, using: &random) { harness.step() }
      #expect(harness.generator.isConsistent && model.violations == [])
    }
    harness.run()
    while let state = harness.generator.takeSavedPrefix() { #expect(state == good) }
    harness.expectSound()
    for request in requests {
      #expect(harness.outputs[request.id]?.essence == Harness.alone(request, like: model).essence)
    }
  }
}
