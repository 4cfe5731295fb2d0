import Inference
import Llama
import TestSupport
import Testing

/// A tiny model, requests to it, and what they give when each has the model to itself.
struct ArchitectureBench {
  let tiny: TinyModel
  let model: LlamaModel
  /// Two instructions with three texts each, greedy. Their borders are the ends of the instructions.
  let requests: [GenerationRequest]

  private static let instructions = [
    "You rewrite texts. Keep the names, the numbers and the meaning, and write nothing else.",
    "Say in a few words what the text is about, for a reader who is in a hurry and has seen many of these.",
  ]
  private static let texts = [
    "The sea was calm.", "Anna has missed the train to Zürich twice this week, and it was not her fault.",
    "Nobody in the village remembered when the old lighthouse was built, or by whom, or what for. It stood there.",
  ]

  init(_ tiny: TinyModel, context: Int = 2048, output: Int = 24, reproducible: Bool = true) throws {
    self.tiny = tiny
    let model = try LlamaModel.load(
      path: try tiny.path(), options: .init(contextSize: context, threads: 1, reproducible: reproducible))
    self.model = model
    requests = try Self.instructions.enumerated().flatMap { number, instructions in
      let prompts = try Self.texts.map { try model.prompt($0, system: instructions) }
      let border = zip(prompts[0], prompts[1]).prefix { $0 == $1 }.count
      return prompts.enumerated().map { index, prompt in
        GenerationRequest(id: number * 10 + index, prompt: prompt, savedBorders: [border], maxTokens: output)
      }
    }
  }

  /// What a token writes.
  func bytes(of token: Token) -> [UInt8] {
    var bytes: [UInt8] = []
    model.appendBytes(of: token, to: &bytes)
    return bytes
  }

  /// Empties the model's memory.
  func clear() {
    for sequence in 0..<SequenceID(model.maxSequences) { _ = model.apply(.remove(sequence: sequence, from: 0)) }
  }

  /// Sequences of which libllama holds something.
  var usedSequences: Int { (0..<SequenceID(model.maxSequences)).count { model.state(of: $0) != nil } }

  /// Begins with empty memory. Its clock only counts how often it was asked, so that steps are the same in every run.
  func generator(_ configure: (inout GeneratorConfiguration) -> Void = { _ in }) -> Generator {
    clear()
    var configuration = GeneratorConfiguration()
    // As the engine does.
    if model.facts.reproducible { configuration.parkedBytes = 0 }
    configure(&configuration)
    var ticks = 0
    return Generator(model: model, configuration: configuration) {
      ticks += 1
      return .milliseconds(5 * ticks)
    }
  }

  /// How much likelier, as logits, the one text's token is than the other's where they part; infinite when one text is
  /// the start of the other.
  func margin(_ request: GenerationRequest, _ one: [Token], _ other: [Token]) throws -> Float {
    let common = zip(one, other).prefix { $0 == $1 }.count
    guard common < min(one.count, other.count) else { return .infinity }
    clear()
    let logits = try model.prefill(request.prompt + one.prefix(common), chunk: 63)
    return abs(logits[Int(one[common])] - logits[Int(other[common])])
  }

  /// The tokens of each request, computed one after another from nothing.
  func alone(_ requests: [GenerationRequest]? = nil) throws -> [Int: [Token]] {
    var texts: [Int: [Token]] = [:]
    for request in requests ?? self.requests {
      let generator = generator { ($0.reusesPrefixes, $0.drafts) = (false, false) }
      generator.submit(request)
      var summaries: [Int: GenerationSummary] = [:]
      try generator.finish(into: &summaries)
      texts[request.id] = summaries[request.id]?.tokens
      #expect(generator.statistics.occupiedCells == 0)
    }
    return texts
  }
}

extension ArchitectureBench {
  /// What became of the requests of a run.
  struct Run {
    var statistics: InferenceStatistics
    var summaries: [Int: GenerationSummary] = [:]
    /// How often a request lost its sequence before it had ended.
    var preemptions = 0

