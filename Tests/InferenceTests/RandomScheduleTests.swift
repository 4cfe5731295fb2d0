import Inference
import TestSupport
import Testing

/// Random arrivals, cancels, pauses and faults on small caches: every request ends exactly once, with exactly what it
/// gives alone.
@Suite struct RandomScheduleTests {
  /// 500 schedules, or 50,000 in a soak.
  private static let perBlock = Environment["INKLING_SOAK"] == nil ? 50 : 5000

  @Test(arguments: 0..<10) func schedules(block: Int) {
    for seed in 0..<Self.perBlock {
      var schedule = Schedule(seed: UInt64(block * Self.perBlock + seed))
      schedule.run()
    }
  }
}

private struct Schedule {
  enum Event {
    case submit(GenerationRequest)
    case cancel(Int)
    case finish(Int)
    case pause(Int, Bool)
  }

  let seed: UInt64
  var random: RandomGenerator
  var events: [(step: Int, event: Event)] = []
  var requests: [GenerationRequest] = []
  var cancelled: Set<Int> = []
  var finished: Set<Int> = []
  let model: ScriptedModel

  init(seed: UInt64) {
    self.seed = seed
    random = RandomGenerator(seed: seed)
    model = ScriptedModel(
      contextSize: Int.random(in: 40...300, using: &random), batchSize: Int.random(in: 2...48, using: &random),
      maxSequences: Int.random(in: 1...8, using: &random),
      memoryKind: Int.random(in: 0..<3, using: &random) == 0 ? .wholeOnly : .sliceable,
      behaviour: seed % 2 == 0 ? .random : .logits(Self.following))
    model.keepsBatches = false
    addRequests()
    addFaults()
  }

  /// Random logits that mostly prefer what stands forty tokens before: an output that follows its prompt.
  private static func following(_ tokens: [Token]) -> [Float] {
    let state = ScriptedModel.state(after: tokens)
    var logits = ScriptedModel.randomLogits(state: state, count: ScriptedModel.letters.count)
    if tokens.count >= 40, state % 6 != 0 { logits[Int(tokens[tokens.count - 40])] += 10 }
    return logits
  }

  private mutating func addRequests() {
    let prefixes = (0..<3).map { prompt(Int.random(in: 1...120, using: &random), seed: seed &* 3 &+ $0) }
    for id in 1...Int.random(in: 2...14, using: &random) {
      let prefix = prefixes[Int.random(in: 0..<3, using: &random)].prefix(Int.random(in: 0...120, using: &random))
      let count = prefix.count + Int.random(in: 0...60, using: &random)
      let isGreedy = Bool.random(using: &random)
      let request = GenerationRequest(
        id: id, prompt: prompt(count, seed: seed ^ UInt64(id) << 20, sharing: Array(prefix)),
        savedBorders: Bool.random(using: &random) ? [prefix.count, count] : [],
        sampling: isGreedy ? SamplingParameters() : sampling(seed: UInt64(id)),
        maxTokens: Int.random(in: 1...90, using: &random),
        stop: Bool.random(using: &random) ? [Array("ab".utf8), Array("the e".utf8)] : [],
        isBackground: Int.random(in: 0..<3, using: &random) == 0, draftSource: id % 4 == 0 ? nil : 0..<count)
      requests.append(request)
      let arrival = Int.random(in: 0...60, using: &random)
      events.append((arrival, .submit(request)))
      if Int.random(in: 0..<5, using: &random) == 0 {
        cancelled.insert(id)
        events.append((arrival + Int.random(in: 0...40, using: &random), .cancel(id)))
      } else if Int.random(in: 0..<5, using: &random) == 0 {
        events.append((arrival + Int.random(in: 1...40, using: &random), .finish(id)))
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        let pause = arrival + Int.random(in: 0...20, using: &random)
        events.append((pause, .pause(id, true)))
        events.append((pause + Int.random(in: 1...40, using: &random), .pause(id, false)))
      }
    }
    events = events.enumerated().sorted { ($0.element.step, $0.offset) < ($1.element.step, $1.offset) }.map(\.element)
  }

  private mutating func sampling(seed: UInt64) -> SamplingParameters {
    SamplingParameters(
      temperature: 0.9, topK: Int.random(in: 0...5, using: &random), topP: Float.random(in: 0.3...1, using: &random),
      minP: Float.random(in: 0...0.3, using: &random), seed: seed, repetitionPenalty: 1.3)
  }

  /// Faults that are nobody's fault: they must not show in any output.
  private func addFaults() {
    var random = RandomGenerator(seed: seed &+ 1_000_003)
    let rate = Int.random(in: 0..<3, using: &random) == 0 ? 12 : 0
    guard rate > 0 else { return }
    var last: DecodeFailure?
    model.fault = { rows in
      defer { if last != nil { last = nil } }
      guard last == nil, Int.random(in: 0..<rate, using: &random) == 0 else { return nil }
      switch Int.random(in: 0..<3, using: &random) {
      case 0: last = .aborted
      case 1 where Set(rows.map(\.sequence)).count > 1: last = .failed("for once")
      default: last = rows.count > 1 ? .noSpace : .aborted
      }
      return last
    }
    model.operationFault = { operation in
      if case .remove(_, from: 0) = operation { return false }
      return Int.random(in: 0..<rate, using: &random) == 0
    }
  }

  mutating func run() {
    let harness = Harness(model) { [seed] configuration in
      configuration.idleCells = Int(seed % 5) * 30
      configuration.maxRunning = 1 + Int(seed % 7)
      configuration.maxPinned = Int(seed % 3)
    }
    var step = 0
    var worked = true
    while worked || !events.isEmpty {
      while let next = events.first, next.step <= step || !worked {
        events.removeFirst()
        worked = true
        apply(next.event, to: harness)
      }
      worked = harness.step()
      step += 1
      if step > 20_000 { break }
      if !model.violations.isEmpty || (step % 16 == 0 && !harness.generator.isConsistent) { break }
    }
    verify(harness)
  }

  private mutating func apply(_ event: Event, to harness: Harness) {
    switch event {
    case .submit(let request): harness.generator.submit(request)
    case .cancel(let id):
      // One that had ended already counts like the others.
      if !harness.generator.cancel(id) { cancelled.remove(id) }
    case .finish(let id):
      if harness.generator.finish(id) { finished.insert(id) }
    case .pause(let id, let isPaused): harness.generator.setPaused(id, isPaused)
    }
  }

  private func verify(_ harness: Harness) {
    #expect(model.violations == [], "seed \(seed)")
    #expect(harness.generator.isConsistent, "seed \(seed)")
    #expect(harness.generator.statistics.occupiedCells == model.occupiedCells, "seed \(seed)")
    #expect(harness.generator.statistics.active + harness.generator.statistics.waiting == 0, "seed \(seed)")
    for request in requests {
      let output = harness.outputs[request.id] ?? Output()
      if cancelled.contains(request.id) {
        #expect(output.ends == 0, "seed \(seed), request \(request.id)")
      } else if finished.contains(request.id) {
        // What there is of it is what it would have begun with.
        let alone = Harness.alone(request, like: model)
        #expect(output.ends == 1 && output.end == .finished(.stop), "seed \(seed), request \(request.id)")
        #expect(alone.text.starts(with: output.text), "seed \(seed), request \(request.id)")
      } else {
        #expect(output.ends == 1, "seed \(seed), request \(request.id)")
        #expect(
          output.essence == Harness.alone(request, like: model).essence, "seed \(seed), request \(request.id)")
      }
    }
  }
}
