import CPosix
import JSONRPC
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Spawns an executable with one end of a socket pair as its descriptor 3. The child has no other descriptor of ours:
/// standard input is empty, standard output and standard error are our standard error.
public struct ProcessLauncher: ChildLauncher {
  private let executable: String
  private let arguments: [String]
  private let environment: [String]

  /// `environment` (`NAME=value`) is added to this process's own and comes first.
  public init(executable: String, arguments: [String], environment: [String] = []) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
  }

  public func launch() throws(ChildLaunchError) -> any ChildProcess {
    let (ours, theirs) = try makeSocketPair()
    defer { close(theirs) }
    let channel: FileChannel
    do {
      channel = try FileChannel(input: ours, output: ours)
    } catch {
      close(ours)
      throw ChildLaunchError(error.message)
    }
    let process = SpawnedProcess(processID: try spawn(socket: theirs), channel: channel)
    do {
      try DedicatedThread.start(name: "engine reaper", stackSize: 128 << 10) { process.reap() }
    } catch {
      // Nobody would notice its end.
      process.kill()
      process.reap()
      throw ChildLaunchError(error.message)
    }
    return process
  }

  private func spawn(socket: Int32) throws(ChildLaunchError) -> pid_t {
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, 2, 1)
    posix_spawn_file_actions_adddup2(&actions, socket, 3)
    let closing = inkling_spawn_close_from(&actions, 4)
    guard closing == 0 || closing == ENOSYS else { throw Self.failure("posix_spawn_file_actions", closing) }

    // A process group of its own: Ctrl-C in a terminal is the front end's to handle. No signal is blocked or ignored
    // in the child because it is in the parent.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    #if canImport(Darwin)
      // Closes whatever the file actions do not name, as the close action does on Linux.
      posix_spawnattr_setflags(&attributes, Int16(flags | POSIX_SPAWN_CLOEXEC_DEFAULT))
      posix_spawn_file_actions_addinherit_np(&actions, 2)
    #else
      posix_spawnattr_setflags(&attributes, Int16(flags))
    #endif

    var processID: pid_t = 0
    let result = withCStrings(arguments) { argv in
      withCStrings(environment + currentEnvironment()) { envp in
        posix_spawn(&processID, executable, &actions, &attributes, argv, envp)
      }
    }
    guard result == 0 else { throw Self.failure("starting \(executable)", result) }
    return processID
  }

  /// Our end and the child's, both closed on exec, the child's not at 3: there it would be left marked so.
  private func makeSocketPair() throws(ChildLaunchError) -> (ours: Int32, theirs: Int32) {
    var ends: [Int32] = [-1, -1]
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Self.failure("socketpair", errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    if ends[1] <= 3 {
      let moved = fcntl(ends[1], F_DUPFD_CLOEXEC, 4)
      let code = errno
      close(ends[1])
      guard moved >= 0 else {
        close(ends[0])
        throw Self.failure("fcntl", code)
      }
      ends[1] = moved
    }
    return (ends[0], ends[1])
  }

  private static func failure(_ what: String, _ code: Int32) -> ChildLaunchError {
    ChildLaunchError("\(what): \(String(cString: strerror(code)))")
  }

  private func currentEnvironment() -> [String] {
    var result: [String] = []
    var next = environ
    while let entry = next.pointee {
      result.append(String(cString: entry))
      next += 1
    }
    return result
  }

  /// Calls the body with a null-terminated array of C strings that live as long as the call.
  private func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}

/// A process that we spawned. One small thread waits for its end; nothing handles SIGCHLD.
final class SpawnedProcess: ChildProcess {
  private enum State {
    case running(waiters: [CheckedContinuation<ChildExitStatus, Never>])
    case ended(ChildExitStatus)
  }

  let processID: Int
  let channel: any ByteChannel
  private let state = Mutex(State.running(waiters: []))

  init(processID: pid_t, channel: any ByteChannel) {
    self.processID = Int(processID)
    self.channel = channel
  }

  func kill() {
    // The number is ours until the process is reaped, which happens under the same lock.
    state.withLock { state in
      if case .running = state { _ = signalProcess(pid_t(processID), SIGKILL) }
    }
  }

  func waitForExit() async -> ChildExitStatus {
    await withCheckedContinuation { continuation in
      let known: ChildExitStatus? = state.withLock { state in
        switch state {
        case .running(let waiters):
          state = .running(waiters: waiters + [continuation])
          return nil
        case .ended(let status): return status
        }
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  /// Waits for the end of the process, on a thread of its own.
  func reap() {
    var information = siginfo_t()
    while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    let (waiters, status) = state.withLock {
      state -> ([CheckedContinuation<ChildExitStatus, Never>], ChildExitStatus) in
      var word: Int32 = 0
      while waitpid(pid_t(processID), &word, 0) < 0, errno == EINTR {}
      let status = ChildExitStatus(waitStatus: word)
      guard case .running(let waiters) = state else { return ([], status) }
      state = .ended(status)
      return (waiters, status)
    }
    for waiter in waiters { waiter.resume(returning: status) }
  }
}

/// `kill(2)`, under a name that does not collide with the method.
private func signalProcess(_ processID: pid_t, _ signal: Int32) -> Int32 { kill(processID, signal) }

extension ChildExitStatus {
  /// Takes the word apart that `waitpid` gives (the macros WIFEXITED, WEXITSTATUS and WTERMSIG).
  init(waitStatus word: Int32) {
    let signal = word & 0x7F
    self = signal == 0 ? .exited(code: (word >> 8) & 0xFF) : .signalled(signal)
  }
}
