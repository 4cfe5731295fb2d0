import AssistantProtocol
import JSON
import JSONRPC

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Serves the assistant's methods. One server for the process, one router for each connection.
public struct AssistantServer: Sendable {
  let engine: any EngineService
  let configuration: ConfigurationFile
  private let version: String
  private let log: Log
  private let thermometer: Thermometer
  private let clientIs: @Sendable (_ processID: Int) -> Void
  private let store: SessionStore?
  private let readsAhead: Bool
  private let sessionCounter = SessionCounter()
  private let clients = ClientTable()
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant

  /// - Parameters:
  ///   - store: keeps persisted sessions; without it none are persisted.
  ///   - readsAhead: whether `assistant/prewarm` reads anything.
  ///   - clientIs: called with `processId` of `initialize`; the client's end is to be the daemon's.
  public init(
    engine: any EngineService, version: String, configuration: ConfigurationFile = ConfigurationFile(path: nil),
    log: Log = .none, thermometer: Thermometer = Thermometer(), store: SessionStore? = nil,
    readsAhead: Bool = true, clientIs: @escaping @Sendable (_ processID: Int) -> Void = { _ in }
  ) {
    self.engine = BoundedEngine(base: engine) { configuration.current.limits.outputTokens }
    self.configuration = configuration
    self.version = version
    self.log = log
    self.thermometer = thermometer
    self.store = store
    self.readsAhead = readsAhead
    self.clientIs = clientIs
    start = clock.now
  }

  /// Makes a connection that is served until its end. `started` is called when it has been started.
  ///
  /// - Parameter more: what else it is served.
  public func serve(
    _ channel: any ByteChannel, framing: Framing, mirror: WireMirror? = nil,
    requestLimit: SharedRequestLimit? = nil, and more: ConnectionExtension? = nil,
    started: @Sendable (Connection) -> Void = { _ in }
  ) async -> ConnectionEnd {
    let client = ClientState()
    let prewarms = PrewarmSlot()
    let sessions = ConnectionSessions(counter: sessionCounter, store: store) { [configuration] in
      configuration.current.limits.sessions
    }
    // What nobody waits for ends with the connection.
    defer { _ = prewarms.take() }
    var limits = ConnectionLimits()
    limits.sharedRequests = requestLimit
    limits.requestsInFlight = configuration.current.limits.requests
    limits.overloadedError = { AssistantError.overloaded(limit: $0).rpcError }
    var router = router(for: client, prewarms, sessions, more)
    more?.addRoutes(&router)
    defer { more?.end() }
    let connection = Connection(
      channel: channel, framing: framing, router: router, lifecycle: .languageServer, limits: limits, mirror: mirror)
    let changes = engine.availabilityChanges()
    let announcing = Task {
      for await change in changes where client.wantsNotifications(on: connection) {
        connection.notify(
          ModelDidChangeAvailability.self, ModelDidChangeAvailability.Params(availability: change.wireValue))
      }
    }
    defer { announcing.cancel() }
    let news = configuration.changes()
    let telling = Task { await tell(of: news, client, connection) }
    defer { telling.cancel() }
    clients.add(connection, client)
    defer { clients.remove(connection) }
    connection.start()
    started(connection)
    return await connection.waitUntilClosed()
  }

