#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lines for whoever runs the daemon. They hold metadata only: methods, counts, times, reasons; never a prompt, a
/// selection or a result.
public struct Log: Sendable {
  public enum Level: String, Sendable, CaseIterable, Comparable {
    case error, warning, info, debug

    public static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .error: 0
      case .warning: 1
      case .info: 2
      case .debug: 3
      }
    }
  }

  /// The most detailed level that is written; nil: nothing is.
  private let level: Level?
  private let write: @Sendable (Level, String) -> Void

  public init(level: Level?, write: @escaping @Sendable (Level, String) -> Void) {
    self.level = level
    self.write = write
  }

  public static let none = Log(level: nil) { _, _ in }

  /// One line each on standard error, written at once.
  public static func standardError(level: Level) -> Log {
    Log(level: level) { level, line in
      write("inkling: \(level.rawValue): \(line)\n", to: STDERR_FILENO)
    }
  }

  /// Writes a line at once, whatever interrupts it.
  static func write(_ line: String, to descriptor: Int32) {
    var bytes = Array(line.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { writeBytes(descriptor, $0) }
      if count > 0 {
        bytes = bytes.dropFirst(count)
      } else if errno != EINTR {
        return
      }
    }
  }

  private static func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #else
      Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }

  public func error(_ line: @autoclosure () -> String) { log(.error, line) }
  public func warning(_ line: @autoclosure () -> String) { log(.warning, line) }
  public func info(_ line: @autoclosure () -> String) { log(.info, line) }
  public func debug(_ line: @autoclosure () -> String) { log(.debug, line) }

  private func log(_ level: Level, _ line: () -> String) {
    if let most = self.level, level <= most { write(level, line()) }
  }
}
