/// A nondeterministic automaton over scalars that is followed in all its states at once (K. Thompson, "Regular
/// expression search algorithm", 1968).
struct PatternMatcher: Sendable {
  /// More states than this are refused: the work per scalar is bounded by their number.
  static let maxStates = 4_000

  enum State: Sendable {
    case any(next: Int)
    case set(ScalarSet, next: Int)
    case split([Int])
    case match
  }

  private(set) var states: [State] = [.match]
  private(set) var start = 0

  init(_ language: JSONPattern.Node) throws(PatternError) {
    start = try add(language, before: 0)
  }

  func matches(_ string: String) -> Bool {
    var current = SparseSet(capacity: states.count)
    var following = SparseSet(capacity: states.count)
    var pending: [Int] = []
    enter(start, &current, &pending)
    for scalar in string.unicodeScalars {
      following.removeAll()
      for index in 0..<current.count {
        switch states[current[index]] {
        case .any(let next): enter(next, &following, &pending)
        case .set(let set, let next): if set.contains(scalar) { enter(next, &following, &pending) }
        case .split, .match: break
        }
      }
      if following.count == 0 { return false }
      swap(&current, &following)
    }
    return current.contains(0)
  }

  /// Adds a state and those that it reaches without a scalar.
  private func enter(_ state: Int, _ set: inout SparseSet, _ pending: inout [Int]) {
    pending.append(state)
    while let state = pending.popLast() {
      guard set.insert(state) else { continue }
      if case .split(let next) = states[state] { pending += next }
    }
  }

  private mutating func add(_ state: State) throws(PatternError) -> Int {
    if states.count >= Self.maxStates { throw PatternError(problem: "is too large") }
    states.append(state)
    return states.count - 1
  }

  /// Adds the states of a node and gives its first one; behind it comes `next`.
  private mutating func add(_ node: JSONPattern.Node, before next: Int) throws(PatternError) -> Int {
    switch node {
    case .empty: return next
    case .anyScalar: return try add(.any(next: next))
    case .set(let set): return try add(.set(set, next: next))
    case .sequence(let nodes):
      var next = next
      for node in nodes.reversed() { next = try add(node, before: next) }
      return next
    case .choice(let nodes):
      var starts: [Int] = []
      for node in nodes { starts.append(try add(node, before: next)) }
      return try add(.split(starts))
    case .repeated(let node, let minimum, let maximum):
      // Repetitions of nothing would add no state, and so no bound would end them.
      if node.isOnlyEmpty { return next }
      var next = next
      if let maximum {
        let end = next
        for _ in 0..<(maximum - minimum) {
          let first = try add(node, before: next)
          next = try add(.split([first, end]))
        }
      } else {
        let loop = try add(.split([]))
        let first = try add(node, before: loop)
        states[loop] = .split([first, next])
        next = loop
      }
      for _ in 0..<minimum { next = try add(node, before: next) }
      return next
    }
  }
}

extension JSONPattern.Node {
  /// Whether it stands for the empty string alone.
  fileprivate var isOnlyEmpty: Bool {
    switch self {
    case .empty: true
    case .anyScalar, .set: false
    case .sequence(let nodes), .choice(let nodes): nodes.allSatisfy(\.isOnlyEmpty)
    case .repeated(let node, _, let maximum): maximum == 0 || node.isOnlyEmpty
    }
  }
}

/// A set of small numbers that is emptied at once (P. Briggs and L. Torczon, "An efficient representation for sparse
/// sets", 1993).
private struct SparseSet {
  private var members: [Int]
  private var places: [Int]
  private(set) var count = 0

  init(capacity: Int) {
    members = Array(repeating: 0, count: capacity)
    places = Array(repeating: 0, count: capacity)
  }

  subscript(index: Int) -> Int { members[index] }

  func contains(_ member: Int) -> Bool { places[member] < count && members[places[member]] == member }

  mutating func insert(_ member: Int) -> Bool {
    if contains(member) { return false }
    members[count] = member
    places[member] = count
    count += 1
    return true
  }

  mutating func removeAll() { count = 0 }
}
