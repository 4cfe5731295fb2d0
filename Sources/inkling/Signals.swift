import JSONRPC
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// SIGINT, SIGTERM and SIGHUP as events. They are taken on a thread of their own, never in a signal handler.
enum Signals {
  /// Blocks the signals in this thread and those it starts; called before there are others. A command that runs for
  /// longer than a moment then takes them with `onFirst` or `endProcess`.
  static func block() {
    // A shell starts background jobs with SIGINT ignored, and what is ignored may never reach `sigwait`.
    signal(SIGINT, SIG_DFL)
    signal(SIGTERM, SIG_DFL)
    var set = wanted
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Calls the body with the first signal that comes. A second one ends the process at once.
  static func onFirst(_ body: @escaping @Sendable (Int32) -> Void) throws(ChannelError) {
    try DedicatedThread.start(name: "signals", stackSize: 128 << 10) {
      body(next())
      _exit(128 + next())
    }
  }

  /// Lets the first signal end the process, as it would if it were not blocked. A child sees its socket end.
  static func endProcess() throws(ChannelError) { try onFirst { _exit(128 + $0) } }

  private static func next() -> Int32 {
    var set = wanted
    var signal: Int32 = 0
    while sigwait(&set, &signal) != 0 {}
    return signal
  }

  private static var wanted: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, signal) }
    return set
  }
}
