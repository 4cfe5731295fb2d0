import Inference
import Testing

/// Drafts change how many steps an output takes, and nothing else.
@Suite struct DraftTests {
  private static let letters = Token(1)..<27

  /// Copies the source, a stretch of the prompt, but for the places where `edit` says otherwise.
  private static func copying(
    _ source: [Token], of promptCount: Int, edit: [Int: [Token]] = [:]
  ) -> (model: ScriptedModel.Behaviour, output: [Token]) {
    let output = source.indices.flatMap { edit[$0] ?? [source[$0]] }
    return (
      .next { $0.count - promptCount < output.count ? output[$0.count - promptCount] : ScriptedModel.end }, output
    )
  }

  private static func request(_ id: Int, _ prompt: [Token], source: Range<Int>) -> GenerationRequest {
    GenerationRequest(id: id, prompt: prompt, maxTokens: 400, draftSource: source)
  }

  @Test(
    arguments: [
      [:],
      [40: [27]],
      [40: [], 41: []],
      [40: [5, 9, 27, 27]],
      [0: [27, 3], 20: [], 60: [27], 61: [27], 99: []],
    ] as [[Int: [Token]]]) func aRewriteTakesFewerSteps(edit: [Int: [Token]])
  {
    let tokens = prompt(130, seed: 7)
    let source = Array(tokens[20..<120])
    let (behaviour, output) = Self.copying(source, of: tokens.count, edit: edit)
    let harness = check([Self.request(1, tokens, source: 20..<120)], on: ScriptedModel(behaviour: behaviour))
    #expect(harness.outputs[1]?.tokens == output.count)
    let steps = harness.model.batches.count
    #expect(steps < output.count / 2, "\(steps) steps")
    let statistics = harness.generator.statistics
    #expect(statistics.accepted >= output.count / 2 && statistics.accepted <= statistics.drafted)

    let plain = check([Self.request(1, tokens, source: 20..<120)], on: ScriptedModel(behaviour: behaviour)) {
      $0.drafts = false
    }
    #expect(plain.generator.statistics.drafted == 0)
    #expect(plain.outputs[1] == harness.outputs[1])
  }

  @Test func whatGoesItsOwnWayIsHardlyDrafted() {
    let behaviour: ScriptedModel.Behaviour = .next {
      Self.letters.lowerBound + Token(ScriptedModel.state(after: $0) % UInt64(Self.letters.count))
    }
    let request = Self.request(1, prompt(200, seed: 3), source: 0..<200)
    let harness = check([request], on: ScriptedModel(behaviour: behaviour))
    #expect(harness.outputs[1]?.tokens == 400)
    #expect(harness.generator.statistics.drafted < 100, "\(harness.generator.statistics.drafted)")
  }

  @Test func thereAreNoDraftsWithoutASourceOrWhereTheMemoryCannotBeCut() {
    let tokens = prompt(60, seed: 7)
    let (behaviour, _) = Self.copying(tokens, of: 60)
    for (source, kind) in [(nil, MemoryKind.sliceable), (0..<60, .wholeOnly), (0..<0, .sliceable)] {
      let harness = check(
        [GenerationRequest(id: 1, prompt: tokens, draftSource: source)],
        on: ScriptedModel(memoryKind: kind, behaviour: behaviour))
      #expect(harness.generator.statistics.drafted == 0)
    }
  }

  @Test func aDraftEndsWhereTheOutputMustEnd() {
    let tokens = prompt(60, seed: 7)
    let (behaviour, _) = Self.copying(tokens, of: 60)
    for most in 1...24 {
      let harness = check(
        [GenerationRequest(id: 1, prompt: tokens, maxTokens: most, draftSource: 0..<60)],
        on: ScriptedModel(behaviour: behaviour))
      #expect(harness.outputs[1]?.tokens == most)
      // The last token is never computed.
      #expect(harness.model.batches.joined().allSatisfy { Int($0.position) < 60 + most - 1 })
    }
    // The window ends before the text does.
    check([GenerationRequest(id: 1, prompt: tokens, draftSource: 0..<60)], on: ScriptedModel(contextSize: 125))
    let small = check(
      [GenerationRequest(id: 1, prompt: tokens, maxTokens: 400, draftSource: 0..<60)],
      on: ScriptedModel(contextSize: 124, behaviour: .next { tokens[($0.count - 60) % 60] }))
    #expect(small.outputs[1]?.end == .finished(.contextFull))
  }

