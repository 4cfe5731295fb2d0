// Sequences and cells: who gives way when there are too few.

extension Scheduler {
  /// A sequence id that nobody uses; idle sequences other than `keeping` are evicted for it.
  mutating func allocate(keeping: SequenceID?, sparingPinned: Bool = false) -> SequenceID? {
    if freeSequences.isEmpty,
      let index = cache.leastRecentlyUsed(where: { $0.sequence != keeping && !(sparingPinned && $0.isPinned) })
    {
      evict(at: index)
    }
    return freeSequences.popLast()
  }

  /// Evicts idle sequences until so many cells are free; false when that is not enough.
  mutating func makeRoom(_ cells: Int, sparingPinned: Bool = false) -> Bool {
    while ledger.free < cells {
      // Evicting one whose cells are all held by running requests would free nothing.
      guard
        let index = cache.leastRecentlyUsed(where: {
          !(sparingPinned && $0.isPinned) && ledger.idleCells(of: $0.sequence, first: $0.tokens.count) > 0
        })
      else { return false }
      evict(at: index)
    }
    return true
  }

  mutating func evict(at index: Int) {
    release(cache.entries.remove(at: index).sequence)
  }

  /// Empties a sequence and gives its id back.
  mutating func release(_ sequence: SequenceID) {
    ledger.truncate(sequence, to: 0)
    ledger.setRunning(sequence, false)
    operations.append(.remove(sequence: sequence, from: 0))
    freeSequences.append(sequence)
  }

  /// Ends the running of a request; its sequence becomes idle or is freed.
  @discardableResult
  mutating func stop(at index: Int, keepingSequence: Bool) -> Record {
    var record = running.remove(at: index)
    if keepingSequence { noteWanted(by: record) }
    if keepingSequence && record.evaluated > 0 && limits.reusesPrefixes {
      addIdle(
        record.sequence, tokens: Array(record.tokens.prefix(record.evaluated)), isConversation: record.isConversation)
    } else {
      release(record.sequence)
    }
    record.sequence = -1
    record.evaluated = 0
    record.planned = 0
    mayAdmit = true
    isAdmissionHeld = false
    return record
  }

  /// Sends a running request back to the queue. Its sequence stays as an idle one while there is room.
  mutating func preempt(at index: Int) {
    var record = stop(at: index, keepingSequence: true)
    record.wasPreempted = true
    enqueue(record)
  }

  /// Takes a running request's place: a prewarm is over, another one waits.
  mutating func giveWay(at index: Int) {
    if running[index].isPrefillOnly { endPrewarm(at: index) } else { preempt(at: index) }
  }

  /// Ends a running prewarm; what it has read stays as an idle sequence.
  mutating func endPrewarm(at index: Int) {
    let count = running[index].evaluated
    let record = stop(at: index, keepingSequence: true)
    suspects.removeAll { $0 == record.id }
    ended.append((record.id, .read(count, cached: record.cached ?? 0)))
  }

  /// Ends all prewarms.
  mutating func endPrewarms() {
    for index in running.indices.reversed() where running[index].isPrefillOnly { endPrewarm(at: index) }
    for index in waiting.indices.reversed() where waiting[index].isPrefillOnly { endWaitingPrewarm(at: index) }
  }

  mutating func endWaitingPrewarm(at index: Int) {
    let record = waiting.remove(at: index)
    let count = findDonor(for: record)?.length ?? 0
    ended.append((record.id, .read(count, cached: record.cached ?? count)))
  }

  /// The request that gives way when cells run out; nil when only one runs.
  func victim() -> Int? {
    guard running.count > 1 else { return nil }
    return running.indices.max { isPreempted(running[$1], before: running[$0]) }
  }

  /// Prewarms first, then paused ones, then background ones, then the younger.
  func isPreempted(_ left: Record, before right: Record) -> Bool {
    if left.isPrefillOnly != right.isPrefillOnly { return left.isPrefillOnly }
    if left.isPaused != right.isPaused { return left.isPaused }
    if left.isBackground != right.isBackground { return left.isBackground }
    return left.arrival > right.arrival
  }

  private mutating func addIdle(_ sequence: SequenceID, tokens: [Token], isConversation: Bool) {
    ledger.setRunning(sequence, false)
    var isConversation = isConversation
    if limits.memoryKind == .sliceable {
      // What is only the start of this one is worth nothing beside it.
      for index in cache.entries.indices.reversed() where !cache.entries[index].isSaved {
        let entry = cache.entries[index]
        guard commonPrefix(entry.tokens, tokens, limit: tokens.count) == entry.tokens.count else { continue }
        // A question asked behind a conversation holds all of it.
        isConversation = isConversation || entry.isConversation
        evict(at: index)
      }
    }
    cache.entries.append(
      IdleSequence(
        sequence: sequence, tokens: tokens, lastUse: cache.nextUse(), isSaved: false, isPinned: false,
        isConversation: isConversation))
    trimIdle()
  }

  /// Keeps the cells of idle sequences within their limits: they make every step slower.
  private mutating func trimIdle() {
    let conversations = cache.entries.filter(\.isConversation).reduce(0) { sum, entry in
      sum + ledger.idleCells(of: entry.sequence, first: entry.tokens.count)
    }
    trimIdle(to: limits.idleCells + conversations) { !$0.isConversation }
    trimIdle(to: limits.conversationCells) { _ in true }
  }

  /// Lets entries that may go, but for pinned ones, go until so many cells are idle.
  private mutating func trimIdle(to limit: Int, where mayGo: (IdleSequence) -> Bool) {
    func isFree(_ entry: IdleSequence) -> Bool { !entry.isPinned && mayGo(entry) }
    while ledger.idle > limit, let index = cache.leastRecentlyUsed(where: isFree) {
      let isLast = !cache.entries.indices.contains { $0 != index && isFree(cache.entries[$0]) }
      let kept = cache.entries[index].tokens.count - (ledger.idle - limit)
      guard isLast, limits.memoryKind == .sliceable, kept > 0 else {
        evict(at: index)
        continue
      }
      // The newest one keeps its start.
      let entry = cache.entries[index]
      cache.entries[index].tokens.removeLast(entry.tokens.count - kept)
      ledger.truncate(entry.sequence, to: kept)
      operations.append(.remove(sequence: entry.sequence, from: Int32(kept)))
      return
    }
  }

  /// Keeps copies of the prefixes that end at saved borders beyond `start`. A memory that can be cut finds prefixes in
  /// any sequence, so there only the first border, which is pinned, needs a copy of its own.
  mutating func saveBorders(at index: Int, after start: Int) {
    let record = running[index]
    for (number, border) in record.borders.enumerated() where border > start && border <= record.evaluated {
      switch limits.memoryKind {
      case .sliceable: if number > 0 { continue }
      case .wholeOnly: if border != record.evaluated { continue }
      }
      let isPinned = number == 0 && border <= limits.idleCells && limits.maxPinned > 0
      if cache.touchSaved(record.tokens[..<border], pin: isPinned) { continue }
      if freeSequences.isEmpty, let idle = cache.leastRecentlyUsed(where: { !$0.isPinned }) { evict(at: idle) }
      guard let sequence = freeSequences.popLast() else { continue }
      ledger.share(from: record.sequence, to: sequence, count: border)
      operations.append(.copy(from: record.sequence, to: sequence, count: Int32(border)))
      cache.entries.append(
        IdleSequence(
          sequence: sequence, tokens: Array(record.tokens[..<border]), lastUse: cache.nextUse(), isSaved: true,
          isPinned: isPinned))
      cache.limitPins(entries: limits.maxPinned, tokens: limits.idleCells)
    }
  }
}
