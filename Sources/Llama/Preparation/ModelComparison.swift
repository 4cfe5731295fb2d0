import Inference

/// What was measured of one of several models that are compared.
public struct ModelFigures: Sendable, Equatable {
  /// As libllama describes the file type.
  public var quantization = ""
  /// Lower quartiles of the times over all runs.
  public var prefillTokensPerSecond = 0.0
  public var decodeTokensPerSecond = 0.0
  /// The time of a whole run (so many tokens read, so many written) as a part of the first model's; 1 for the first.
  public var relativeTime = 1.0
  /// e to the mean of the text's tokens' negative log-likelihoods.
  public var perplexity = 0.0
  /// The mean Kullback-Leibler divergence of its next-token distributions from the first model's, in nats; 0 for the
  /// first.
  public var divergence = 0.0
}

/// Compares models of one vocabulary: how fast they are, and how far their distributions lie from the first one's.
///
/// Everything is teacher-forced on one text, so that all models do the same work and none of it is a matter of luck.
public struct ModelComparison {
  /// What is measured.
  public struct Plan: Sendable {
    /// A text of a few hundred tokens at least.
    public var text: String
    /// A run: tokens read at once, and then written one by one.
    public var promptTokens = 100
    public var writtenTokens = 50
    /// The speed is measured for about as long, in rounds of two runs of each model; one at least.
    public var time = Duration.seconds(10)
    public var threads = 0

    public init(text: String) { self.text = text }

    fileprivate var runTokens: Int { promptTokens + writtenTokens }
  }

  public enum Problem: Error, Equatable {
    /// The model with that index cannot be loaded.
    case load(Int, ModelLoadError)
    /// The models cannot be compared, or not with this text; the sentence says why.
    case unsuitable(String)
    case decode(DecodeFailure)
  }

  private enum Limits {
    /// Tokens of the text that are looked at.
    static let tokens = 640
    /// Rows whose logits of the first model are held at once.
    static let rows = 64
    static let rounds = 20.0
  }

  private let plan: Plan
  private let models: [LlamaModel]
  private let tokens: [Token]

  /// Measures the models; the first is what the others are compared with. They are loaded all at once, on the calling
  /// thread.
  ///
  /// - Parameters:
  ///   - signal: ends the work.
  ///   - progress: 0…1; heard after every run and often while the models are loaded, also when it stays the same.
  public static func measure(
    _ paths: [String], plan: Plan, signal: ComputeSignal = ComputeSignal(), progress: (Double) -> Void = { _ in }
  ) throws(Problem) -> [ModelFigures] {
    var models: [LlamaModel] = []
    for (index, path) in paths.enumerated() {
      do throws(ModelLoadError) {
        let options = LlamaModel.Options(contextSize: Limits.tokens, threads: plan.threads)
        let model = try LlamaModel.load(path: path, options: options, signal: signal) {
          progress((Double(index) + $0) / Double(paths.count) * 0.1)
        }
        models.append(model)
      } catch {
        throw .load(index, error)
      }
    }
    let comparison = try ModelComparison(plan: plan, models: models)
    var figures = models.map { model in
      var figures = ModelFigures()
      figures.quantization = model.facts.quantization
      return figures
    }
    do throws(DecodeFailure) {
      try comparison.measureDrift(&figures) { progress(0.1 + $0 * 0.3) }
      try comparison.measureSpeed(&figures) { progress(0.4 + $0 * 0.6) }
    } catch {
      throw .decode(error)
    }
    progress(1)
    return figures
  }

  private init(plan: Plan, models: [LlamaModel]) throws(Problem) {
    guard let first = models.first else { throw .unsuitable("There is no model to measure.") }
    guard (1...Limits.tokens).contains(plan.promptTokens), (1...Limits.tokens).contains(plan.writtenTokens) else {
      throw .unsuitable("A run reads and writes 1 to \(Limits.tokens) tokens.")
    }
    for model in models where model.vocabularySize != first.vocabularySize {
      throw .unsuitable("\(model.facts.path) has another vocabulary than \(first.facts.path).")
    }
    let room = models.map(\.contextSize).min() ?? 0
    let prompt = first.template.render([ChatMessage(.user, plan.text)])
    let tokens: [Token]
    do throws(CancellationError) {
      tokens = try Array(first.vocabulary.tokenise(prompt.segments).tokens.prefix(room))
    } catch {
      throw .decode(.aborted)
    }
    guard tokens.count >= plan.runTokens else {
      throw .unsuitable("The sample text has \(tokens.count) tokens, and a run takes \(plan.runTokens).")
    }
    self.plan = plan
    self.models = models
    self.tokens = tokens
  }

