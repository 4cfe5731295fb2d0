import CPosix

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A program of the system that is run without a shell: nothing on its standard input, and one of its outputs kept. It
/// stays in our process group, so that Ctrl-C in a terminal reaches it even when we are gone.
final class ToolProcess {
  enum Stream { case output, error }

  private static let mostBytes = 256 << 10

  private let processID: pid_t
  private let descriptor: Int32
  /// What it has written, up to a limit.
  private(set) var said: [UInt8] = []
  private var status: Int32?

  /// The path of a program in one of the folders of PATH.
  static func find(_ name: String, path: String) -> String? {
    path.split(separator: ":").map { $0 + "/" + name }.first { access($0, X_OK) == 0 }
  }

  /// - Parameter lock: a descriptor that it inherits, so that a lock on it is held as long as the program lives.
  /// - Returns: nil when it cannot be started.
  init?(_ executable: String, _ arguments: [String], keeping stream: Stream, inheriting lock: Int32) {
    var ends: [Int32] = [-1, -1]
    guard inkling_pipe(&ends) == 0 else { return nil }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for (number, isKept) in [(Int32(1), stream == .output), (2, stream == .error)] {
      if isKept {
        posix_spawn_file_actions_adddup2(&actions, ends[1], number)
      } else {
        posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0)
      }
    }
    posix_spawn_file_actions_adddup2(&actions, lock, 3)
    _ = inkling_spawn_close_from(&actions, 4)
    // We block the signals that it must obey.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let copies = ([executable] + arguments).map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, executable, &actions, &attributes, copies + [nil], environ)
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      return nil
    }
    (processID, descriptor) = (child, ends[0])
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  deinit {
    end()
    close(descriptor)
  }

  /// Its exit status once it has ended, 128 and more for a signal; nil while it runs.
  func poll() -> Int32? {
    drain()
    if let status { return status }
    var word: Int32 = 0
    guard waitpid(processID, &word, WNOHANG) == processID else { return nil }
    drain()
    take(word)
    return status
  }

  /// Has it end, and waits until it has.
  func end() {
    guard status == nil else { return }
    kill(processID, SIGTERM)
    var word: Int32 = 0
    while waitpid(processID, &word, 0) < 0, errno == EINTR {}
    take(word)
  }

  private func take(_ word: Int32) {
    let signal = word & 0x7F
    status = signal == 0 ? (word >> 8) & 0xFF : 128 + signal
  }

  private func drain() {
    var chunk = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      if said.count < Self.mostBytes { said += chunk[..<count] }
    }
  }
}
