import Inference
import Testing

/// What stays in the KV cache. `ParkedPrefixTests` has what leaves it.
@Suite struct PrefixCacheTests {
  private func checkCached(
    _ steps: [(prompt: [Token], borders: [Int], cached: Int)], on model: ScriptedModel = ScriptedModel(),
    idleCells: Int = 2048, maxPinned: Int = 8, _ location: SourceLocation = #_sourceLocation
  ) -> Harness {
    InferenceTests.checkCached(steps, on: model, location) {
      $0.idleCells = idleCells
      $0.maxPinned = maxPinned
      $0.parkedBytes = 0
    }
  }

  let instructions = prompt(40, seed: 1)

  @Test func hitsByTheLongestPrefix() {
    let long = prompt(100, seed: 2, sharing: instructions)
    _ = checkCached([
      (instructions + prompt(10, seed: 3), [], 0),
      (long, [], 40),
      (long + [5, 6], [], 100),
      (prompt(120, seed: 4, sharing: Array(long.prefix(70))), [], 70),
      (long, [], 99),
      (prompt(50, seed: 5), [], commonStart(prompt(50, seed: 5), instructions)),
    ])
  }

  private func commonStart(_ left: [Token], _ right: [Token]) -> Int { zip(left, right).prefix { $0 == $1 }.count }

  @Test func aRunningSequenceIsADonorToo() {
    let model = ScriptedModel(behaviour: .next { Token(1 + $0.count % 26) })
    let harness = Harness(model)
    let first = GenerationRequest(id: 1, prompt: prompt(60, seed: 1), maxTokens: 60)
    let second = GenerationRequest(id: 2, prompt: prompt(80, seed: 2, sharing: first.prompt), maxTokens: 5)
    harness.generator.submit(first)
    for _ in 0..<10 { harness.step() }
    harness.generator.submit(second)
    harness.run()
    #expect(harness.outputs[2]?.cached == 60)
    for request in [first, second] {
      #expect(harness.outputs[request.id]?.essence == Harness.alone(request, like: model).essence)
    }
  }

  /// A long conversation is not read again with each turn; what is asked between its turns keeps to the small budget.
  @Test func aConversationKeepsMoreThanOthers() {
    let model = ScriptedModel()
    let harness = Harness(model) {
      $0.idleCells = 100
      $0.conversationCells = 400
      $0.parkedBytes = 0
    }
    func cached(_ id: Int, _ prompt: [Token], isConversation: Bool) -> Int? {
      harness.generator.submit(
        GenerationRequest(id: id, prompt: prompt, maxTokens: 4, isConversation: isConversation))
      harness.run()
      return harness.outputs[id]?.cached
    }
    let history = [1] + prompt(240, seed: 1)
    #expect(cached(0, history, isConversation: true) == 0)
    for id in 1...5 { _ = cached(id, [Token(id + 1)] + prompt(80, seed: UInt64(id + 1)), isConversation: false) }
    // A question behind it leaves it what it is.
    #expect(cached(6, history + [5, 6], isConversation: false) == history.count)
    #expect(cached(7, [9] + prompt(80, seed: 9), isConversation: false) == 0)
    #expect(cached(8, history + [7, 8], isConversation: true).map { $0 >= history.count } == true)
    // Of the others one is left, and two conversations do not fit.
    #expect(cached(9, [9] + prompt(80, seed: 9), isConversation: false) == 80)
    #expect(cached(10, [10] + prompt(240, seed: 10), isConversation: true) == 0)
    #expect(cached(11, history + [7, 8], isConversation: true).map { $0 < history.count } == true)
  }

  @Test func idleSequencesKeepToTheirBudgetAndTheOldestGoes() {
    let harness = checkCached(
      [
        ([1] + prompt(60, seed: 1), [], 0), ([2] + prompt(60, seed: 2), [], 0), ([3] + prompt(60, seed: 3), [], 0),
        // The first has been evicted by the third, the second is there.
        ([2] + prompt(60, seed: 2), [], 60), ([1] + prompt(60, seed: 1), [], 0),
        // Too long for the budget by itself: its start stays.
        ([4] + prompt(300, seed: 4), [], 0), ([4] + prompt(300, seed: 4), [], 150),
      ], idleCells: 150)
    #expect(harness.generator.statistics.occupiedCells <= 150)
  }

