import Inference
import Testing

/// Too few cells, cancels, pauses and failing steps.
@Suite struct PressureTests {
  /// Never ends by itself, and never repeats itself.
  private static func endless(_ tokens: [Token]) -> Token {
    Token(1 + ScriptedModel.state(after: [Token(tokens.count)] + tokens.prefix(3)) % 26)
  }

  private func endlessModel(contextSize: Int, kind: MemoryKind = .sliceable) -> ScriptedModel {
    ScriptedModel(contextSize: contextSize, memoryKind: kind, behaviour: .next(Self.endless))
  }

  private func request(_ id: Int, prompt count: Int = 20, maxTokens: Int = 130, background: Bool = false)
    -> GenerationRequest
  {
    GenerationRequest(
      id: id, prompt: [Token(id)] + prompt(count - 1, seed: UInt64(id)), maxTokens: maxTokens, isBackground: background)
  }

  @Test(arguments: [MemoryKind.sliceable, .wholeOnly]) func preemptionDoesNotShowInTheOutput(kind: MemoryKind) {
    let requests = (1...4).map { request($0) }
    let harness = check(requests, on: endlessModel(contextSize: 250, kind: kind))
    // 4 · (20 + 130) cells do not fit, so some were computed twice.
    #expect(harness.model.batches.joined().count > 4 * 149)
    #expect(harness.outputs.values.allSatisfy { $0.tokens == 130 })
  }

  @Test func backgroundAndYoungerOnesGiveWay() {
    let harness = Harness(endlessModel(contextSize: 250))
    harness.generator.submit(request(1, background: true))
    harness.generator.submit(request(2))
    harness.generator.submit(request(3))
    var ends: [Int] = []
    while harness.step() {
      for (id, output) in harness.outputs where output.ends > 0 && !ends.contains(id) { ends.append(id) }
    }
    #expect(ends.sorted() == [1, 2, 3])
    #expect(ends.first == 2)
    #expect(ends.last == 1)
  }

  @Test func aCacheWithLessRoomThanItSays() {
    func smallModel() -> ScriptedModel {
      let model = endlessModel(contextSize: 300)
      model.realCells = 160
      return model
    }
    check((1...5).map { request($0, prompt: 30, maxTokens: 90) }, on: smallModel())
    let harness = Harness(smallModel())
    harness.generator.submit(request(1, prompt: 100, maxTokens: 100))
    harness.generator.submit(request(2, prompt: 200, maxTokens: 100))
    harness.run(mostSteps: 2000)
    // Alone it fills what there is; the room for one more token is not there.
    #expect(harness.outputs[1]?.end == .finished(.contextFull))
    #expect(harness.outputs[1]?.tokens == 61)
    #expect(harness.outputs[2]?.end == .failed(.decodeFailed("there is no room in the KV cache")))
  }

  @Test func noSpaceNowAndThen() {
    let model = ScriptedModel()
    var count = 0
    model.fault = { _ in
      count += 1
      return count % 3 == 0 ? .noSpace : nil
    }
    check((1...6).map { request($0, maxTokens: 40) }, on: model)
  }

  /// What a request is doing when it is cancelled, or finished.
  enum Stage: CaseIterable { case queued, awaitingPrefix, prefilling, firstToken, decoding, paused, preempted }

  @Test(arguments: Stage.allCases, [true, false]) func endingFreesCells(stage: Stage, isCancelled: Bool) {
    let model = endlessModel(contextSize: stage == .preempted ? 250 : 1000)
    let harness = Harness(model) { $0.idleCells = 0 }
    let other = request(1, prompt: 100, maxTokens: 140)
    var victim = request(2, prompt: 200, maxTokens: 100)
    harness.generator.submit(other)
    switch stage {
    case .queued:
      victim = request(2, prompt: 900, maxTokens: 64)
      for _ in 0..<8 { harness.step() }
      harness.generator.submit(victim)
      harness.step()
      #expect(harness.generator.statistics.waiting == 1)
    case .awaitingPrefix:
      victim.prompt = other.prompt + [5]
      harness.generator.submit(victim)
      harness.step()
      #expect(harness.generator.statistics.waiting == 1)
    case .prefilling:
      harness.generator.submit(victim)
      harness.step()
      #expect(harness.outputs[2]?.text.isEmpty ?? true)
    case .firstToken, .decoding, .paused:
      harness.generator.submit(victim)
      while harness.outputs[2]?.text.isEmpty ?? true { harness.step() }
      if stage == .decoding { for _ in 0..<9 { harness.step() } }
      if stage == .paused { harness.generator.setPaused(2, true) }
    case .preempted:
      victim = request(2, prompt: 20, maxTokens: 130)
      harness.generator.submit(victim)
      while harness.generator.statistics.active < 2 { harness.step() }
      while harness.generator.statistics.active == 2 { harness.step() }
      #expect(harness.generator.statistics.waiting == 1)
    }
    let text = harness.outputs[2]?.text
    #expect(isCancelled ? harness.generator.cancel(2) : harness.generator.finish(2))
    harness.step()
    // Within one step only the other's cells are there.
    #expect(model.occupiedCells <= 100 + (harness.outputs[1]?.text.count ?? 0))
    #expect(isCancelled ? !harness.generator.cancel(2) : !harness.generator.finish(2))
    harness.run()
    #expect(harness.outputs[2]?.text ?? [] == text ?? [])
    #expect(harness.outputs[2]?.ends ?? 0 == (isCancelled ? 0 : 1))
    #expect(harness.outputs[2]?.end == (isCancelled ? nil : .finished(.stop)))
    #expect(harness.outputs[1]?.essence == Harness.alone(other, like: model).essence)
    #expect(model.occupiedCells == 0)
  }

