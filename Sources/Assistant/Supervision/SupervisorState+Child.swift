import AssistantProtocol

/// The life of the child: spawning, loading, ending, dying.
extension SupervisorState {
  /// Whether there is a process that has not been seen to end.
  var hasChild: Bool {
    switch phase {
    case .starting, .loading, .ready, .ending: true
    case .unloaded, .backingOff, .failed, .ended: false
    }
  }

  /// What can be done now is done: deadlines, a change of the model, unloading, starting requests.
  mutating func advance(at now: Instant) {
    if let stallDeadline, now >= stallDeadline { endStalledChild() }
    if case .backingOff(let until) = phase, now >= until { spawn(at: now) }
    if running.isEmpty { changeModelIfWanted(at: now) }
    if case .unloaded = phase, !waiting.isEmpty { spawnWhenAllowed(at: now) }
    startWaitingRequests(at: now)
    noteIdleness(at: now)
  }

  /// The model is wanted: by a request, or because the daemon starts.
  mutating func wantModel(at now: Instant) {
    switch phase {
    case .unloaded, .failed: spawnWhenAllowed(at: now)
    case .starting, .loading, .ready, .backingOff, .ending, .ended: break
    }
  }

  mutating func spawnWhenAllowed(at now: Instant) {
    if now >= notBefore { spawn(at: now) } else { phase = .backingOff(until: notBefore) }
  }

  private mutating func spawn(at now: Instant) {
    generation += 1
    phase = .starting
    watchdog = Watchdog(at: now)
    idleSince = nil
    actions.append(.spawn(generation, path: pathToLoad))
  }

  private var pathToLoad: String {
    if let modelSwitch, modelSwitch.isTrying { modelSwitch.path } else { modelPath }
  }

  mutating func greet(buildID: String, at now: Instant) {
    guard case .starting = phase else { return }
    guard buildID.utf8.elementsEqual(configuration.buildID.utf8) else {
      actions.append(.log("the engine is of another build; it is ended"))
      end(
        .failed(
          Unavailability(
            .engineFailed, message: "The engine's executable is of another build than this daemon.",
            remedy: "Restart the daemon: inkling was probably updated while it ran.")))
      return
    }
    phase = .loading(progress: 0)
    watchdog.noteProgress(at: now)
    actions.append(.load(generation, path: pathToLoad))
  }

  mutating func becomeReady(at now: Instant) {
    guard case .loading = phase else { return }
    phase = .ready
    startDeaths = 0
    watchdog.noteProgress(at: now)
    if let change = modelSwitch, change.isTrying {
      modelPath = change.path
      modelSwitch = nil
      actions.append(.answer(change.ticket, nil))
    }
  }

  /// Tells the child to end; what follows comes when it has.
  mutating func end(_ reason: EndReason) {
    actions.append(.kill(generation))
    phase = .ending(reason)
    idleSince = nil
  }

  private mutating func endStalledChild() {
    let starting = phase != .ready
    actions.append(.log("the engine makes no progress; it is ended"))
    end(.stalled(whileStarting: starting))
  }

  /// The child could not be spawned, or said that it cannot load the model.
  mutating func startFailed(_ problem: Unavailability, at now: Instant) {
    switch phase {
    case .starting: failed(problem, at: now)
    case .loading: end(.failed(problem))
    case .unloaded, .ready, .ending, .backingOff, .failed, .ended: break
    }
  }

  mutating func childEnded(_ status: ChildExitStatus, at now: Instant) {
    switch phase {
    case .starting, .loading: diedAtStart(status, at: now)
    case .ready: died(.crashed, blames: !status.isFromOutside, status.description, at: now)
    case .ending(.idle), .ending(.unload), .ending(.switching): phase = .unloaded
    case .ending(.stalled(whileStarting: true)): restartAfterStartDeath("made no progress", at: now)
    case .ending(.stalled(whileStarting: false)): died(.stalled, blames: true, "ended after a stall", at: now)
    case .ending(.failed(let problem)): failed(problem, at: now)
    case .unloaded, .backingOff, .failed, .ended: break
    }
  }

  private mutating func diedAtStart(_ status: ChildExitStatus, at now: Instant) {
    if status == .signalled(ChildExitStatus.illegalInstruction) {
      failed(
        Unavailability(
          .unsupportedDevice, message: "This inkling was built for another processor.",
          remedy: "Build it on this machine: make clean deps build."), at: now)
    } else {
      restartAfterStartDeath(status.description, at: now)
    }
  }

  private mutating func restartAfterStartDeath(_ how: String, at now: Instant) {
    startDeaths += 1
    noteDeath(how, at: now)
    if startDeaths >= configuration.startAttempts {
      failed(
        Unavailability(
          .engineFailed, message: "The engine ended \(startDeaths) times while starting (\(how)).",
          remedy: "Run “inkling doctor”, or try another model file."), at: now)
    } else {
      spawnWhenAllowed(at: now)
    }
  }

  private mutating func died(_ death: EngineFailureReason, blames: Bool, _ how: String, at now: Instant) {
    noteDeath(how, at: now)
    returnRunningRequests(death, blames: blames)
    spawnWhenAllowed(at: now)
  }

  private mutating func noteDeath(_ how: String, at now: Instant) {
    restarts += 1
    deathsInARow += 1
    notBefore = now + backOff(afterDeaths: deathsInARow)
    actions.append(.log("the engine \(how) (pending requests: \(running.count + waiting.count))"))
  }

  /// No wait after the first death in a row.
  private func backOff(afterDeaths count: Int) -> Duration {
    guard count > 1 else { return .zero }
    let doublings = min(count - 2, 16)
    return min(configuration.firstBackOff * (1 << doublings), configuration.longestBackOff)
  }

  /// There is no child, and none can be had for now.
  private mutating func failed(_ problem: Unavailability, at now: Instant) {
    if let change = modelSwitch, change.isTrying {
      returnToPreviousModel(change, problem, at: now)
      return
    }
    phase = .failed(problem)
    for key in waiting {
      requests[key] = nil
      actions.append(.fail(key, .unavailable(problem)))
    }
    waiting = []
  }

  private mutating func noteIdleness(at now: Instant) {
    guard case .ready = phase, requests.isEmpty else {
      idleSince = nil
      return
    }
    guard let since = idleSince else {
      idleSince = now
      return
    }
    if let idleUnload = configuration.idleUnload, now >= since + idleUnload { end(.idle) }
  }
}

extension ChildExitStatus {
  /// SIGILL has this number on Linux and on macOS.
  static let illegalInstruction: Int32 = 4

  /// SIGKILL and SIGTERM come from a person or from the system, not from what the process did.
  var isFromOutside: Bool { self == .signalled(9) || self == .signalled(15) }

  var description: String {
    switch self {
    case .exited(let code): "exited with status \(code)"
    case .signalled(let signal): "was ended by signal \(signal)"
    }
  }
}