  /// The routes: a line for each method.
  private func router(
    for client: ClientState, _ prewarms: PrewarmSlot, _ sessions: ConnectionSessions, _ more: ConnectionExtension?
  ) -> Router {
    let runner = FeatureRunner(engine: engine)
    var router = Router()
    router.onInOrder(Initialize.self) { params, _ throws(RPCError) in initialize(params, client, more) }
    router.onInOrder(Shutdown.self) { _, _ throws(RPCError) in Empty() }
    router.on(Initialized.self) { _, _ in client.noteInitialized() }
    router.on(SetTrace.self) { _, _ in }
    route(Rephrase.self, .rephrase, sessions, client, in: &router) {
      (params, _, _, sink) async throws(RequestFailure) in
      client.note(params.toneOfText)
      return try await runner.run(.rephrase, params, encoding: client.encoding, sink: sink)
    }
    route(Summarize.self, .summarize, sessions, client, in: &router) {
      (params, _, _, sink) async throws(RequestFailure) in
      try await runner.summarize(params, encoding: client.encoding, sink: sink)
    }
    route(Brainstorm.self, .brainstorm, sessions, client, in: &router) {
      (params, engine, tools, sink) async throws(RequestFailure) in
      try await FeatureRunner(engine: engine).run(.brainstorm, params, tools: tools, sink: sink)
    }
    route(Generate.self, .generate, sessions, client, in: &router) {
      (params, engine, tools, sink) async throws(RequestFailure) in
      try await FeatureRunner(engine: engine).run(.generate, params, tools: tools, sink: sink)
    }
    route(CustomCommand.self, .command, sessions, client, in: &router) {
      (params, engine, tools, sink) async throws(RequestFailure) in
      try await FeatureRunner(engine: engine).run(params, tools: tools, encoding: client.encoding, sink: sink)
    }
    routeSessions(sessions, client, in: &router)
    routePrewarm(prewarms, sessions, client, in: &router)
    router.on(CountTokens.self) { params, context throws(RPCError) in
      try await answer(CountTokens.name, context) { (sink) async throws(RequestFailure) in
        var common = CommonParams()
        common.workDoneToken = params.workDoneToken
        var result = CountTokens.Result()
        result.tokens = try await runner.count(params.text, sink: sink(common))
        return result
      }
    }
    // To be seen just when much is at work.
    router.on(ModelStatus.self, isLight: true) { _, _ throws(RPCError) in await status() }
    router.on(DaemonStatus.self, isLight: true) { _, _ throws(RPCError) in await daemonStatus() }
    router.on(ModelLoad.self) { params, context throws(RPCError) in try await load(params, context) }
    router.on(ModelUnload.self) { _, _ throws(RPCError) in
      do throws(Unavailability) { try await engine.unload() } catch { throw error.wireError }
      return Empty()
    }
    return router
  }

  /// Under one name with and without an id. It is light: a guess must take no place from what a person waits for.
  private func routePrewarm(
    _ prewarms: PrewarmSlot, _ sessions: ConnectionSessions, _ client: ClientState, in router: inout Router
  ) {
    let runner = PrewarmRunner(
      engine: engine, sessions: sessions, configuration: configuration, isOn: readsAhead
    ) { client.recentTones }
    let read: @Sendable (Prewarm.Params) async -> Result<Prewarm.Result, RequestFailure> = { params in
      do throws(RequestFailure) { return .success(try await runner.run(params)) } catch { return .failure(error) }
    }
    router.on(
      Prewarm.self, isLight: true, inOrder: { _ in prewarms.take() },
      { params, place, context throws(RPCError) in
        try await answer(Prewarm.name, context) { (_) async throws(RequestFailure) in
          let outcome = await prewarms.run(place) { await read(params) }
          guard let outcome else { throw .engine(.cancelled) }
          return try outcome.get()
        }
      })
    router.on(PrewarmNotice.self) { params, _ in
      let place = prewarms.take()
      Task {
        // How it ends is of no interest: the real request will say what is wrong.
        _ = await prewarms.run(place) { await read(params) }
      }
    }
  }

  /// Runs a request's work and logs how it ended: its method and its time, never its text.
  func answer<Result: Sendable>(
    _ method: String, _ context: RequestContext,
    _ work: (_ sink: (CommonParams) -> RequestSink) async throws(RequestFailure) -> Result
  ) async throws(RPCError) -> Result {
    let began = clock.now
    var progress: RequestProgress?
    defer { progress?.finish() }
    clients.noteBegin(context.connection)
    var answer: Result?
    defer { clients.noteEnd(context.connection, answer) }
    do throws(RequestFailure) {
      let result = try await work { common in
        progress = common.workDoneToken.map { RequestProgress(report($0, context)) }
        return sink(for: common, progress, context)
      }
      answer = result
      log.debug("\(method): answered after \(Int(began.duration(to: clock.now).milliseconds)) ms")
      return result
    } catch {
      let wire = error.wireError
      log.info("\(method): error \(wire.code) after \(Int(began.duration(to: clock.now).milliseconds)) ms")
      throw wire
    }
  }

