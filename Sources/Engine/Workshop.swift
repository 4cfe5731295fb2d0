import EngineProtocol
import JSONRPC
import Llama
import Synchronization

/// Makes and measures copies of models for `inkling prepare`: one piece of work after another, each on a thread of its
/// own, beside the engine's thread, which has nothing to do in such a process.
final class Workshop: Sendable {
  private let signal = ComputeSignal()
  private let isWorking = Atomic(false)

  /// Whether nothing is worked on.
  var isIdle: Bool { !isWorking.load(ordering: .acquiring) }

  /// Ends a measurement at the next node of its graph; the making of a copy only ends with the process.
  func stop() { signal.requestStop() }

  func serve(on router: inout Router) {
    router.on(EngineQuantize.self) { (params, context) async throws(RPCError) in
      let format: WeightFormat =
        switch params.format {
        case .eightBit: .eightBit
        case .fourBit: .fourBit
        }
      try await self.work(context) { _, progress in
        do throws(ModelCopyError) {
          try ModelCopy.make(of: params.source, to: params.target, format: format, progress: progress)
          return .success(())
        } catch {
          return .failure(RPCError(error))
        }
      }
      return Empty()
    }
    router.on(EngineMeasure.self) { (params, context) async throws(RPCError) in
      var plan = ModelComparison.Plan(text: params.text)
      plan.promptTokens = params.promptTokens
      plan.writtenTokens = params.writtenTokens
      let figures = try await self.work(context) { [plan] signal, progress in
        do throws(ModelComparison.Problem) {
          return .success(
            try ModelComparison.measure(params.paths, plan: plan, signal: signal, progress: progress))
        } catch {
          return .failure(RPCError(error))
        }
      }
      return EngineMeasure.Result(models: figures.map(MeasuredModel.init))
    }
  }

  /// Does one piece of work on a thread of its own and tells of its progress.
  private func work<Value: Sendable>(
    _ context: RequestContext,
    _ body: @escaping @Sendable (ComputeSignal, @escaping @Sendable (Double) -> Void) -> Result<Value, RPCError>
  ) async throws(RPCError) -> Value {
    guard isWorking.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged else {
      throw .invalidRequest("one copy is made or measured at a time")
    }
    let (outcomes, outcome) = AsyncStream<Result<Value, RPCError>>.makeStream()
    do {
      // The stack is libllama's too.
      try DedicatedThread.start(name: "workshop", stackSize: 8 << 20) {
        let result = body(self.signal) {
          context.notify(EngineWorkProgress.self, EngineWorkProgress.Params(fraction: $0))
        }
        // First, so that who has the answer can ask for the next piece of work.
        self.isWorking.store(false, ordering: .releasing)
        outcome.yield(result)
        outcome.finish()
      }
    } catch {
      isWorking.store(false, ordering: .releasing)
      throw .internalError("\(error)")
    }
    // Ending the task does not end the work: whoever wants that ends the process.
    for await result in outcomes { return try result.get() }
    throw .cancelled
  }
}

extension MeasuredModel {
  init(_ figures: ModelFigures) {
    self.init()
    quantization = figures.quantization
    prefillTokensPerSecond = figures.prefillTokensPerSecond
    decodeTokensPerSecond = figures.decodeTokensPerSecond
    relativeTime = figures.relativeTime
    perplexity = figures.perplexity
    divergence = figures.divergence
  }
}
