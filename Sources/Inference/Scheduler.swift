/// Decides what each step computes: continuous batching over one KV cache, without doing any of it.
///
/// Use: `admit` requests, then again and again `plan`, do what it says, and `absorb` the outcome. Every decision
/// follows from these calls alone, so tests drive it with tables.
///
/// * Each step carries one token of every decoding sequence, then prompts up to the step's budget: interactive ones
///   before background ones, the shortest rest first, but the one that has waited longest always gets a share.
/// * A request is admitted when its prompt and its reserve fit the cells that no running request holds or is
///   promised. It waits otherwise, and a limited number of later ones may pass it.
/// * A decoding sequence's token may be followed by a draft of the next ones, in cells that are free anyway.
/// * When cells run out, idle sequences go, least recently used first; then the youngest request of the lowest
///   priority is preempted: it waits and is computed again later.
package struct Scheduler: Sendable {
  /// A request that waits or runs.
  struct Record: Sendable {
    var id: Int
    /// Grows with each request.
    var arrival: Int
    var isBackground: Bool
    /// Its prompt is read and that is all.
    var isPrefillOnly: Bool
    var isConversation: Bool
    /// Prompt and output so far.
    var tokens: [Token]
    var promptCount: Int
    var maxTokens: Int
    /// Ascending, each within the prompt.
    var borders: [Int]
    var isPaused = false

    var sequence: SequenceID = -1
    /// Tokens in the KV cache.
    var evaluated = 0
    /// Rows of the step at hand, without its draft.
    var planned = 0
    /// Tokens that the step at hand computes behind the last one, in case they are the next ones.
    var draft: ArraySlice<Token> = []
    /// Tokens left to read before somebody is served: the shortest goes first.
    var rest = 0
    /// Prompt tokens that were in the KV cache at the first admission.
    var cached: Int?
    var mayReusePrefix = true
    /// Tokens of the prompt's start that are to be saved.
    var savedLength = 0
    /// Until it is admitted.
    var savedPrefix: SavedPrefix?
    var wasPreempted = false
    /// How many younger requests were admitted before it.
    var passedBy = 0
    /// The request whose prefill it waits for, and how far that must be.
    var awaited: (request: Int, length: Int)?

    var generated: Int { tokens.count - promptCount }
    var remaining: Int { tokens.count - evaluated }
  }

  /// Why a request ended without a sampled token saying so.
  package enum Ending: Sendable, Equatable {
    case contextFull
    case failed(String)
    /// A prewarm is over, with so many tokens of its prompt in the KV cache, of which so many were there before.
    case read(Int, cached: Int)
  }

  package let limits: SchedulerLimits
  var ledger: CellLedger
  var cache = PrefixCache()
  var parked: ParkedPrefixes
  var freeSequences: [SequenceID]
  /// In the order of admission to the queue: interactive first, then by arrival.
  var waiting: [Record] = []
  var running: [Record] = []
  /// Operations for the next plan.
  var operations: [MemoryOperation] = []
  var batch = BatchPlan()
  /// Requests that ended since they were last asked for.
  var ended: [(request: Int, ending: Ending)] = []
  /// Requests of a failed step; each is computed alone until it has done a step.
  var suspects: [Int] = []
  /// Prefixes that are to be saved, the latest last.
  var wanted: [[Token]] = []
  var arrivals = 0
  /// Something has changed that may let a waiting request in.
  var mayAdmit = false
  /// Set when the KV cache had less room than the ledger says: nobody is let in until a request has ended.
  var isAdmissionHeld = false
  /// Most rows of a step; falls when a step of one request alone found no room.
  var rowLimit: Int
  var abortsInARow = 0
  /// Not set after a step with drafts had no room, until one without has.
  var mayDraft = true

  package init(limits: SchedulerLimits) {
    self.limits = limits
    parked = ParkedPrefixes(mostBytes: limits.parkedBytes)
    ledger = CellLedger(capacity: limits.contextSize, maxSequences: limits.maxSequences)
    freeSequences = (0..<SequenceID(limits.maxSequences)).reversed()
    rowLimit = limits.batchSize
  }

  /// Takes a request in. Its prompt must not be empty, its id not be in use, and it must fit the window alone
  /// (`Generator.submit` checks all three).
  package mutating func admit(_ request: GenerationRequest) {
    let count = request.prompt.count
    precondition(count > 0 && count + SchedulerLimits.reserve(request) <= limits.contextSize)
    if !request.prefillOnly { endPrewarms() }
    arrivals += 1
    var record = Record(
      id: request.id, arrival: arrivals, isBackground: request.isBackground || request.prefillOnly,
      isPrefillOnly: request.prefillOnly, isConversation: request.isConversation, tokens: request.prompt,
      promptCount: count,
      maxTokens: request.prefillOnly ? 0 : request.maxTokens,
      borders: limits.reusesPrefixes ? request.savedBorders.filter { $0 > 0 && $0 <= count }.sorted() : [],
      mayReusePrefix: limits.reusesPrefixes, savedLength: min(request.savedLength, count))
    if let saved = request.savedPrefix, saved.tokens.count < count, request.prompt.starts(with: saved.tokens) {
      record.savedPrefix = saved
    }
    enqueue(record)
  }

  /// Forgets a request and frees its cells; false when it is not known.
  package mutating func cancel(_ id: Int) -> Bool {
    if let index = waiting.firstIndex(where: { $0.id == id }) {
      waiting.remove(at: index)
    } else if let index = running.firstIndex(where: { $0.id == id }) {
      stop(at: index, keepingSequence: false)
    } else {
      return false
    }
    suspects.removeAll { $0 == id }
    mayAdmit = true
    return true
  }

  /// Ends a request whose output is wanted no further; its sequence becomes idle. False when it is not known, or a
  /// prewarm.
  package mutating func finish(_ id: Int) -> Bool {
    if let index = waiting.firstIndex(where: { $0.id == id && !$0.isPrefillOnly }) {
      waiting.remove(at: index)
      mayAdmit = true
    } else if let index = running.firstIndex(where: { $0.id == id && !$0.isPrefillOnly }) {
      stop(at: index, keepingSequence: true)
    } else {
      return false
    }
    suspects.removeAll { $0 == id }
    return true
  }

  /// A paused request gets no rows. It keeps its cells until others need them.
  package mutating func setPaused(_ id: Int, _ isPaused: Bool) {
    if let index = waiting.firstIndex(where: { $0.id == id }) { waiting[index].isPaused = isPaused }
    if let index = running.firstIndex(where: { $0.id == id }) { running[index].isPaused = isPaused }
    mayAdmit = true
  }

  /// The requests that ended other than by a sampled token since this was last called.
  package mutating func takeEnded() -> [(request: Int, ending: Ending)] {
    guard !ended.isEmpty else { return [] }
    defer { ended.removeAll() }
    return ended
  }

  /// Prompt tokens that the request found in the KV cache.
  package func cachedTokens(of id: Int) -> Int {
    running.first { $0.id == id }?.cached ?? waiting.first { $0.id == id }?.cached ?? 0
  }

  package var runningCount: Int { running.count }
  package var waitingCount: Int { waiting.count }
  package var sequenceCount: Int { running.count + cache.entries.count }
  package var occupiedCells: Int { ledger.occupied }
  package var parkedCount: Int { parked.count }

  /// Whether ledger, sequences and requests agree. For tests.
  package var isConsistent: Bool {
    let used = running.map(\.sequence) + cache.entries.map(\.sequence)
    return ledger.isConsistent
      && Set(used + freeSequences) == Set(0..<SequenceID(limits.maxSequences))
      && used.count + freeSequences.count == limits.maxSequences
      && running.allSatisfy { ledger.count(of: $0.sequence) == $0.evaluated }
      && cache.entries.allSatisfy { ledger.count(of: $0.sequence) == $0.tokens.count && !$0.tokens.isEmpty }
      && freeSequences.allSatisfy { ledger.count(of: $0) == 0 }
  }
}
