/// The random numbers of tests: the same seed gives the same tests on every machine (Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", 2014).
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number in the range, the same on every machine.
  public mutating func int(in range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  /// True once in `n` times on average.
  public mutating func oneIn(_ n: Int) -> Bool { int(in: 0..<n) == 0 }

  /// One of the elements of a collection that is not empty.
  public mutating func pick<Elements: Collection>(_ elements: Elements) -> Elements.Element {
    elements[elements.index(elements.startIndex, offsetBy: int(in: 0..<elements.count))]
  }
}
