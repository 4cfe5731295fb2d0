import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a chat does with signals. SIGINT stops what is at work, and a second one the chat; while nothing is at work it
/// is for the input.
final class ChatSignals: Sendable {
  private struct State {
    /// nil while nothing is at work.
    var cancel: (@Sendable () -> Void)?
    var isCancelled = false
  }

  private let input: any ChatInput
  private let state = Mutex(State())

  init(_ input: any ChatInput) { self.input = input }

  /// A request that was at work was stopped, and nobody is there to say what to do next.
  var hasEndedScript: Bool { !input.isInteractive && state.withLock { $0.isCancelled } }

  func beginWork(_ cancel: @escaping @Sendable () -> Void) {
    state.withLock { $0 = State(cancel: cancel) }
  }

  func endWork() { state.withLock { $0.cancel = nil } }

  func receive(_ signal: Int32) {
    switch signal {
    case SIGINT: interrupt()
    case SIGTSTP:
      TerminalMode.suspend()
      kill(getpid(), SIGSTOP)
    case SIGCONT:
      TerminalMode.resume()
      if state.withLock({ $0.cancel == nil }) { input.noteResumed() }
    case SIGWINCH: input.noteResized()
    case _: Self.end(128 + signal)
    }
  }

  private func interrupt() {
    let (cancel, isSecond) = state.withLock { state in
      defer { state.isCancelled = state.cancel != nil }
      return (state.cancel, state.isCancelled)
    }
    guard let cancel else { return input.interrupt() }
    if isSecond { Self.end(Program.Status.interrupted) }
    cancel()
  }

  /// Ends the process at once. A daemon of its own sees its socket end and leaves too.
  static func end(_ status: Int32) -> Never {
    TerminalMode.set(.original)
    _exit(status)
  }
}
