/// Chooses one token from raw logits without sorting the vocabulary.
///
/// Only the tokens near the top are collected: those within a distance of the highest logit that is widened until
/// they decide every cut. Even with a vocabulary of 50,000 that is mostly a few dozen. Of these, the cuts select
/// without sorting, too, as a flat distribution leaves thousands.
package struct Sampler: Sendable {
  package struct Candidate: Sendable, Equatable {
    package var token: Token
    package var logit: Float
    /// In proportion to the token's probability; of the likeliest 1.
    package var weight: Float
  }

  private let parameters: SamplingParameters
  private var random: RandomGenerator
  private var candidates: [Candidate] = []

  package init(_ parameters: SamplingParameters) {
    self.parameters = parameters
    random = RandomGenerator(seed: parameters.seed)
  }

  /// The next token; nil when the logits are not numbers.
  package mutating func sample(_ logits: UnsafeBufferPointer<Float>) -> Token? {
    guard let highest = Logits.maximum(logits) else { return nil }
    guard parameters.temperature > 0 else { return Logits.firstIndex(of: highest, in: logits).map { Token($0) } }
    let scale = 1 / parameters.temperature
    guard hasCuts else {
      let total = Logits.sumOfExponentials(logits, shift: highest, scale: scale)
      return Token(Logits.token(at: random.nextUnit() * total, in: logits, shift: highest, scale: scale))
    }
    collect(logits, highest: highest)
    var total = 0.0
    for index in candidates.indices {
      candidates[index].weight = Logits.exponential((candidates[index].logit - highest) * scale)
      total += Double(candidates[index].weight)
    }
    let target = random.nextUnit() * total
    var sum = 0.0
    for candidate in candidates {
      sum += Double(candidate.weight)
      if sum > target { return candidate.token }
    }
    return candidates.last?.token
  }

  /// The tokens that the cuts leave, likeliest first, weighted at temperature 1. For tests.
  package mutating func survivors(_ logits: UnsafeBufferPointer<Float>) -> [Candidate] {
    guard let highest = Logits.maximum(logits) else { return [] }
    collect(logits, highest: highest)
    return candidates.sorted(by: Self.isLikelier)
  }

  private var hasCuts: Bool { parameters.topK > 0 || parameters.topP < 1 || parameters.minP > 0 }

  /// Fills `candidates` with what the cuts leave.
  private mutating func collect(_ logits: UnsafeBufferPointer<Float>, highest: Float) {
    let hasTopK = parameters.topK > 0 && parameters.topK < logits.count
    let wantsTotal = parameters.topP < 1 && !hasTopK
    let total = wantsTotal ? Logits.sumOfExponentials(logits, shift: highest, scale: 1) : 0
    var distance: Float = 4
    var found = gather(logits, highest: highest, distance: distance)
    while !isEnough(found, distance: distance, total: total, hasTopK: hasTopK, all: logits.count) {
      distance = distance < 32 ? distance * 2 : .infinity
      found = gather(logits, highest: highest, distance: distance)
    }
    if hasTopK { keepLikeliest(until: Double(parameters.topK)) { _ in 1 } }
    if parameters.topP < 1 {
      let whole = wantsTotal ? total : candidates.reduce(0) { $0 + Double($1.weight) }
      keepLikeliest(until: Double(max(parameters.topP, 0)) * whole) { Double($0.weight) }
    }
    if parameters.minP > 0 {
      let floor = min(parameters.minP, 1)
      candidates.removeAll { $0.weight < floor }
    }
  }

  /// Whether the tokens within that distance of the highest decide every cut.
  private func isEnough(
    _ found: (count: Int, mass: Double), distance: Float, total: Double, hasTopK: Bool, all: Int
  ) -> Bool {
    if distance == .infinity || found.count == all { return true }
    let reachesMinP = parameters.minP > 0 && Logits.exponential(-distance) < parameters.minP
    if hasTopK { return found.count >= parameters.topK || (reachesMinP && parameters.topP >= 1) }
    return reachesMinP || (parameters.topP < 1 && found.mass >= Double(parameters.topP) * total)
  }

  private mutating func gather(
    _ logits: UnsafeBufferPointer<Float>, highest: Float, distance: Float
  ) -> (count: Int, mass: Double) {
    candidates.removeAll(keepingCapacity: true)
    var mass = 0.0
    Logits.forEach(atLeast: highest - distance, in: logits, shift: highest) { token, logit, weight in
      mass += Double(weight)
      candidates.append(Candidate(token: Token(token), logit: logit, weight: weight))
    }
    return (candidates.count, mass)
  }

  /// Of equally likely tokens the one with the lower number comes first.
  private static func isLikelier(_ left: Candidate, _ right: Candidate) -> Bool {
    left.logit != right.logit ? left.logit > right.logit : left.token < right.token
  }

  /// Keeps the fewest likeliest candidates whose measures together reach `wanted`; always one. Selects as quicksort
  /// sorts, but goes on only into the part where the border lies.
  private mutating func keepLikeliest(until wanted: Double, measure: (Candidate) -> Double) {
    var lower = 0
    var upper = candidates.count
    var sum = 0.0
    while upper - lower > 16 {
      let middle = partition(lower..<upper)
      let part = candidates[lower..<middle].reduce(0) { $0 + measure($1) }
      if sum + part >= wanted {
        upper = middle
      } else {
        sum += part
        lower = middle
      }
    }
    candidates[lower..<upper].sort(by: Self.isLikelier)
    while lower < upper, lower == 0 || sum < wanted {
      sum += measure(candidates[lower])
      lower += 1
    }
    candidates.removeLast(candidates.count - lower)
  }

  /// Moves the likelier candidates of a range to its front; where the others begin, which is inside the range.
  private mutating func partition(_ range: Range<Int>) -> Int {
    let ends = [
      candidates[range.lowerBound], candidates[range.lowerBound + range.count / 2], candidates[range.upperBound - 1],
    ]
    let pivot = ends.sorted(by: Self.isLikelier)[1]
    var front = range.lowerBound
    for index in range where Self.isLikelier(candidates[index], pivot) {
      candidates.swapAt(front, index)
      front += 1
    }
    return front
  }
}
