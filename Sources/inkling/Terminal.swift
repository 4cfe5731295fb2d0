#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Standard input, output and error of a command that a person runs. (`serve` keeps its output for the connection.)
enum Terminal {
  static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }
  static var inputIsTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Whether the terminal knows no control sequences, such as the shell inside an editor.
  static var isDumb: Bool {
    guard let name = getenv("TERM") else { return false }
    return strcmp(name, "dumb") == 0
  }

  /// Columns and rows of the window; the usual ones where it has none.
  static var size: (width: Int, height: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Writes to standard output; the exit status for a command that is then done: 1 when it cannot be written, which is
  /// said, unless it is that nobody reads it any more.
  @discardableResult
  static func write(_ text: String) -> Int32 {
    if write(text, to: STDOUT_FILENO) { return 0 }
    if errno != EPIPE {
      writeError("inkling: standard output cannot be written (\(String(cString: strerror(errno))))\n")
    }
    return Program.Status.failed
  }

  static func writeError(_ text: String) { _ = write(text, to: STDERR_FILENO) }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { writeBytes(descriptor, $0) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  private static func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #else
      Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }

  /// All of standard input, up to one byte more than the limit; nil when it cannot be read.
  static func readInput(limit: Int) -> [UInt8]? { readBytes(STDIN_FILENO, limit) }

  /// What can be read of standard input, once there is something; nil at its end.
  static func readSome() -> [UInt8]? {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = chunk.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
      if count > 0 { return Array(chunk[..<count]) }
      if count == 0 || errno != EINTR { return nil }
    }
  }

  /// All of a file, up to one byte more than the limit; nil when it cannot be read.
  /// - Parameter waitsForWriter: a named pipe that nobody has opened for writing is waited for; else it is empty.
  static func readFile(_ path: String, limit: Int, waitsForWriter: Bool) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | (waitsForWriter ? 0 : O_NONBLOCK))
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // A writer that is there may take its time.
    if !waitsForWriter { _ = fcntl(descriptor, F_SETFL, 0) }
    return readBytes(descriptor, limit)
  }

  private static func readBytes(_ descriptor: Int32, _ limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= limit {
      let wanted = min(chunk.count, limit + 1 - bytes.count)
      let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, wanted) }
      if count > 0 {
        bytes += chunk[..<count]
      } else if count == 0 {
        return bytes
      } else if errno != EINTR {
        return nil
      }
    }
    return bytes
  }
}
