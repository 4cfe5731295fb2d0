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
  private let process: ProcessStart

  /// `environment` (`NAME=value`) is added to this process's own and comes first.
  public init(executable: String, arguments: [String], environment: [String] = []) {
    process = ProcessStart(executable: executable, arguments: arguments, environment: environment)
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
    do {
      // A process group of its own: Ctrl-C in a terminal is the front end's to handle.
      return try process.start([.null(as: 0), .copy(of: 2, as: 1), .copy(of: socket, as: 3)], group: .process)
    } catch {
      throw ChildLaunchError(error.message)
    }
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
