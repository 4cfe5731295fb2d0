import Inference
import Testing

/// Who gets how much of a step, and who is let in: the scheduler alone, every step computed, output that never ends.
@Suite struct SchedulerTests {
  private func scheduler(
    contextSize: Int = 8192, batchSize: Int = 512, maxRunning: Int = 16, idleCells: Int = 2048
  ) -> Scheduler {
    Scheduler(
      limits: SchedulerLimits(
        contextSize: contextSize, batchSize: batchSize, maxSequences: 32, maxRunning: maxRunning, idleCells: idleCells))
  }

  private func request(_ id: Int, _ count: Int, maxTokens: Int = 1000, background: Bool = false) -> GenerationRequest {
    GenerationRequest(
      id: id, prompt: (0..<count).map { Token(id * 31 + $0) }, maxTokens: maxTokens, isBackground: background)
  }

  /// Rows by request of the next step, which is then computed.
  private func step(_ scheduler: inout Scheduler, budget: Int, ending: Set<Int> = []) -> [Int: Int] {
    let plan = scheduler.plan(budget: budget)
    var rows: [Int: Int] = [:]
    for id in plan.requests { rows[id, default: 0] += 1 }
    let sampled = zip(plan.rows, plan.requests).filter(\.0.wantsLogits).map {
      SampledToken(request: $1, result: ending.contains($1) ? .end : .next([7]))
    }
    scheduler.absorb(.computed(sampled))
    #expect(scheduler.isConsistent)
    return rows
  }

  @Test func decodingComesFirstAndThePlanSaysWhoseRowsTheyAre() {
    var scheduler = scheduler()
    scheduler.admit(request(1, 10))
    #expect(step(&scheduler, budget: 64) == [1: 10])
    scheduler.admit(request(2, 200))
    let plan = scheduler.plan(budget: 64)
    #expect(plan.requests == [1] + Array(repeating: 2, count: 63))
    #expect(plan.rows[0] == BatchRow(token: 7, position: 10, sequence: 0, wantsLogits: true))
    #expect(plan.rows[1] == BatchRow(token: 62, position: 0, sequence: 1, wantsLogits: false))
    #expect(plan.rows.filter(\.wantsLogits).count == 1)
    #expect(plan.prefills.map { [$0.request, $0.done, $0.total] } == [[2, 63, 200]])
  }

  @Test(arguments: [
    // Prompts in the order of arrival, and the rows of the first step of 64.
    ([1000], [64]),
    ([1000, 30, 50], [16, 30, 18]),
    ([40, 1000, 50], [40, 0, 24]),
    ([1000, 2000, 3000], [64, 0, 0]),
    ([10, 20, 30], [10, 20, 30]),
  ]) func shortestRestFirstAndAShareForTheOldest(prompts: [Int], rows: [Int]) {
    var scheduler = scheduler()
    for (id, count) in prompts.enumerated() { scheduler.admit(request(id, count)) }
    let done = step(&scheduler, budget: 64)
    #expect(prompts.indices.map { done[$0] ?? 0 } == rows)
  }

  @Test func interactiveBeforeBackground() {
    var scheduler = scheduler()
    scheduler.admit(request(1, 500, background: true))
    scheduler.admit(request(2, 1000))
    scheduler.admit(request(3, 900))
    #expect(step(&scheduler, budget: 64) == [1: 8, 3: 56])
  }

  @Test func aPrefixThatOthersWaitForGoesFirst() {
    var scheduler = scheduler()
    scheduler.admit(request(1, 3000))
    scheduler.admit(request(2, 1000))
    var sharing = request(3, 200)
    sharing.prompt.replaceSubrange(0..<40, with: request(2, 1000).prompt.prefix(40))
    scheduler.admit(sharing)
    scheduler.admit(request(4, 500))
    #expect(step(&scheduler, budget: 64) == [1: 16, 2: 48])
    #expect(step(&scheduler, budget: 64) == [1: 16, 3: 48])
    #expect(scheduler.cachedTokens(of: 3) == 40)
  }

  @Test func promptsGetOnWhenDecodingFillsTheBudget() {
    var scheduler = scheduler()
    for id in 0..<10 { scheduler.admit(request(id, 5)) }
    _ = step(&scheduler, budget: 64)
    scheduler.admit(request(10, 100))
    #expect(step(&scheduler, budget: 4)[10] == Scheduler.leastPrefill)
  }

  @Test func theOldestPromptIsDoneWhateverComes() {
    var scheduler = scheduler()
    scheduler.admit(request(0, 2000))
    var steps = 0
    while scheduler.plan(budget: 64).prefills.first(where: { $0.request == 0 })?.done != 2000 {
      scheduler.absorb(.noSpace)
      scheduler.admit(request(100 + steps, 60, maxTokens: 1))
      _ = step(&scheduler, budget: 64, ending: Set(100..<1000))
      steps += 1
      guard steps < 300 else { break }
    }
    #expect(steps <= 2000 / 16 + 1)
  }

