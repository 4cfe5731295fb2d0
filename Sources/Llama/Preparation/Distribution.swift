import Inference

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The distribution of the next token, as logits and the logarithm of their sum.
struct Distribution {
  private let logits: [Float]
  /// The logarithm of the sum of the logits' exponentials.
  private let normaliser: Double

  /// Not all of the logits are minus infinity (`LogitCheck` sees to that), and none is NaN or plus infinity.
  init(_ logits: UnsafeBufferPointer<Float>) {
    self.logits = unsafe Array(logits)
    var highest = -Float.infinity
    for value in self.logits where value > highest { highest = value }
    var sum = 0.0
    for value in self.logits { sum += Double(exp(value - highest)) }
    normaliser = Double(highest) + log(sum)
  }

  func logProbability(of token: Token) -> Double { Double(logits[Int(token)]) - normaliser }

  /// The Kullback-Leibler divergence of the other distribution from this one, in nats: what it costs to take the other
  /// for this. Tokens that this one rules out cost nothing; one that only the other rules out counts as e⁻¹⁰⁰ there.
  func divergence(of other: Distribution) -> Double {
    var sum = 0.0
    for (own, others) in zip(logits, other.logits) where own > -.infinity {
      let ownLogarithm = Double(own) - normaliser
      // What this one gives less than e⁻³⁰ adds nothing that could be seen.
      if ownLogarithm < -30 { continue }
      sum += Double(exp(Float(ownLogarithm))) * (ownLogarithm - max(Double(others) - other.normaliser, -100))
    }
    return max(0, sum)
  }
}

/// e to that power.
func exponential(_ power: Double) -> Double { exp(power) }
