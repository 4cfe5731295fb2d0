/// Follows bytes against a grammar without a vocabulary. Outputs are held to their form by `Constraint` alone; this is
/// the door to the automaton for the tests of this module and of those that make grammars.
package struct GrammarFollower: Sendable {
  private var automaton: GrammarAutomaton
  private var threads: [GrammarThread]
  private var next: [GrammarThread] = []

  /// - Throws: what `Constraint` would.
  package init(_ grammar: Grammar) throws(ConstraintError) {
    self.init(try CompiledGrammar(grammar))
  }

  init(_ grammar: CompiledGrammar) {
    automaton = GrammarAutomaton(grammar)
    threads = automaton.start()
  }

  /// Takes the next byte; false when it may not stand here, and then nothing changes.
  package mutating func advance(_ byte: UInt8) -> Bool {
    next.removeAll(keepingCapacity: true)
    automaton.advance(threads, by: byte, into: &next)
    guard !next.isEmpty else { return false }
    swap(&threads, &next)
    automaton.compact(&threads)
    return true
  }

  /// Takes bytes until one may not stand there; how many were taken.
  package mutating func advance(_ bytes: some Sequence<UInt8>) -> Int {
    var count = 0
    for byte in bytes {
      guard advance(byte) else { break }
      count += 1
    }
    return count
  }

  /// Whether the answer may end here.
  package var isComplete: Bool {
    var copy = automaton
    return copy.mayEnd(threads)
  }

  /// Whether the answer must end here: no byte can follow.
  package var isExhausted: Bool {
    var copy = automaton
    return copy.isExhausted(threads)
  }

  /// The shortest bytes after which the answer may end, the first `limit` of them; empty when it may already.
  package func shortestCompletion(limit: Int = .max) -> [UInt8] {
    automaton.shortestCompletion(threads, limit: limit)
  }

  /// The bytes that must follow, up to where there is a choice or an end; at most `limit`.
  package func forcedBytes(limit: Int = 4096) -> [UInt8] {
    var copy = self
    var bytes: [UInt8] = []
    while bytes.count < limit, let byte = copy.automaton.forcedByte(copy.threads), copy.advance(byte) {
      bytes.append(byte)
    }
    return bytes
  }
}
