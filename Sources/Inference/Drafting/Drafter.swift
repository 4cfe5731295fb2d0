/// Guesses how an output goes on that follows a text of its prompt, as a rewrite does: as that text does behind the
/// place where the output stands in it.
///
/// The place moves on with each token that is the text's own. When the output leaves the text, the place is found again
/// by the longest end of the output that stands in the text, near where it was lost, and until then one token is held
/// to stand for one. How often such guesses were right is counted as the output comes, also when nothing was drafted,
/// by how many tokens agreed before; so an output that goes its own way costs nothing.
struct Drafter: Sendable {
  /// Rows of a step with drafts. Up to 33 rows logits are those of single rows, bit for bit (with flash attention).
  static let mostRows = 32
  /// How far an agreement is followed back.
  private static let longestMatch = 16
  /// A single token that agrees is believed to be the place again within this distance.
  private static let nearby = 12
  /// By how much a step with a draft has to be better than one without.
  private static let leastGain = 1.05

  private let source: [Token]
  private var output: [Token] = []
  /// Where in the source the next token is expected; nil at the start, and behind the end.
  private var place: Int?
  /// How many tokens before the place agree with the end of the output.
  private var agreement = 0
  private var odds = DraftOdds()

  init(source: [Token]) { self.source = source }

  /// Takes the next token of the output in.
  mutating func append(_ token: Token) {
    output.append(token)
    guard let place, place < source.count else {
      find(near: place)
      return
    }
    let isRight = source[place] == token
    odds.record(agreement: agreement, isRight: isRight)
    if isRight {
      self.place = place + 1
      agreement += 1
    } else {
      find(near: place)
    }
  }

  /// The tokens that are worth being computed together with the last one.
  /// - Parameters:
  ///   - most: how many there may be.
  ///   - rows: how many rows the step has without them.
  ///   - outputs: how many of these are the last tokens of outputs, this one's included.
  ///   - cost: of a step.
  func draft(most: Int, rows: Int, outputs: Int, cost: StepCost) -> ArraySlice<Token> {
    guard let place else { return [] }
    // Beside a prompt that is read the step is a large one in any case.
    let room = rows > Self.mostRows ? Self.mostRows - 1 : Self.mostRows - rows
    let count = min(most, room, source.count - place)
    guard count > 0 else { return [] }
    var best = (length: 0, rate: Double(outputs) / cost(rows: rows) * Self.leastGain)
    var (tokens, likelihood) = (Double(outputs), 1.0)
    for length in 1...count {
      likelihood *= odds.likelihood(agreement: agreement + length - 1)
      tokens += likelihood
      let rate = tokens / cost(rows: rows + length)
      if rate > best.rate { best = (length, rate) }
    }
    return source[place..<(place + best.length)]
  }

  /// Finds the place again: behind the longest end of the output that stands in the source, of equally long ones the
  /// nearest to where it was expected, rather after it than before.
  private mutating func find(near expected: Int?) {
    guard let token = output.last else { return }
    let expected = expected ?? 0
    var best: (place: Int, length: Int, distance: Int)?
    for index in source.indices where source[index] == token {
      let length = commonEnd(at: index)
      let distance = index >= expected ? index - expected : 2 * (expected - index)
      if length < best?.length ?? 0 || (length == best?.length && distance >= best?.distance ?? 0) { continue }
      if length == 1, distance > Self.nearby { continue }
      best = (index + 1, length, distance)
    }
    if let best {
      (place, agreement) = (best.place, best.length)
    } else {
      // One token for one, but only the first after an agreement: where a longer change ends is not known.
      place = place.map { agreement > 0 ? $0 + 1 : $0 }
      agreement = 0
    }
  }

  /// How many tokens of the source that end at `index` are the last ones of the output.
  private func commonEnd(at index: Int) -> Int {
    let most = min(index + 1, output.count, Self.longestMatch)
    var length = 1
    while length < most, source[index - length] == output[output.count - 1 - length] { length += 1 }
    return length
  }
}

/// How likely the next token of the source is the next token of the output.
struct DraftOdds: Sendable {
  /// The likelihood before anything is known, by how many tokens agreed before.
  private static let usual = [0.3, 0.45, 0.65, 0.85, 0.9, 0.94]
  /// As many observations that is worth.
  private static let weight = 4.0
  /// Old observations fade, since a text may be copied in one paragraph and rewritten in the next.
  private static let fading = 0.97

  private var right = usual.map { $0 * weight }
  private var all = usual.map { _ in weight }

  mutating func record(agreement: Int, isRight: Bool) {
    let index = Self.index(agreement)
    right[index] = right[index] * Self.fading + (isRight ? 1 : 0)
    all[index] = all[index] * Self.fading + 1
  }

  func likelihood(agreement: Int) -> Double {
    let index = Self.index(agreement)
    return right[index] / all[index]
  }

  private static func index(_ agreement: Int) -> Int {
    switch agreement {
    case ...2: max(0, agreement)
    case 3...4: 3
    case 5...8: 4
    default: 5
    }
  }
}
