import Synchronization

/// What the thread that computes and the threads around it tell each other: that it gets on, and that it shall stop.
public final class ComputeSignal: Sendable {
  private let steps = Atomic<Int>(0)
  private let stop = Atomic<Bool>(false)

  public init() {}

  /// Grows while the engine gets on: inside a step with every node of the compute graph, inside a load with every
  /// piece read. A thread that is stuck does not move it.
  public var progress: Int { steps.load(ordering: .relaxed) }

  /// Whether the computation has been told to end.
  public var isStopped: Bool { stop.load(ordering: .relaxed) }

  /// Ends the load or the computation that is running, and every later one.
  public func requestStop() { stop.store(true, ordering: .relaxed) }

  /// Counts one more sign of progress.
  public func advance() { steps.add(1, ordering: .relaxed) }

  func advanceAndAskToStop() -> Bool {
    advance()
    return isStopped
  }
}
