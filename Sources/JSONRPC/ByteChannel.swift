#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A blocking transport of bytes, used from two dedicated threads: one reads, one writes.
public protocol ByteChannel: Sendable {
  /// Waits for bytes and stores as many as there are, up to the buffer's size. Returns their number; 0 is the end of
  /// the input.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ChannelError) -> Int
  /// Writes all of the bytes, waiting while the other side does not read.
  func write(_ bytes: UnsafeRawBufferPointer) throws(ChannelError)
  /// Wakes both threads, whose calls then throw `closed`. Idempotent.
  func close()
}

/// Why a channel, or a thread that serves one, could not do its work.
public enum ChannelError: Error, Equatable {
  /// `close()` was called on this side.
  case closed
  /// A system call failed with an `errno` value.
  case system(call: String, code: Int32)

  /// A sentence for a log: `write: Broken pipe`.
  public var message: String {
    switch self {
    case .closed: "the channel is closed"
    case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
    }
  }
}
