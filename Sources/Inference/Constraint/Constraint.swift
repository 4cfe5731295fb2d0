import Synchronization

/// A grammar ready to constrain a model's output: an automaton, and the vocabulary's trie. Shared by the requests that
/// want it; what one of them learns about allowed tokens serves the others.
public final class Constraint: Sendable {
  let grammar: CompiledGrammar
  let vocabulary: TokenTrie
  private let masks = Mutex(MaskCache())

  /// Compile in the request's task, never on the context's thread. The work is bounded. The bytes for which the
  /// vocabulary has no token of their own cannot occur in the output.
  public init(_ grammar: Grammar, vocabulary: TokenTrie) throws(ConstraintError) {
    self.grammar = try CompiledGrammar(grammar, isAllowed: vocabulary.isSpellable)
    self.vocabulary = vocabulary
  }

  /// Masks that `prepareMasks` makes at most, and bytes of the output that it looks at.
  private static let mostPrepared = 16
  private static let farthestPrepared = 2048

  /// Makes the masks along the shortest output, at the places where something is left to choose, so that the context's
  /// thread finds them. For the request's task, beside the reading of its prompt; ends early with the task.
  public func prepareMasks() {
    var automaton = GrammarAutomaton(grammar)
    var threads = automaton.start()
    var made = 0
    for byte in automaton.shortestCompletion(threads, limit: Self.farthestPrepared) {
      if Task.isCancelled { return }
      if automaton.forcedByte(threads) == nil {
        let key = automaton.key(threads, reach: vocabulary.longest + 1)
        if masks.withLock({ $0.mask(for: key) }) == nil {
          if made == Self.mostPrepared { return }
          made += 1
          let mask = MaskWalk.mask(threads, &automaton, vocabulary) { Task.isCancelled }
          guard let mask else { return }
          masks.withLock { $0.insert(mask, for: key) }
        }
      }
      var next: [GrammarThread] = []
      automaton.advance(threads, by: byte, into: &next)
      threads = next
    }
  }

  /// Whether some output begins with these bytes.
  public func allows(_ start: [UInt8]) -> Bool {
    var automaton = GrammarAutomaton(grammar)
    var threads = automaton.start()
    for byte in start {
      var next: [GrammarThread] = []
      automaton.advance(threads, by: byte, into: &next)
      if next.isEmpty { return false }
      threads = next
    }
    return true
  }

  /// The tokens that may follow. Made by a walk through the trie, and kept for configurations that differ in nothing
  /// that a token can reach.
  func mask(_ threads: [GrammarThread], _ automaton: inout GrammarAutomaton) -> TokenMask {
    let key = automaton.key(threads, reach: vocabulary.longest + 1)
    if let known = masks.withLock({ $0.mask(for: key) }) { return known }
    let mask = MaskWalk.mask(threads, &automaton, vocabulary)
    masks.withLock { $0.insert(mask, for: key) }
    return mask
  }

  /// How many tokens may follow these bytes, by a walk of its own; nil when they begin no output. For benchmarks.
  package func countTokens(after bytes: [UInt8]) -> Int? {
    var automaton = GrammarAutomaton(grammar)
    var threads = automaton.start()
    for byte in bytes {
      var next: [GrammarThread] = []
      automaton.advance(threads, by: byte, into: &next)
      threads = next
    }
    guard !threads.isEmpty else { return nil }
    return MaskWalk.mask(threads, &automaton, vocabulary).words.reduce(0) { $0 + $1.nonzeroBitCount }
  }

  /// Masks that are kept now. For tests.
  package var cachedMasks: Int { masks.withLock { $0.count } }
}

/// The masks used last.
struct MaskCache: Sendable {
  static let mostMasks = 256
  static let longestKey = 4096

  private var entries: [[Int32]: (mask: TokenMask, lastUse: Int)] = [:]
  private var uses = 0

  var count: Int { entries.count }

