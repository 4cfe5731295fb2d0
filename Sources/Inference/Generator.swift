/// What a `Generator` may use.
public struct GeneratorConfiguration: Sendable {
  /// A step should not last longer than this: nothing is cancelled and no new request looked at inside it.
  public var stepTime: Duration = .milliseconds(150)
  /// Rows of the first step that reads a prompt, before the machine's speed is known.
  public var initialStepBudget = 64
  /// Requests that may hold a sequence at once.
  public var maxRunning = 16
  /// Cells of the KV cache that idle sequences may keep. They slow every step down a little.
  public var idleCells = 2048
  /// The same together with those of conversations; nil = three quarters of all, so that a long conversation need not
  /// be read again with each turn.
  public var conversationCells: Int?
  /// Bytes of the states of idle sequences that are kept outside of the KV cache, where they slow no step down.
  public var parkedBytes = 128 << 20
  /// Pinned prefixes at once; the oldest become ordinary ones.
  public var maxPinned = 8
  /// Whether constrained tokens that are decided are computed together; the output is the same if not.
  public var jumpsForward = true
  /// Whether drafts of likely tokens are verified several at a time; the output is the same if not.
  public var drafts = true
  /// Whether there are drafts in a step with other rows, too. A draft that is not taken leaves cells that another
  /// sequence may get, and the order of its cells is the order in which libllama adds numbers up.
  public var draftsBesideOthers = true
  /// Whether a prompt's first tokens are taken over from an earlier request instead of being read again. If not,
  /// nothing is kept when a request has ended.
  public var reusesPrefixes = true

  public init() {}
}

/// Generates text for many requests at once on one model. Used from the one thread that owns the model.
///
/// The owner calls `step` as long as it says that there is something to do, takes the events after each, and may
/// `submit`, `cancel` and pause between steps. Every request ends with exactly one `finished` or `failed`, unless it
/// was cancelled.
public final class Generator {
  private let model: any TokenModel
  private let now: () -> Duration
  private var scheduler: Scheduler
  private var budget: StepBudget
  private let jumpsForward: Bool
  private let drafts: Bool
  private let draftsBesideOthers: Bool
  private var cost = StepCost()
  private var drafted = 0
  private var accepted = 0
  private let endTokens: [Token]
  private var generations: [Int: Generation] = [:]
  private var events: [InferenceEvent] = []
  private var sampled: [SampledToken] = []
  private var stepCount = 0
  private var stepTime = Duration.zero

  /// The model's memory must be empty. `now` is the time since any fixed instant.
  public init(
    model: any TokenModel, configuration: GeneratorConfiguration = GeneratorConfiguration(),
    now: @escaping () -> Duration = Generator.continuousTime()
  ) {
    self.model = model
    self.now = now
    // Here and not in a step: the vocabulary is large.
    endTokens = (0..<Token(model.vocabularySize)).filter { model.isEndOfGeneration($0) }
    scheduler = Scheduler(
      limits: SchedulerLimits(
        contextSize: model.contextSize, batchSize: model.batchSize, maxSequences: model.maxSequences,
        memoryKind: model.memoryKind, maxRunning: configuration.maxRunning, idleCells: configuration.idleCells,
        conversationCells: configuration.conversationCells, maxPinned: configuration.maxPinned,
        reusesPrefixes: configuration.reusesPrefixes, parkedBytes: configuration.parkedBytes))
    jumpsForward = configuration.jumpsForward
    drafts = configuration.drafts
    draftsBesideOthers = configuration.draftsBesideOthers
    budget = StepBudget(
      target: configuration.stepTime, initial: configuration.initialStepBudget, least: 64, most: model.batchSize)
  }

  /// A clock that starts now.
  public static func continuousTime() -> () -> Duration {
    let start = ContinuousClock.now
    return { ContinuousClock.now - start }
  }

