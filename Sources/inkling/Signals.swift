import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// SIGINT, SIGTERM and SIGHUP as events. The main thread waits for them and does nothing else; every other thread
/// blocks them. (An asynchronous `main` would leave that thread to Dispatch, which unblocks all signals in it.)
enum Signals {
  private static let handler = Mutex<(@Sendable (Int32) -> Void)?>(nil)

  /// Calls the body with the first signal that comes from now on. Without a body, and with the second signal, the
  /// process ends at once; a child of it sees its socket end and leaves too.
  static func onFirst(_ body: @escaping @Sendable (Int32) -> Void) { handler.withLock { $0 = body } }

  /// Blocks the signals in this thread and those it starts; called before there are others.
  static func block() {
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
        defer { handler = nil }
        return handler
      }
      guard let body else { _exit(128 + signal) }
      body(signal)
    }
  }

  private static var wanted: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, signal) }
    return set
  }
}
