import JSON
import JSONRPC
import Synchronization
import TestSupport

/// The other side of a connection, message by message: for tests in which what is sent depends on what came.
final class Peer: Sendable {
  let connection: Connection
  private let channel: InMemoryChannel
  private let framing: Framing
  private let mailbox = Mailbox<String>()
  private let closedAt = Mutex<ContinuousClock.Instant?>(nil)

  /// - Parameter capacity: bytes that the server can write while nobody reads.
  init(
    _ router: Router = .testServer, framing: Framing = .header, lifecycle: LifecyclePolicy = .none,
    limits: ConnectionLimits = .init(), mirror: WireMirror? = nil, capacity: Int = 65_536
  ) {
    let (near, far) = InMemoryChannel.pair(capacity: capacity)
    channel = near
    self.framing = framing
    connection = Connection(
      channel: far, framing: framing, router: router, lifecycle: lifecycle, limits: limits, mirror: mirror)
    connection.start()
  }

  /// Sends messages of the given texts in one write; nothing happens when the server has gone.
  func send(_ messages: String...) async throws { try await send(messages) }

  func send(_ messages: [String]) async throws {
    let bytes: [UInt8] = messages.flatMap { (text: String) -> [UInt8] in
      framing == .header ? framed(text) : Array(text.utf8) + [0x0A]
    }
    try await onThread(deadline: patience, "sending") { [channel] in try? channel.writeAll(bytes) }
  }

  /// Begins to read what the server sends. Until then nobody reads.
  func startReading() throws {
    try DedicatedThread.start(name: "peer") { [self] in
      var rest: [UInt8] = []
      while let piece = channel.readSome(), !piece.isEmpty {
        rest += piece
        while let (message, count) = first(of: rest) {
          mailbox.put(message)
          rest.removeFirst(count)
        }
      }
      closedAt.withLock { $0 = .now }
      mailbox.end()
    }
  }

  /// How long after that moment the server closed the channel, as the reading thread saw it: that thread is on time
  /// even while the tests' tasks wait for a free core.
  func timeToClose(since start: ContinuousClock.Instant) async throws -> Duration {
    while let message = try await next() { _ = message }
    return closedAt.withLock { $0 ?? .now } - start
  }

  /// The next message from the server, as `summary` has it; nil at the end.
  func next() async throws -> String? {
    try await withDeadline(patience, "the next message") { [mailbox] in await mailbox.take() }
  }

  /// The next messages, sorted.
  func next(_ count: Int) async throws -> [String] {
    var all: [String] = []
    while all.count < count, let message = try await next() { all.append(message) }
    return all.sorted()
  }

  func finishWriting() { channel.finishWriting() }

  func end() async throws -> ConnectionEnd {
    try await withDeadline(patience, "the end") { [connection] in await connection.waitUntilClosed() }
  }

  private func first(of bytes: [UInt8]) -> (String, Int)? {
    let text = String(decoding: bytes.prefix(40), as: UTF8.self)
    let count: Int
    if framing == .header {
      guard let end = text.firstRange(of: "\r\n\r\n"), let length = Int(text[..<end.lowerBound].dropFirst(16)) else {
        return nil
      }
      count = text[..<end.upperBound].utf8.count + length
    } else {
      guard let end = bytes.firstIndex(of: 0x0A) else { return nil }
      count = end + 1
    }
    guard bytes.count >= count else { return nil }
    let found = try? messages(in: Array(bytes.prefix(count)), framing)
    return (found?.first.map(summary) ?? "not a message", count)
  }
}
