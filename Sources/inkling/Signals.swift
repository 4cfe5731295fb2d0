import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Signals as events: SIGINT, SIGTERM, SIGHUP, and those of a terminal for who minds them. The main thread waits for
/// them and does nothing else; every other thread blocks them. (An asynchronous `main` would leave that thread to
/// Dispatch, which unblocks all signals in it.)
enum Signals {
  private struct Handler {
    let body: @Sendable (Int32) -> Void
    let isKept: Bool
  }

  private static let handler = Mutex<Handler?>(nil)
  private static let waited = Mutex([SIGINT, SIGTERM, SIGHUP])

  /// Calls the body with the first signal that comes from now on. Without a body, and with the second signal, the
  /// process ends at once; a child of it sees its socket end and leaves too.
  static func onFirst(_ body: @escaping @Sendable (Int32) -> Void) {
    handler.withLock { $0 = Handler(body: body, isKept: false) }
  }

  /// Calls the body with each signal that comes from now on.
  static func onEach(_ body: @escaping @Sendable (Int32) -> Void) {
    handler.withLock { $0 = Handler(body: body, isKept: true) }
  }

  /// Blocks the signals in this thread and those it starts; called before there are others.
  /// - Parameter mindsTerminal: also those about being stopped, going on, and the size of the window. Whoever asks for
  ///   them has to stop the process itself.
  static func block(mindsTerminal: Bool) {
    if mindsTerminal { waited.withLock { $0 += [SIGTSTP, SIGCONT, SIGWINCH] } }
    // A shell starts background jobs with SIGINT ignored, and what is ignored may never reach `sigwait`.
    signal(SIGINT, SIG_DFL)
    signal(SIGTERM, SIG_DFL)
    var set = wanted
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Serves signals for as long as the process lives.
  static func serve() -> Never {
    while true {
      var set = wanted
      var signal: Int32 = 0
      guard sigwait(&set, &signal) == 0 else { continue }
      let body = handler.withLock { handler in
        defer { if handler?.isKept == false { handler = nil } }
        return handler?.body
      }
      if let body {
        body(signal)
      } else {
        switch signal {
        case SIGCONT, SIGWINCH: break
        case SIGTSTP: kill(getpid(), SIGSTOP)
        case _: _exit(128 + signal)
        }
      }
    }
  }

  private static var wanted: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in waited.withLock({ $0 }) { sigaddset(&set, signal) }
    return set
  }
}
