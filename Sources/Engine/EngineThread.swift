import Inference
import JSONRPC
import Llama
import Synchronization

/// What the requests' tasks may know of the loaded model; the model itself stays on the engine's thread.
struct LoadedModel: Sendable {
  var vocabulary: Vocabulary
  var template: ChatTemplate
  var facts: LlamaFacts
}

/// The one thread that touches the model. It does nothing but compute: prompts come to it as tokens, and what it
/// makes goes away as bytes. It waits for nothing but work.
final class EngineThread: Sendable {
  /// What comes to the thread.
  enum Command: Sendable {
    case load(path: String, LlamaModel.Options, GeneratorConfiguration, LoadListener)
    case submit(GenerationRequest, AsyncStream<InferenceEvent>.Continuation)
    case cancel(Int)
    case setPaused(Int, Bool)
    case finish(Int)
    /// From now on prefixes that requests want saved are given to this, when there is nothing else to do.
    case save(@Sendable (SavedPrefix) -> Void)
  }

  /// Hears of the load from the engine's thread.
  struct LoadListener: Sendable {
    var progress: AsyncStream<Double>.Continuation
    var done: @Sendable (Result<LoadedModel, ModelLoadError>) -> Void
  }

  let signal = ComputeSignal()
  private let mailbox = Mailbox<Command>()
  private let snapshot = Mutex<InferenceStatistics?>(nil)
  private let isBusy = Atomic(false)
  private let hasEnded = Atomic(false)
  /// Called on the thread when it goes to work after a wait, and when it ends.
  private let onChange: @Sendable () -> Void

  init(onChange: @escaping @Sendable () -> Void) { self.onChange = onChange }

  /// The state after the last step; nil without a model.
  var statistics: InferenceStatistics? { snapshot.withLock { $0 } }

  /// Whether the thread loads or computes, as opposed to waiting for work.
  var isComputing: Bool { isBusy.load(ordering: .relaxed) }

  var isOver: Bool { hasEnded.load(ordering: .acquiring) }

  /// Hands a command over; false when the thread has been stopped.
  @discardableResult
  func post(_ command: Command) -> Bool { mailbox.post(command) }

  /// Ends the thread, also in the middle of a step or a load.
  func stop() {
    signal.requestStop()
    for command in mailbox.close() { Self.refuse(command) }
  }

  func start() throws(ChannelError) {
    // The stack is libllama's too: its graph builders and its loader run on it.
    try DedicatedThread.start(name: "engine", stackSize: 8 << 20) {
      var worker = Worker(signal: self.signal)
      while let commands = self.nextCommands(waits: !worker.hasWork) {
        for command in commands { worker.perform(command) }
        worker.step()
        // Before the events go out: who has got an answer finds its cells given back.
        self.snapshot.withLock { $0 = worker.statistics }
        worker.deliverEvents()
        worker.saveWhenIdle()
      }
      worker.abandon()
      self.isBusy.store(false, ordering: .relaxed)
      self.hasEnded.store(true, ordering: .releasing)
      self.onChange()
    }
  }

  private func nextCommands(waits: Bool) -> [Command]? {
    if !waits { return mailbox.take(waits: false) }
    isBusy.store(false, ordering: .relaxed)
    let commands = mailbox.take(waits: true)
    isBusy.store(true, ordering: .relaxed)
    onChange()
    return commands
  }

  private static func refuse(_ command: Command) {
    switch command {
    case .load(_, _, _, let listener):
      listener.progress.finish()
      listener.done(.failure(ModelLoadError(.stopped, "The engine is ending.")))
    case .submit(_, let events): events.finish()
    case .cancel, .setPaused, .finish, .save: break
    }
  }
}

/// What lives on the engine's thread.
private struct Worker {
  let signal: ComputeSignal
  private var generator: Generator?
  private var listeners: [Int: AsyncStream<InferenceEvent>.Continuation] = [:]
  private var save: (@Sendable (SavedPrefix) -> Void)?
  private(set) var hasWork = false

  init(signal: ComputeSignal) { self.signal = signal }

  var statistics: InferenceStatistics? { generator?.statistics }

  mutating func perform(_ command: EngineThread.Command) {
    switch command {
    case .load(let path, let options, let configuration, let listener): load(path, options, configuration, listener)
    case .submit(let request, let events):
      guard let generator, listeners[request.id] == nil else {
        events.yield(.failed(request: request.id, .duplicateID))
        events.finish()
        return
      }
      listeners[request.id] = events
      generator.submit(request)
    case .cancel(let id):
      generator?.cancel(id)
      listeners.removeValue(forKey: id)?.finish()
    case .setPaused(let id, let isPaused): generator?.setPaused(id, isPaused)
    case .finish(let id): generator?.finish(id)
    case .save(let save): self.save = save
    }
  }

  mutating func step() {
    guard let generator else { return }
    hasWork = generator.step()
    if hasWork { signal.advance() }
  }

  /// Saves one prefix at a time, so that a request that has come meanwhile is seen first.
  mutating func saveWhenIdle() {
    guard !hasWork, let save, let prefix = generator?.takeSavedPrefix() else { return }
    save(prefix)
    hasWork = true
  }

  mutating func deliverEvents() {
    for event in generator?.takeEvents() ?? [] { deliver(event) }
  }

  private mutating func deliver(_ event: InferenceEvent) {
    switch event {
    case .prefill(let id, _, _), .text(let id, _): listeners[id]?.yield(event)
    case .finished(let id, _), .failed(let id, _):
      guard let listener = listeners.removeValue(forKey: id) else { return }
      listener.yield(event)
      listener.finish()
    }
  }

  private mutating func load(
    _ path: String, _ options: LlamaModel.Options, _ configuration: GeneratorConfiguration,
    _ listener: EngineThread.LoadListener
  ) {
    let result: Result<LoadedModel, ModelLoadError>
    do throws(ModelLoadError) {
      let model = try LlamaModel.load(path: path, options: options, signal: signal) { listener.progress.yield($0) }
      generator = Generator(model: model, configuration: configuration)
      result = .success(LoadedModel(vocabulary: model.vocabulary, template: model.template, facts: model.facts))
    } catch {
      result = .failure(error)
    }
    listener.progress.finish()
    listener.done(result)
  }

  /// Lets everyone go who still waits.
  mutating func abandon() {
    for listener in listeners.values { listener.finish() }
    listeners = [:]
    generator = nil
  }
}
