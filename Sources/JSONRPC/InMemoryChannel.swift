import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One end of a channel inside the process, for tests and for parts that may or may not run elsewhere.
public final class InMemoryChannel: ByteChannel {
  private let incoming: BytePipe
  private let outgoing: BytePipe
  private let isClosed = Atomic(false)

  private init(incoming: BytePipe, outgoing: BytePipe) {
    self.incoming = incoming
    self.outgoing = outgoing
  }

  /// Two ends; what one writes the other reads.
  ///
  /// - Parameter capacity: bytes that one direction holds before a writer waits, as a pipe of the system does.
  public static func pair(capacity: Int = 65_536) -> (InMemoryChannel, InMemoryChannel) {
    let there = BytePipe(capacity: capacity)
    let back = BytePipe(capacity: capacity)
    return (InMemoryChannel(incoming: back, outgoing: there), InMemoryChannel(incoming: there, outgoing: back))
  }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(ChannelError) -> Int {
    let count = incoming.read(into: buffer)
    if isClosed.load(ordering: .acquiring) { throw .closed }
    return count
  }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(ChannelError) {
    if outgoing.write(bytes) { return }
    throw isClosed.load(ordering: .acquiring) ? .closed : .system(call: "write", code: EPIPE)
  }

  /// Ends this side's output and goes on reading, as closing the write end of a pipe does.
  public func finishWriting() {
    outgoing.finishWriting()
  }

  public func close() {
    isClosed.store(true, ordering: .releasing)
    incoming.finishReading()
    outgoing.finishWriting()
  }
}

/// Bytes in one direction, with one thread at each end.
private final class BytePipe: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var isWriterDone = false
    var isReaderDone = false
    var isReaderWaiting = false
    var isWriterWaiting = false
  }

  private let capacity: Int
  private let state = Mutex(State())
  private let readable = DispatchSemaphore(value: 0)
  private let writable = DispatchSemaphore(value: 0)

  init(capacity: Int) { self.capacity = max(1, capacity) }

  /// 0 at the end: the writer is done and all was read, or the reader is.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count: Int? = state.withLock { state in
        if state.isReaderDone { return 0 }
        if state.bytes.isEmpty, !state.isWriterDone {
          state.isReaderWaiting = true
          return nil
        }
        let count = min(buffer.count, state.bytes.count)
        buffer.copyBytes(from: state.bytes.prefix(count))
        state.bytes.removeFirst(count)
        wakeWriter(&state)
        return count
      }
      if let count { return count }
      readable.wait()
    }
  }

  /// False when nobody will read the bytes.
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes[...]
    while true {
      let isDone: Bool? = state.withLock { state in
        if state.isReaderDone || state.isWriterDone { return false }
        let room = rest.prefix(max(0, capacity - state.bytes.count))
        state.bytes += room
        rest = rest.dropFirst(room.count)
        wakeReader(&state)
        if rest.isEmpty { return true }
        state.isWriterWaiting = true
        return nil
      }
      if let isDone { return isDone }
      writable.wait()
    }
  }

  func finishWriting() {
    state.withLock { state in
      state.isWriterDone = true
      wakeReader(&state)
      wakeWriter(&state)
    }
  }

  func finishReading() {
    state.withLock { state in
      state.isReaderDone = true
      state.bytes = []
      wakeReader(&state)
      wakeWriter(&state)
    }
  }

  private func wakeReader(_ state: inout State) {
    if state.isReaderWaiting { readable.signal() }
    state.isReaderWaiting = false
  }

  private func wakeWriter(_ state: inout State) {
    if state.isWriterWaiting { writable.signal() }
    state.isWriterWaiting = false
  }
}