  @Test func aPausedRequestStandsStillAndGoesOn() {
    let model = endlessModel(contextSize: 1000)
    let harness = Harness(model) { $0.maxRunning = 1 }
    let first = request(1, maxTokens: 100)
    let second = request(2, maxTokens: 30)
    harness.generator.submit(first)
    for _ in 0..<10 { harness.step() }
    let text = harness.outputs[1]?.text
    harness.generator.setPaused(1, true)
    #expect(!harness.step())
    // It does not keep others from its place either.
    harness.generator.submit(second)
    harness.run()
    #expect(harness.outputs[1]?.text == text)
    #expect(harness.outputs[2]?.essence == Harness.alone(second, like: model).essence)
    harness.generator.setPaused(1, false)
    harness.run()
    #expect(harness.outputs[1]?.essence == Harness.alone(first, like: model).essence)
  }

  @Test func aPromptThatLacksCellsTakesThemFromAPausedRequest() {
    let model = ScriptedModel(contextSize: 200, batchSize: 8, behaviour: .next(Self.endless))
    let harness = Harness(model)
    let first = request(1, maxTokens: 170)
    let second = request(2, prompt: 40, maxTokens: 60)
    harness.generator.submit(first)
    while harness.outputs[1]?.text.count ?? 0 < 40 { harness.step() }
    harness.generator.submit(second)
    harness.step()
    harness.generator.setPaused(2, true)
    while harness.outputs[1]?.text.count ?? 0 < 165 { harness.step() }
    harness.generator.setPaused(1, true)
    harness.generator.setPaused(2, false)
    harness.run()
    #expect(harness.outputs[2]?.essence == Harness.alone(second, like: model).essence)
    harness.generator.setPaused(1, false)
    harness.run()
    #expect(harness.outputs[1]?.essence == Harness.alone(first, like: model).essence)
  }

  @Test(arguments: [MemoryKind.sliceable, .wholeOnly]) func anAbortedStepIsDoneAgain(kind: MemoryKind) {
    let model = endlessModel(contextSize: 1000, kind: kind)
    var count = 0
    model.fault = { _ in
      count += 1
      return count % 4 == 3 ? .aborted : nil
    }
    check((1...4).map { request($0, prompt: 90, maxTokens: 30) }, on: model)
    let harness = Harness(endlessModel(contextSize: 1000, kind: kind))
    harness.model.fault = { _ in .aborted }
    harness.generator.submit(request(1))
    harness.run(mostSteps: 150)
    #expect(
      harness.outputs[1]?.end == .failed(.decodeFailed("the computation was ended again and again")))
  }

  @Test(arguments: [MemoryKind.sliceable, .wholeOnly]) func theRequestThatFailsAStepIsFoundOut(kind: MemoryKind) {
    let model = endlessModel(contextSize: 1000, kind: kind)
    let requests = (1...4).map { request($0, prompt: 30, maxTokens: 30) }
    let harness = Harness(model)
    for request in requests { harness.generator.submit(request) }
    model.fault = { [unowned model] rows in
      let isPoisoned = rows.contains { row in
        let first = rows.first { $0.sequence == row.sequence && $0.position == 0 }?.token
        return row.position == 35 && (first ?? model.tokens(of: row.sequence).first) == 3
      }
      return isPoisoned ? .failed("a bad step") : nil
    }
    harness.run()
    #expect(harness.outputs[3]?.end == .failed(.decodeFailed("a bad step")))
    for request in requests where request.id != 3 {
      #expect(harness.outputs[request.id]?.essence == Harness.alone(request, like: model).essence)
    }
  }
}
