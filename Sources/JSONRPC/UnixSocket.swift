import CPosix
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A unix socket in the file system that only its user's programs may use. Both sides check who the other is before a
/// byte is read.
public enum UnixSocket {
  /// A path longer than this, in bytes, does not fit the system's address.
  public static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Connects to a listening socket.
  public static func connect(to path: String) throws(ChannelError) -> FileChannel {
    let descriptor = try make()
    do throws(ChannelError) {
      try connect(descriptor, to: path)
      return try FileChannel(input: descriptor, output: descriptor)
    } catch {
      closeDescriptor(descriptor)
      throw error
    }
  }

  /// The process that listens at the socket.
  public static func processID(listeningAt path: String) throws(ChannelError) -> Int {
    let descriptor = try make()
    defer { closeDescriptor(descriptor) }
    return try connect(descriptor, to: path)
  }

  /// Gives the process at the other end.
  @discardableResult
  private static func connect(_ descriptor: Int32, to path: String) throws(ChannelError) -> Int {
    try withAddress(of: path) { (address, length) throws(ChannelError) in
      while systemConnect(descriptor, address, length) != 0 {
        if errno != EINTR { throw .system(call: "connect", code: errno) }
      }
    }
    return try checkPeer(of: descriptor)
  }

  /// A socket that is closed on exec.
  static func make() throws(ChannelError) -> Int32 {
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #endif
    let descriptor = socket(AF_UNIX, kind, 0)
    if descriptor < 0 { throw .system(call: "socket", code: errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }

  /// Refuses another user's process; gives the number of one's own.
  @discardableResult
  static func checkPeer(of descriptor: Int32) throws(ChannelError) -> Int {
    var user = uid_t.max
    var process = pid_t(0)
    if inkling_peer(descriptor, &user, &process) != 0 { throw .system(call: "getsockopt", code: errno) }
    if user != geteuid() { throw .system(call: "the other side is another user's", code: EPERM) }
    return Int(process)
  }

  static func withAddress<Value>(
    of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(ChannelError) -> Value
  ) throws(ChannelError) -> Value {
    guard path.utf8.count <= longestPath else { throw .system(call: "a socket at \(path)", code: ENAMETOOLONG) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let outcome = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> Result<Value, ChannelError> in
        do throws(ChannelError) {
          return .success(try body(pointer, socklen_t(MemoryLayout<sockaddr_un>.size)))
        } catch {
          return .failure(error)
        }
      }
    }
    return try outcome.get()
  }
}

/// A unix socket that takes connections of its user's programs.
public final class UnixListener: Sendable {
  private let descriptor: Int32
  /// Used by the one thread that accepts.
  private let isShut = Atomic(false)
  /// A pipe into which `close()` writes, so that `accept` sees it from then on.
  private let wakeRead: Int32
  private let wakeWrite: Int32

  /// Makes the socket, for nobody but this user. Nothing must be at the path.
  public init(path: String) throws(ChannelError) {
    let descriptor = try UnixSocket.make()
    var ends: [Int32] = [-1, -1]
    do throws(ChannelError) {
      try UnixSocket.withAddress(of: path) { (address, length) throws(ChannelError) in
        if bind(descriptor, address, length) != 0 { throw .system(call: "bind \(path)", code: errno) }
      }
      if chmod(path, 0o600) != 0 { throw .system(call: "chmod \(path)", code: errno) }
      if listen(descriptor, 128) != 0 { throw .system(call: "listen", code: errno) }
      if inkling_pipe(&ends) != 0 { throw .system(call: "pipe", code: errno) }
    } catch {
      closeDescriptor(descriptor)
      throw error
    }
    self.descriptor = descriptor
    wakeRead = ends[0]
    wakeWrite = ends[1]
  }

  deinit {
    shut()
    for descriptor in [wakeRead, wakeWrite] { closeDescriptor(descriptor) }
  }

  /// Waits for the next connection of this user; others' are closed unread. nil after `close()`, and then whoever has
  /// connected and was not accepted is let go. For one thread.
  public func accept() throws(ChannelError) -> FileChannel? {
    while !isShut.load(ordering: .relaxed) {
      var polled = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeRead, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&polled, 2, -1) < 0, errno != EINTR { throw .system(call: "poll", code: errno) }
      if polled[1].revents != 0 { break }
      if polled[0].revents == 0 { continue }
      let accepted = systemAccept(descriptor, nil, nil)
      if accepted < 0 {
        switch errno {
        case EINTR, EAGAIN, EWOULDBLOCK, ECONNABORTED: continue
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
          // Somebody's end gives back what is missing; meanwhile the others are served.
          _ = poll(&polled[1], 1, 100)
          continue
        case let code: throw .system(call: "accept", code: code)
        }
      }
      do throws(ChannelError) {
        try UnixSocket.checkPeer(of: accepted)
        return try FileChannel(input: accepted, output: accepted)
      } catch {
        closeDescriptor(accepted)
      }
    }
    shut()
    return nil
  }

  private func shut() {
    if !isShut.exchange(true, ordering: .relaxed) { closeDescriptor(descriptor) }
  }

  /// Ends the wait in `accept`, now and later.
  public func close() {
    var byte: UInt8 = 0
    #if canImport(Darwin)
      _ = Darwin.write(wakeWrite, &byte, 1)
    #else
      _ = Glibc.write(wakeWrite, &byte, 1)
    #endif
  }
}

// The C functions under names that the methods do not hide.
private let systemConnect: @Sendable (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32 = connect
private let systemAccept:
  @Sendable (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32 =
    accept