  @Test func aStopStringEndsTheOutputInTheMiddleOfADraft() {
    let tokens = prompt(80, seed: 7)
    let (behaviour, output) = Self.copying(tokens, of: 80)
    var request = GenerationRequest(id: 1, prompt: tokens, draftSource: 0..<80)
    request.stop = [output[50..<54].map { ScriptedModel.letters[Int($0)][0] }]
    let harness = check([request], on: ScriptedModel(behaviour: behaviour))
    #expect(harness.outputs[1]?.text.count ?? 99 <= 50)
    // What was behind it is not taken for a part of the conversation.
    let text = tokens + output.prefix(harness.outputs[1]?.tokens ?? 0)
    harness.generator.submit(GenerationRequest(id: 2, prompt: text + [3, 4], maxTokens: 3))
    harness.run()
    #expect(harness.outputs[2]?.cached ?? 0 >= 80)
  }

  @Test func draftsTakeNoCellsFromOthers() {
    let tokens = prompt(100, seed: 7)
    let copy: ScriptedModel.Behaviour = .next { all in
      all.count - 100 < 100 ? all[all.count - 100] : ScriptedModel.end
    }
    // There is room for both and their outputs, but for no draft beside them.
    let requests = (1...2).map { id in
      GenerationRequest(id: id, prompt: prompt(100, seed: UInt64(id)), maxTokens: 100, draftSource: 0..<100)
    }
    let harness = check(requests, on: ScriptedModel(contextSize: 400, behaviour: copy))
    #expect(harness.outputs.values.allSatisfy { $0.ends == 1 })
    // A cache with less room than it says loses nothing either.
    let tight = ScriptedModel(contextSize: 400, behaviour: copy)
    tight.realCells = 203
    check([Self.request(1, tokens, source: 0..<100)], on: tight)
  }

  @Test func draftsGoBesideOtherRequests() {
    let copy: ScriptedModel.Behaviour = .next { all in
      all.count < 240 ? all[all.count - 120] : ScriptedModel.end
    }
    let requests = (1...4).map { Self.request($0, prompt(120, seed: UInt64($0)), source: 0..<120) }
    let harness = check(requests, on: ScriptedModel(behaviour: copy))
    #expect(harness.generator.statistics.accepted > 120)
    #expect(harness.model.batches.allSatisfy { $0.count <= 32 || $0.contains { !$0.wantsLogits } })
  }

  @Test func whereTheOrderOfCellsMattersThereAreDraftsOnlyAlone() {
    let copy: ScriptedModel.Behaviour = .next { all in
      all.count < 240 ? all[all.count - 120] : ScriptedModel.end
    }
    func run(_ count: Int) -> Harness {
      let requests = (1...count).map { Self.request($0, prompt(120, seed: UInt64($0)), source: 0..<120) }
      return check(requests, on: ScriptedModel(behaviour: copy)) { $0.draftsBesideOthers = false }
    }
    let together = run(2)
    #expect(
      together.model.batches.allSatisfy { rows in
        Set(rows.map(\.sequence)).count == 1 || rows.filter(\.wantsLogits).count <= 2
      })
    #expect(run(1).generator.statistics.accepted > 60)
  }

  @Test func aStepThatFailsTakesItsDraftAlong() {
    let tokens = prompt(100, seed: 7)
    let (behaviour, _) = Self.copying(tokens, of: 100)
    for failure in [DecodeFailure.aborted, .noSpace] {
      let model = ScriptedModel(behaviour: behaviour)
      var number = 0
      model.fault = { _ in
        number += 1
        return number % 3 == 0 ? failure : nil
      }
      check([Self.request(1, tokens, source: 0..<100)], on: model)
    }
  }

  @Test func costsAreLearnt() {
    var cost = StepCost()
    #expect(cost(rows: 1) == 1)
    #expect(cost(rows: 33) > cost(rows: 32))
    for _ in 0..<40 {
      cost.record(rows: 1, time: .milliseconds(10))
      cost.record(rows: 16, time: .milliseconds(160))
    }
    // No better than one by one: with two threads on a busy machine, for instance.
    #expect(cost(rows: 16) / cost(rows: 1) > 12)
    // One bad moment passes.
    cost = StepCost()
    cost.record(rows: 8, time: .seconds(1))
    for _ in 0..<1000 { cost.record(rows: 1, time: .milliseconds(10)) }
    #expect(cost(rows: 8) / cost(rows: 1) < 4)
  }
}
