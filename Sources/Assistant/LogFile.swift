import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A log in a file that is kept small: when it is full it becomes `NAME.1`, and what was `NAME.1` becomes `NAME.2`.
/// Standard error goes to the same file, so that what a library prints, or a crash, is found there too.
public final class LogFile: Sendable {
  private static let kept = 2

  private struct State {
    var file: FileIdentity?
    var size = 0
  }

  private let path: String
  private let limit: Int
  private let state = Mutex(State())

  /// Opens the file, which nobody but the user may read; made when it is missing, its folder too.
  /// - Parameter limit: bytes of one file.
  public init?(_ path: String, limit: Int = 1 << 20) {
    self.path = path
    self.limit = limit
    if let slash = path.lastIndex(of: "/") { try? Files.makeFolder(String(path[..<slash])) }
    guard state.withLock({ open(&$0) }) else { return nil }
  }

  /// A log that writes here, each line with its time.
  public func log(level: Log.Level) -> Log {
    Log(level: level) { [self] level, line in write("\(Timestamp.now) \(level.rawValue): \(line)\n") }
  }

  private func write(_ line: String) {
    state.withLock { state in
      // Another daemon may have put the file aside.
      if FileIdentity(path) != state.file { _ = open(&state) }
      if state.size + line.utf8.count > limit { turn(&state) }
      state.size += line.utf8.count
      Log.write(line, to: STDERR_FILENO)
    }
  }

  /// Makes standard error this file.
  private func open(_ state: inout State) -> Bool {
    let descriptor = Files.open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, dup2(descriptor, STDERR_FILENO) >= 0
    else { return false }
    state.size = Int(status.st_size)
    state.file = FileIdentity(path)
    return true
  }

  private func turn(_ state: inout State) {
    for number in stride(from: Self.kept, to: 1, by: -1) {
      try? Files.rename("\(path).\(number - 1)", to: "\(path).\(number)")
    }
    try? Files.rename(path, to: path + ".1")
    _ = open(&state)
  }
}