  // MARK: - Drift

  private func measureDrift(_ figures: inout [ModelFigures], _ progress: (Double) -> Void) throws(DecodeFailure) {
    var surprise = [Double](repeating: 0, count: models.count)
    var divergence = surprise
    // The last token has no successor to be predicted.
    let count = tokens.count - 1
    var start = 0
    while start < count {
      let end = min(start + Limits.rows, count)
      var reference: [Distribution] = []
      for (index, model) in models.enumerated() {
        try model.decode(rows(start..<end, wantsLogits: true))
        for position in start..<end {
          let row = position - start
          let own = unsafe model.withLogits(row: row) { unsafe Distribution(UnsafeBufferPointer($0)) }
          surprise[index] -= own.logProbability(of: tokens[position + 1])
          if index == 0 {
            reference.append(own)
          } else {
            divergence[index] += reference[row].divergence(of: own)
          }
        }
        let part = Double(end - start) * Double(index + 1) / Double(models.count)
        progress((Double(start) + part) / Double(count))
      }
      start = end
    }
    for index in models.indices {
      figures[index].perplexity = exponential(surprise[index] / Double(count))
      figures[index].divergence = divergence[index] / Double(count)
    }
  }

  private func rows(_ range: Range<Int>, wantsLogits: Bool) -> [BatchRow] {
    range.map { position in
      BatchRow(
        token: tokens[position], position: Int32(position), sequence: 0,
        wantsLogits: wantsLogits || position == range.upperBound - 1)
    }
  }

  // MARK: - Speed

  /// The times of one model's runs, in seconds.
  private struct Times {
    /// Of each prompt read.
    var reading: [Double] = []
    /// Of each token written.
    var writing: [Double] = []
  }

  /// There and back again (A B C C B A), so that what changes on the machine meanwhile falls on all alike.
  private func measureSpeed(_ figures: inout [ModelFigures], _ progress: (Double) -> Void) throws(DecodeFailure) {
    var times = [Times](repeating: Times(), count: models.count)
    // The first run of each touches its weights for the first time, and does not count.
    for model in models {
      var ignored = Times()
      try run(model, &ignored)
      progress(0)
    }
    let start = ContinuousClock.now
    var elapsed = 0.0
    var rounds = 0.0
    repeat {
      for index in Array(models.indices) + models.indices.reversed() {
        try run(models[index], &times[index])
        elapsed = (ContinuousClock.now - start) / plan.time
        progress(min(1, elapsed))
      }
      rounds += 1
      // Another round when more than half of it lies within the time.
    } while rounds < Limits.rounds && elapsed * (1 + 0.5 / rounds) < 1
    let whole = times.map { time in
      lowerQuartile(time.reading) + lowerQuartile(time.writing) * Double(plan.writtenTokens)
    }
    for index in models.indices {
      figures[index].prefillTokensPerSecond = Double(plan.promptTokens) / max(lowerQuartile(times[index].reading), 1e-9)
      figures[index].decodeTokensPerSecond = 1 / max(lowerQuartile(times[index].writing), 1e-9)
      figures[index].relativeTime = whole[index] / max(whole[0], 1e-9)
    }
  }

  private func run(_ model: LlamaModel, _ times: inout Times) throws(DecodeFailure) {
    guard model.apply(.remove(sequence: 0, from: 0)) else { throw .failed("the memory cannot be cleared") }
    var last = ContinuousClock.now
    func lap() -> Double {
      let now = ContinuousClock.now
      defer { last = now }
      return (now - last) / .seconds(1)
    }
    try model.decode(rows(0..<plan.promptTokens, wantsLogits: false))
    times.reading.append(lap())
    for position in plan.promptTokens..<plan.runTokens {
      try model.decode(rows(position..<position + 1, wantsLogits: true))
      times.writing.append(lap())
    }
  }

  /// What other programs take is only ever added to a time: the lower quartile hears less of them than the median.
  private func lowerQuartile(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[(sorted.count - 1) / 4]
  }
}