  private func sink(
    for common: CommonParams, _ progress: RequestProgress?, _ context: RequestContext
  ) -> RequestSink {
    var sink = RequestSink()
    sink.isWritable = { context.isWritable }
    sink.waitUntilWritable = { () async throws(CancellationError) in try await context.waitUntilWritable() }
    sink.thermalState = { thermometer.state }
    sink.catalog = configuration.current.catalog
    sink.callTool = { params, timeout throws(RPCError) in
      try await context.connection.request(AnyToolCall.self, params, timeout: timeout)
    }
    if let token = common.partialResultToken {
      sink.sendPartial = { partial in
        context.notifyMerging(
          Progress.self, key: "partial", Progress.Params(token: token, value: .partial(partial)))
      }
    }
    if let progress { sink.report = { progress.report($0) } }
    return sink
  }

  private func report(
    _ token: ProgressToken, _ context: RequestContext
  ) -> @Sendable (WorkDoneProgress) -> Void {
    { progress in
      context.notifyMerging(Progress.self, key: "work", Progress.Params(token: token, value: .workDone(progress)))
    }
  }

  // MARK: Life cycle

  /// Answered from what is known without the model.
  private func initialize(
    _ params: Initialize.Params, _ client: ClientState, _ more: ConnectionExtension?
  ) -> Initialize.Result {
    client.initialize(params)
    if let processID = params.processID { clientIs(processID) }
    var capabilities = ServerCapabilities(
      positionEncoding: client.encoding, assistant: configuration.current.capabilities)
    more?.initialize(params, client.encoding, &capabilities)
    return Initialize.Result(serverInfo: ServerInfo(version: version), capabilities: capabilities)
  }

  // MARK: The model

  private func status() async -> ModelStatus.Result {
    let held = await engine.status()
    var result = ModelStatus.Result()
    result.availability = held.availability.wireValue
    result.model = held.model.map { ModelDescription($0, sourcePath: held.modelPath) }
    result.engine = EngineDescription(held)
    result.sessions = sessionCounter.count + (store?.counter.count ?? 0)
    result.thermalState = thermometer.state
    result.activeRequests = held.activeRequests
    result.queuedRequests = held.queuedRequests
    result.uptimeSeconds = Int(start.duration(to: clock.now).components.seconds)
    return result
  }

  private func daemonStatus() async -> DaemonStatus.Result {
    var result = DaemonStatus.Result()
    result.version = version
    result.model = await status()
    result.processID = Int(getpid())
    result.uptimeSeconds = result.model.uptimeSeconds
    result.memory = MemoryDescription(
      daemonBytes: ProcessMemory.residentBytes(of: result.processID),
      engineBytes: result.model.engine.processID.flatMap(ProcessMemory.residentBytes))
    clients.describe(&result)
    return result
  }

  private func load(_ params: ModelLoad.Params, _ context: RequestContext) async throws(RPCError) -> ModelLoad.Result {
    let progress = ProgressReporter(
      title: "Loading the model", isLoadingOnly: true, report: params.workDoneToken.map { report($0, context) })
    progress.begin()
    defer { progress.end() }
    let changes = engine.availabilityChanges()
    let reporting = Task { [progress] in
      var progress = progress
      for await change in changes {
        if case .loading(let fraction) = change { progress.loading(fraction) }
      }
    }
    defer { reporting.cancel() }
    do throws(Unavailability) {
      try await engine.load(path: params.path.text, force: params.force)
    } catch {
      throw error.wireError
    }
    let held = await engine.status()
    guard let model = held.model else {
      throw held.availability.problem?.wireError ?? AssistantError.engineFailed(.crashed).rpcError
    }
    return ModelLoad.Result(model: ModelDescription(model, sourcePath: held.modelPath))
  }
}

extension EngineAvailability {
  /// What is wrong, when something is.
  var problem: Unavailability? {
    switch self {
    case .available, .loading: nil
    case .unavailable(let why): why
    }
  }
}

/// `tool/call` with its answer as it came: what is wrong with it is told to the model.
private enum AnyToolCall: RequestMethod {
  static let name = ToolCall.name
  typealias Params = ToolCall.Params
  typealias Result = JSONValue
}
