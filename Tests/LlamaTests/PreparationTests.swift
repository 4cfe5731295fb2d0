import Llama
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Copies of the default model, made and compared.
@Suite(.serialized) struct PreparationTests {
  private static let text = """
    The old ferry crossed the lake four times a day, and nobody in the village could remember a time before it. He \
    would stand at the rail with his collar turned up, counting the passengers under his breath, and when the number \
    was odd he waited a little longer.
    """

  private static var plan: ModelComparison.Plan {
    var plan = ModelComparison.Plan(text: text)
    plan.promptTokens = 16
    plan.writtenTokens = 4
    plan.time = .milliseconds(1)
    plan.threads = 1
    return plan
  }

  @Test func copiesAreMadeAndDriftAsTheirBitsSay() throws {
    let folder = try TemporaryFolder()
    let source = try DefaultModel.path()
    var paths = [source]
    for format in WeightFormat.allCases {
      let path = folder.path(format.rawValue + ".gguf")
      let progress = Fractions()
      try ModelCopy.make(of: source, to: path, format: format, threads: 1) { progress.add($0) }
      #expect(progress.all.last == 1 && progress.all == progress.all.sorted() && progress.all.count > 100)
      paths.append(path)
    }
    let heard = Fractions()
    let figures = try ModelComparison.measure(paths, plan: Self.plan) { heard.add($0) }
    // Whoever waits hears of each load, and of each of the nine runs: one of each model, and a round.
    #expect(heard.all.last == 1 && heard.all == heard.all.sorted())
    #expect(heard.all.filter { $0 < 0.1 }.count >= 6 && heard.all.filter { $0 >= 0.4 }.count >= 9, "\(heard.all)")
    #expect(figures.map(\.quantization) == ["Q4_1", "Q8_0", "Q4_0"])
    let (own, eight, four) = (figures[0], figures[1], figures[2])
    #expect(own.divergence == 0 && own.relativeTime == 1)
    #expect(eight.divergence > 0 && eight.divergence < 0.05)
    #expect(four.divergence > eight.divergence && four.divergence < 1)
    for one in figures {
      #expect(one.perplexity > 1 && one.perplexity < 200)
      #expect(abs(one.perplexity / own.perplexity - 1) < 0.6)
      #expect(one.prefillTokensPerSecond > 0 && one.decodeTokensPerSecond > 0 && one.relativeTime > 0)
    }

    // One that was cut off, or whose middle is gone, is refused and not mapped.
    let bytes = try readFile(paths[1])
    let cut = try folder.file("cut.gguf", Array(bytes.prefix(bytes.count / 2)))
    #expect(throws: ModelComparison.Problem.self) { try ModelComparison.measure([source, cut], plan: Self.plan) }
    #expect(throws: ModelLoadError.self) { try LlamaModel.load(path: cut) }
    // It is in that form already.
    #expect { try ModelCopy.make(of: paths[1], to: folder.path("again.gguf"), format: .eightBit) } throws: {
      guard case ModelCopyError.sameForm(let why)? = $0 as? ModelCopyError else { return false }
      return why.contains("Q8_0")
    }
  }

  @Test func whatCannotBeCopiedIsRefused() throws {
    let folder = try TemporaryFolder()
    var large = GGUFWriter()
    // Half a billion weights and a few more, claimed by a sparse file.
    large.tensors = [("a", [32, 15_700_000], 2, 0)]
    large.dataBytes = 0
    let path = try folder.file("large.gguf", large.bytes)
    #expect(truncate(path, 15_700_000 * 18 + 4096) == 0)
    #expect { try ModelCopy.make(of: path, to: folder.path("a"), format: .fourBit) } throws: {
      guard case ModelCopyError.notSuitable(let why)? = $0 as? ModelCopyError else { return false }
      return why.contains("500 million")
    }
    #expect { try ModelCopy.make(of: folder.path("none"), to: folder.path("a"), format: .fourBit) } throws: {
      guard case ModelCopyError.source(let error)? = $0 as? ModelCopyError else { return false }
      return error.reason == .modelNotFound
    }
    let source = try DefaultModel.path()
    #expect { try ModelCopy.make(of: source, to: folder.path("no/folder/a"), format: .fourBit) } throws: {
      guard case ModelCopyError.failed(let words)? = $0 as? ModelCopyError else { return false }
      return !words.isEmpty
    }
    #expect(Files.list(folder.root) == ["large.gguf"])
  }

  @Test func plansThatMeasureNothingAreRefused() throws {
    let source = try DefaultModel.path()
    var short = Self.plan
    short.text = "Hi."
    short.promptTokens = 600
    var empty = Self.plan
    empty.writtenTokens = 0
    for (paths, plan) in [([source], short), ([source], empty), ([], Self.plan)] {
      #expect { try ModelComparison.measure(paths, plan: plan) } throws: {
        guard case ModelComparison.Problem.unsuitable? = $0 as? ModelComparison.Problem else { return false }
        return true
      }
    }
    let signal = ComputeSignal()
    signal.requestStop()
    #expect(throws: ModelComparison.Problem.self) {
      try ModelComparison.measure([source], plan: Self.plan, signal: signal)
    }
  }
}

/// What a progress closure was told.
private final class Fractions: Sendable {
  private let heard = Mutex<[Double]>([])
  var all: [Double] { heard.withLock { $0 } }
  func add(_ fraction: Double) { heard.withLock { $0.append(fraction) } }
}
