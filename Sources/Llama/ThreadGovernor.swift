#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Chooses the threads of each batch by what the machine really gave the last ones.
///
/// The threads of a step wait for each other at every node of the graph, hundreds of times. When other programs have
/// the processors, each wait lasts until the scheduler comes round, and two threads are many times slower than one.
/// Threads that wait spin, so a step that got all its processors used about its time in each of them.
package struct ThreadGovernor {
  /// Threads for the next batch.
  package private(set) var threads: Int
  private let most: Int
  /// Computing time until more threads are tried again.
  private var untilTry = Duration.zero
  /// How many batches' time passes until the next try. It grows with each that fails: a moment's trouble is soon over,
  /// and where a processor stays busy tries must be rare.
  private var patience = leastPatience
  /// Shorter batches say nothing.
  private static let telling = Duration.milliseconds(2)
  private static let leastPatience = 2
  /// Tries that fail may cost this share of the time at most.
  private static let mostPatience = 32
  /// And they come no closer than this.
  private static let leastPause = Duration.milliseconds(100)

  package init(most: Int) {
    self.most = max(1, most)
    threads = self.most
  }

  /// Takes in how long a batch with `threads` took, and how much processor time the process used meanwhile.
  package mutating func record(wall: Duration, processor: Duration) {
    guard most > 1, wall >= Self.telling else { return }
    let share = processor / wall
    if threads > 1, share < Double(threads) * 0.75 {
      // As many as there were processors for.
      threads = max(1, min(threads - 1, Int(share)))
      untilTry = max(Self.leastPause, wall) * patience
      patience = min(patience * 2, Self.mostPatience)
    } else if threads == most {
      patience = max(patience - 1, Self.leastPatience)
    } else {
      untilTry -= wall
      if untilTry <= .zero { threads = most }
    }
  }

  /// Processor time that this process has used.
  static var processorTime: Duration {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return .zero }
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
