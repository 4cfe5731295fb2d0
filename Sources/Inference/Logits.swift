/// Passes over a whole vocabulary's logits, sixteen at a time. Every result is the same on every platform: only
/// additions, multiplications and comparisons in a fixed order, no libm.
enum Logits {
  typealias Lanes = SIMD16<Float>

  /// The highest logit; nil when one is NaN or +∞, or all are -∞.
  static func maximum(_ logits: UnsafeBufferPointer<Float>) -> Float? {
    var highest = Lanes(repeating: -.infinity)
    let infinity = Lanes(repeating: .infinity)
    var areNumbers = infinity .== infinity
    forEachBlock(logits) { _, block in
      highest.replace(with: block, where: block .> highest)
      areNumbers .&= block .< infinity
    }
    let result = highest.max()
    return all(areNumbers) && result > -.infinity ? result : nil
  }

  /// The first index of a logit that is there.
  static func firstIndex(of value: Float, in logits: UnsafeBufferPointer<Float>) -> Int? {
    let wanted = Lanes(repeating: value)
    var start = 0
    while start + 16 <= logits.count, !any(block(of: logits, at: start) .== wanted) { start += 16 }
    return logits[start...].firstIndex(of: value)
  }

  /// Calls `body` with the tokens whose logit is at least `floor`, in order; `weight` is exp(logit - shift).
  static func forEach(
    atLeast floor: Float, in logits: UnsafeBufferPointer<Float>, shift: Float,
    _ body: (_ token: Int, _ logit: Float, _ weight: Float) -> Void
  ) {
    let limit = Lanes(repeating: floor)
    forEachBlock(logits) { start, block in
      guard any(block .>= limit) else { return }
      let weights = exponential(block - shift)
      for lane in 0..<min(16, logits.count - start) where block[lane] >= floor {
        body(start + lane, block[lane], weights[lane])
      }
    }
  }

  /// The sum of exp((logit - shift) · scale) over all tokens.
  static func sumOfExponentials(_ logits: UnsafeBufferPointer<Float>, shift: Float, scale: Float) -> Double {
    // Single precision adds a few dozen blocks, so that rounding does not grow with the vocabulary.
    var total = 0.0
    var part = Lanes.zero
    forEachBlock(logits) { start, block in
      part += exponential((block - shift) * scale)
      guard start % 1024 == 0 else { return }
      total += Double(part.sum())
      part = .zero
    }
    return total + Double(part.sum())
  }

  /// How far below the highest logit tokens no longer count for a sum: e⁻²⁰ each, 10⁻⁴ for 50,000 of them.
  private static let negligible: Float = 20

  /// The natural logarithm of the sum of exp(logit), without blocks of negligible tokens; nil when `maximum` is.
  static func logOfSum(_ logits: UnsafeBufferPointer<Float>) -> Double? {
    guard let highest = maximum(logits) else { return nil }
    let limit = Lanes(repeating: highest - negligible)
    var total = 0.0
    forEachBlock(logits) { _, block in
      if any(block .>= limit) { total += Double(exponential(block - highest).sum()) }
    }
    return Double(highest) + logarithm(total)
  }

  /// ln for positive numbers: the exponent, and for the significand m the series of 2 artanh((m - 1) / (m + 1)).
  static func logarithm(_ x: Double) -> Double {
    let ratio = (x.significand - 1) / (x.significand + 1)
    var sum = 0.0
    for power in stride(from: 31.0, through: 1, by: -2) { sum = sum * ratio * ratio + 1 / power }
    return Double(x.exponent) * 0.693_147_180_559_945_309 + 2 * ratio * sum
  }

  /// The token at which the running sum of exp((logit - shift) · scale) passes `target`; the last one with any
  /// probability when rounding lets none pass it.
  static func token(
    at target: Double, in logits: UnsafeBufferPointer<Float>, shift: Float, scale: Float
  ) -> Int {
    var sum = 0.0
    var last: (start: Int, weights: Lanes)?
    var isPassed = false
    forEachBlock(logits) { start, block in
      guard !isPassed else { return }
      let weights = exponential((block - shift) * scale)
      let blockSum = Double(weights.sum())
      if blockSum > 0 { last = (start, weights) }
      isPassed = sum + blockSum > target
      if !isPassed { sum += blockSum }
    }
    guard let last else { return 0 }
    var token = last.start
    for lane in 0..<16 where last.weights[lane] > 0 {
      token = last.start + lane
      sum += Double(last.weights[lane])
      if isPassed && sum > target { break }
    }
    return token
  }

  /// exp for arguments up to 0 in single precision, within 2 units in the last place; 0 below -87. Range reduction
  /// by powers of two and the polynomial of the Cephes library (S. Moshier).
  static func exponential(_ x: Lanes) -> Lanes {
    let rounder = Lanes(repeating: 12_582_912)  // 1.5 · 2²³: adding it rounds to an integer in the low bits
    let lowest = Lanes(repeating: -87)
    let clamped = x.replacing(with: lowest, where: x .< lowest)
    let shifted = clamped * 1.442_695_04 + rounder
    let whole = shifted - rounder
    let rest = (clamped - whole * 0.693_359_375) + whole * 2.121_944_4e-4
    var polynomial = Lanes(repeating: 1.987_569_1e-4)
    polynomial = polynomial * rest + 1.398_199_9e-3
    polynomial = polynomial * rest + 8.333_452e-3
    polynomial = polynomial * rest + 4.166_579_6e-2
    polynomial = polynomial * rest + 1.666_666_5e-1
    polynomial = polynomial * rest + 5.000_000_1e-1
    let value = polynomial * rest * rest + rest + 1
    let power = unsafeBitCast(shifted, to: SIMD16<Int32>.self) &- unsafeBitCast(rounder, to: SIMD16<Int32>.self)
    let scale = unsafeBitCast((power &+ 127) &<< 23, to: Lanes.self)
    return (value * scale).replacing(with: 0, where: x .< lowest)
  }

  static func exponential(_ x: Float) -> Float { exponential(Lanes(repeating: x))[0] }

  /// Calls `body` with blocks of sixteen; the last one is filled up with -∞.
  @inline(__always)
  private static func forEachBlock(
    _ logits: UnsafeBufferPointer<Float>, _ body: (_ start: Int, _ block: Lanes) -> Void
  ) {
    var start = 0
    while start + 16 <= logits.count {
      body(start, block(of: logits, at: start))
      start += 16
    }
    guard start < logits.count else { return }
    var last = Lanes(repeating: -.infinity)
    for index in start..<logits.count { last[index - start] = logits[index] }
    body(start, last)
  }

  /// The caller has made sure that sixteen logits follow `start`; they need no alignment.
  @inline(__always)
  private static func block(of logits: UnsafeBufferPointer<Float>, at start: Int) -> Lanes {
    UnsafeRawPointer(logits.baseAddress.unsafelyUnwrapped + start).loadUnaligned(as: Lanes.self)
  }
}
