// What a step's outcome changes.

extension Scheduler {
  /// Steps ended from outside in a row before their requests fail.
  static let mostAborts = 100
  static let noRoom = "there is no room in the KV cache"

  /// Takes in what became of the last plan.
  package mutating func absorb(_ outcome: StepOutcome) {
    switch outcome {
    case .computed(let sampled): advance(sampled)
    case .noSpace: yieldSpace()
    case .aborted:
      abortsInARow += 1
      voidBatch(failure: abortsInARow >= Self.mostAborts ? "the computation was ended again and again" : nil)
    case .failed(let message):
      let owners = batchOwners
      voidBatch(failure: owners.count == 1 ? message : nil)
      if owners.count > 1 { suspects = owners }
    case .broken(let sequences): giveUp(sequences)
    }
    for index in running.indices {
      running[index].planned = 0
      running[index].draft = []
    }
  }

  private mutating func advance(_ sampled: [SampledToken]) {
    abortsInARow = 0
    mayDraft = true
    rowLimit = limits.batchSize
    for index in running.indices where running[index].planned > 0 {
      let start = running[index].evaluated
      ledger.extend(running[index].sequence, by: running[index].planned)
      running[index].evaluated += running[index].planned
      if !suspects.isEmpty { suspects.removeAll { $0 == running[index].id } }
      if !running[index].borders.isEmpty { saveBorders(at: index, after: start) }
    }
    for index in running.indices.reversed() where running[index].isPrefillOnly && running[index].remaining == 0 {
      endPrewarm(at: index)
    }
    for sample in sampled {
      guard let index = running.firstIndex(where: { $0.id == sample.request }) else { continue }
      settleDraft(at: index, accepted: sample.accepted)
      switch sample.result {
      case .next(let tokens): running[index].tokens.append(contentsOf: tokens)
      case .end: stop(at: index, keepingSequence: true)
      case .spoiled: stop(at: index, keepingSequence: false)
      }
    }
  }

  /// Keeps what the output took of its draft, and has the cells of the rest freed.
  private mutating func settleDraft(at index: Int, accepted: Int) {
    let draft = running[index].draft
    guard !draft.isEmpty else { return }
    let accepted = min(accepted, draft.count)
    running[index].tokens.append(contentsOf: draft.prefix(accepted))
    ledger.extend(running[index].sequence, by: accepted)
    running[index].evaluated += accepted
    guard accepted < draft.count else { return }
    operations.append(.remove(sequence: running[index].sequence, from: Int32(running[index].evaluated)))
  }

  /// The KV cache had less room than the ledger says. Each call gives something up, so it ends: drafts, an idle
  /// sequence, a running request, half of the rows, and at last, when not even one row has room, the request itself.
  private mutating func yieldSpace() {
    if running.contains(where: { !$0.draft.isEmpty }) {
      mayDraft = false
    } else if let index = cache.leastRecentlyUsed(where: { _ in true }) {
      evict(at: index)
    } else if let index = victim() {
      var record = stop(at: index, keepingSequence: false)
      record.wasPreempted = true
      enqueue(record)
      isAdmissionHeld = true
    } else if rowLimit > 1 {
      rowLimit = max(1, batch.rows.count / 2)
    } else if let index = running.firstIndex(where: { $0.planned > 0 }) {
      end(at: index, running[index].generated > 0 ? .contextFull : .failed(Self.noRoom))
    }
  }

  /// The rows of the batch are worth nothing: what was there before them is kept where the memory can be cut. With a
  /// failure the requests are over.
  private mutating func voidBatch(failure: String?) {
    for id in batchOwners {
      guard let index = running.firstIndex(where: { $0.id == id }) else { continue }
      if let failure {
        end(at: index, .failed(failure))
      } else if limits.memoryKind == .sliceable {
        operations.append(.remove(sequence: running[index].sequence, from: Int32(running[index].evaluated)))
      } else {
        enqueue(stop(at: index, keepingSequence: false))
      }
    }
  }

  private var batchOwners: [Int] {
    var owners: [Int] = []
    for id in batch.requests where !owners.contains(id) { owners.append(id) }
    return owners
  }

  /// Gives up sequences that are not what they should be.
  private mutating func giveUp(_ broken: [SequenceID]) {
    for sequence in broken {
      if let index = running.firstIndex(where: { $0.sequence == sequence }) {
        // Starts again without the cache, whose way of copying has just failed.
        ledger.truncate(sequence, to: 0)
        operations.append(.remove(sequence: sequence, from: 0))
        running[index].evaluated = 0
        running[index].mayReusePrefix = false
        if running[index].generated == 0 { running[index].cached = 0 }
      } else if let index = cache.entries.firstIndex(where: { $0.sequence == sequence }) {
        evict(at: index)
      }
    }
  }

  /// Ends a request for a reason that lies in the scheduler.
  mutating func end(at index: Int, _ ending: Ending) {
    let record = stop(at: index, keepingSequence: ending == .contextFull)
    suspects.removeAll { $0 == record.id }
    ended.append((record.id, ending))
  }
}
