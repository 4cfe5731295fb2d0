import Inference
import Testing

/// Idle sequences that are taken out of the KV cache and put back for a prompt that begins like them.
@Suite struct ParkedPrefixTests {
  private func checkCached(
    _ steps: [(prompt: [Token], cached: Int)], on model: ScriptedModel = ScriptedModel(),
    _ configure: (inout GeneratorConfiguration) -> Void = { _ in }, _ location: SourceLocation = #_sourceLocation
  ) -> Harness {
    InferenceTests.checkCached(
      steps.map { (prompt: $0.prompt, borders: [], cached: $0.cached) }, on: model, location, configure: configure)
  }

  private func text(_ number: Int, _ count: Int = 60) -> [Token] {
    [Token(number)] + prompt(count - 1, seed: UInt64(number))
  }

  @Test func onlyTheLastOneStaysInTheCache() {
    let fresh = (1...6).map { (text($0), 0) }
    let harness = checkCached(fresh + (1...6).map { (text($0), 59) })
    #expect(harness.generator.statistics.occupiedCells <= 64)
    #expect(harness.generator.statistics.parked == 6)
  }

  /// It is cut where the prompts part, and stays for others.
  @Test func aPartOfOneIsPutBack() {
    let long = text(1, 200)
    let parting = Array(long.prefix(120)) + [3, 3, 3]
    _ = checkCached([(long, 0), (text(2), 0), (parting, 120), (text(2), 59), (long + [5], 200), (text(2), 59)])
    // A few tokens are read as fast as they are put back.
    _ = checkCached([(long, 0), (text(2), 0), (Array(long.prefix(15)) + text(3), 0)])
  }

  @Test func whatIsOnlyTheStartOfAnotherGoes() {
    var parked = ParkedPrefixes(mostBytes: 100)
    func add(_ tokens: [Token], bytes: Int = 1) -> Bool {
      parked.add(SavedPrefix(tokens: tokens, state: Array(repeating: 0, count: bytes)))
    }
    func found(_ tokens: [Token]) -> (prefix: SavedPrefix, length: Int)? { parked.take(for: tokens, limit: 9) }
    let isTaken = [[1, 2], [1, 3], [1, 2, 3]].map { add($0) }
    #expect(isTaken == [true, true, true] && parked.count == 2)
    let length = found([1, 2, 4])?.length
    #expect(length == 2)
    // The shortest of those that share as much, so that little is put back in vain.
    _ = [[1, 3, 5, 6], [1, 3, 7]].map { add($0) }
    let shortest = found([1, 3, 9])?.prefix.tokens
    #expect(shortest == [1, 3, 7])
    let tooLarge = add([4], bytes: 101)
    #expect(!tooLarge)
  }

  @Test func theOldestGoWhenThereIsNoRoom() {
    // The scripted model's states have four bytes for each token, about 64 of them here.
    _ = checkCached([(text(1), 0), (text(2), 0), (text(3), 0), (text(4), 0), (text(3), 59), (text(1), 0)]) {
      $0.parkedBytes = 600
    }
    // One that is too large for it stays in the cache, as all do where no states are to be had.
    let large = checkCached([(text(1, 300), 0), (text(2), 0), (text(1, 300), 299)]) { $0.parkedBytes = 600 }
    #expect(large.generator.statistics.occupiedCells > 300)
    let model = ScriptedModel()
    model.savesStates = false
    let none = checkCached([(text(1), 0), (text(2), 0), (text(1), 59)], on: model)
    #expect(none.generator.statistics.parked == 0)
  }

  /// A state that the model does not take is read again.
  @Test func aStateThatIsRefusedIsReadAgain() {
    let model = ScriptedModel()
    model.operationFault = { if case .restore = $0 { true } else { false } }
    _ = checkCached([(text(1), 0), (text(2), 0), (text(1), 0)], on: model)
  }

  /// Also while others run, and without their noticing.
  @Test func besideOthers() {
    var requests: [GenerationRequest] = []
    for id in 0..<24 {
      requests.append(GenerationRequest(id: id, prompt: text(1 + id % 6, 40) + text(id), maxTokens: 12 + id))
    }
    let harness = Harness(ScriptedModel()) { $0.maxRunning = 3 }
    for request in requests { harness.generator.submit(request) }
    harness.run()
    for request in requests {
      #expect(harness.outputs[request.id]?.essence == Harness.alone(request, like: harness.model).essence)
    }
    #expect(harness.generator.statistics.parked > 3)
  }
}
