import EngineProtocol
import Inference
import JSON
import JSONRPC
import Llama
import Synchronization

/// Serves EngineProtocol on one connection by the engine's thread. Text becomes tokens and tokens become messages in
/// the requests' own tasks.
package final class EngineServer: Sendable {
  /// More requests than this at once are answered with an error.
  private static let maxRequests = 256

  private struct Loaded {
    let model: LoadedModel
    /// With the vocabulary's tree, which constraints are made with.
    let structures: StructureCache
    let memory = TokenMemory()
    /// An answer keeps its tokens only for a while, so that what follows it would not always be the same.
    let remembersAnswers: Bool
    /// nil: nothing is kept on the disk.
    let prefixes: PrefixStore?
  }

  private enum Model {
    case none
    case loading
    case loaded(Loaded)
  }

  private let model = Mutex(Model.none)
  /// Numbers of the requests that generate.
  private let running = Mutex<Set<Int>>([])
  private let engine: EngineThread
  private let heartbeat: Heartbeat
  private let workshop = Workshop()

  package init() {
    let heartbeat = Heartbeat()
    self.heartbeat = heartbeat
    engine = EngineThread { heartbeat.engineChanged() }
  }

  /// Serves the peer until it is gone. When this returns the engine's thread computes nothing any more.
  package func serve(_ channel: any ByteChannel, buildID: String, processID: Int) async throws -> ConnectionEnd {
    var limits = ConnectionLimits()
    limits.requestsInFlight = Self.maxRequests
    // A peer that is gone reads nothing any more, and the process shall follow it soon.
    limits.closing = .milliseconds(200)
    let connection = Connection(
      channel: channel, framing: .header, router: router(buildID: buildID), lifecycle: .none, limits: limits)
    try engine.start()
    try heartbeat.start(watching: engine) { connection.notify(EngineHeartbeat.self, $0) }
    connection.notify(EngineHello.self, EngineHello.Params(buildID: buildID, processID: processID))
    connection.start()
    let end = await connection.waitUntilClosed()
    engine.stop()
    workshop.stop()
    return end
  }

  /// Whether no thread computes any more, after `serve`.
  package var isOver: Bool { engine.isOver && workshop.isIdle }

  private func router(buildID: String) -> Router {
    var router = Router()
    router.on(EngineLoad.self) { (params, context) async throws(RPCError) in
      try await self.load(params, buildID: buildID, context)
    }
    router.on(EngineGenerate.self) { (params, context) async throws(RPCError) in
      try await self.generate(params, context)
    }
    router.on(EngineCount.self) { (params, _) async throws(RPCError) in
      let loaded = try self.loaded()
      do throws(CancellationError) {
        return try self.heartbeat.whilePreparing { (noteProgress) throws(CancellationError) in
          let tokens = try loaded.model.vocabulary.tokenise(userText: params.text, noteProgress: noteProgress)
          return EngineCount.Result(tokens: tokens.count)
        }
      } catch {
        throw .cancelled
      }
    }
    router.onInOrder(EngineStatus.self) { (_, _) throws(RPCError) in self.status }
    router.on(EnginePause.self) { params, _ in
      self.engine.post(.setPaused(params.request, params.paused))
    }
    router.on(EngineFinish.self) { params, _ in self.engine.post(.finish(params.request)) }
    workshop.serve(on: &router)
    return router
  }

  private func loaded() throws(RPCError) -> Loaded {
    switch model.withLock({ $0 }) {
    case .loaded(let loaded): return loaded
    case .none, .loading: throw .notLoaded
    }
  }

  private var status: EngineStatus.Result {
    var result = EngineStatus.Result()
    guard let statistics = engine.statistics else { return result }
    result.sequences = statistics.sequences
    result.cachedTokens = statistics.occupiedCells
    result.active = statistics.active
    result.waiting = statistics.waiting
    return result
  }

  // MARK: - Loading

  private func load(
    _ params: EngineLoad.Params, buildID: String, _ context: RequestContext
  ) async throws(RPCError) -> ModelFacts {
    let isFirst = model.withLock { model in
      guard case .none = model else { return false }
      model = .loading
      return true
    }
    guard isFirst else { throw .invalidRequest("a model is loaded once; another model is another engine") }

    let options = LlamaModel.Options(
      contextSize: params.contextSize, threads: params.threads, reproducible: params.reproducible)
    var configuration = GeneratorConfiguration()
    configuration.reusesPrefixes = params.reusesPrefixes
    configuration.drafts = params.drafts
    configuration.draftsBesideOthers = !params.reproducible
    // What is put back or cut may get cells in another order, in which libllama adds numbers up.
    if params.reproducible { configuration.parkedBytes = 0 }
    let (fractions, progress) = AsyncStream<Double>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let (outcomes, outcome) = AsyncStream<Result<LoadedModel, ModelLoadError>>.makeStream()
    let listener = EngineThread.LoadListener(
      progress: progress,
      done: { result in
        outcome.yield(result)
        outcome.finish()
      })
    if !engine.post(.load(path: params.path, options, configuration, listener)) { throw .cancelled }

    var shown = -1.0
    for await fraction in fractions where fraction >= shown + 0.01 || fraction == 1 {
      shown = fraction
      context.notify(EngineLoadProgress.self, EngineLoadProgress.Params(fraction: fraction))
    }
    // Ending the task does not end the load: the engine is of no use without it, and its owner ends the process.
    for await result in outcomes {
      switch result {
      case .success(let loaded):
        // In this task, so that the engine's thread goes on.
        let structures = StructureCache(vocabulary: TokenTrie(loaded.vocabulary))
        let prefixes = makePrefixStore(params, loaded.facts, buildID: buildID, context)
        model.withLock {
          $0 = .loaded(
            Loaded(
              model: loaded, structures: structures, remembersAnswers: !params.reproducible, prefixes: prefixes))
        }
        return ModelFacts(loaded.facts)
      case .failure(let error):
        model.withLock { $0 = .none }
        throw RPCError(error)
      }
    }
    throw .cancelled
  }

  private func makePrefixStore(
    _ params: EngineLoad.Params, _ facts: LlamaFacts, buildID: String, _ context: RequestContext
  ) -> PrefixStore? {
    guard params.reusesPrefixes, !params.prefixFolder.isEmpty, let key = facts.stateKey else { return nil }
    let store = PrefixStore(
      folder: params.prefixFolder, group: "\(params.path) \(facts.contextSize) \(facts.reproducible)",
      key: buildID + "; " + key
    ) { [weak connection = context.connection] message in
      connection?.notify(EngineNotice.self, EngineNotice.Params(message: message))
    }
    store.removeOld()
    engine.post(.save { store.keep($0) })
    return store
  }

  // MARK: - Generating

  private func generate(_ params: GenerateParams, _ context: RequestContext) async throws(RPCError) -> GenerateResult {
    let loaded = try loaded()
    let model = loaded.model
    guard running.withLock({ $0.insert(params.request).inserted }) else {
      throw RPCError(GenerationFailure.duplicateID)
    }
    defer { running.withLock { _ = $0.remove(params.request) } }
    let structure = try loaded.structures.structure(for: params)
    let start = Array(params.answerPrefix.utf8)
    if let structure, !structure.constraint.allows(start) {
      throw .invalidParams("answerPrefix is the start of no answer that the schema allows")
    }
    var prompt: Prompt
    do throws(CancellationError) {
      prompt = try heartbeat.whilePreparing { (noteProgress) throws(CancellationError) in
        try Prompt(
          params, for: model, constraint: structure?.constraint, memory: loaded.memory, noteProgress: noteProgress)
      }
    } catch {
      throw .cancelled
    }
    let room = max(
      SchedulerLimits.reserve(prompt.request), min(params.leastRoom, model.facts.contextSize / 4))
    guard prompt.request.prompt.count + room <= model.facts.contextSize else {
      throw RPCError(
        GenerationFailure.contextWindowExceeded(
          promptTokens: prompt.request.prompt.count, contextSize: model.facts.contextSize,
          reservedForOutput: room))
    }
    if let prefixes = loaded.prefixes { prefixes.complete(&prompt.request) } else { prompt.request.savedLength = 0 }
    let saved = prompt.request.savedPrefix?.tokens
    let (events, continuation) = AsyncStream<InferenceEvent>.makeStream()
    if !engine.post(.submit(prompt.request, continuation)) { throw .cancelled }
    // Beside the answer; cancelled at its end.
    async let _: Void = prepareMasks(of: structure?.constraint)
    let stream = AnswerStream(
      request: params.request, contextSize: model.facts.contextSize, filter: prompt.filter,
      snapshots: structure?.partial.map { SnapshotStream($0, behind: start) }, context: context
    ) { if loaded.remembersAnswers { loaded.memory.rememberAnswer($0, of: model.vocabulary) } }
    let outcome = await withTaskCancellationHandler {
      await stream.follow(events)
    } onCancel: {
      engine.post(.cancel(params.request))
    }
    let result = try outcome.get()
    if let saved, !params.prefillOnly, result.cachedTokens < saved.count { loaded.prefixes?.discard(saved) }
    return result
  }

  private func prepareMasks(of constraint: Constraint?) async { constraint?.prepareMasks() }
}