  /// Takes a request in. One that can never be done fails at once, by an event.
  public func submit(_ request: GenerationRequest) {
    var request = request
    request.maxTokens = max(1, request.maxTokens)
    let reserve = SchedulerLimits.reserve(request)
    if generations[request.id] != nil {
      events.append(.failed(request: request.id, .duplicateID))
    } else if request.prompt.isEmpty || !request.prompt.allSatisfy({ $0 >= 0 && Int($0) < model.vocabularySize }) {
      events.append(.failed(request: request.id, .invalidPrompt))
    } else if request.prompt.count + reserve > model.contextSize {
      let failure = GenerationFailure.contextWindowExceeded(
        promptTokens: request.prompt.count, contextSize: model.contextSize, reservedForOutput: reserve)
      events.append(.failed(request: request.id, failure))
    } else {
      generations[request.id] = Generation(request, contextSize: model.contextSize, submitted: now())
      scheduler.admit(request)
    }
  }

  /// Ends a request and frees its cells; no event of it comes any more. False when it is not known (any more).
  @discardableResult
  public func cancel(_ id: Int) -> Bool {
    generations[id] = nil
    return scheduler.cancel(id)
  }

  /// Ends a request where its output stands, as if the model had ended it. Its sequence stays in the prefix cache.
  /// False when it is not known (any more).
  @discardableResult
  public func finish(_ id: Int) -> Bool {
    guard let generation = generations[id], scheduler.finish(id) else { return false }
    generation.endHere()
    finish(generation, .stop, repeated: false)
    return true
  }

  /// Stops generating for a request whose reader is slow, after the step at hand, or goes on.
  public func setPaused(_ id: Int, _ isPaused: Bool) {
    scheduler.setPaused(id, isPaused)
  }

  /// Computes one step. False when there was nothing to do: until a request is submitted or goes on after a pause.
  public func step() -> Bool {
    let hasParked = parkOne()
    let plan = scheduler.plan(budget: budget.rows) { id, room in draft(for: id, room) }
    if !plan.isEmpty {
      let started = now()
      let outcome = compute(plan)
      scheduler.absorb(outcome)
      if case .computed = outcome {
        report(plan)
        if !plan.rows.isEmpty { note(plan, time: now() - started) }
      }
    }
    return settleEnded() || !plan.isEmpty || hasParked
  }

  /// The events since they were last taken, in order.
  public func takeEvents() -> [InferenceEvent] {
    defer { events.removeAll(keepingCapacity: false) }
    return events
  }

  /// The next prefix that a request wanted to be saved and that is still in the cache. To be asked for when `step` had
  /// nothing to do; it changes nothing.
  public func takeSavedPrefix() -> SavedPrefix? {
    guard let source = scheduler.takeWanted() else { return nil }
    var sequence = source.sequence
    if let scratch = source.scratch {
      let copy = MemoryOperation.copy(from: sequence, to: scratch, count: Int32(source.tokens.count))
      guard model.apply(copy) else { return nil }
      sequence = scratch
    }
    defer { if let scratch = source.scratch { _ = model.apply(.remove(sequence: scratch, from: 0)) } }
    return model.state(of: sequence).map { SavedPrefix(tokens: source.tokens, state: $0) }
  }

  public var statistics: InferenceStatistics {
    InferenceStatistics(
      sequences: scheduler.sequenceCount, occupiedCells: scheduler.occupiedCells, parked: scheduler.parkedCount,
      active: scheduler.runningCount,
      waiting: scheduler.waitingCount, steps: stepCount, stepTime: stepTime, stepBudget: budget.rows, drafted: drafted,
      accepted: accepted)
  }

  /// For tests.
  package var isConsistent: Bool { scheduler.isConsistent }

  /// One a step: it takes a fraction of a millisecond.
  private func parkOne() -> Bool {
    guard let idle = scheduler.parkable() else { return false }
    scheduler.park(idle, state: model.state(of: idle.sequence))
    return true
  }

  private func compute(_ plan: BatchPlan) -> StepOutcome {
    let broken = plan.applyOperations(to: model)
    guard broken.isEmpty else { return .broken(broken) }
    sampled.removeAll(keepingCapacity: true)
    guard !plan.rows.isEmpty else { return .computed(sampled) }
    do {
      try model.decode(plan.rows)
    } catch {
      switch error {
      case .noSpace: return .noSpace
      case .aborted: return .aborted
      case .failed(let message): return .failed(message)
      }
    }
    var row = 0
    while row < plan.rows.count {
      let id = plan.requests[row]
      var end = row + 1
      guard plan.rows[row].wantsLogits else {
        row = end
        continue
      }
      // The rows behind it are its draft.
      while end < plan.rows.count, plan.requests[end] == id { end += 1 }
      sampled.append(verify(plan.rows[row..<end], for: id))
      row = end
    }
    return .computed(sampled)
  }

