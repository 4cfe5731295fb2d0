/// A moment by which something must have happened. Every wait in the tests has one.
public struct Deadline: Sendable {
  public let seconds: Double
  private let end: ContinuousClock.Instant

  public init(_ seconds: Double) {
    self.seconds = seconds
    end = .now + .milliseconds(Int64(seconds * 1000))
  }

  public var hasPassed: Bool { ContinuousClock.now >= end }

  /// Seconds left; 0 when it has passed.
  public var remaining: Double {
    let left = (end - .now).components
    return max(0, Double(left.seconds) + Double(left.attoseconds) * 1e-18)
  }
}
