import Synchronization

/// The one place of a connection for a prompt that is read beforehand: who takes it ends the one before.
final class PrewarmSlot: Sendable {
  /// A taken place; the later one has the larger number.
  struct Place: Sendable {
    fileprivate let number: Int
  }

  private struct State {
    var last = 0
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// Takes the place and ends what was read for the one who had it. Called in the order of the messages.
  func take() -> Place {
    let (place, cancel) = state.withLock { state in
      defer { state.cancel = nil }
      state.last += 1
      return (Place(number: state.last), state.cancel)
    }
    cancel?()
    return place
  }

  /// Runs the work until it is done or another takes the place; the work then sees that it is cancelled.
  /// - Returns: nil when another has taken the place already.
  func run<Value: Sendable>(_ place: Place, _ work: @escaping @Sendable () async -> Value) async -> Value? {
    let task = state.withLock { state -> Task<Value, Never>? in
      guard state.last == place.number else { return nil }
      let task = Task { await work() }
      state.cancel = { task.cancel() }
      return task
    }
    guard let task else { return nil }
    let value = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    state.withLock { if $0.last == place.number { $0.cancel = nil } }
    return value
  }
}
