import CPosix

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How a process is started: with the descriptors that are named and no other, no signal blocked or ignored, and out
/// of reach of its parent's Ctrl-C.
public struct ProcessStart: Sendable {
  public enum Group: Sendable {
    /// A process group of its own.
    case process
    /// A session of its own: the terminal's end is not its end.
    case session
  }

  public enum Descriptor: Sendable {
    case null(as: Int32)
    case copy(of: Int32, as: Int32)

    fileprivate var number: Int32 {
      switch self {
      case .null(let number), .copy(of: _, as: let number): number
      }
    }
  }

  private let executable: String
  private let arguments: [String]
  private let environment: [String]

  /// `environment` (`NAME=value`) is added to this process's own and comes first.
  public init(executable: String, arguments: [String], environment: [String] = []) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
  }

  /// Starts the process and gives its number; somebody has to wait for its end.
  public func start(_ descriptors: [Descriptor], group: Group) throws(ChannelError) -> Int32 {
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
    for descriptor in descriptors {
      switch descriptor {
      case .null(let number): posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      case .copy(let ours, let number): posix_spawn_file_actions_adddup2(&actions, ours, number)
      }
    }
    let closing = inkling_spawn_close_from(&actions, 1 + (descriptors.map(\.number).max() ?? -1))
    guard closing == 0 || closing == ENOSYS else { throw .system(call: "posix_spawn_file_actions", code: closing) }

    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var flags = Int32(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    switch group {
    case .process:
      posix_spawnattr_setpgroup(&attributes, 0)
      flags |= Int32(POSIX_SPAWN_SETPGROUP)
    case .session: flags |= Int32(inkling_spawn_session_flag())
    }
    #if canImport(Darwin)
      // Closes whatever the file actions do not name, as the close action does on Linux.
      flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
      posix_spawn_file_actions_addinherit_np(&actions, 2)
    #endif
    posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))

    var processID: pid_t = 0
    let result = withCStrings(arguments) { argv in
      withCStrings(environment + currentEnvironment()) { envp in
        posix_spawn(&processID, executable, &actions, &attributes, argv, envp)
      }
    }
    guard result == 0 else { throw .system(call: "starting \(executable)", code: result) }
    return processID
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
