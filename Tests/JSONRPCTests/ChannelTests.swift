import CPosix
import JSONRPC
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The byte transports: the same behaviour over a pipe, a socket and memory.
@Suite struct ChannelTests {
  enum Kind: CaseIterable {
    case memory, pipes, socket

    /// Two connected ends.
    func pair() throws -> (any ByteChannel, any ByteChannel) {
      switch self {
      case .memory: return InMemoryChannel.pair(capacity: 1_000)
      case .pipes:
        var there: [Int32] = [0, 0]
        var back: [Int32] = [0, 0]
        #expect(inkling_pipe(&there) == 0 && inkling_pipe(&back) == 0)
        return (
          try FileChannel(input: back[0], output: there[1]), try FileChannel(input: there[0], output: back[1])
        )
      case .socket:
        let (channel, other) = try FileChannel.socketPair()
        return (channel, try FileChannel(input: other, output: other))
      }
    }
  }

  @Test("3 MB there and back, then the end of input", arguments: Kind.allCases)
  func transfer(_ kind: Kind) async throws {
    signal(SIGPIPE, SIG_IGN)
    let (near, far) = try kind.pair()
    var random = SplitMix64(seed: 1)
    let sent = (0..<375_000).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
    async let echoed: Void = onThread(deadline: patience, "echoing") {
      while let piece = far.readSome(), !piece.isEmpty { try far.writeAll(piece) }
      far.close()
    }
    async let received = onThread(deadline: patience, "reading") {
      var all: [UInt8] = []
      while all.count < sent.count, let piece = near.readSome(), !piece.isEmpty { all += piece }
      return all
    }
    try await onThread(deadline: patience, "writing") {
      for piece in [sent[..<1], sent[1..<2_000_000], sent[2_000_000...]] { try near.writeAll(Array(piece)) }
    }
    #expect(try await received == sent)
    near.close()
    try await echoed
  }

  @Test("close wakes a reader and a writer that wait", arguments: Kind.allCases)
  func close(_ kind: Kind) async throws {
    let (near, far) = try kind.pair()
    async let readError = onThread(deadline: patience) { () -> ChannelError? in
      var buffer = [UInt8](repeating: 0, count: 10)
      return failure { () throws(ChannelError) in
        _ = try buffer.withUnsafeMutableBytes { buffer in
          Result { () throws(ChannelError) in try near.read(into: buffer) }
        }.get()
      }
    }
    async let writeError = onThread(deadline: patience) {
      failure { () throws(ChannelError) in try near.writeAll(large) }
    }
    // The far side sees bytes, so the writer is at work; it cannot finish, since nobody reads the rest.
    _ = try await onThread(deadline: patience) { far.readSome() }
    near.close()
    near.close()
    #expect(try await readError == .closed)
    #expect(try await writeError == .closed)
    let after = try await onThread(deadline: patience) { failure { () throws(ChannelError) in try near.writeAll([1]) } }
    #expect(after == .closed)
  }

  @Test("writing to a peer that has gone is an error, and no signal", arguments: Kind.allCases)
  func peerGone(_ kind: Kind) async throws {
    signal(SIGPIPE, SIG_IGN)
    let (near, far) = try kind.pair()
    far.close()
    let error = try await onThread(deadline: patience) {
      failure { () throws(ChannelError) in try near.writeAll(large) }
    }
    guard case .system(_, let code)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(code == EPIPE || code == ECONNRESET)
    let rest = try await onThread(deadline: patience) { near.readSome() }
    #expect(rest == [])
  }

  @Test("descriptors are closed on exec, and closed when the channel is")
  func descriptors() throws {
    let (channel, other) = try FileChannel.socketPair()
    let end = fcntl(other, F_GETFD)
    #expect(end == FD_CLOEXEC)
    var ends: [Int32] = [0, 0]
    #expect(inkling_pipe(&ends) == 0)
    for end in ends { #expect(fcntl(end, F_GETFD) == FD_CLOEXEC) }
    channel.close()
    let peer = try FileChannel(input: other, output: other)
    #expect(peer.readSome() == [])
    #expect(throws: ChannelError.system(call: "fcntl", code: EBADF)) { try FileChannel(input: -1, output: -1) }
  }

  @Test("standard streams: descriptor 1 becomes standard error, the channel is private, SIGPIPE does not kill")
  func standardStreams() async {
    await #expect(processExitsWith: .success) {
      var input: [Int32] = [0, 0]
      var output: [Int32] = [0, 0]
      var log: [Int32] = [0, 0]
      guard pipe(&input) == 0, pipe(&output) == 0, pipe(&log) == 0 else { exit(1) }
      guard dup2(input[0], 0) == 0, dup2(output[1], 1) == 1, dup2(log[1], 2) == 2 else { exit(2) }
      for descriptor in [input[0], output[1], log[1]] { closeFile(descriptor) }

      let channel = try StandardStreams.takeOver()
      // What a library prints goes to standard error, not between the messages.
      guard write(1, "noise", 5) == 5 else { exit(3) }
      try channel.writeAll(Array("message".utf8))
      var buffer = [UInt8](repeating: 0, count: 100)
      guard read(output[0], &buffer, 100) == 7, buffer.starts(with: "message".utf8) else { exit(4) }
      guard read(log[0], &buffer, 100) == 5, buffer.starts(with: "noise".utf8) else { exit(5) }
      // Descriptor 0 is empty; the channel has the input.
      guard write(input[1], "hello", 5) == 5, read(0, &buffer, 100) == 0 else { exit(6) }
      guard channel.readSome() == Array("hello".utf8) else { exit(7) }
      // The reader of the output goes away.
      closeFile(output[0])
      guard failure({ () throws(ChannelError) in try channel.writeAll([1]) }) == .system(call: "write", code: EPIPE)
      else { exit(8) }
      exit(0)
    }
  }
}

private let large = [UInt8](repeating: 7, count: 4_000_000)

private func closeFile(_ descriptor: Int32) { close(descriptor) }

private func failure(_ body: () throws(ChannelError) -> Void) -> ChannelError? {
  do throws(ChannelError) {
    try body()
    return nil
  } catch {
    return error
  }
}

extension ByteChannel {
  func writeAll(_ bytes: [UInt8]) throws(ChannelError) {
    try bytes.withUnsafeBytes { buffer in
      Result { () throws(ChannelError) in try write(buffer) }
    }.get()
  }

  /// Waits for bytes; empty at the end, nil after an error.
  func readSome() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    guard let count = try? buffer.withUnsafeMutableBytes({ try read(into: $0) }) else { return nil }
    return Array(buffer.prefix(count))
  }
}
