/// A set of Unicode scalars, as ranges in order that do not touch. Surrogates are never in it.
public struct ScalarSet: Sendable, Hashable {
  public private(set) var ranges: [ClosedRange<UInt32>]

  /// Any ranges, in any order; they may overlap.
  public init(_ ranges: [ClosedRange<UInt32>]) {
    var merged: [ClosedRange<UInt32>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
        merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    self.ranges = merged.flatMap(Self.withoutSurrogates)
  }

  /// The scalars of a text.
  public init(_ text: String) { self.init(text.unicodeScalars.map { $0.value...$0.value }) }

  public var isEmpty: Bool { ranges.isEmpty }

  public func contains(_ scalar: Unicode.Scalar) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(scalar.value)
  }

  public func union(_ other: ScalarSet) -> ScalarSet { ScalarSet(ranges + other.ranges) }

  public var inverted: ScalarSet {
    var gaps: [ClosedRange<UInt32>] = []
    var next: UInt32 = 0
    for range in ranges {
      if next < range.lowerBound { gaps.append(next...range.lowerBound - 1) }
      next = range.upperBound + 1
    }
    if next <= 0x10_FFFF { gaps.append(next...0x10_FFFF) }
    return ScalarSet(gaps)
  }

  public func subtracting(_ other: ScalarSet) -> ScalarSet { inverted.union(other).inverted }

  public func intersection(_ other: ScalarSet) -> ScalarSet { subtracting(other.inverted) }

  private static func withoutSurrogates(_ range: ClosedRange<UInt32>) -> [ClosedRange<UInt32>] {
    var parts: [ClosedRange<UInt32>] = []
    if range.lowerBound < 0xD800 { parts.append(range.lowerBound...min(range.upperBound, 0xD7FF)) }
    if range.upperBound > 0xDFFF { parts.append(max(range.lowerBound, 0xE000)...range.upperBound) }
    return parts
  }
}
