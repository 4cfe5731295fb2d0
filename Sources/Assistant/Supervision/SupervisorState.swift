import AssistantProtocol
import EngineProtocol

/// The engine's supervisor as a state machine without any IO: events in, actions out, time given by the caller.
///
/// There is at most one child. It is spawned when the model is wanted, says who it is, loads, and runs requests; it is
/// ended when idle for long, to change the model, or when it stops making progress; and it may die at any moment.
/// Requests wait in order while there is no engine that is ready.
public struct SupervisorState: Sendable {
  public let configuration: Configuration
  public internal(set) var phase = Phase.unloaded
  /// The model that is loaded or would be.
  public internal(set) var modelPath: String
  /// Children that died without being told to.
  public internal(set) var restarts = 0

  struct Request: Sendable {
    let digest: CrashRecord.Digest
    /// How often it was given to a child.
    var runs = 0
    var isPaused = false
    var sentPartial = false
  }

  /// A change of the model that is under way.
  struct Switch: Sendable {
    let path: String
    let ticket: Ticket
    /// What there was before, and returns on failure.
    let previousPath: String
    let previousFailure: Unavailability?
    let hadModel: Bool
    /// The candidate's child has been spawned.
    var isTrying = false
  }

  var requests: [RequestKey: Request] = [:]
  /// In the order of their coming; those that run again are in front.
  var waiting: [RequestKey] = []
  /// In the order of their starting.
  var running: [RequestKey] = []
  var crashes = CrashRecord()
  var generation = 0
  var modelSwitch: Switch?
  var unloadTickets: [Ticket] = []
  /// Deaths since the last request that ended well.
  var deathsInARow = 0
  /// Deaths since a model was last ready.
  var startDeaths = 0
  /// No child is spawned before.
  var notBefore: Instant = .zero
  var watchdog = Watchdog()
  var idleSince: Instant?
  private var announced: EngineAvailability?
  var actions: [Action] = []

  public init(configuration: Configuration, modelPath: String) {
    self.configuration = configuration
    self.modelPath = modelPath
  }

  public var waitingCount: Int { waiting.count }
  public var runningCount: Int { running.count }

  public var availability: EngineAvailability {
    switch phase {
    case .ready: .available
    case .loading(let progress): .loading(progress: progress)
    case .starting, .backingOff: .loading(progress: 0)
    case .failed(let unavailability), .ending(.failed(let unavailability)): .unavailable(unavailability)
    case .ending(.switching), .ending(.stalled): .loading(progress: 0)
    case .unloaded, .ended, .ending(.idle), .ending(.unload): .unavailable(.unloaded)
    }
  }

  /// Takes an event in and says what is to be done, in order.
  public mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    if case .ended = phase { return handleAfterEnd(event) }
    take(event, at: now)
    if case .ended = phase {} else { advance(at: now) }
    announceIfChanged()
    defer { actions = [] }
    return actions
  }

  /// When `tick` is due, if nothing else happens before.
  public func nextDeadline() -> Instant? {
    var deadlines: [Instant] = []
    if case .backingOff(let until) = phase { deadlines.append(until) }
    if let limit = stallDeadline { deadlines.append(limit) }
    if let idleSince, let idleUnload = configuration.idleUnload { deadlines.append(idleSince + idleUnload) }
    return deadlines.min()
  }

  private mutating func take(_ event: Event, at now: Instant) {
    switch event {
    case .wanted: wantModel(at: now)
    case .submitted(let key, let digest): submit(key, digest: digest, at: now)
    case .partialSent(let key): requests[key]?.sentPartial = true
    case .paused(let key, let isPaused): pause(key, isPaused, at: now)
    case .finished(let key): finish(key, at: now)
    case .failed(let key, let failure): fail(key, failure)
    case .cancelled(let key): cancel(key)
    case .spawnFailed(let child, let problem), .loadFailed(let child, let problem):
      if child == generation { startFailed(problem, at: now) }
    case .hello(let child, let buildID):
      if child == generation { greet(buildID: buildID, at: now) }
    case .loadProgress(let child, let progress):
      if child == generation, case .loading = phase {
        phase = .loading(progress: progress)
        watchdog.noteProgress(at: now)
      }
    case .loaded(let child):
      if child == generation { becomeReady(at: now) }
    case .heartbeat(let child, let steps, let stepTime):
      if child == generation { watchdog.noteHeartbeat(steps: steps, stepTime: stepTime, at: now) }
    case .message(let child):
      if child == generation { watchdog.noteProgress(at: now) }
    case .childExited(let child, let status):
      if child == generation { childEnded(status, at: now) }
    case .loadModel(let path, let force, let ticket): loadModel(path, force: force, ticket, at: now)
    case .changeCancelled(let ticket): cancelChange(ticket)
    case .unloadModel(let ticket): unloadTickets.append(ticket)
    case .shutdown: shutDown()
    case .tick: break
    }
  }

  private mutating func shutDown() {
    for key in waiting + running { actions.append(.fail(key, .unavailable(.unloaded))) }
    requests = [:]
    waiting = []
    running = []
    if let modelSwitch { actions.append(.answer(modelSwitch.ticket, .unloaded)) }
    modelSwitch = nil
    actions += unloadTickets.map { .answer($0, nil) }
    unloadTickets = []
    idleSince = nil
    if hasChild { actions.append(.kill(generation)) }
    phase = .ended
  }

  private func handleAfterEnd(_ event: Event) -> [Action] {
    switch event {
    case .submitted(let key, _): [.fail(key, .unavailable(.unloaded))]
    case .loadModel(_, _, let ticket): [.answer(ticket, .unloaded)]
    case .unloadModel(let ticket): [.answer(ticket, nil)]
    case .wanted, .partialSent, .paused, .finished, .failed, .cancelled, .spawnFailed, .hello, .loadProgress, .loaded,
      .loadFailed, .heartbeat, .message, .childExited, .changeCancelled, .shutdown, .tick:
      []
    }
  }

  private mutating func announceIfChanged() {
    let now = availability
    guard now != announced, !isSmallStep(from: announced, to: now) else { return }
    announced = now
    actions.append(.announce(now))
  }

  /// A library may say a hundred times how far it is; nobody needs that.
  private func isSmallStep(from earlier: EngineAvailability?, to later: EngineAvailability) -> Bool {
    guard case .loading(let before) = earlier, case .loading(let after) = later else { return false }
    return after > before && after < before + 0.05
  }
}

extension Unavailability {
  /// The model is not in memory, and nothing is wrong.
  public static let unloaded = Unavailability(
    .unloaded, message: "The model is not loaded.", remedy: "It is loaded again by the next request that needs it.")
}