  private func draft(for id: Int, _ room: DraftRoom) -> ArraySlice<Token> {
    guard drafts, draftsBesideOthers || room.rows == 1, let generation = generations[id] else { return [] }
    return generation.draft(room, cost: cost)
  }

  /// Chooses the next tokens one by one, as without a draft, as long as they are the drafted ones.
  private func verify(_ rows: ArraySlice<BatchRow>, for id: Int) -> SampledToken {
    drafted += rows.count - 1
    var taken = 0
    while true {
      let row = rows.startIndex + taken
      let result = sample(row: row, for: id)
      guard row + 1 < rows.endIndex, result == .next([rows[row + 1].token]) else {
        accepted += taken
        return SampledToken(request: id, accepted: taken, result: result)
      }
      taken += 1
    }
  }

  private func sample(row: Int, for id: Int) -> SampledToken.Result {
    guard let generation = generations[id] else { return .spoiled }
    if generation.firstToken == nil {
      generation.firstToken = now()
      generation.cachedTokens = scheduler.cachedTokens(of: id)
    }
    let progress = model.withLogits(row: row) { logits in
      generation.advance(logits, model: model, endTokens: endTokens, jumpsForward: jumpsForward)
    }
    switch progress {
    case .next(let tokens):
      return .next(tokens)
    case .end(let reason, let repeated):
      finish(generation, reason, repeated: repeated)
      return .end
    case .notFinite:
      fail(id, "the model's logits are not finite")
      return .spoiled
    }
  }

  private func report(_ plan: BatchPlan) {
    for prefill in plan.prefills {
      guard let generation = generations[prefill.request], prefill.done > generation.prefillDone,
        prefill.done < prefill.total || generation.prefillDone > 0
      else { continue }
      generation.prefillDone = prefill.done
      events.append(.prefill(request: prefill.request, done: prefill.done, total: prefill.total))
    }
    for sample in sampled {
      guard let generation = generations[sample.request] else { continue }
      sendText(of: generation)
    }
  }

  private func sendText(of generation: Generation) {
    let text = generation.takeText()
    if !text.isEmpty { events.append(.text(request: generation.id, text)) }
  }

  private func finish(_ generation: Generation, _ reason: GenerationSummary.FinishReason, repeated: Bool) {
    sendText(of: generation)
    generations[generation.id] = nil
    let end = now()
    events.append(
      .finished(
        request: generation.id,
        GenerationSummary(
          finishReason: reason, promptTokens: generation.promptCount, cachedTokens: generation.cachedTokens,
          completionTokens: generation.completionCount, contextUsed: generation.contextUsed, repeated: repeated,
          cutShort: generation.isCutShort, logProbability: generation.logProbability, tokens: generation.freeTokens,
          timeToFirstToken: (generation.firstToken ?? end) - generation.submitted,
          duration: end - generation.submitted)))
  }

  private func fail(_ id: Int, _ message: String) {
    generations[id] = nil
    events.append(.failed(request: id, .decodeFailed(message)))
  }

  /// Tells of the requests that the scheduler had to end; whether there were any.
  private func settleEnded() -> Bool {
    let ended = scheduler.takeEnded()
    for (id, ending) in ended {
      guard let generation = generations[id] else { continue }
      switch ending {
      case .contextFull:
        generation.cutOff()
        finish(generation, .contextFull, repeated: false)
      case .failed(let message):
        fail(id, message)
      case .read(let count, let cached):
        finish(generation, generation.endReading(count, cached: cached), repeated: false)
      }
    }
    return !ended.isEmpty
  }

  private func note(_ plan: BatchPlan, time: Duration) {
    // A row whose logits are computed costs more than one of a prompt: drafts are made of the former.
    let outputs = plan.rows.count { $0.wantsLogits }
    if outputs == plan.rows.count {
      cost.record(rows: outputs, time: time)
    } else if outputs * 2 < plan.rows.count {
      budget.record(rows: plan.rows.count, time: time)
    }
    stepTime = stepCount == 0 ? time : stepTime + (time - stepTime) / 8
    stepCount += 1
  }
}
