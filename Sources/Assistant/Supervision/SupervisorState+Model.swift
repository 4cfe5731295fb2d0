import AssistantProtocol

/// `model/load` and `model/unload`. Running requests finish first, new ones wait.
extension SupervisorState {
  mutating func loadModel(_ path: String, force: Bool, _ ticket: Ticket, at now: Instant) {
    var previousFailure: Unavailability? = if case .failed(let problem) = phase { problem } else { nil }
    var hadModel = phase != .unloaded && previousFailure == nil
    if let earlier = modelSwitch {
      // The later call wins; what there was before the earlier one stays what returns on failure.
      previousFailure = earlier.previousFailure
      hadModel = earlier.hadModel
      actions.append(.answer(earlier.ticket, .replacedLoad))
      if earlier.isTrying, hasChild { end(.switching) }
    }
    modelSwitch = Switch(
      path: path, ticket: ticket, previousPath: modelPath, previousFailure: previousFailure, hadModel: hadModel)
    if force {
      for key in running {
        requests[key] = nil
        actions.append(.cancel(key, generation))
        actions.append(.fail(key, .died(.replaced)))
      }
      running = []
    }
  }

  /// What there was before a load stays, or comes back; an unload that has not begun does not happen.
  mutating func cancelChange(_ ticket: Ticket) {
    if let index = unloadTickets.firstIndex(of: ticket) {
      unloadTickets.remove(at: index)
      actions.append(.answer(ticket, .cancelledChange))
    }
    guard let change = modelSwitch, change.ticket == ticket else { return }
    if !change.isTrying {
      modelSwitch = nil
      actions.append(.answer(ticket, .cancelledChange))
    } else if hasChild {
      switch phase {
      // After a stall it would be tried again.
      case .ending(.stalled): phase = .ending(.failed(.cancelledChange))
      case .ending: break
      case .unloaded, .starting, .loading, .ready, .backingOff, .failed, .ended: end(.failed(.cancelledChange))
      }
    } else {
      returnToPreviousModel(change, .cancelledChange, at: notBefore)
    }
  }

  /// Does what `model/load` and `model/unload` asked for; no request is running.
  mutating func changeModelIfWanted(at now: Instant) {
    if let change = modelSwitch, !change.isTrying {
      switch phase {
      case .starting, .loading, .ready: end(.switching)
      case .unloaded, .backingOff, .failed:
        modelSwitch?.isTrying = true
        startDeaths = 0
        notBefore = .zero
        spawnWhenAllowed(at: now)
      case .ending, .ended: break
      }
      return
    }
    guard modelSwitch == nil, !unloadTickets.isEmpty else { return }
    switch phase {
    case .starting, .loading, .ready: end(.unload)
    case .unloaded, .backingOff, .failed:
      phase = .unloaded
      actions += unloadTickets.map { .answer($0, nil) }
      unloadTickets = []
    case .ending, .ended: break
    }
  }

  /// The candidate cannot be loaded: what there was before comes back.
  mutating func returnToPreviousModel(_ change: Switch, _ problem: Unavailability, at now: Instant) {
    actions.append(.answer(change.ticket, problem))
    modelSwitch = nil
    startDeaths = 0
    modelPath = change.previousPath
    if change.hadModel {
      spawnWhenAllowed(at: now)
    } else if let failure = change.previousFailure, waiting.isEmpty {
      phase = .failed(failure)
    } else {
      phase = .unloaded
    }
  }
}

extension Unavailability {
  static let cancelledChange = Unavailability(
    .unloaded, message: "The change of the model was cancelled.", remedy: "Nothing needs to be done.")

  static let replacedLoad = Unavailability(
    .unloaded, message: "Another model/load came before this one was done.", remedy: "Nothing needs to be done.")
}
