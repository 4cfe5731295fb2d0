import AssistantProtocol

/// Requests: their queue, and what becomes of them when the child dies.
extension SupervisorState {
  mutating func submit(_ key: RequestKey, digest: CrashRecord.Digest, at now: Instant) {
    if crashes.isQuarantined(digest) {
      actions.append(.fail(key, .died(.quarantined)))
    } else if requests.count >= configuration.requestLimit {
      actions.append(.fail(key, .overloaded(limit: configuration.requestLimit)))
    } else {
      requests[key] = Request(digest: digest)
      waiting.append(key)
      wantModel(at: now)
    }
  }

  /// Starts what may start. A suspect runs alone, so that the next crash tells who it was; what waits behind it waits
  /// until it is done, so that it is not overtaken for ever.
  mutating func startWaitingRequests(at now: Instant) {
    guard case .ready = phase, modelSwitch == nil, unloadTickets.isEmpty else { return }
    if let key = running.first, let request = requests[key], crashes.isSuspect(request.digest) { return }
    while running.count < configuration.runningLimit, let key = waiting.first, let request = requests[key] {
      let isSuspect = crashes.isSuspect(request.digest)
      if isSuspect, !running.isEmpty { return }
      waiting.removeFirst()
      if !hasWork { watchdog.noteProgress(at: now) }
      running.append(key)
      requests[key]?.runs += 1
      actions.append(.run(key, generation))
      if isSuspect { return }
    }
  }

  /// Whether the child is expected to get on.
  var hasWork: Bool {
    switch phase {
    case .starting, .loading: true
    case .ready: running.contains { requests[$0]?.isPaused == false }
    case .unloaded, .ending, .backingOff, .failed, .ended: false
    }
  }

  /// When the child counts as stalled; nil while it has nothing to do.
  var stallDeadline: Instant? {
    guard hasWork else { return nil }
    let isLoading = if case .loading = phase { true } else { false }
    return watchdog.deadline(configuration, isLoading: isLoading)
  }

  mutating func pause(_ key: RequestKey, _ isPaused: Bool, at now: Instant) {
    guard running.contains(key) else { return }
    let hadWork = hasWork
    requests[key]?.isPaused = isPaused
    if !hadWork { watchdog.noteProgress(at: now) }
  }

  mutating func finish(_ key: RequestKey, at now: Instant) {
    guard let request = remove(key) else { return }
    crashes.noteFinished(request.digest)
    deathsInARow = 0
    notBefore = .zero
    watchdog.noteProgress(at: now)
  }

  mutating func fail(_ key: RequestKey, _ failure: EngineFailure) {
    guard let request = remove(key) else { return }
    // The engine lives and has answered: the request is no danger to it.
    crashes.noteFinished(request.digest)
    actions.append(.fail(key, failure))
  }

  mutating func cancel(_ key: RequestKey) {
    let isRunning = running.contains(key)
    guard remove(key) != nil else { return }
    if isRunning { actions.append(.cancel(key, generation)) }
    actions.append(.fail(key, .cancelled))
  }

  private mutating func remove(_ key: RequestKey) -> Request? {
    guard let request = requests.removeValue(forKey: key) else { return nil }
    running.removeAll { $0 == key }
    waiting.removeAll { $0 == key }
    return request
  }

  /// The child died. What has shown nothing to its client yet runs again, once; the rest ends with the reason.
  mutating func returnRunningRequests(_ death: EngineFailureReason, blames: Bool) {
    let victims = running
    running = []
    if blames { crashes.noteCrash(running: Set(victims.compactMap { requests[$0]?.digest })) }
    var again: [RequestKey] = []
    for key in victims {
      guard let request = requests[key] else { continue }
      if !crashes.isQuarantined(request.digest), !request.sentPartial, request.runs < 2 {
        requests[key]?.isPaused = false
        again.append(key)
        actions.append(.restart(key))
      } else {
        requests[key] = nil
        actions.append(.fail(key, .died(crashes.isQuarantined(request.digest) ? .quarantined : death)))
      }
    }
    waiting = again + waiting
  }
}
