import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a chat does with signals. SIGINT stops what is at work; if that does not end, a later one stops the chat. While
/// nothing is at work it is for the input.
final class ChatSignals: Sendable {
  private struct State {
    /// nil while nothing is at work.
    var cancel: (@Sendable () -> Void)?
    /// When that was stopped last.
    var cancelled: ContinuousClock.Instant?
    /// SIGINT came behind a message, before the work for it began.
    var isPending = false
  }

  /// Who presses Ctrl-C twice wants an end to the answer, not to the chat.
  private static let patience = Duration.seconds(2)

  private let input: any ChatInput
  private let state = Mutex(State())

  init(_ input: any ChatInput) { self.input = input }

  /// A request that was at work was stopped, and nobody is there to say what to do next.
  var hasEndedScript: Bool { !input.isInteractive && state.withLock { $0.cancelled != nil || $0.isPending } }

  func beginWork(_ cancel: @escaping @Sendable () -> Void) {
    let isStopped = state.withLock { state in
      defer { state = State(cancel: cancel, cancelled: state.isPending ? .now : nil) }
      return state.isPending
    }
    if isStopped { cancel() }
  }

  /// The input waits for the next message: what was meant for the one before is over.
  func beginWaiting() {
    input.beginWaiting()
    if input.isInteractive { state.withLock { $0.isPending = false } }
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
    let (cancel, before, isForInput) = state.withLock { state in
      let before = state.cancelled
      let isForInput = state.cancel == nil && input.isWaiting
      if state.cancel == nil { state.isPending = !isForInput } else if before == nil { state.cancelled = .now }
      return (state.cancel, before, isForInput)
    }
    if isForInput { return input.interrupt() }
    guard let cancel else { return }
    if let before, ContinuousClock.now - before > Self.patience { Self.end(Program.Status.interrupted) }
    cancel()
  }

  /// Ends the process at once. A daemon of its own sees its socket end and leaves too.
  static func end(_ status: Int32) -> Never {
    TerminalMode.set(.original)
    _exit(status)
  }
}
