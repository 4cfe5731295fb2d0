/// Finds the first match of a `JSONPattern` in a text that arrives piece by piece, and knows meanwhile how much of the
/// text cannot be part of a match any more.
public struct PatternScanner: Sendable {
  /// How far the search is.
  public enum State: Sendable, Equatable {
    /// Nothing matches so far. Of the text the scalars before `border` are part of no match that may still come.
    case searching(border: Int)
    /// The first match to become whole, as scalars from the text's start.
    case found(Range<Int>)
  }

  private static let nowhere = Int.max

  private let matcher: PatternMatcher
  private let ignoresCase: Bool
  /// States that stand for what is before a match or behind it.
  private let before: [Bool]
  private let behind: [Bool]
  /// For each state where its match began; `nowhere` for a state that is not reached.
  private var begins: [Int]
  private var reached: [Int] = []
  private var following: [Int]
  private var followingReached: [Int] = []
  private var pending: [Int] = []
  private var count = 0
  private var found: Range<Int>?

  /// - Parameter ignoresCase: takes capital and small letters for the same, where one scalar stands for each.
  public init(_ pattern: JSONPattern, ignoresCase: Bool = false) {
    matcher = pattern.matcher
    self.ignoresCase = ignoresCase
    let states = matcher.states
    begins = Array(repeating: Self.nowhere, count: states.count)
    following = begins
    var (before, behind) = (Array(repeating: false, count: states.count), Array(repeating: false, count: states.count))
    for (index, state) in states.enumerated() {
      // `anyScalar` only surrounds an expression: the match lies behind it, or has been.
      guard case .any(let next) = state else { continue }
      if Self.reachesEnd(from: next, states) { behind[index] = true } else { before[index] = true }
    }
    (self.before, self.behind) = (before, behind)
    enter(matcher.start, 0)
    swap(&begins, &following)
    swap(&reached, &followingReached)
    take()
  }

  public var state: State {
    if let found { return .found(found) }
    var border = count
    for index in reached where !before[index] { border = min(border, begins[index]) }
    return .searching(border: border)
  }

  /// What the state is when no more text comes: an expression with `$` may match then.
  public var stateAtEnd: State {
    if found == nil, begins[0] != Self.nowhere { return .found(begins[0]..<count) }
    return state
  }

  public mutating func append(_ text: some StringProtocol) {
    for scalar in text.unicodeScalars {
      if found != nil { return }
      append(scalar)
    }
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    count += 1
    let forms = ignoresCase ? CaseFolding.variants(of: scalar) : [scalar]
    for index in reached {
      switch matcher.states[index] {
      // Nothing of the match has been read yet.
      case .any(let next): enter(next, before[index] ? count : begins[index])
      case .set(let set, let next): if forms.contains(where: set.contains) { enter(next, begins[index]) }
      case .split, .match: break
      }
      begins[index] = Self.nowhere
    }
    reached.removeAll(keepingCapacity: true)
    swap(&begins, &following)
    swap(&reached, &followingReached)
    take()
  }

  /// Notes a match that is whole, whatever follows.
  private mutating func take() {
    for index in reached where behind[index] {
      found = min(found?.lowerBound ?? Self.nowhere, begins[index])..<count
    }
  }

  /// Adds a state and those that it reaches without a scalar; the earliest beginning counts.
  private mutating func enter(_ state: Int, _ begin: Int) {
    pending.append(state)
    while let state = pending.popLast() {
      guard begin < following[state] else { continue }
      if following[state] == Self.nowhere { followingReached.append(state) }
      following[state] = begin
      if case .split(let next) = matcher.states[state] { pending += next }
    }
  }

  private static func reachesEnd(from start: Int, _ states: [PatternMatcher.State]) -> Bool {
    var seen: Set<Int> = []
    var pending = [start]
    while let index = pending.popLast() {
      guard seen.insert(index).inserted else { continue }
      switch states[index] {
      case .match: return true
      case .split(let next): pending += next
      case .any, .set: break
      }
    }
    return false
  }
}
