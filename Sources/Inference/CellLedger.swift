/// Exact accounts of the KV cache: which cells each sequence holds, shared cells counted once.
///
/// A copied sequence shares the cells of its donor, as in a unified KV cache, so a cell is free again only when the
/// last sequence that holds it lets it go. Cells that a running sequence holds are counted apart: all others can be
/// had back by evicting idle sequences.
package struct CellLedger: Sendable {
  package let capacity: Int
  /// Cells that at least one sequence holds.
  package private(set) var occupied = 0
  /// Cells that at least one running sequence holds.
  package private(set) var heldByRunning = 0

  private var holders: [Int32]
  private var runningHolders: [Int32]
  private var freeCells: [Int32]
  private var cells: [[Int32]]
  private var isRunning: [Bool]

  package init(capacity: Int, maxSequences: Int) {
    self.capacity = capacity
    holders = Array(repeating: 0, count: capacity)
    runningHolders = Array(repeating: 0, count: capacity)
    freeCells = (0..<Int32(capacity)).reversed()
    cells = Array(repeating: [], count: maxSequences)
    isRunning = Array(repeating: false, count: maxSequences)
  }

  package var free: Int { capacity - occupied }
  /// Cells that only idle sequences hold.
  package var idle: Int { occupied - heldByRunning }

  package func count(of sequence: SequenceID) -> Int { cells[Int(sequence)].count }

  /// How many of a sequence's first cells no running sequence holds yet.
  package func idleCells(of sequence: SequenceID, first count: Int) -> Int {
    var total = 0
    for cell in cells[Int(sequence)].prefix(count) where runningHolders[Int(cell)] == 0 { total += 1 }
    return total
  }

  /// Gives a sequence that many new cells. The caller has made sure that they are free.
  package mutating func extend(_ sequence: SequenceID, by count: Int) {
    precondition(count <= free, "the ledger has no cells left")
    let running: Int32 = isRunning[Int(sequence)] ? 1 : 0
    for _ in 0..<count {
      let cell = freeCells.removeLast()
      holders[Int(cell)] = 1
      runningHolders[Int(cell)] = running
      cells[Int(sequence)].append(cell)
    }
    occupied += count
    heldByRunning += Int(running) * count
  }

  /// Makes `target`, which is empty, share the first cells of `donor`.
  package mutating func share(from donor: SequenceID, to target: SequenceID, count: Int) {
    precondition(cells[Int(target)].isEmpty && count <= cells[Int(donor)].count, "a copy needs an empty target")
    cells[Int(target)].append(contentsOf: cells[Int(donor)].prefix(count))
    for cell in cells[Int(target)] {
      holders[Int(cell)] += 1
      if isRunning[Int(target)] { holdForRunning(cell) }
    }
  }

  /// Lets the cells from that position on go.
  package mutating func truncate(_ sequence: SequenceID, to count: Int) {
    while cells[Int(sequence)].count > count {
      let cell = cells[Int(sequence)].removeLast()
      if isRunning[Int(sequence)] { releaseForRunning(cell) }
      holders[Int(cell)] -= 1
      if holders[Int(cell)] == 0 {
        occupied -= 1
        freeCells.append(cell)
      }
    }
  }

  /// Moves a sequence between running and idle.
  package mutating func setRunning(_ sequence: SequenceID, _ running: Bool) {
    guard isRunning[Int(sequence)] != running else { return }
    isRunning[Int(sequence)] = running
    for cell in cells[Int(sequence)] {
      if running { holdForRunning(cell) } else { releaseForRunning(cell) }
    }
  }

  private mutating func holdForRunning(_ cell: Int32) {
    runningHolders[Int(cell)] += 1
    if runningHolders[Int(cell)] == 1 { heldByRunning += 1 }
  }

  private mutating func releaseForRunning(_ cell: Int32) {
    runningHolders[Int(cell)] -= 1
    if runningHolders[Int(cell)] == 0 { heldByRunning -= 1 }
  }

  /// Counts everything again from the sequences' lists: whether the running totals are right. For tests.
  package var isConsistent: Bool {
    var all = Array(repeating: Int32(0), count: capacity)
    var running = all
    for (sequence, list) in cells.enumerated() {
      for cell in list {
        all[Int(cell)] += 1
        if isRunning[sequence] { running[Int(cell)] += 1 }
      }
    }
    return all == holders && running == runningHolders
      && occupied == all.count { $0 > 0 } && heldByRunning == running.count { $0 > 0 }
      && freeCells.count == free && Set(freeCells).count == free && freeCells.allSatisfy { all[Int($0)] == 0 }
  }
}
