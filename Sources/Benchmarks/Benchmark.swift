#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One subject of `inkling-bench`.
struct Benchmark: Sendable {
  let name: String
  let summary: String
  /// Measures and prints its own lines.
  let run: @Sendable () throws -> Void
}

/// The smallest, middle and greatest of some figures.
struct Spread {
  let minimum: Double
  let median: Double
  let maximum: Double

  /// - Parameter figures: at least one.
  init(_ figures: [Double]) {
    let sorted = figures.sorted()
    minimum = sorted[0]
    median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    maximum = sorted[sorted.count - 1]
  }
}

extension Spread: CustomStringConvertible {
  /// `median (minimum–maximum)`, two decimals.
  var description: String { "\(rounded(median)) (\(rounded(minimum))–\(rounded(maximum)))" }
}

/// A number with two decimals.
func rounded(_ value: Double) -> String {
  let hundredths = Int((value * 100).rounded())
  let fraction = hundredths % 100
  return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
}

/// What two ways of doing the same took.
struct Comparison {
  /// Processor milliseconds of one run.
  let ours: Spread
  /// Processor milliseconds of one run.
  let theirs: Spread
  /// Theirs divided by ours, of neighbouring runs: above 1, ours is faster.
  let ratio: Spread
}

/// Runs two ways in the order A B B A, again and again, so that a machine that grows slower or faster meanwhile
/// treats both alike. Each group of four gives one ratio.
func compare(groups: Int = 15, ours: () throws -> Void, theirs: () throws -> Void) rethrows -> Comparison {
  try ours()
  try theirs()
  var ourTimes: [Double] = []
  var theirTimes: [Double] = []
  var ratios: [Double] = []
  for _ in 0..<groups {
    let first = try milliseconds(ours)
    let second = try milliseconds(theirs)
    let third = try milliseconds(theirs)
    let fourth = try milliseconds(ours)
    ourTimes += [first, fourth]
    theirTimes += [second, third]
    ratios.append((second + third) / (first + fourth))
  }
  return Comparison(ours: Spread(ourTimes), theirs: Spread(theirTimes), ratio: Spread(ratios))
}

/// The processor time that a piece of work takes on this thread: what else runs on the machine counts less than with a
/// clock on the wall.
func milliseconds(_ work: () throws -> Void) rethrows -> Double {
  let start = processorMilliseconds()
  try work()
  return processorMilliseconds() - start
}

private func processorMilliseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) * 1e-6
}
