import CPosix
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A channel over POSIX descriptors: pipes, terminals, files or a socket. It owns them.
///
/// Nothing here changes the descriptors' blocking mode, which other processes may share. Instead every call first waits
/// in `poll` for its descriptor or for `close()`, and then asks only for what does not block.
public final class FileChannel: ByteChannel {
  private let input: Int32
  private let output: Int32
  private let outputKind: OutputKind
  /// A pipe into which `close()` writes one byte that nobody reads, so that both polls see it from then on.
  private let wakeRead: Int32
  private let wakeWrite: Int32
  private let state = Mutex(State())

  private struct State {
    var isClosed = false
    /// Calls inside `read` or `write`; the last one closes the descriptors, so that none is reused under a call.
    var callers = 0
    var areDescriptorsClosed = false
  }

  private enum OutputKind {
    case socket
    /// A pipe or terminal that has room for this many bytes whenever `poll` says so.
    case stream(atOnce: Int)
    case file
  }

  /// Takes over two descriptors, which may be the same one (a socket), and marks them to be closed on `exec`.
  public init(input: Int32, output: Int32) throws(ChannelError) {
    self.input = input
    self.output = output
    for descriptor in [input, output] {
      if fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0 { throw .system(call: "fcntl", code: errno) }
    }
    var status = stat()
    if fstat(output, &status) != 0 { throw .system(call: "fstat", code: errno) }
    outputKind =
      switch status.st_mode & S_IFMT {
      case S_IFSOCK: .socket
      case S_IFREG: .file
      case _: .stream(atOnce: Int(PIPE_BUF))
      }
    var ends: [Int32] = [-1, -1]
    if inkling_pipe(&ends) != 0 { throw .system(call: "pipe", code: errno) }
    wakeRead = ends[0]
    wakeWrite = ends[1]
  }

  deinit { closeDescriptors() }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(ChannelError) -> Int {
    try enter()
    defer { leave() }
    while true {
      try wait(for: Int16(POLLIN), on: input)
      #if canImport(Darwin)
        let count = Darwin.read(input, buffer.baseAddress, buffer.count)
      #else
        let count = Glibc.read(input, buffer.baseAddress, buffer.count)
      #endif
      if count >= 0 { return count }
      try mayRetry("read", errno)
    }
  }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(ChannelError) {
    try enter()
    defer { leave() }
    var rest = bytes
    while !rest.isEmpty {
      try wait(for: Int16(POLLOUT), on: output)
      let count = writeSome(rest)
      if count < 0 {
        try mayRetry("write", errno)
      } else {
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      }
    }
  }

  public func close() {
    let isIdle = state.withLock { state in
      state.isClosed = true
      return state.callers == 0
    }
    if isIdle {
      closeDescriptors()
    } else {
      var byte: UInt8 = 0
      #if canImport(Darwin)
        _ = Darwin.write(wakeWrite, &byte, 1)
      #else
        _ = Glibc.write(wakeWrite, &byte, 1)
      #endif
    }
  }

  /// Two connected sockets, both closed on `exec`: a channel over one of them, and the other for a child process.
  public static func socketPair() throws(ChannelError) -> (channel: FileChannel, other: Int32) {
    var ends: [Int32] = [-1, -1]
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #endif
    if socketpair(AF_UNIX, kind, 0, &ends) != 0 { throw .system(call: "socketpair", code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    do throws(ChannelError) {
      return (try FileChannel(input: ends[0], output: ends[0]), ends[1])
    } catch {
      for end in ends { closeDescriptor(end) }
      throw error
    }
  }
}

extension FileChannel {
  private func enter() throws(ChannelError) {
    let isOpen = state.withLock { state in
      if state.isClosed { return false }
      state.callers += 1
      return true
    }
    if !isOpen { throw .closed }
  }

  private func leave() {
    let isLast = state.withLock { state in
      state.callers -= 1
      return state.isClosed && state.callers == 0
    }
    if isLast { closeDescriptors() }
  }

  private func closeDescriptors() {
    let isFirst = state.withLock { state in
      defer { state.areDescriptorsClosed = true }
      return !state.areDescriptorsClosed
    }
    guard isFirst else { return }
    for descriptor in Set([input, output, wakeRead, wakeWrite]) { closeDescriptor(descriptor) }
  }

  /// Waits until the descriptor is ready or broken, which the call that follows tells apart.
  private func wait(for events: Int16, on descriptor: Int32) throws(ChannelError) {
    var polled = [
      pollfd(fd: descriptor, events: events, revents: 0), pollfd(fd: wakeRead, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let count = poll(&polled, 2, -1)
      if count > 0 {
        if polled[1].revents != 0 { throw .closed }
        return
      }
      if count < 0, errno != EINTR { throw .system(call: "poll", code: errno) }
    }
  }

  /// One system call; -1 and `errno` as `write` has them.
  private func writeSome(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count =
      switch outputKind {
      case .socket, .file: bytes.count
      case .stream(let atOnce): min(bytes.count, atOnce)
      }
    switch outputKind {
    case .socket:
      #if canImport(Darwin)
        return send(output, bytes.baseAddress, count, MSG_DONTWAIT)
      #else
        return send(output, bytes.baseAddress, count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      #endif
    case .file, .stream:
      #if canImport(Darwin)
        return Darwin.write(output, bytes.baseAddress, count)
      #else
        return Glibc.write(output, bytes.baseAddress, count)
      #endif
    }
  }

  /// An interrupted call is made again, and so is one on a descriptor that somebody else has made non-blocking.
  private func mayRetry(_ call: String, _ code: Int32) throws(ChannelError) {
    if code != EINTR, code != EAGAIN, code != EWOULDBLOCK { throw .system(call: call, code: code) }
  }
}

/// `close` is not made again after EINTR: on Linux the descriptor is gone by then, and may be somebody else's.
func closeDescriptor(_ descriptor: Int32) {
  #if canImport(Darwin)
    _ = Darwin.close(descriptor)
  #else
    _ = Glibc.close(descriptor)
  #endif
}