  mutating func mask(for key: [Int32]) -> TokenMask? {
    guard let entry = entries[key] else { return nil }
    uses += 1
    entries[key]?.lastUse = uses
    return entry.mask
  }

  mutating func insert(_ mask: TokenMask, for key: [Int32]) {
    guard key.count <= Self.longestKey else { return }
    uses += 1
    entries[key] = (mask, uses)
    guard entries.count > Self.mostMasks else { return }
    // The older half goes at once, so that an entry costs little on average.
    let border = uses - Self.mostMasks / 2
    entries = entries.filter { $0.value.lastUse > border }
  }
}

/// A walk through the trie with an automaton beside it.
enum MaskWalk {
  /// The automaton's work that a walk may cost, some 150 ms, for it holds up all requests. Where it is more the mask
  /// is not whole but still right, and the same each time: the tokens found by then, and the first one of the
  /// shortest end.
  static let mostWork = 40_000_000
  /// Work between two looks at whether the walk shall stop.
  private static let slice = 400_000

  static func mask(
    _ threads: [GrammarThread], _ automaton: inout GrammarAutomaton, _ trie: TokenTrie
  ) -> TokenMask {
    mask(threads, &automaton, trie, isStopped: { false }) ?? TokenMask(count: trie.tokenCount)
  }

  /// nil when the walk was stopped.
  static func mask(
    _ threads: [GrammarThread], _ automaton: inout GrammarAutomaton, _ trie: TokenTrie, isStopped: () -> Bool
  ) -> TokenMask? {
    var mask = TokenMask(count: trie.tokenCount)
    // The threads of the levels above the node, one level behind the other, and where each ends.
    var levels = threads
    var ends = Array(repeating: threads.count, count: trie.longest + 1)
    var node = 1
    let start = automaton.work
    var nextLook = start
    while node < trie.nodeCount, automaton.work - start < mostWork {
      if automaton.work >= nextLook {
        if isStopped() { return nil }
        nextLook = automaton.work + slice
      }
      let depth = Int(trie.depths[node])
      let source = (depth < 2 ? 0 : ends[depth - 2])..<ends[depth - 1]
      levels.removeLast(levels.count - source.upperBound)
      automaton.advance(source, of: &levels, by: trie.bytes[node])
      if levels.count == source.upperBound {
        node = Int(trie.ends[node])
        continue
      }
      ends[depth] = levels.count
      for index in trie.tokenStarts[node]..<trie.tokenStarts[node + 1] { mask.insert(trie.tokens[Int(index)]) }
      node += 1
    }
    if node < trie.nodeCount {
      let end = automaton.shortestCompletion(threads, limit: trie.longest)
      for token in trie.spell(end, most: 1) { mask.insert(token) }
    }
    return mask
  }
}

extension GrammarAutomaton {
  /// What distinguishes configurations for tokens of fewer than `reach` bytes: counters count only near their limits.
  func key(_ threads: [GrammarThread], reach: Int) -> [Int32] {
    var key: [Int32] = []
    for thread in threads {
      key.append(thread.node)
      key.append(thread.state)
      if case .machine(let machine) = grammar.nodes[Int(thread.node)] {
        appendCounter(Int(thread.count), machine.minimum, machine.maximum, reach, &key)
      }
      var number = thread.rest
      while number >= 0, key.count <= MaskCache.longestKey {
        let frame = arena.frames[Int(number)]
        key.append(frame.node)
        if case .list(let list) = grammar.nodes[Int(frame.node)], frame.position >= 0 {
          key.append(frame.position & 1)
          appendCounter(Int(frame.position >> 1), list.minimum, list.maximum, reach, &key)
        } else {
          key.append(frame.position)
        }
        number = frame.parent
      }
      key.append(-1)
    }
    return key
  }

  private func appendCounter(_ count: Int, _ minimum: Int, _ maximum: Int?, _ reach: Int, _ key: inout [Int32]) {
    key.append(Int32(min(max(0, minimum - count), reach)))
    key.append(Int32(min(maximum.map { $0 - count } ?? reach, reach)))
  }
}
