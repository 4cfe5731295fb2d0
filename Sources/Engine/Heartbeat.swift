import Dispatch
import EngineProtocol
import JSONRPC
import Llama
import Synchronization

/// Tells the front end that the engine gets on: about four times a second while it loads, computes or makes tokens of a
/// text, and only when it has got on since the last time. A thread of its own that reads counters, so that a stuck
/// engine falls silent.
final class Heartbeat: Sendable {
  private static let interval = DispatchTimeInterval.milliseconds(250)
  /// Signalled when the engine goes to work and when it ends.
  private let change = DispatchSemaphore(value: 0)
  /// Never signalled: a wait for it is a rest of exactly its time-out.
  private let rest = DispatchSemaphore(value: 0)

  /// Requests whose texts are being made tokens, and how many pieces of text all of them have had.
  private let preparing = Atomic(0)
  private let pieces = Atomic(0)

  func engineChanged() { change.signal() }

  /// Does work beside the engine's thread that may take long, and counts as work of the engine's.
  /// - Parameter body: calls what it is given whenever it has got on.
  func whilePreparing<Value>(
    _ body: (_ noteProgress: () -> Void) throws(CancellationError) -> Value
  ) throws(CancellationError) -> Value {
    preparing.add(1, ordering: .relaxed)
    change.signal()
    defer { preparing.subtract(1, ordering: .relaxed) }
    return try body { pieces.add(1, ordering: .relaxed) }
  }

  /// Starts the thread; it ends with the engine's.
  func start(
    watching engine: EngineThread, send: @escaping @Sendable (EngineHeartbeat.Params) -> Void
  ) throws(ChannelError) {
    try DedicatedThread.start(name: "heartbeat") {
      var (lastStep, lastPiece) = (0, 0)
      while !engine.isOver {
        self.change.wait()
        while engine.isComputing || self.preparing.load(ordering: .relaxed) > 0 {
          _ = self.rest.wait(timeout: .now() + Self.interval)
          let (step, piece) = (engine.signal.progress, self.pieces.load(ordering: .relaxed))
          // While the engine's thread computes, what is done beside it says nothing of it.
          guard step != lastStep || (!engine.isComputing && piece != lastPiece) else { continue }
          (lastStep, lastPiece) = (step, piece)
          let stepTime = engine.statistics?.stepTime ?? .zero
          send(EngineHeartbeat.Params(steps: step &+ piece, stepMilliseconds: stepTime.milliseconds))
        }
      }
    }
  }
}

extension Duration {
  /// The whole duration in milliseconds, with their fraction.
  var milliseconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) * 1000 + Double(attoseconds) * 1e-15
  }
}
