import Dispatch
import EngineProtocol
import JSONRPC
import Llama

/// Tells the front end that the engine gets on: about four times a second while it loads or computes, and only when
/// it has got on since the last time. A thread of its own that reads counters, so that a stuck engine falls silent.
final class Heartbeat: Sendable {
  private static let interval = DispatchTimeInterval.milliseconds(250)
  /// Signalled when the engine goes to work and when it ends.
  private let change = DispatchSemaphore(value: 0)
  /// Never signalled: a wait for it is a rest of exactly its time-out.
  private let rest = DispatchSemaphore(value: 0)

  func engineChanged() { change.signal() }

  /// Starts the thread; it ends with the engine's.
  func start(
    watching engine: EngineThread, send: @escaping @Sendable (EngineHeartbeat.Params) -> Void
  ) throws(ChannelError) {
    try DedicatedThread.start(name: "heartbeat") {
      var last = 0
      while !engine.isOver {
        self.change.wait()
        while engine.isComputing {
          _ = self.rest.wait(timeout: .now() + Self.interval)
          let progress = engine.signal.progress
          guard progress != last else { continue }
          last = progress
          let stepTime = engine.statistics?.stepTime ?? .zero
          send(EngineHeartbeat.Params(steps: progress, stepMilliseconds: stepTime.milliseconds))
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
