import CPosix

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// The C functions under names that the methods below do not hide.
private let systemWrite: @Sendable (Int32, UnsafeRawPointer?, Int) -> Int = write
private let systemRead: @Sendable (Int32, UnsafeMutableRawPointer?, Int) -> Int = read
private let systemPoll: @Sendable (UnsafeMutablePointer<pollfd>?, nfds_t, Int32) -> Int32 = poll

/// A program started on a terminal of its own, with a deadline on every wait. Not for sharing between tasks.
public final class PseudoTerminal {
  /// How the terminal treats what is typed and written.
  public struct Settings: Equatable {
    public var input: tcflag_t
    public var output: tcflag_t
    public var control: tcflag_t
    public var local: tcflag_t
    public var characters: [UInt8]

    /// A line is handed over when it is complete, and what is typed is seen.
    public var isUsual: Bool { local & tcflag_t(ICANON) != 0 && local & tcflag_t(ECHO) != 0 }
  }

  public let processID: pid_t
  private let master: Int32
  /// Kept open, so that the terminal outlives the program.
  private let terminal: Int32
  private var output: [UInt8] = []
  private var exit: SpawnedProcess.Exit?

  /// - Parameter environment: as for `SpawnedProcess`.
  public init(
    _ executable: String, _ arguments: [String], environment: [String: String] = [:], columns: UInt16 = 80,
    rows: UInt16 = 24
  ) throws {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    var near: Int32 = -1
    var far: Int32 = -1
    var name = [CChar](repeating: 0, count: 128)
    guard openpty(&near, &far, &name, nil, &size) == 0 else {
      throw SpawnedProcess.Failure("no terminal: \(String(cString: strerror(errno)))")
    }
    (master, terminal) = (near, far)
    for descriptor in [near, far] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
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
    // The first terminal that the leader of a session opens is the session's.
    posix_spawnattr_setflags(&attributes, inkling_spawn_session_flag())
    posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    _ = inkling_spawn_close_from(&actions, 3)
    var argv: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) }
    argv.append(nil)
    var envp = SpawnedProcess.environment(adding: environment).map { strdup($0) as UnsafeMutablePointer<CChar>? }
    envp.append(nil)
    defer { for pointer in argv + envp { free(pointer) } }
    var child: pid_t = 0
    let code = posix_spawnp(&child, executable, &actions, &attributes, argv, envp)
    processID = child
    guard code == 0 else {
      throw SpawnedProcess.Failure("cannot start \(executable): \(String(cString: strerror(code)))")
    }
  }

  deinit {
    if exit == nil {
      kill(processID, SIGKILL)
      var status: Int32 = 0
      waitpid(processID, &status, 0)
    }
    close(master)
    close(terminal)
  }

  public var settings: Settings {
    var found = termios()
    tcgetattr(terminal, &found)
    return Settings(
      input: found.c_iflag, output: found.c_oflag, control: found.c_cflag, local: found.c_lflag,
      characters: withUnsafeBytes(of: &found.c_cc) { Array($0) })
  }

  /// What a person types.
  public func type(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard systemWrite(master, bytes, bytes.count) == bytes.count else {
      throw SpawnedProcess.Failure("cannot type: \(String(cString: strerror(errno)))")
    }
  }

  public func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// Waits until the program has written a text, and takes all up to its end.
  @discardableResult
  public func wait(for text: String, within seconds: Double = 30) throws -> String {
    let deadline = Deadline(seconds)
    let wanted = Array(text.utf8)
    while true {
      drain()
      if let range = output.firstRange(of: wanted) {
        defer { output.removeSubrange(..<range.upperBound) }
        return String(decoding: output[..<range.upperBound], as: UTF8.self)
      }
      if deadline.hasPassed {
        throw SpawnedProcess.Failure(
          "waited \(seconds) s for \(text.debugDescription); there is "
            + String(decoding: output.suffix(2_000), as: UTF8.self).debugDescription)
      }
      var wait = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      _ = systemPoll(&wait, 1, 20)
    }
  }

  /// What the program has written and nobody has waited for.
  public func rest() -> String {
    drain()
    return String(decoding: output, as: UTF8.self)
  }

  public func send(signal: Int32) { kill(processID, signal) }

  public func waitForExit(within seconds: Double = 10) throws -> SpawnedProcess.Exit {
    if let exit { return exit }
    let status = try waitForChange(within: seconds, options: WNOHANG)
    let signal = status & 0x7F
    let result = signal == 0 ? SpawnedProcess.Exit.status((status >> 8) & 0xFF) : .signal(signal)
    exit = result
    return result
  }

  /// Until the program is stopped, as by Ctrl-Z.
  public func waitUntilStopped(within seconds: Double = 10) throws {
    let status = try waitForChange(within: seconds, options: WNOHANG | WUNTRACED)
    if status & 0xFF != 0x7F { throw SpawnedProcess.Failure("the program has ended") }
  }

  private func waitForChange(within seconds: Double, options: Int32) throws -> Int32 {
    let deadline = Deadline(seconds)
    while true {
      var status: Int32 = 0
      if waitpid(processID, &status, options) == processID { return status }
      if deadline.hasPassed {
        throw SpawnedProcess.Failure("the program is still there after \(seconds) s: \(rest().debugDescription)")
      }
      // Read meanwhile: a program that still writes must be able to finish.
      drain()
      _ = systemPoll(nil, 0, 5)
    }
  }

  private func drain() {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = chunk.withUnsafeMutableBytes { systemRead(master, $0.baseAddress, $0.count) }
      if count <= 0 { return }
      output += chunk[..<count]
    }
  }
}
