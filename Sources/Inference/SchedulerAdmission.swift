// Who gets a sequence, and what of the KV cache it starts with.

extension Scheduler {
  /// How many younger requests may pass a waiting one; then nobody is admitted before it, and a background request
  /// counts as interactive.
  static let mostPassing = 16
  /// How many waiting requests that do not fit are looked at in a step.
  static let mostBlocked = 8
  /// A prefix that another request is reading is worth waiting for from so many tokens on.
  static let leastAwaited = 32

  /// A sequence whose first tokens are those of a prompt.
  struct Donor {
    enum Place {
      /// Index of the cache's entry.
      case idle(Int)
      case running
    }
    var place: Place
    var sequence: SequenceID
    var length: Int
  }

  /// Puts a record in its place of the queue.
  mutating func enqueue(_ record: Record) {
    let index =
      waiting.firstIndex { other in
        record.isBackground == other.isBackground ? record.arrival < other.arrival : other.isBackground
      } ?? waiting.count
    waiting.insert(record, at: index)
    mayAdmit = true
  }

  mutating func admitWaiting() {
    refreshAwaited()
    guard mayAdmit, !isAdmissionHeld || running.isEmpty else { return }
    mayAdmit = false
    var preemptionsLeft = running.count
    var index = 0
    var blocked = 0
    while index < waiting.count, blocked < Self.mostBlocked {
      if waiting[index].isPaused || waiting[index].awaited != nil {
        index += 1
        continue
      }
      let donor = findDonor(for: waiting[index])
      let known = max(donor?.length ?? 0, savedLength(for: waiting[index]))
      if let awaited = prefillWorthAwaiting(for: waiting[index], beyond: known) {
        waiting[index].awaited = awaited
        index += 1
      } else if fits(waiting[index], donor) {
        place(at: index, donor)
      } else if waiting[index].isPrefillOnly {
        // It waits while others run, who may leave room, and is over when nobody does.
        if running.isEmpty { endWaitingPrewarm(at: index) } else { index += 1 }
      } else if preemptionsLeft > 0, let victim = preemptable(for: waiting[index], donor) {
        preemptionsLeft -= 1
        preempt(at: victim)
        index = 0
        blocked = 0
      } else {
        if waiting[index].passedBy >= Self.mostPassing { return }
        blocked += 1
        index += 1
      }
    }
  }

  /// Ends the waiting for prefixes that are there now, or will not come.
  private mutating func refreshAwaited() {
    for index in waiting.indices {
      guard let awaited = waiting[index].awaited else { continue }
      let isComing = running.contains {
        $0.id == awaited.request && !$0.isPaused && $0.evaluated < awaited.length
      }
      if isComing { continue }
      waiting[index].awaited = nil
      mayAdmit = true
    }
  }

  /// The resident sequence that shares the longest prefix with the prompt. At least one token is left to compute.
  func findDonor(for record: Record) -> Donor? {
    guard record.mayReusePrefix else { return nil }
    let limit = record.tokens.count - 1
    var best: Donor?
    for (index, entry) in cache.entries.enumerated() {
      let length = commonPrefix(entry.tokens, record.tokens, limit: limit)
      if limits.memoryKind == .wholeOnly && length < entry.tokens.count { continue }
      // Of equally long ones the one that can be taken over without a copy.
      let isWhole = length == entry.tokens.count && !entry.isSaved
      if length > best?.length ?? 0 || (isWhole && length > 0 && length == best?.length) {
        best = Donor(place: .idle(index), sequence: entry.sequence, length: length)
      }
    }
    guard limits.memoryKind == .sliceable else { return best }
    for other in running where other.evaluated > best?.length ?? 0 {
      let length = commonPrefix(other.tokens, record.tokens, limit: min(limit, other.evaluated))
      if length > best?.length ?? 0 {
        best = Donor(place: .running, sequence: other.sequence, length: length)
      }
    }
    return best
  }

  /// A running request that is about to compute a prefix of this prompt, so that it need not be computed twice.
  private func prefillWorthAwaiting(for record: Record, beyond length: Int) -> (request: Int, length: Int)? {
    guard record.mayReusePrefix else { return nil }
    var best: (request: Int, length: Int)?
    for other in running where !other.isPaused && other.remaining > 1 && (record.isBackground || !other.isBackground) {
      var shared = commonPrefix(other.tokens, record.tokens, limit: record.tokens.count - 1)
      if limits.memoryKind == .wholeOnly {
        shared = other.borders.last { $0 <= shared } ?? 0
      }
      guard shared > other.evaluated, shared >= length + Self.leastAwaited, shared > best?.length ?? 0 else { continue }
      best = (other.id, shared)
    }
    return best
  }

