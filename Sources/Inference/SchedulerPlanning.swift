// What a step computes.

extension Scheduler {
  /// Rows for prompts in a step that decoding alone fills, so that prompts get on.
  package static let leastPrefill = 16

  /// The next step, of about `budget` rows. An empty plan means that there is nothing to do until a request comes or
  /// is no longer paused. After a plan that is not empty `absorb` must be called.
  package mutating func plan(budget: Int, draft: DraftSource = { _, _ in [] }) -> BatchPlan {
    batch.removeAll()
    admitWaiting()
    planRows(budget: budget, draft)
    while batch.rows.isEmpty {
      // Nothing can be computed though somebody could go on: room is made, or the doors are opened again.
      if running.contains(where: isRunnable), let index = victim() {
        giveWay(at: index)
      } else if isAdmissionHeld {
        isAdmissionHeld = false
        mayAdmit = true
      } else {
        break
      }
      admitWaiting()
      planRows(budget: budget, draft)
    }
    swap(&batch.operations, &operations)
    return batch
  }

  private mutating func planRows(budget: Int, _ draft: DraftSource) {
    let decoding = planDecoding()
    let room = min(min(limits.batchSize, rowLimit) - decoding, max(budget - decoding, Self.leastPrefill))
    planPrefill(decoding: decoding, room: room)
    planDrafts(outputs: decoding, draft)
    for index in running.indices where running[index].planned > 0 && running[index].remaining == 1 {
      addRows(of: running[index])
    }
    for index in running.indices where running[index].planned > 0 && running[index].remaining > 1 {
      addRows(of: running[index])
    }
  }

  /// Whether a record may have rows in this step. While suspects are run, one of them alone.
  private func isRunnable(_ record: Record) -> Bool {
    guard !record.isPaused else { return false }
    guard !suspects.isEmpty, let suspect = running.first(where: { !$0.isPaused && suspects.contains($0.id) })
    else { return true }
    return record.id == suspect.id
  }

  /// One row for each sequence of which only the last token is not computed; their number.
  private mutating func planDecoding() -> Int {
    while true {
      var count = 0
      for index in running.indices {
        running[index].planned = isRunnable(running[index]) && running[index].remaining == 1 ? 1 : 0
        running[index].draft = []
        count += running[index].planned
      }
      if makeRoom(count) { return count }
      if let index = victim() {
        giveWay(at: index)
      } else {
        end(at: 0, running[0].generated > 0 ? .contextFull : .failed(Self.noRoom))
      }
    }
  }

  /// Shares the rest of the step among the prompts.
  private mutating func planPrefill(decoding: Int, room: Int) {
    var order = running.indices.filter { isRunnable(running[$0]) && running[$0].remaining > 1 }
    guard !order.isEmpty, room > 0 else { return }
    let all = order.reduce(0) { $0 + running[$1].remaining }
    // A short rest is read with what comes before it: a step of its own would take longer.
    let room = all <= room + room / 2 ? max(room, min(all, rowLimit - decoding)) : room
    let wanted = min(room, all)
    let others = min(room, order.reduce(0) { $0 + (running[$1].isPrefillOnly ? 0 : running[$1].remaining) })
    _ = makeRoom(decoding + others)
    _ = makeRoom(decoding + wanted, sparingPinned: true)
    var left = min(wanted, ledger.free - decoding)
    order.sort { running[$0].arrival < running[$1].arrival }
    if let oldest = order.first {
      give(max(1, left / (running[oldest].isBackground ? 8 : 4)), to: oldest, of: &left)
    }
    noteRests(order)
    order.sort { left, right in
      let (left, right) = (running[left], running[right])
      if left.isBackground != right.isBackground { return right.isBackground }
      return left.rest != right.rest ? left.rest < right.rest : left.arrival < right.arrival
    }
    for index in order { give(left, to: index, of: &left) }
  }

  /// Drafts behind the tokens of decoding sequences, in the cells and rows that are left.
  private mutating func planDrafts(outputs: Int, _ draft: DraftSource) {
    guard mayDraft, suspects.isEmpty, limits.memoryKind == .sliceable else { return }
    var room = DraftRoom(most: 0, rows: running.reduce(0) { $0 + $1.planned }, outputs: outputs)
    for index in running.indices where running[index].planned == 1 && running[index].generated > 0 {
      room.most = min(min(limits.batchSize, rowLimit), ledger.free) - room.rows
      guard room.most > 0 else { return }
      running[index].draft = draft(running[index].id, room)
      room.rows += running[index].draft.count
    }
  }

  /// A prompt whose prefix others wait for is as short as that prefix.
  private mutating func noteRests(_ order: [Int]) {
    for index in order {
      let record = running[index]
      running[index].rest = waiting.reduce(record.remaining) { rest, other in
        guard let awaited = other.awaited, awaited.request == record.id else { return rest }
        return min(rest, awaited.length - record.evaluated)
      }
    }
  }

  private mutating func give(_ rows: Int, to index: Int, of left: inout Int) {
    let record = running[index]
    var most = record.remaining
    if limits.memoryKind == .wholeOnly, let border = record.borders.first(where: { $0 > record.evaluated }) {
      // The state can only be copied where it stands, so the chunk ends there.
      most = border - record.evaluated
    }
    let count = max(0, min(rows, left, most - record.planned))
    running[index].planned += count
    left -= count
  }

  private mutating func addRows(of record: Record) {
    let end = record.evaluated + record.planned
    for position in record.evaluated..<end {
      batch.rows.append(
        BatchRow(
          token: record.tokens[position], position: Int32(position), sequence: record.sequence,
          wantsLogits: position == record.tokens.count - 1 && !record.isPrefillOnly))
      batch.requests.append(record.id)
    }
    for (offset, token) in record.draft.enumerated() {
      batch.rows.append(
        BatchRow(token: token, position: Int32(end + offset), sequence: record.sequence, wantsLogits: true))
      batch.requests.append(record.id)
    }
    if record.generated == 0 {
      batch.prefills.append(BatchPlan.Prefill(request: record.id, done: end, total: record.promptCount))
    }
  }
}
