/// A machine whose characters are counted, and what is left to do from each of its states.
///
/// The shortest ends are kept in layers: by how many characters may still come where an end is allowed (`free`), by
/// how many must come where it is not (`bound`). Layers that repeat, or grow by the same amount, are kept once.
///
/// A class, for the automaton looks into it for every byte of a walk: a structure's arrays would be retained each time.
final class CountedMachine: Sendable {
  static let infinite = Int32.max
  /// Most entries of the tables of all machines of a grammar.
  static let mostEntries = 4_000_000

  let machine: ByteMachine
  let minimum: Int
  /// nil: as many as one likes.
  let maximum: Int?
  /// By class: its one allowed byte, -1 when it has several, -2 when none.
  private let classByte: [Int16]
  /// By class: its lowest allowed byte.
  private let lowestByte: [UInt8]
  private let free: [[Int32]]
  private let bound: [[Int32]]
  /// By how much each further bound layer grows.
  private let growth: Int32

  /// - Parameter entriesLeft: how many entries the tables may still have; less those of this one afterwards.
  init(
    _ machine: ByteMachine, minimum: Int, maximum: Int?, isAllowed: [Bool], entriesLeft: inout Int
  ) throws(ConstraintError) {
    self.machine = machine
    self.minimum = max(0, minimum)
    self.maximum = maximum
    var classByte = Array(repeating: Int16(-2), count: machine.classCount)
    var lowestByte = Array(repeating: UInt8(0), count: machine.classCount)
    for byte in 0..<256 where isAllowed[byte] {
      let index = Int(machine.classes[byte])
      if classByte[index] == -2 { lowestByte[index] = UInt8(byte) }
      classByte[index] = classByte[index] == -2 ? Int16(byte) : -1
    }
    self.classByte = classByte
    self.lowestByte = lowestByte
    // A step costs about as much as an entry.
    entriesLeft -= machine.edges.count
    let most = entriesLeft / max(1, machine.stateCount)
    guard most > 0 else { throw Self.tooMany }
    (free, bound, growth) = try Self.layers(
      Graph(machine, classByte: classByte), most: most, minimum: self.minimum, maximum: maximum)
    entriesLeft -= (free.count + bound.count) * machine.stateCount
  }

  private static let tooMany = ConstraintError.tooComplex("counted patterns with too many states")

  /// Fewest bytes to an end from this state after so many characters; `infinite` when there is none.
  func cost(_ state: Int32, _ count: Int32) -> Int32 {
    let count = Int(count)
    if count < minimum {
      guard !bound.isEmpty else { return Self.infinite }
      let layer = min(minimum - count, bound.count)
      let base = bound[layer - 1][Int(state)]
      if base == Self.infinite { return base }
      return Int32(clamping: Int(base) + (minimum - count - layer) * Int(growth))
    }
    guard let maximum else { return free[0][Int(state)] }
    return count > maximum ? Self.infinite : free[min(maximum - count, free.count - 1)][Int(state)]
  }

  /// The step with a byte, when it does not lead astray. Without a maximum the count stays at the minimum.
  func step(_ state: Int32, _ count: Int32, _ byte: UInt8) -> (state: Int32, count: Int32)? {
    guard let next = machine.step(state, byte) else { return nil }
    let counted = next.completesCharacter ? advanced(count) : count
    return cost(next.state, counted) == Self.infinite ? nil : (next.state, counted)
  }

  private func advanced(_ count: Int32) -> Int32 {
    maximum == nil && Int(count) >= minimum ? count : count + 1
  }

  func mayEnd(_ state: Int32, _ count: Int32) -> Bool { machine.isAccepting[Int(state)] && Int(count) >= minimum }

  /// The bytes that can follow: -2 none, -1 several, else the one.
  func onlyByte(_ state: Int32, _ count: Int32) -> Int16 {
    var found: Int16 = -2
    for index in 0..<machine.classCount where classByte[index] != -2 {
      let edge = machine.edges[Int(state) * machine.classCount + index]
      guard edge >= 0, cost(edge >> 1, edge & 1 == 1 ? advanced(count) : count) != Self.infinite else { continue }
      if found != -2 || classByte[index] == -1 { return -1 }
      found = classByte[index]
    }
    return found
  }

  /// The step with the lowest byte on the shortest way to an end; nil at an end.
  func nearest(_ state: Int32, _ count: Int32) -> (byte: UInt8, state: Int32, count: Int32)? {
    let left = cost(state, count)
    guard left > 0, left != Self.infinite else { return nil }
    for index in 0..<machine.classCount where classByte[index] != -2 {
      let edge = machine.edges[Int(state) * machine.classCount + index]
      guard edge >= 0 else { continue }
      let counted = edge & 1 == 1 ? advanced(count) : count
      if cost(edge >> 1, counted) == left - 1 { return (lowestByte[index], edge >> 1, counted) }
    }
    return nil
  }