/// Sends one answer on to the front end while it is made.
private struct AnswerStream {
  let request: Int
  let contextSize: Int
  let filter: ThoughtFilter
  /// For answers with a schema.
  let snapshots: SnapshotStream?
  let context: RequestContext
  /// Takes the tokens of an answer of free text.
  let remember: ([Token]) -> Void

  func follow(_ events: AsyncStream<InferenceEvent>) async -> Result<GenerateResult, RPCError> {
    var filter = filter
    var snapshots = snapshots
    for await event in events {
      switch event {
      case .prefill(_, let done, let total):
        let progress = EnginePrefillProgress.Params(request: request, done: done, total: total)
        context.notify(EnginePrefillProgress.self, progress)
      case .text(_, let bytes):
        send(filter.take(bytes))
        if let value = snapshots?.take(bytes) { send(value) }
      case .finished(_, let summary):
        send(filter.finish())
        if let value = snapshots?.finish() { send(value) }
        remember(summary.tokens)
        return .success(GenerateResult(summary, contextSize: contextSize))
      case .failed(_, let failure):
        return .failure(RPCError(failure))
      }
    }
    // The stream ends without an ending only when the request, or the engine, was told to stop.
    return .failure(.cancelled)
  }

  private func send(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    let text = EngineText.Params(request: request, text: String(decoding: bytes, as: UTF8.self))
    context.notifyMerging(EngineText.self, key: "text", text)
  }

  private func send(_ value: JSONValue) {
    context.notifyMerging(
      EngineStructured.self, key: "structured", EngineStructured.Params(request: request, value: value))
  }
}

extension TokenTrie {
  /// All tokens that may stand in an answer.
  fileprivate convenience init(_ vocabulary: Vocabulary) {
    self.init(
      tokenCount: vocabulary.size,
      bytes: { token in
        var bytes: [UInt8] = []
        vocabulary.appendBytes(of: token, to: &bytes)
        return bytes
      },
      isUsable: { !vocabulary.isControl($0) && !vocabulary.isEndOfGeneration($0) })
  }
}
