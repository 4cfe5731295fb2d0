import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Ctrl-C: cancels the request; before there is one it ends the process.
final class Interruption: Sendable {
  private struct State {
    var signal: Int32?
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// The signal that came.
  var signal: Int32? { state.withLock { $0.signal } }

  func receive(_ signal: Int32) {
    let cancel = state.withLock { state in
      state.signal = signal
      return state.cancel
    }
    guard let cancel else { _exit(128 + signal) }
    cancel()
  }

  func cancels(_ cancel: @escaping @Sendable () -> Void) { state.withLock { $0.cancel = cancel } }
}
