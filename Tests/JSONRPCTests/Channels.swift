import Dispatch
import JSONRPC
import Synchronization
import TestSupport

/// Gives a fixed input and records each write.
final class RecordingChannel: ByteChannel {
  private struct State {
    var input: [UInt8]
    var writes: [[UInt8]] = []
    var waiting: (Int, CheckedContinuation<Void, Never>)?
  }

  private let state: Mutex<State>
  private let inputEnd = DispatchSemaphore(value: 0)

  init(input: [UInt8]) { state = Mutex(State(input: input)) }

  var writes: [[UInt8]] { state.withLock { $0.writes } }

  func waitForWrites(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.writes.count < count { state.waiting = (count, continuation) }
        return state.writes.count >= count
      }
      if isThere { continuation.resume() }
    }
  }

  func endInput() { inputEnd.signal() }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ChannelError) -> Int {
    let count = state.withLock { state in
      let piece = state.input.prefix(buffer.count)
      buffer.copyBytes(from: piece)
      state.input.removeFirst(piece.count)
      return piece.count
    }
    if count == 0 { inputEnd.wait() }
    return count
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(ChannelError) {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.writes.append(Array(bytes))
      guard let (count, continuation) = state.waiting, state.writes.count >= count else { return nil }
      state.waiting = nil
      return continuation
    }
    waiting?.resume()
  }

  func close() { inputEnd.signal() }
}

/// The memory that the process has in use, from the system's own table.
func residentBytes() throws -> Int {
  #if os(Linux)
    let pages = try readText("/proc/self/statm").split(separator: " ")
    return (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * 4_096
  #else
    return 0
  #endif
}