  private static func layers(
    _ graph: Graph, most: Int, minimum: Int, maximum: Int?
  ) throws(ConstraintError) -> (free: [[Int32]], bound: [[Int32]], growth: Int32) {
    var free: [[Int32]]
    if let maximum {
      guard maximum >= minimum else { return ([Array(repeating: infinite, count: graph.stateCount)], [], 0) }
      free = [graph.layer(after: nil, mayEnd: true)]
      while free.count <= maximum - minimum {
        let next = graph.layer(after: free[free.count - 1], mayEnd: true)
        if next == free[free.count - 1] { break }
        guard free.count < most else { throw tooMany }
        free.append(next)
      }
    } else {
      free = [graph.unlimitedLayer()]
    }
    var bound: [[Int32]] = []
    var last = free[maximum.map { min($0 - minimum, free.count - 1) } ?? 0]
    while bound.count < minimum {
      let next = graph.layer(after: last, mayEnd: false)
      if let common = commonGrowth(last, next), !bound.isEmpty { return (free, bound, common) }
      guard free.count + bound.count < most else { throw tooMany }
      bound.append(next)
      last = next
    }
    return (free, bound, 0)
  }

  /// By how much all entries grew, when by the same; then they go on doing so.
  private static func commonGrowth(_ old: [Int32], _ new: [Int32]) -> Int32? {
    var result: Int32?
    for (old, new) in zip(old, new) {
      guard (old == infinite) == (new == infinite) else { return nil }
      if old == infinite { continue }
      guard result == nil || result == new - old else { return nil }
      result = new - old
    }
    return result ?? 0
  }
}

/// The machine's steps, backwards.
private struct Graph {
  private let isAccepting: [Bool]
  /// By state: the states from which a step leads here that completes no character.
  private var sources: [[Int32]]
  /// By state: the states that a step leads to that completes one.
  private var completed: [[Int32]]

  var stateCount: Int { isAccepting.count }

  init(_ machine: ByteMachine, classByte: [Int16]) {
    isAccepting = machine.isAccepting
    var sources = Array(repeating: Set<Int32>(), count: machine.stateCount)
    var completed = sources
    for (index, edge) in machine.edges.enumerated() where edge >= 0 && classByte[index % machine.classCount] != -2 {
      let state = index / machine.classCount
      if edge & 1 == 1 { completed[state].insert(edge >> 1) } else { sources[Int(edge >> 1)].insert(Int32(state)) }
    }
    self.sources = sources.map { $0.sorted() }
    self.completed = completed.map { $0.sorted() }
  }

  /// The fewest bytes from each state to an end, when a completed character leads to the layer `after`.
  func layer(after: [Int32]?, mayEnd: Bool) -> [Int32] {
    var distances = Array(repeating: CountedMachine.infinite, count: isAccepting.count)
    for state in isAccepting.indices {
      if mayEnd && isAccepting[state] { distances[state] = 0 }
      guard let after else { continue }
      for target in completed[state] where after[Int(target)] < CountedMachine.infinite - 1 {
        distances[state] = min(distances[state], after[Int(target)] + 1)
      }
    }
    spread(&distances, sources)
    return distances
  }

  /// Without a limit on characters.
  func unlimitedLayer() -> [Int32] {
    var all = sources
    for (state, targets) in completed.enumerated() {
      for target in targets { all[Int(target)].append(Int32(state)) }
    }
    var distances = isAccepting.map { $0 ? 0 : CountedMachine.infinite }
    spread(&distances, all)
    return distances
  }

  /// Shortest paths over steps of length one: those known at first and those found are both in order, so the nearer
  /// head of the two queues comes next.
  private func spread(_ distances: inout [Int32], _ sources: [[Int32]]) {
    let known = distances.indices.filter { distances[$0] != CountedMachine.infinite }
      .sorted { (distances[$0], $0) < (distances[$1], $1) }
    var found: [Int] = []
    var (firstKnown, firstFound) = (0, 0)
    var isDone = Array(repeating: false, count: distances.count)
    while firstKnown < known.count || firstFound < found.count {
      let takesKnown =
        firstFound >= found.count
        || (firstKnown < known.count && distances[known[firstKnown]] <= distances[found[firstFound]])
      let state = takesKnown ? known[firstKnown] : found[firstFound]
      if takesKnown { firstKnown += 1 } else { firstFound += 1 }
      guard !isDone[state] else { continue }
      isDone[state] = true
      for source in sources[state] where distances[Int(source)] > distances[state] + 1 {
        distances[Int(source)] = distances[state] + 1
        found.append(Int(source))
      }
    }
  }
}
