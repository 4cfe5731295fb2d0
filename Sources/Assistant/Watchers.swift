import Synchronization

/// Those who want to know of each change of something.
final class Watchers<Value: Sendable>: Sendable {
  private struct State {
    var next = 0
    var streams: [Int: AsyncStream<Value>.Continuation] = [:]
  }

  private let state = Mutex(State())

  /// A new stream of changes.
  /// - Parameter bound: how many wait for one who does not read; then the oldest are missed.
  func add(bound: Int) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(bound))
    let key = state.withLock { state in
      state.next += 1
      state.streams[state.next] = continuation
      return state.next
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.streams.removeValue(forKey: key) }
    }
    return stream
  }

  func send(_ value: Value) {
    for stream in state.withLock({ Array($0.streams.values) }) { stream.yield(value) }
  }

  func finish() {
    for stream in state.withLock({ Array($0.streams.values) }) { stream.finish() }
  }
}
