/// How far one output has come in its constraint, and what of it is already decided.
///
/// Where only one continuation is possible its tokens are decided at once: the longest that fit, one after the other,
/// by content alone. They are the same whether the model computes them in one step or in many.
struct ConstrainedOutput {
  let constraint: Constraint
  private var automaton: GrammarAutomaton
  private var threads: [GrammarThread]
  private var trial: [GrammarThread] = []
  /// Tokens that are decided and not yet part of the output; the threads have followed them.
  private var decided: ArraySlice<Token> = []
  /// Only the shortest end comes any more.
  private(set) var isClosing = false
  /// The model wanted to write what the tokens that were left did not allow any more.
  private(set) var isCutShort = false
  /// The shortest end was spelled and has too many tokens. It is not spelled again: it fits when it has few bytes.
  private var isOutOfReach = false

  /// Bytes that are decided at once at most.
  private static let mostForced = 4096
  /// A shortest end of more bytes is not spelled to see whether it fits: that would be done for every token.
  private static let mostSpelled = 8192

  /// - Parameter start: what the output begins with, which the prompt ends with. As long as the constraint allows it;
  ///   see `Constraint.allows`.
  init(_ constraint: Constraint, behind start: [UInt8] = []) {
    self.constraint = constraint
    automaton = GrammarAutomaton(constraint.grammar)
    threads = automaton.start()
    guard !start.isEmpty, let next = followed(start) else { return }
    threads = next
    automaton.compact(&threads)
  }

  var hasDecided: Bool { !decided.isEmpty }

  mutating func takeDecided() -> Token? { decided.popFirst() }

  /// Whether the output is complete as it is.
  var mayEnd: Bool {
    mutating get { decided.isEmpty && automaton.mayEnd(threads) }
  }

  /// Whether the output is complete and nothing can or should follow.
  var mustEnd: Bool {
    mutating get { decided.isEmpty && (isClosing || automaton.isExhausted(threads)) }
  }

  /// Decides what must follow, when something must. `remaining` tokens may still come.
  mutating func decideForced(remaining: Int) {
    guard decided.isEmpty, !isClosing else { return }
    var next = threads
    var bytes: [UInt8] = []
    while bytes.count < Self.mostForced, let byte = automaton.forcedByte(next) {
      trial.removeAll(keepingCapacity: true)
      automaton.advance(next, by: byte, into: &trial)
      guard !trial.isEmpty else { break }
      swap(&next, &trial)
      bytes.append(byte)
    }
    guard !bytes.isEmpty else { return }
    let tokens = constraint.vocabulary.spell(bytes)
    guard mayGoOn(to: next, remaining - tokens.count, from: remaining) else {
      isCutShort = true
      return close(remaining: remaining)
    }
    decided = tokens[...]
    threads = next
    automaton.compact(&threads)
  }

  /// Takes a token that the model has chosen. False, and nothing changes, when it may not stand here, or when after it
  /// the output could no longer be completed with the tokens that remain though it could be now.
  mutating func accept(_ token: Token, _ bytes: [UInt8], remaining: Int) -> Bool {
    guard !bytes.isEmpty, constraint.vocabulary.isUsable(token), let next = followed(bytes) else { return false }
    guard mayGoOn(to: next, remaining - 1, from: remaining) else {
      isCutShort = true
      return false
    }
    threads = next
    automaton.compact(&threads)
    return true
  }

  /// The configuration behind bytes; nil when they may not stand here.
  private mutating func followed(_ bytes: [UInt8]) -> [GrammarThread]? {
    var next = threads
    for byte in bytes {
      trial.removeAll(keepingCapacity: true)
      automaton.advance(next, by: byte, into: &trial)
      guard !trial.isEmpty else { return nil }
      swap(&next, &trial)
    }
    return next
  }

  /// The tokens that may follow, but for those that end the output.
  mutating func mask() -> TokenMask { constraint.mask(threads, &automaton) }

  /// Decides on the shortest end, or on as much of it as `remaining` tokens and one more can hold.
  mutating func close(remaining: Int) {
    isClosing = true
    let most = max(0, remaining) + 1
    let bytes = automaton.shortestCompletion(threads, limit: most * constraint.vocabulary.longest)
    decided += constraint.vocabulary.spell(bytes, most: most)
  }

  /// Decides to end the text that the output is in, with its quotes or whatever follows left to come; false when it is
  /// in none, or when the rest would no longer fit.
  mutating func closeText(remaining: Int) -> Bool {
    guard let (bytes, next) = automaton.leaveMachine(threads, limit: Self.mostSpelled) else { return false }
    let tokens = constraint.vocabulary.spell(bytes)
    guard fits(next, remaining - tokens.count) else { return false }
    threads = next
    decided += tokens
    return true
  }

  /// Whether a step to `next` leaves the end in reach, or the end is out of reach as it is.
  private mutating func mayGoOn(to next: [GrammarThread], _ remainingThen: Int, from remaining: Int) -> Bool {
    if fits(next, remainingThen) { return true }
    let isInReach = fits(threads, remaining)
    if !isInReach { isOutOfReach = true }
    return !isInReach
  }

  /// Whether the shortest end has at most so many tokens. It has no more than bytes, so it is seldom spelled; one of
  /// very many bytes counts as too long when it has more bytes than there are tokens.
  private func fits(_ threads: [GrammarThread], _ remaining: Int) -> Bool {
    let cost = automaton.cost(threads)
    if cost <= remaining { return true }
    guard !isOutOfReach, remaining > 0, cost <= min(remaining * constraint.vocabulary.longest, Self.mostSpelled)
    else { return false }
    let bytes = automaton.shortestCompletion(threads, limit: Self.mostSpelled)
    return constraint.vocabulary.spell(bytes, most: remaining + 1).count <= remaining
  }
}

extension GrammarAutomaton {
  /// The shortest end of the first machine that a thread is in, and the configuration behind it; nil when that end has
  /// `limit` bytes or more.
  func leaveMachine(_ threads: [GrammarThread], limit: Int) -> (bytes: [UInt8], threads: [GrammarThread])? {
    for thread in threads {
      guard case .machine = grammar.nodes[Int(thread.node)], leafCost(thread) < limit else { continue }
      return (finishLeaf(thread, limit: limit), [GrammarThread(node: grammar.emptyNode, state: 0, rest: thread.rest)])
    }
    return nil
  }
}