  /// Whether the request can start now: there is a place, and prompt and reserve fit the cells that no running request
  /// holds or is promised.
  func fits(_ record: Record, _ donor: Donor?) -> Bool {
    guard running.count < limits.maxRunning else { return false }
    guard record.isPrefillOnly else { return missingCells(for: record, donor) <= 0 }
    // Pinned prefixes stay, and so does a sequence that could only be had by evicting one.
    let pinned = cache.entries.reduce(0) { sum, entry in
      entry.isPinned && entry.sequence != donor?.sequence
        ? sum + ledger.idleCells(of: entry.sequence, first: entry.tokens.count) : sum
    }
    let hasSequence =
      !freeSequences.isEmpty || cache.entries.contains { !$0.isPinned && $0.sequence != donor?.sequence }
    return hasSequence && missingCells(for: record, donor) + pinned <= 0
  }

  private func missingCells(for record: Record, _ donor: Donor?) -> Int {
    var shared = 0
    var newlyHeld = 0
    if let donor {
      shared = donor.length
      newlyHeld = ledger.idleCells(of: donor.sequence, first: donor.length)
    }
    let own = newlyHeld + record.tokens.count - shared + reserve(of: record, isFresh: record.wasPreempted)
    let promised = running.reduce(0) {
      $0 + $1.remaining + reserve(of: $1, isFresh: record.wasPreempted)
    }
    return min(own, limits.contextSize) + ledger.heldByRunning + promised - limits.contextSize
  }

  /// Cells kept for output that is still to come. Before a preempted request returns, everyone gets a fresh reserve:
  /// otherwise it would soon be preempted again.
  private func reserve(of record: Record, isFresh: Bool) -> Int {
    let whole = SchedulerLimits.reserve(maxTokens: record.maxTokens)
    return isFresh ? min(whole, record.maxTokens - record.generated) : max(0, whole - record.generated)
  }

  /// A running request that should make way for a waiting one: a paused one, or a background one for an interactive
  /// one, when that can help.
  private func preemptable(for record: Record, _ donor: Donor?) -> Int? {
    let candidates = running.indices.filter {
      running[$0].isPaused || (running[$0].isBackground && !record.isBackground)
    }
    let gain = candidates.reduce(0) {
      $0 + running[$1].tokens.count + reserve(of: running[$1], isFresh: record.wasPreempted)
    }
    guard missingCells(for: record, donor) <= gain else { return nil }
    return candidates.max { isPreempted(running[$1], before: running[$0]) }
  }

  /// Gives a waiting request a sequence, with the donor's prefix in it.
  private mutating func place(at index: Int, _ donor: Donor?) {
    var record = waiting.remove(at: index)
    noteOvertaking(by: record)
    let isRestored = restore(&record, insteadOf: donor)
    // Looked for again where room was made for what was saved: it may have gone for that.
    let donor = isRestored ? nil : findDonor(for: record)
    record.savedPrefix = nil
    if isRestored {
      // It stands where its saved prefix ends.
    } else if let donor {
      take(donor, for: &record)
    } else {
      record.sequence = allocate(keeping: nil, sparingPinned: record.isPrefillOnly) ?? -1
    }
    precondition(record.sequence >= 0, "there is a sequence for every running request")
    evictParked(sparingLast: false)
    record.cached = record.cached ?? record.evaluated
    ledger.setRunning(record.sequence, true)
    running.append(record)
    saveBorders(at: running.count - 1, after: 0)
  }

  private mutating func take(_ donor: Donor, for record: inout Record) {
    record.evaluated = donor.length
    guard case .idle(let index) = donor.place else {
      copy(donor, to: allocate(keeping: donor.sequence, sparingPinned: record.isPrefillOnly), for: &record)
      return
    }
    cache.entries[index].lastUse = cache.nextUse()
    let entry = cache.entries[index]
    // A parked one is cut: fewer cells are used than with a copy, and it can be put back.
    if entry.isSaved || (entry.tokens.count > donor.length && !entry.isParked),
      let target = allocate(keeping: donor.sequence, sparingPinned: record.isPrefillOnly)
    {
      copy(donor, to: target, for: &record)
      return
    }
    cache.entries.removeAll { $0.sequence == donor.sequence }
    record.sequence = donor.sequence
    if entry.tokens.count > donor.length {
      ledger.truncate(donor.sequence, to: donor.length)
      operations.append(.remove(sequence: donor.sequence, from: Int32(donor.length)))
    }
  }

  private mutating func copy(_ donor: Donor, to target: SequenceID?, for record: inout Record) {
    guard let target else { return }
    record.sequence = target
    ledger.share(from: donor.sequence, to: target, count: donor.length)
    operations.append(.copy(from: donor.sequence, to: target, count: Int32(donor.length)))
  }

  /// Counts the request against those that came before it and still wait; a background request that was passed often
  /// enough becomes interactive.
  private mutating func noteOvertaking(by record: Record) {
    var promoted: [Record] = []
    for index in waiting.indices.reversed() {
      let other = waiting[index]
      guard other.arrival < record.arrival, !other.isPaused, other.awaited == nil else { continue }
      waiting[index].passedBy += 1
      if waiting[index].isBackground, waiting[index].passedBy >= Self.mostPassing {
        promoted.append(waiting.remove(at: index))
      }
    }
    for var record in promoted {
      record.isBackground = false
      enqueue(record)
    }
  }
}
