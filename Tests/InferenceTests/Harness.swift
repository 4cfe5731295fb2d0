import Inference
import Testing

/// What came of one request.
struct Output: Equatable {
  enum End: Equatable {
    case finished(GenerationSummary.FinishReason)
    case failed(GenerationFailure)
  }

  var text: [UInt8] = []
  var tokens = 0
  var cached = 0
  var used = 0
  var repeated = false
  var logProbability = 0.0
  var end: End?
  var ends = 0
  var prefills: [Int] = []

  var string: String { String(decoding: text, as: UTF8.self) }
  /// What must not depend on what else runs.
  var essence: [String] { [string, "\(tokens)", "\(used)", "\(String(describing: end))", "\(repeated)"] }
}

/// A generator on a scripted model, a clock that a test moves, and what came out so far.
final class Harness {
  final class Clock { var time = Duration.zero }

  let model: ScriptedModel
  let generator: Generator
  let clock = Clock()
  var outputs: [Int: Output] = [:]

  init(_ model: ScriptedModel, configure: (inout GeneratorConfiguration) -> Void = { _ in }) {
    self.model = model
    var configuration = GeneratorConfiguration()
    configure(&configuration)
    generator = Generator(model: model, configuration: configuration, now: { [clock] in clock.time })
  }

  /// One step; false when there was nothing to do.
  @discardableResult
  func step() -> Bool {
    let worked = generator.step()
    take()
    return worked
  }

  /// Steps until nothing is left to do; a number of steps that is surely too many is a failure.
  func run(mostSteps: Int = 50_000, _ location: SourceLocation = #_sourceLocation) {
    var steps = 0
    while step() {
      steps += 1
      if steps == mostSteps {
        Issue.record("still going on after \(mostSteps) steps", sourceLocation: location)
        return
      }
    }
    expectSound(location)
  }

  func expectSound(_ location: SourceLocation = #_sourceLocation) {
    #expect(model.violations == [], sourceLocation: location)
    #expect(generator.isConsistent, sourceLocation: location)
    #expect(generator.statistics.occupiedCells == model.occupiedCells, sourceLocation: location)
  }

  func take() {
    for event in generator.takeEvents() {
      switch event {
      case .prefill(let request, let done, _): outputs[request, default: Output()].prefills.append(done)
      case .text(let request, let text): outputs[request, default: Output()].text += text
      case .finished(let request, let summary):
        outputs[request, default: Output()].end = .finished(summary.finishReason)
        outputs[request, default: Output()].tokens = summary.completionTokens
        outputs[request, default: Output()].cached = summary.cachedTokens
        outputs[request, default: Output()].used = summary.contextUsed
        outputs[request, default: Output()].repeated = summary.repeated
        outputs[request, default: Output()].logProbability = summary.logProbability
        outputs[request, default: Output()].ends += 1
      case .failed(let request, let failure):
        outputs[request, default: Output()].end = .failed(failure)
        outputs[request, default: Output()].ends += 1
      }
    }
  }

  /// What a request gives on a model of its own, without drafts.
  static func alone(_ request: GenerationRequest, like model: ScriptedModel) -> Output {
    let harness = Harness(
      ScriptedModel(
        contextSize: model.contextSize, batchSize: model.batchSize, maxSequences: 1, memoryKind: model.memoryKind,
        pieces: model.pieces, behaviour: model.behaviour)
    ) { $0.drafts = false }
    harness.generator.submit(request)
    harness.run()
    return harness.outputs[request.id] ?? Output()
  }
}

/// Runs prompts one after another, each to its end, and expects how many of its tokens each found, and that it gives
/// what it gives alone.
@discardableResult
func checkCached(
  _ steps: [(prompt: [Token], borders: [Int], cached: Int)], on model: ScriptedModel = ScriptedModel(),
  _ location: SourceLocation = #_sourceLocation, configure: (inout GeneratorConfiguration) -> Void
) -> Harness {
  let harness = Harness(model, configure: configure)
  for (id, step) in steps.enumerated() {
    let request = GenerationRequest(id: id, prompt: step.prompt, savedBorders: step.borders, maxTokens: 4)
    harness.generator.submit(request)
    harness.run(location)
    #expect(harness.outputs[id]?.cached == step.cached, "prompt \(id)", sourceLocation: location)
    #expect(
      harness.outputs[id]?.essence == Harness.alone(request, like: model).essence, "prompt \(id)",
      sourceLocation: location)
    #expect(harness.generator.isConsistent && model.violations == [], "prompt \(id)", sourceLocation: location)
  }
  return harness
}

/// Runs requests together and expects of each what it gives alone.
@discardableResult
func check(
  _ requests: [GenerationRequest], on model: ScriptedModel = ScriptedModel(),
  configure: (inout GeneratorConfiguration) -> Void = { _ in }, _ location: SourceLocation = #_sourceLocation
) -> Harness {
  let harness = Harness(model, configure: configure)
  for request in requests { harness.generator.submit(request) }
  harness.run(location)
  for request in requests {
    let output = harness.outputs[request.id] ?? Output()
    #expect(output.ends == 1, sourceLocation: location)
    #expect(output.essence == Harness.alone(request, like: model).essence, sourceLocation: location)
  }
  return harness
}

/// A prompt of pseudo-random tokens of `ScriptedModel.letters`.
func prompt(_ count: Int, seed: UInt64, sharing prefix: [Token] = []) -> [Token] {
  var random = RandomGenerator(seed: seed)
  return prefix + (0..<max(0, count - prefix.count)).map { _ in Token.random(in: 1..<27, using: &random) }
}
