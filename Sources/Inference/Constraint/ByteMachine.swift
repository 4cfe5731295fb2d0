/// The construction of a machine went over its limit.
public struct TooLarge: Error, Equatable {
  public init() {}
}

/// A deterministic automaton over bytes, made from a regular language. Bytes that no state tells apart share a class.
public struct ByteMachine: Sendable {
  /// The class of each byte.
  let classes: [UInt8]
  let classCount: Int
  /// By state and class: the next state times two, plus 1 when the step completes a character; -1 where there is no
  /// step. From every state an accepting one can be reached, unless the language is empty.
  private(set) var edges: [Int32]
  private(set) var isAccepting: [Bool]
  /// What the construction has cost: states visited, mostly.
  package private(set) var work = 0

  /// The state at the start is 0.
  var stateCount: Int { isAccepting.count }

  /// Work of a construction that is not bounded otherwise.
  public static let mostWork = 40_000_000

  /// - Throws: `TooLarge` when more than `stateLimit` states or more than `workLimit` of work would be needed; the
  ///   construction stops there.
  public init(
    _ language: RegularLanguage, stateLimit: Int = 4_096, workLimit: Int = ByteMachine.mostWork
  ) throws(TooLarge) {
    let nfa = try ByteNFA(language, limit: 65_536)
    (classes, classCount) = Self.classify(nfa)
    edges = []
    isAccepting = []
    try determine(nfa, stateLimit: stateLimit, workLimit: workLimit)
    removeDeadEdges()
  }

  func step(_ state: Int32, _ byte: UInt8) -> (state: Int32, completesCharacter: Bool)? {
    let edge = edges[Int(state) * classCount + Int(classes[Int(byte)])]
    return edge < 0 ? nil : (edge >> 1, edge & 1 == 1)
  }

  /// Neighbouring bytes between which no edge begins or ends share a class.
  private static func classify(_ nfa: ByteNFA) -> ([UInt8], Int) {
    var begins = Array(repeating: false, count: 257)
    for case let range? in nfa.states.lazy.map(\.bytes) {
      begins[Int(range.lowerBound)] = true
      begins[Int(range.upperBound) + 1] = true
    }
    var classes: [UInt8] = []
    var last = 0
    for byte in 0..<256 {
      if byte > 0, begins[byte] { last += 1 }
      classes.append(UInt8(last))
    }
    return (classes, last + 1)
  }

  /// The subset construction (M. Rabin and D. Scott, 1959), with a bound on states and on work.
  private mutating func determine(_ nfa: ByteNFA, stateLimit: Int, workLimit: Int) throws(TooLarge) {
    var builder = SubsetBuilder(nfa)
    var representatives = Array(repeating: UInt8(0), count: classCount)
    for byte in (UInt8(0)...255).reversed() { representatives[Int(classes[Int(byte)])] = byte }
    var numbers: [[Int32]: Int32] = [:]
    var sets = [builder.close([nfa.start]).states]
    numbers[sets[0]] = 0
    var next = 0
    while next < sets.count {
      let set = sets[next]
      isAccepting.append(set.last == Int32.max)
      for byte in representatives {
        let (states, completes) = builder.close(builder.targets(of: set, byte))
        guard builder.work < workLimit else { throw TooLarge() }
        if states.isEmpty {
          edges.append(-1)
          continue
        }
        let number: Int32
        if let known = numbers[states] {
          number = known
        } else {
          guard sets.count < max(1, stateLimit) else { throw TooLarge() }
          number = Int32(sets.count)
          numbers[states] = number
          sets.append(states)
        }
        edges.append(number << 1 | (completes ? 1 : 0))
      }
      next += 1
    }
    work = builder.work
  }

  /// Takes away the edges after which nothing is accepted any more.
  private mutating func removeDeadEdges() {
    var sources: [[Int32]] = Array(repeating: [], count: stateCount)
    for (index, edge) in edges.enumerated() where edge >= 0 {
      sources[Int(edge >> 1)].append(Int32(index / classCount))
    }
    var isAlive = isAccepting
    var queue = isAccepting.indices.filter { isAccepting[$0] }
    while let state = queue.popLast() {
      for source in sources[state] where !isAlive[Int(source)] {
        isAlive[Int(source)] = true
        queue.append(Int(source))
      }
    }
    for (index, edge) in edges.enumerated() where edge >= 0 && !isAlive[Int(edge >> 1)] { edges[index] = -1 }
  }
}

/// Follows edges without bytes.
private struct SubsetBuilder {
  private let nfa: ByteNFA
  private var seen: [Int]
  private var round = 0
  private var queue: [Int32] = []
  private(set) var work: Int

  init(_ nfa: ByteNFA) {
    self.nfa = nfa
    work = nfa.states.count
    seen = Array(repeating: 0, count: nfa.states.count)
  }

  mutating func targets(of set: [Int32], _ byte: UInt8) -> [Int32] {
    work += set.count
    return set.compactMap { state in
      guard state != .max, nfa.states[Int(state)].bytes?.contains(byte) == true else { return nil }
      return nfa.states[Int(state)].first
    }
  }

  /// The states with bytes that can be reached, in order, and `Int32.max` when the end is among them; whether a
  /// character is completed on the way.
  mutating func close(_ states: [Int32]) -> (states: [Int32], completesCharacter: Bool) {
    round += 1
    queue = states
    var result: [Int32] = []
    var completes = false
    while let state = queue.popLast() {
      guard state >= 0, seen[Int(state)] != round else { continue }
      seen[Int(state)] = round
      work += 1
      if nfa.states[Int(state)].bytes != nil {
        result.append(state)
        continue
      }
      if state == nfa.end { result.append(.max) }
      completes = completes || nfa.states[Int(state)].endsCharacter
      queue.append(nfa.states[Int(state)].first)
      queue.append(nfa.states[Int(state)].second)
    }
    return (result.sorted(), completes)
  }
}
