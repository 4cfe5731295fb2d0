import Synchronization

/// Those who want to know of each change of the availability.
final class AvailabilityWatchers: Sendable {
  private struct State {
    var next = 0
    var streams: [Int: AsyncStream<EngineAvailability>.Continuation] = [:]
  }

  private let state = Mutex(State())

  /// A new stream of changes. One who does not read misses the oldest.
  func add() -> AsyncStream<EngineAvailability> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: EngineAvailability.self, bufferingPolicy: .bufferingNewest(64))
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

  func send(_ availability: EngineAvailability) {
    let streams = state.withLock { Array($0.streams.values) }
    for stream in streams { stream.yield(availability) }
  }

  func finish() {
    let streams = state.withLock { Array($0.streams.values) }
    for stream in streams { stream.finish() }
  }
}
