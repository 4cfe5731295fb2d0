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
  /// Shorter batches say nothing.
  private static let telling = Duration.milliseconds(2)
  /// A try that fails may cost this share of the time at most.
  private static let costOfTries = 20

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
      untilTry = max(.seconds(1), wall * Self.costOfTries)
    } else if threads < most {
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
