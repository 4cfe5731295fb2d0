import Llama
import Testing

@Suite struct ThreadGovernorTests {
  /// Runs batches of 100 ms that get that many processors at most; gives the threads of each.
  private func run(_ governor: inout ThreadGovernor, batches: Int, processors: Double) -> [Int] {
    (0..<batches).map { _ in
      let threads = governor.threads
      governor.record(
        wall: .milliseconds(100), processor: .milliseconds(Int(100 * min(Double(threads), processors))))
      return threads
    }
  }

  @Test func idleMachineKeepsAllThreads() {
    var governor = ThreadGovernor(most: 2)
    #expect(run(&governor, batches: 50, processors: 2).allSatisfy { $0 == 2 })
  }

  @Test func busyMachineGetsOneThreadAndRareTries() {
    var governor = ThreadGovernor(most: 2)
    let threads = run(&governor, batches: 1000, processors: 0.8)
    #expect(threads[0] == 2 && threads[1] == 1)
    // At first they are not rare: most trouble is soon over.
    #expect(threads.prefix(10).count { $0 == 2 } == 3)
    #expect((30...40).contains(threads.count { $0 == 2 }))
    // Idle again: all threads come back, and stay.
    let later = run(&governor, batches: 300, processors: 2)
    #expect(later.suffix(100).allSatisfy { $0 == 2 })
  }

  /// One batch that something came in the way of.
  @Test func aMomentsTroubleIsForgotten() {
    var governor = ThreadGovernor(most: 2)
    for _ in 0..<20 {
      #expect(run(&governor, batches: 1, processors: 1) == [2])
      #expect(run(&governor, batches: 2, processors: 2) == [1, 1])
      #expect(run(&governor, batches: 5, processors: 2).allSatisfy { $0 == 2 })
    }
  }

  @Test func manyThreadsFallToWhatIsFree() {
    var governor = ThreadGovernor(most: 8)
    #expect(run(&governor, batches: 2, processors: 5) == [8, 5])
    var single = ThreadGovernor(most: 1)
    #expect(run(&single, batches: 20, processors: 0.1).allSatisfy { $0 == 1 })
  }

  @Test func shortBatchesSayNothing() {
    var governor = ThreadGovernor(most: 2)
    governor.record(wall: .milliseconds(1), processor: .zero)
    #expect(governor.threads == 2)
  }
}