  /// A request that needs the whole cache, while small ones keep coming.
  @Test(arguments: [false, true]) func theBigOneIsNotStarvedBySmallOnes(background: Bool) {
    var scheduler = scheduler(contextSize: 400)
    for id in 0..<3 { scheduler.admit(request(id, 20, maxTokens: 64)) }
    _ = step(&scheduler, budget: 64)
    scheduler.admit(request(1000, 330, background: background))
    var next = 3
    var age: [Int: Int] = [:]
    var steps = 0
    while (scheduler.plan(budget: 64).requests.contains(1000)) == false, steps < 1000 {
      scheduler.absorb(.noSpace)
      scheduler.admit(request(next, 20, maxTokens: 64))
      next += 1
      let rows = step(&scheduler, budget: 64, ending: Set(age.filter { $0.value >= 10 }.keys))
      for id in rows.keys { age[id, default: 0] += 1 }
      steps += 1
    }
    #expect(steps < 200)
  }

  @Test func aWaitingRequestThatDoesNotFitLetsASmallOnePass() {
    var scheduler = scheduler(contextSize: 400)
    scheduler.admit(request(1, 200, maxTokens: 64))
    #expect(step(&scheduler, budget: 512).keys.sorted() == [1])
    scheduler.admit(request(2, 200, maxTokens: 64))
    scheduler.admit(request(3, 20, maxTokens: 64))
    #expect(step(&scheduler, budget: 512).keys.sorted() == [1, 3])
    #expect(scheduler.waitingCount == 1)
  }

  /// A cache of 400 cells holds a request of 200 + 64; the other fits, or not, to the cell.
  @Test(arguments: [(72, 64, true), (73, 64, false), (135, 1, true), (136, 1, false)])
  func admissionCountsCellsExactly(count: Int, maxTokens: Int, fits: Bool) {
    var scheduler = scheduler(contextSize: 400)
    scheduler.admit(request(1, 200))
    _ = step(&scheduler, budget: 512)
    scheduler.admit(request(2, count, maxTokens: maxTokens))
    #expect((step(&scheduler, budget: 512)[2] != nil) == fits)
  }

  @Test func aSharedPrefixCountsOnce() {
    var scheduler = scheduler(contextSize: 400)
    scheduler.admit(request(1, 200))
    _ = step(&scheduler, budget: 512)
    var second = request(2, 260)
    second.prompt.replaceSubrange(0..<200, with: request(1, 200).prompt)
    scheduler.admit(second)
    #expect(step(&scheduler, budget: 512)[2] == 60)
    #expect(scheduler.cachedTokens(of: 2) == 200)
    #expect(scheduler.occupiedCells == 200 + 1 + 60)
  }

  @Test func anInteractiveRequestTakesABackgroundOnesPlace() {
    var scheduler = scheduler(maxRunning: 2)
    scheduler.admit(request(1, 20, background: true))
    scheduler.admit(request(2, 20, background: true))
    _ = step(&scheduler, budget: 64)
    scheduler.admit(request(3, 20))
    #expect(step(&scheduler, budget: 64).keys.sorted() == [1, 3])
    // The end of one lets the other return, whose cells are still there.
    _ = step(&scheduler, budget: 64, ending: [3])
    #expect(step(&scheduler, budget: 64) == [1: 1, 2: 1])
  }

  @Test func theLedgerCountsSharedCellsOnce() {
    var ledger = CellLedger(capacity: 100, maxSequences: 4)
    ledger.setRunning(0, true)
    ledger.extend(0, by: 40)
    ledger.share(from: 0, to: 1, count: 30)
    #expect((ledger.occupied, ledger.heldByRunning, ledger.idle) == (40, 40, 0))
    ledger.extend(1, by: 5)
    #expect((ledger.occupied, ledger.heldByRunning, ledger.idle) == (45, 40, 5))
    #expect(ledger.idleCells(of: 1, first: 33) == 3)
    ledger.truncate(0, to: 10)
    #expect((ledger.occupied, ledger.heldByRunning, ledger.idle) == (35, 10, 25))
    ledger.setRunning(1, true)
    #expect((ledger.occupied, ledger.heldByRunning, ledger.idle) == (35, 35, 0))
    ledger.truncate(0, to: 0)
    ledger.setRunning(1, false)
    #expect((ledger.occupied, ledger.heldByRunning, ledger.idle) == (35, 0, 35))
    ledger.truncate(1, to: 0)
    #expect(ledger.free == 100 && ledger.isConsistent)
  }
}
