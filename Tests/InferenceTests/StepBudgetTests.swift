import Inference
import Testing

@Suite struct StepBudgetTests {
  /// Machines: the time of a step, and of a row, in microseconds.
  @Test(arguments: [(1000, 100), (5000, 1400), (8000, 3000), (20_000, 9000), (50, 5)])
  func stepsReachTheTargetAndKeepIt(step: Int, row: Int) {
    var budget = StepBudget(target: .milliseconds(150), initial: 64, least: 16, most: 2048)
    func time(_ rows: Int) -> Duration { .microseconds(step + row * rows) }
    for _ in 0..<12 { budget.record(rows: budget.rows, time: time(budget.rows)) }
    let settled = budget.rows
    #expect(time(settled) <= .milliseconds(150) || settled == 16)
    // No more than a tenth of the target is given away, unless the batch is the limit.
    #expect(time(settled) >= .milliseconds(130) || settled == 2048)
    for _ in 0..<50 {
      budget.record(rows: budget.rows, time: time(budget.rows))
      budget.record(rows: 1, time: time(1))
    }
    #expect(abs(budget.rows - settled) <= max(1, settled / 50))
  }

  @Test func oneSlowStepHalvesItAtMostAndSmallStepsSayNothing() {
    var budget = StepBudget(target: .milliseconds(150), initial: 64, least: 16, most: 512)
    budget.record(rows: 64, time: .seconds(10))
    #expect(budget.rows == 32)
    budget.record(rows: 2, time: .seconds(10))
    #expect(budget.rows == 32)
    budget.record(rows: 10, time: .milliseconds(1))
    #expect(budget.rows == 32)
    budget.record(rows: 32, time: .zero)
    #expect(budget.rows == 64)
  }

  @Test func theGeneratorMeasuresItsSteps() {
    let model = ScriptedModel()
    let harness = Harness(model)
    model.fault = { [clock = harness.clock] rows in
      clock.time += .milliseconds(2 * rows.count)
      return nil
    }
    harness.generator.submit(GenerationRequest(id: 1, prompt: prompt(3000, seed: 1), maxTokens: 2))
    harness.run()
    #expect(model.batches.dropFirst(2).dropLast(2).allSatisfy { (70...75).contains($0.count) })
  }
}