    /// How much of a request's prompt was known.
    func cached(_ id: Int) -> Int { summaries[id]?.cachedTokens ?? -1 }
  }

  /// The one door: groups of requests, each submitted when the one before has ended, write what each request writes
  /// alone. Afterwards libllama holds the sequences that the scheduler has kept, and no others.
  ///
  /// - Parameters:
  ///   - late: a request that is submitted after so many steps.
  ///   - cancels: the requests that are cancelled after so many steps. All others have to end.
  ///   - finishes: the requests that are ended after so many steps with what they have written by then.
  ///   - exactly: not where a sequence gets cells that others have left: attention adds up in the order of the cells,
  ///     and two tokens that are nearly equally likely can change places (`ExactnessTests`). A model without attention
  ///     is exact all the same.
  @discardableResult
  func check(
    _ groups: [[GenerationRequest]], late: (request: GenerationRequest, step: Int)? = nil, cancels: [Int: Int] = [:],
    finishes: [Int: Int] = [:], exactly: Bool = true, keeps: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Run {
    let all = groups.flatMap { $0 } + (late.map { [$0.request] } ?? [])
    let expected = try alone(all.filter { !$0.prefillOnly })
    let generator = generator {
      if !keeps { ($0.idleCells, $0.conversationCells, $0.maxPinned) = (0, 0, 0) }
    }
    var run = Run(statistics: generator.statistics)
    var steps = 0
    for group in groups {
      for request in group { generator.submit(request) }
      var former = (active: 0, ended: 0)
      try generator.finish(into: &run.summaries) { generator, ended in
        let active = generator.statistics.active
        run.preemptions += max(0, former.active - active - (ended - former.ended))
        former = (active, ended)
        steps += 1
        if let id = cancels[steps] { #expect(generator.cancel(id), sourceLocation: sourceLocation) }
        if let id = finishes[steps] { #expect(generator.finish(id), sourceLocation: sourceLocation) }
        if let late, late.step == steps { generator.submit(late.request) }
      }
    }
    run.statistics = generator.statistics
    #expect(run.statistics.active == 0 && run.statistics.waiting == 0, sourceLocation: sourceLocation)
    #expect(run.statistics.sequences == usedSequences, "\(tiny)", sourceLocation: sourceLocation)
    #expect(keeps || run.statistics.occupiedCells == 0, "\(tiny)", sourceLocation: sourceLocation)
    #expect(model.memoryKind == .sliceable || run.statistics.drafted == 0, sourceLocation: sourceLocation)
    for request in all {
      let text = run.summaries[request.id]?.tokens
      let isMissing = text == nil && !cancels.values.contains(request.id)
      #expect(!isMissing, "\(tiny): request \(request.id)", sourceLocation: sourceLocation)
      guard let text, var right = expected[request.id] else { continue }
      if finishes.values.contains(request.id) { right = Array(right.prefix(text.count)) }
      if text == right { continue }
      let margin = try margin(request, right, text)
      let most: Float = exactly || tiny == .mamba ? 0 : 0.5
      #expect(margin < most, "\(tiny): request \(request.id)", sourceLocation: sourceLocation)
    }
    return run
  }
}

extension GenerationRequest {
  func with(id: Int) -> GenerationRequest {
    var other = self
    other.id = id
    return other
  }
}

extension Generator {
  /// Steps until there is nothing to do, and tells after each step how many requests have ended. One that fails is an
  /// error.
  func finish(into summaries: inout [Int: GenerationSummary], step: (Generator, Int) -> Void = { _, _ in }) throws {
    var ended = 0
    while self.step() {
      for event in takeEvents() {
        switch event {
        case .finished(let id, let summary):
          summaries[id] = summary
          ended += 1
        case .failed(_, let failure): throw failure
        case .prefill, .text: break
        }
      }
      step(self, ended)
      #expect(isConsistent)
    }
  }
}
