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
private let systemPipe: @Sendable (UnsafeMutablePointer<Int32>?) -> Int32 = pipe

/// A program started with pipes on its standard streams, with a deadline on every wait. Not for sharing between tasks.
public final class SpawnedProcess {
  public enum Exit: Equatable, Sendable {
    case status(Int32)
    case signal(Int32)
  }

  public struct Failure: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
  }

  public let processID: pid_t
  private var input: Int32
  private let output: Int32
  private let errorOutput: Int32
  private var buffered: [UInt8] = []
  /// How many of the buffered bytes have been given out.
  private var taken = 0
  private var errorBytes: [UInt8] = []
  private var exit: Exit?

  /// - Parameter environment: added to this process's own; an empty value removes the variable.
  public init(_ executable: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    let inputPipe = try Self.pipe()
    let outputPipe = try Self.pipe()
    let errorPipe = try Self.pipe()
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
    #else
      var actions: posix_spawn_file_actions_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, inputPipe.read, 0)
    posix_spawn_file_actions_adddup2(&actions, outputPipe.write, 1)
    posix_spawn_file_actions_adddup2(&actions, errorPipe.write, 2)
    _ = inkling_spawn_close_from(&actions, 3)

    var argv: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) }
    argv.append(nil)
    var envp = Self.environment(adding: environment).map { strdup($0) as UnsafeMutablePointer<CChar>? }
    envp.append(nil)
    defer { for pointer in argv + envp { free(pointer) } }
    var child: pid_t = 0
    let code = posix_spawnp(&child, executable, &actions, nil, argv, envp)
    for descriptor in [inputPipe.read, outputPipe.write, errorPipe.write] { close(descriptor) }
    input = inputPipe.write
    output = outputPipe.read
    errorOutput = errorPipe.read
    processID = child
    guard code == 0 else { throw Failure("cannot start \(executable): \(String(cString: strerror(code)))") }
    for descriptor in [output, errorOutput] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    signal(SIGPIPE, SIG_IGN)
  }

  deinit {
    if exit == nil {
      kill(processID, SIGKILL)
      var status: Int32 = 0
      waitpid(processID, &status, 0)
    }
    closeInput()
    close(output)
    close(errorOutput)
  }

  /// Writes all bytes; the peer's output is read meanwhile, so that neither side can block the other for good.
  /// - Returns: false when the program has closed its input.
  @discardableResult
  public func write(_ bytes: [UInt8], within seconds: Double = 30) throws -> Bool {
    _ = fcntl(input, F_SETFL, O_NONBLOCK)
    let deadline = Deadline(seconds)
    var offset = 0
    while offset < bytes.count {
      let written = bytes[offset...].withUnsafeBytes { systemWrite(input, $0.baseAddress, $0.count) }
      if written > 0 {
        offset += written
      } else if errno == EPIPE {
        return false
      } else if errno == EAGAIN {
        try poll(deadline, "to write \(bytes.count - offset) bytes", alsoWritable: true)
      } else if errno != EINTR {
        throw Failure("write: \(String(cString: strerror(errno)))")
      }
    }
    return true
  }

  public func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Takes bytes from what the program has written, once `find` says how many belong together.
  /// - Returns: nil at the end of output.
  public func read(
    within seconds: Double, _ what: String, _ find: (ArraySlice<UInt8>) -> Int?
  ) throws -> [UInt8]? {
    let deadline = Deadline(seconds)
    while true {
      if let count = find(buffered[taken...]) {
        defer {
          taken += count
          // Moved to the front now and then only, so that many small reads of a large output stay cheap.
          if taken > 1 << 20 || taken == buffered.count {
            buffered.removeFirst(taken)
            taken = 0
          }
        }
        return Array(buffered[taken..<(taken + count)])
      }
      if try !poll(deadline, what) { return nil }
    }
  }

  /// Everything until the program closes its output.
  public func readToEnd(within seconds: Double = 30) throws -> [UInt8] {
    let deadline = Deadline(seconds)
    while try poll(deadline, "for the end of output") {}
    defer {
      buffered = []
      taken = 0
    }
    return Array(buffered[taken...])
  }

  /// What has come on standard error so far.
  public func standardError() -> String {
    drainError()
    return String(decoding: errorBytes, as: UTF8.self)
  }

  public func send(signal: Int32) { kill(processID, signal) }

  /// Waits until the program does something of its own with a signal: before that, it ends it as any other. Linux
  /// tells; elsewhere a moment passes.
  public func waitUntilItHandles(signal: Int32, within seconds: Double = 30) throws {
    let deadline = Deadline(seconds)
    while !deadline.hasPassed {
      #if os(Linux)
        // Whoever starts the tests in the background has it ignored, until the program says otherwise. A thread that
        // waits for it blocks it only between its waits; those that it has started always do.
        if !hasMask("SigIgn", signal), hasMask("SigCgt", signal) || hasMask("SigBlk", signal) { return }
        _ = systemPoll(nil, 0, 5)
      #else
        _ = systemPoll(nil, 0, 400)
        return
      #endif
    }
    throw Failure("the program did not handle signal \(signal) within \(seconds) s")
  }

  #if os(Linux)
    /// Whether the signal is in a mask of one of the program's threads, as Linux names them.
    private func hasMask(_ name: String, _ signal: Int32) -> Bool {
      for task in Files.list("/proc/\(processID)/task") ?? [] {
        // A thread may have ended meanwhile.
        let status = (try? readText("/proc/\(processID)/task/\(task)/status")) ?? ""
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name + ":") }) else { continue }
        let bits = UInt64(line.dropFirst(name.count + 1).drop { !$0.isHexDigit }, radix: 16) ?? 0
        if bits >> UInt64(signal - 1) & 1 == 1 { return true }
      }
      return false
    }
  #endif

  public func waitForExit(within seconds: Double = 10) throws -> Exit {
    if let exit { return exit }
    let deadline = Deadline(seconds)
    while true {
      var status: Int32 = 0
      let waited = waitpid(processID, &status, WNOHANG)
      if waited == processID {
        let signal = status & 0x7f
        let result = signal == 0 ? Exit.status((status >> 8) & 0xff) : Exit.signal(signal)
        exit = result
        drainError()
        return result
      }
      if deadline.hasPassed { throw Failure("the program is still there after \(seconds) s") }
      // The pipes are read while waiting: a program that still writes must be able to finish.
      var wait = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
      _ = systemPoll(&wait, 1, 5)
      drain(output, into: &buffered)
      drainError()
    }
  }

  /// Waits for bytes. Returns false at the end of output.
  @discardableResult
  private func poll(_ deadline: Deadline, _ what: String, alsoWritable: Bool = false) throws -> Bool {
    drainError()
    if drain(output, into: &buffered) { return true }
    if deadline.hasPassed {
      throw Failure("waited \(deadline.seconds) s \(what); standard error: \(standardError().suffix(2_000))")
    }
    if reachedEnd { return false }
    var wait = [
      pollfd(fd: output, events: Int16(POLLIN), revents: 0), pollfd(fd: errorOutput, events: Int16(POLLIN), revents: 0),
      pollfd(fd: alsoWritable ? input : -1, events: Int16(POLLOUT), revents: 0),
    ]
    _ = systemPoll(&wait, 3, Int32(min(100, max(1, deadline.remaining * 1000))))
    return true
  }

  private var reachedEnd = false

  private func drainError() {
    drain(errorOutput, into: &errorBytes, isError: true)
  }

  @discardableResult
  private func drain(_ descriptor: Int32, into bytes: inout [UInt8], isError: Bool = false) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var any = false
    while true {
      let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        bytes += chunk[..<count]
        any = true
      } else {
        if count == 0, !isError { reachedEnd = true }
        return any
      }
    }
  }

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard systemPipe(&ends) == 0 else { throw Failure("pipe: \(String(cString: strerror(errno)))") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// This process's own, made safe for a program under test, as posix_spawn wants it.
  static func environment(adding extra: [String: String]) -> [String] {
    var all: [String: String] = [:]
    var index = 0
    while let entry = environ[index] {
      let text = String(cString: entry)
      if let equals = text.firstIndex(of: "=") {
        all[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      index += 1
    }
    // Whether a test passes must not depend on what the user has prepared or configured: there are no such folders.
    all["XDG_CACHE_HOME"] = Repository.path(".build/tests-cache")
    all["XDG_CONFIG_HOME"] = Repository.path(".build/tests-config")
    all["INKLING_CONFIG"] = nil
    // Nor may it see or change the user's sessions: nothing can be kept there.
    all["XDG_STATE_HOME"] = "/dev/null"
    // Nor may it use the user's daemon, or leave one behind.
    all["INKLING_PRIVATE"] = "1"
    all["XDG_RUNTIME_DIR"] = Repository.path(".build/tests-runtime")
    mkdir(Repository.path(".build/tests-runtime"), 0o700)
    all.merge(extra) { $1 }
    return all.filter { !$0.value.isEmpty }.map { "\($0)=\($1)" }
  }
}
