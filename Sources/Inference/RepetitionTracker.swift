/// Knows where the output repeats itself, and keeps a small model from running in circles.
///
/// Two measures, both over the output only, so that a rewrite may use every word of its source:
///
/// * A token that would go on a repetition of at least `shortestStretch` tokens loses
///   (penalty - 1) · 1.5^(stretch - shortestStretch) from its logit: the idea of the DRY sampler (P. Weidmann,
///   oobabooga/text-generation-webui pull request 5677). Short set phrases stay free; a repeated sentence breaks off.
/// * Output whose end is one block of at most `longestPeriod` tokens, three times or more and 64 tokens or more, is a
///   loop: it is ended. From two copies and 24 tokens on it is suspected, and the text is held back until the
///   suspicion is gone or sure, so that further copies are not sent.
package struct RepetitionTracker: Sendable {
  package enum State: Sendable, Equatable {
    case fresh
    /// The last so many tokens are copies of one block.
    case suspected(stretch: Int)
    case looping(stretch: Int)
  }

  package static let shortestStretch = 6
  package static let longestPeriod = 128
  /// How far back a repetition is seen, in tokens.
  static let window = 1024

  private var tokens: [Token] = []
  /// By distance: how many of the last tokens equal the ones so far before them.
  private var matches: [Int32] = [0]

  package init() {}

  /// Takes the next token of the output in.
  package mutating func append(_ token: Token) -> State {
    let end = tokens.count
    let farthest = min(end, Self.window)
    if matches.count <= farthest { matches.append(0) }
    tokens.withUnsafeBufferPointer { tokens in
      matches.withUnsafeMutableBufferPointer { matches in
        for distance in 1..<(farthest + 1) {
          matches[distance] = tokens[end - distance] == token ? matches[distance] &+ 1 : 0
        }
      }
    }
    tokens.append(token)
    return state
  }

  /// The last tokens of the output.
  package func tail(_ count: Int) -> ArraySlice<Token> { tokens.suffix(count) }

  /// Lowers the logits of tokens that would go on a repetition; by how much.
  @discardableResult
  package func penalise(_ logits: UnsafeMutableBufferPointer<Float>, penalty: Float) -> [Token: Float] {
    guard penalty > 1, tokens.count > Self.shortestStretch else { return [:] }
    // Of several repetitions that one token would go on, the longest counts.
    var lengths: [Token: Int32] = [:]
    for distance in 1..<matches.count where matches[distance] >= Self.shortestStretch {
      lengths[tokens[tokens.count - distance], default: 0].formMax(matches[distance])
    }
    var reductions: [Token: Float] = [:]
    for (token, length) in lengths where logits.indices.contains(Int(token)) {
      var reduction = penalty - 1
      for _ in 0..<min(Int(length) - Self.shortestStretch, 32) { reduction *= 1.5 }
      logits[Int(token)] -= reduction
      reductions[token] = reduction
    }
    return reductions
  }

  private var state: State {
    var longest = State.fresh
    for period in 1..<(min(matches.count - 1, Self.longestPeriod) + 1) where Int(matches[period]) >= period {
      let stretch = Int(matches[period]) + period
      if stretch >= max(3 * period, 64) { return .looping(stretch: stretch) }
      if stretch >= 24, longest == .fresh { longest = .suspected(stretch: stretch) }
    }
    return longest
  }
}

extension Int32 {
  fileprivate mutating func formMax(_ other: Int32) { self = Swift.max(self, other) }
}