  @Test func pinnedInstructionsOutliveOthers() {
    let others = (0..<4).map { number in
      (prompt: [Token(20 + number)] + prompt(80, seed: UInt64(number)), borders: [Int](), cached: 0)
    }
    let first = instructions + [1] + prompt(20, seed: 9)
    let last = instructions + [2] + prompt(20, seed: 8)
    _ = checkCached([(first, [40], 0)] + others + [(last, [40], 40)], idleCells: 100)
    _ = checkCached([(first, [], 0)] + others + [(last, [], 0)], idleCells: 100)
    // Pinning takes cells, so a limit of none pins nothing.
    _ = checkCached([(first, [40], 0)] + others + [(last, [40], 0)], idleCells: 100, maxPinned: 0)
  }

  @Test func theOldestPinBecomesOrdinary() {
    let heads = (0..<3).map { [Token(1 + $0)] + prompt(29, seed: UInt64($0)) }
    let prompts = heads.map { (prompt: $0 + prompt(30, seed: 7), borders: [30], cached: 0) }
    let other = (prompt: [Token(9)] + prompt(99, seed: 9), borders: [Int](), cached: 0)
    _ = checkCached(
      prompts + [other, (heads[1] + [4, 5], [30], 30), (heads[0] + [4, 5], [30], 0)], idleCells: 100, maxPinned: 2)
  }

  @Test func aPinGivesWayToARunningRequest() {
    let harness = checkCached(
      [(instructions + [3, 4], [40], 0), ([7] + prompt(190, seed: 3), [], 0)], on: ScriptedModel(contextSize: 200))
    #expect(harness.generator.statistics.occupiedCells <= 200)
  }

  @Test func memoriesThatCannotBeCut() {
    let model = ScriptedModel(memoryKind: .wholeOnly, behaviour: .next { Token(1 + $0.count % 26) })
    let first = instructions + [1] + prompt(20, seed: 9)
    // What the first run holds in the end: prompt and all output but its last token.
    let continued = first + (0..<3).map { Token(1 + (first.count + $0) % 26) }
    _ = checkCached(
      [
        (first, [], 0),
        // The whole content is longer than what is shared.
        (first, [], 0),
        (instructions + [2] + prompt(20, seed: 8), [40], 0),
        (instructions + [3] + prompt(20, seed: 7), [40], 40),
        (instructions, [40], 0),
        (instructions + [4], [40], 40),
        (continued + [9, 9], [], continued.count),
      ], on: model)
  }

  @Test(arguments: [MemoryKind.sliceable, .wholeOnly]) func eightWithTheSameInstructionsReadThemOnce(kind: MemoryKind) {
    let head = prompt(150, seed: 1)
    let requests = (0..<8).map { number in
      GenerationRequest(
        id: number, prompt: head + [Token(1 + number)] + prompt(40, seed: UInt64(50 + number)), savedBorders: [150],
        maxTokens: 10)
    }
    let harness = check(requests, on: ScriptedModel(memoryKind: kind))
    let rows = harness.model.batches.joined().filter { $0.position < 150 }.count
    #expect(rows == 150)
    #expect(harness.outputs.values.map(\.cached).sorted() == [0] + Array(repeating: 150, count: 7))
  }

  @Test func whoWaitsForAPrefixGoesOnWhenItWillNotCome() {
    let head = prompt(3000, seed: 1)
    let model = ScriptedModel(batchSize: 64)
    let requests = (0..<3).map { GenerationRequest(id: $0, prompt: head + [Token(1 + $0)], maxTokens: 6) }
    let harness = Harness(model)
    for request in requests { harness.generator.submit(request) }
    for _ in 0..<5 { harness.step() }
    #expect(harness.generator.statistics.active == 1)
    harness.generator.setPaused(0, true)
    harness.step()
    #expect(harness.generator.statistics.active == 2)
    harness.generator.cancel(1)
    harness.run()
    #expect(harness.outputs[2]?.essence == Harness.alone(requests[2], like: model).essence)
    harness.generator.setPaused(0, false)
    harness.run()
    #expect(harness.outputs[0]?.essence == Harness.alone(requests[0], like: model).essence)
  }

  @Test(arguments: [MemoryKind.sliceable, .wholeOnly]) func copiesThatFailAreComputedInstead(kind: MemoryKind) {
    let withoutCopies = ScriptedModel(memoryKind: kind)
    withoutCopies.operationFault = { if case .copy = $0 { true } else { false } }
    let head = prompt(80, seed: 1)
    check(
      (0..<5).map { GenerationRequest(id: $0, prompt: head + [Token(1 + $0)], savedBorders: [80], maxTokens: 9) },
      on: withoutCopies)
    let withoutCuts = ScriptedModel(memoryKind: kind)
    withoutCuts.operationFault = { if case .remove(_, let from) = $0 { from > 0 } else { false } }
    check((0..<5).map { GenerationRequest(id: $0, prompt: head + [Token(1 + $0)], maxTokens: 9) }, on: withoutCuts) {
      $0.idleCells = 50
    }
  }
}
