import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import Synchronization

/// Keeps one engine at hand: starts the child, passes requests to it, ends and restarts it. All decisions are made by
/// `SupervisorState`; here they are carried out.
public actor EngineSupervisor: EngineService {
  /// What the engine is told when it loads a model.
  public struct LoadOptions: Sendable {
    public var contextSize = 0
    public var threads = 0
    public var reproducible = false
    /// As in `EngineLoad.Params`.
    public var reusesPrefixes = true
    /// As in `EngineLoad.Params`.
    public var drafts = true
    /// Where states of built-in instructions are kept; nil: nowhere.
    public var prefixFolder: String?
    public init() {}
  }

  private var state: SupervisorState
  private let launcher: any ChildLauncher
  private let clock: any SupervisorClock
  private let options: LoadOptions
  private let log: Log
  private let jobs = JobTable()
  private let nextKey = Atomic(0)
  private let watchers = Watchers<EngineAvailability>()

  private var choice: PreparedChoice
  private var child: EngineChild?
  /// Requests that run in the child.
  private var calls: [Int: Task<Void, Never>] = [:]
  private var facts: ModelFacts?
  private var events: [SupervisorState.Event] = []
  private var isHandling = false
  private var timer: Task<Void, Never>?
  private var timerDeadline: Duration?
  private var tickets: [Int: CheckedContinuation<Unavailability?, Never>] = [:]
  private var nextTicket = 0
  private var exitWaiters: [CheckedContinuation<Void, Never>] = []

  /// - Parameter prepared: where copies of models are looked for; nil: models' own files are loaded.
  public init(
    configuration: SupervisorState.Configuration, modelPath: String, options: LoadOptions = LoadOptions(),
    prepared: PreparedModels? = nil, launcher: any ChildLauncher, clock: any SupervisorClock = AwakeClock(),
    log: Log = .none
  ) {
    choice = PreparedChoice(prepared)
    state = SupervisorState(configuration: configuration, modelPath: modelPath)
    self.options = options
    self.launcher = launcher
    self.clock = clock
    self.log = log
  }

  deinit { watchers.finish() }

  /// Loads the model in the background.
  public func start() { apply(.wanted) }

  /// Ends the engine and answers whatever waits. Returns when the child is gone.
  public func shutDown() async {
    apply(.shutdown)
    guard child != nil else { return }
    await withCheckedContinuation { exitWaiters.append($0) }
  }

  public nonisolated func generate(_ params: GenerateParams) -> EngineJob {
    var numbered = params
    numbered.request = nextKey.add(1, ordering: .relaxed).newValue
    numbered.builtInMessages = BuiltInPrompts.count(in: params.messages)
    return submit(numbered.request, .generate(numbered), digest: Self.digest(params))
  }

  public nonisolated func count(_ text: String) -> EngineJob {
    let key = nextKey.add(1, ordering: .relaxed).newValue
    return submit(key, .count(text), digest: FNV1a.hash(text.utf8))
  }

  public func status() async -> EngineReport {
    var report = EngineReport()
    let child = child
    if let child, case .ready = state.phase,
      let held = try? await child.connection.request(EngineStatus.self, Empty(), timeout: .seconds(1))
    {
      report.sequences = held.sequences
      report.cachedTokens = held.cachedTokens
    }
    report.availability = state.availability
    report.modelPath = state.modelPath
    report.restarts = state.restarts
    report.activeRequests = state.runningCount
    report.queuedRequests = state.waitingCount
    report.processID = self.child?.process.processID
    if case .ready = state.phase { report.model = facts }
    return report
  }

  public func load(path: String, force: Bool) async throws(Unavailability) {
    try ModelFile.check(path)
    try await changeModel { .loadModel(path: path, force: force, $0) }
  }

  public func unload() async throws(Unavailability) { try await changeModel { .unloadModel($0) } }

  public nonisolated func availabilityChanges() -> AsyncStream<EngineAvailability> { watchers.add(bound: 64) }

  // MARK: Requests

  private nonisolated func submit(_ key: Int, _ work: JobTable.Work, digest: UInt64) -> EngineJob {
    let (stream, continuation) = AsyncStream.makeStream(of: EngineJobEvent.self)
    let flags = EngineJob.Flags()
    jobs.add(key, work, flags: flags, events: continuation)
    continuation.onTermination = { [weak self] reason in
      guard case .cancelled = reason else { return }
      Task { await self?.apply(.cancelled(key)) }
    }
    Task { await self.take(key, digest: digest) }
    return EngineJob(events: stream, flags: flags) { [weak self] wish in
      Task { await self?.control(key, wish) }
    }
  }

  private func take(_ key: Int, digest: UInt64) {
    apply(.submitted(key, digest: digest))
    if case .loading(let progress) = state.availability { jobs.tellWaiting(.loading(progress: progress)) }
  }

  private func control(_ key: Int, _ wish: EngineJob.Control) {
    if case .pause(let isPaused) = wish { apply(.paused(key, isPaused)) }
    guard let child, jobs.runs(key, in: child.generation) else { return }
    switch wish {
    case .pause(let isPaused):
      child.connection.notify(EnginePause.self, EnginePause.Params(request: key, paused: isPaused))
    case .finish: child.connection.notify(EngineFinish.self, EngineFinish.Params(request: key))
    }
  }

  /// The same request sent again has the same digest.
  private static func digest(_ params: GenerateParams) -> UInt64 {
    var anonymous = params
    anonymous.request = 0
    anonymous.sampling.seed = 0
    return FNV1a.hash(JSONWriter.bytes(of: anonymous.json))
  }

  private func changeModel(_ event: (Int) -> SupervisorState.Event) async throws(Unavailability) {
    nextTicket += 1
    let ticket = nextTicket
    let event = event(ticket)
    let problem = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        tickets[ticket] = continuation
        apply(event)
      }
    } onCancel: {
      // Taken after the event above: this actor is not left before that.
      Task { await self.apply(.changeCancelled(ticket)) }
    }
    if let problem { throw problem }
  }

  // MARK: Events and actions

  func apply(_ event: SupervisorState.Event) {
    events.append(event)
    guard !isHandling else { return }
    isHandling = true
    while !events.isEmpty {
      let next = events.removeFirst()
      if case .childExited = next {
        for key in jobs.keysWithPartials() { _ = state.handle(.partialSent(key), at: clock.now()) }
      }
      for action in state.handle(next, at: clock.now()) { perform(action) }
    }
    isHandling = false
    armTimer()
  }

  private func perform(_ action: SupervisorState.Action) {
    switch action {
    case .spawn(let generation, let path): spawn(generation, path: path)
    case .kill(let generation):
      if let child, child.generation == generation { child.process.kill() }
    case .load(let generation, let path): load(path, in: generation)
    case .run(let key, let generation): run(key, in: generation)
    case .restart(let key): jobs.restart(key)
    case .cancel(let key, _): calls[key]?.cancel()
    case .fail(let key, let failure):
      calls[key] = nil
      jobs.end(key, with: .failed(failure))
    case .announce(let availability):
      if case .loading(let progress) = availability { jobs.tellWaiting(.loading(progress: progress)) }
      let line = "the model is \(availability.forLog)"
      if case .unavailable(let why) = availability, why.reason != .unloaded {
        log.warning(line)
      } else {
        log.info(line)
      }
      watchers.send(availability)
    case .answer(let ticket, let problem): tickets.removeValue(forKey: ticket)?.resume(returning: problem)
    case .log(let line): log.warning(line)
    }
  }

  private func spawn(_ generation: Int, path: String) {
    do throws(Unavailability) {
      try ModelFile.check(path)
      let (heard, inbox) = AsyncStream.makeStream(of: SupervisorState.Event.self)
      let child = EngineChild(generation: generation, process: try launch(), jobs: jobs, log: log) { inbox.yield($0) }
      self.child = child
      // One road from the reading thread to here, so that order is kept; the end comes last.
      Task {
        for await event in heard { self.apply(event) }
      }
      Task {
        let status = await child.live()
        inbox.finish()
        self.exited(generation, status)
      }
    } catch {
      events.append(.spawnFailed(generation, error))
    }
  }

  private func launch() throws(Unavailability) -> any ChildProcess {
    do {
      return try launcher.launch()
    } catch {
      throw Unavailability(
        .engineFailed, message: "The engine cannot be started: \(error.message).",
        remedy: "Look at the limits on processes and open files (ulimit -a).")
    }
  }

  private func load(_ path: String, in generation: Int) {
    guard let child, child.generation == generation else { return }
    let copy = choice.copy(of: path, for: generation, log: log)
    var wanted = EngineLoad.Params(
      path: copy ?? path, contextSize: options.contextSize, threads: options.threads,
      reproducible: options.reproducible)
    wanted.reusesPrefixes = options.reusesPrefixes
    wanted.drafts = options.drafts
    wanted.prefixFolder = options.prefixFolder ?? ""
    let params = wanted
    Task {
      var outcome = await child.load(params)
      if copy != nil, case .failure? = outcome {
        self.choice.failed(path, log: log)
        var own = params
        own.path = path
        outcome = await child.load(own)
      }
      switch outcome {
      case .success(let facts): self.loaded(facts, generation)
      case .failure(let problem): self.apply(.loadFailed(generation, problem))
      case nil: break
      }
    }
  }

  private func loaded(_ facts: ModelFacts, _ generation: Int) {
    guard child?.generation == generation else { return }
    self.facts = facts
    choice.loaded()
    if options.contextSize > facts.contextSize {
      log.warning("the context window has \(facts.contextSize) tokens: the model was trained with no more")
    }
    if options.threads > facts.threads {
      log.warning("\(facts.threads) threads are used: there are no more processors")
    }
    apply(.loaded(generation))
  }

  private func run(_ key: Int, in generation: Int) {
    guard let child, child.generation == generation, let work = jobs.work(key) else { return }
    jobs.start(key, in: generation)
    calls[key] = Task {
      guard let outcome = await child.run(work) else { return }
      self.answered(key, outcome, by: generation)
    }
  }

  /// The child has answered a request.
  func answered(_ key: Int, _ outcome: EngineJobEvent, by generation: Int) {
    guard jobs.runs(key, in: generation) else { return }
    switch outcome {
    case .finished, .counted:
      jobs.end(key, with: outcome)
      apply(.finished(key))
    case .failed(let failure): apply(.failed(key, failure))
    case .loading, .reading, .text, .structured, .restarted: break
    }
    calls[key] = nil
  }

  /// The process is gone and everything it has said has been heard.
  func exited(_ generation: Int, _ status: ChildExitStatus) {
    guard let child, child.generation == generation else { return }
    self.child = nil
    facts = nil
    choice.exited(generation, status, in: state.phase, log: log)
    apply(.childExited(generation, status))
    for waiter in exitWaiters { waiter.resume() }
    exitWaiters = []
  }

  // MARK: Time

  /// One timer for the next deadline. A deadline that has moved on is found when the earlier one passes.
  private func armTimer() {
    let deadline = state.nextDeadline()
    if let deadline, let timerDeadline, timerDeadline <= deadline { return }
    timer?.cancel()
    timer = nil
    timerDeadline = deadline
    guard let deadline else { return }
    timer = Task { [weak self, clock] in
      do { try await clock.wait(until: deadline) } catch { return }
      await self?.timePassed(deadline)
    }
  }

  private func timePassed(_ deadline: Duration) {
    guard timerDeadline == deadline else { return }
    timerDeadline = nil
    apply(.tick)
  }
}
