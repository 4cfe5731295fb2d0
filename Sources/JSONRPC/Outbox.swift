import Dispatch
import JSON
import Synchronization

/// The outgoing half of a connection: a bounded queue that is never in the way of those who add to it, and that one
/// thread (`run`) writes to the channel.
final class Outbox: Sendable {
  private struct State {
    var queue = OutgoingQueue()
    var framing: Framing
    var writable: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var nextWaiter: UInt64 = 0
    var isWriterWaiting = false
    /// Nothing more is taken in; the writer ends when the queue is empty.
    var isFinishing = false
    /// Nothing is written any more.
    var isStopped = false
    var overHardSince: ContinuousClock.Instant?
    /// A task looks after `overHardSince`; one is enough.
    var isWatched = false
    var failure: String?
  }

  private let channel: any ByteChannel
  private let limits: ConnectionLimits
  private let mirror: WireMirror?
  private let state: Mutex<State>
  private let wake = DispatchSemaphore(value: 0)
  private let stopped = DispatchSemaphore(value: 0)

  init(channel: any ByteChannel, framing: Framing, limits: ConnectionLimits, mirror: WireMirror?) {
    self.channel = channel
    self.limits = limits
    self.mirror = mirror
    state = Mutex(State(framing: framing))
  }

  /// Why the writer cannot go on: an error of the channel, or a peer that does not read.
  var failure: String? { state.withLock { $0.failure } }
  /// Nothing is written any more.
  var isStopped: Bool { state.withLock { $0.isStopped } }
  /// Bytes that wait or are being written.
  var byteCount: Int { state.withLock { $0.queue.byteCount } }
}

// MARK: - Sending, from any thread

extension Outbox {
  /// From now on messages and one reply may be sent for the request.
  func open(_ request: OutgoingQueue.Owner) {
    update { $0.queue.open(request) }
  }

  /// Enqueues a message, unless it belongs to a request that has been answered.
  func send(_ body: [UInt8], from owner: OutgoingQueue.Owner) {
    update { state in
      if takesIn(&state) { state.queue.add(body, from: owner) }
    }
  }

  /// Merges a notification into one that waits, or enqueues it.
  func sendMerging<Params: MergeableParams>(
    _ method: String, key: String, _ params: Params, from owner: OutgoingQueue.Owner
  ) {
    update { state in
      if takesIn(&state) { state.queue.addMerging(params, method: method, key: key, from: owner) }
    }
  }

  /// Ends a request, with its reply unless that goes out another way. Nothing is sent when it has ended before.
  func close(_ request: OutgoingQueue.Owner, reply: [UInt8]?) {
    update { state in
      guard state.queue.close(request), let reply, takesIn(&state) else { return }
      state.queue.add(reply, from: OutgoingQueue.connection)
    }
  }

  /// Whether `waitUntilWritable` would return at once.
  var isUnderSoftLimit: Bool { state.withLock { isWritable($0) } }

  /// Returns at once while the queue is under its soft limit, else when it is again or nothing is written any more.
  func waitUntilWritable() async throws(CancellationError) {
    let waiter = state.withLock { state -> UInt64? in
      if isWritable(state) { return nil }
      state.nextWaiter += 1
      return state.nextWaiter
    }
    if let waiter {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let goesOn = state.withLock { state in
            // Cancellation either comes later and finds the continuation, or is seen here.
            if isWritable(state) || Task.isCancelled { return true }
            state.writable[waiter] = continuation
            return false
          }
          if goesOn { continuation.resume() }
        }
      } onCancel: {
        state.withLock { $0.writable.removeValue(forKey: waiter) }?.resume()
      }
    }
    if Task.isCancelled { throw CancellationError() }
  }

  /// The framing has been found out; the writer waits for that.
  func decide(_ framing: Framing) {
    update { $0.framing = framing }
  }

  private func isWritable(_ state: State) -> Bool {
    state.queue.byteCount <= limits.outgoingSoft || state.isFinishing || state.isStopped
  }

  private func takesIn(_ state: inout State) -> Bool {
    if state.isFinishing || state.isStopped { return false }
    if state.queue.byteCount > limits.outgoingMaximum {
      fail(Self.unread(state), &state)
      return false
    }
    return true
  }

  /// Changes the state, then wakes whom that concerns.
  private func update(_ change: (inout State) -> Void) {
    let (wakesWriter, waiters) = state.withLock { state in
      change(&state)
      watchHardLimit(&state)
      let wakesWriter = state.isWriterWaiting
      state.isWriterWaiting = false
      var waiters: [CheckedContinuation<Void, Never>] = []
      if !state.writable.isEmpty, isWritable(state) {
        waiters = Array(state.writable.values)
        state.writable = [:]
      }
      return (wakesWriter, waiters)
    }
    if wakesWriter { wake.signal() }
    for waiter in waiters { waiter.resume() }
  }

  private func watchHardLimit(_ state: inout State) {
    if state.queue.byteCount <= limits.outgoingHard {
      state.overHardSince = nil
    } else if state.overHardSince == nil {
      state.overHardSince = .now
      if !state.isWatched {
        state.isWatched = true
        Task { [weak self, limits] in
          var wait: Duration? = limits.outgoingHold
          while let time = wait {
            try? await Task.sleep(for: time)
            wait = self?.dropIfOver()
          }
        }
      }
    }
  }

  /// Gives up a connection that has been over the hard limit for too long. Returns when to look again, if it still is.
  private func dropIfOver() -> Duration? {
    var wait: Duration?
    update { state in
      let left = state.overHardSince.map { limits.outgoingHold - (ContinuousClock.now - $0) }
      if let left, left > .zero {
        wait = left
      } else {
        state.isWatched = false
        if left != nil { fail(Self.unread(state), &state) }
      }
    }
    return wait
  }

  private static func unread(_ state: State) -> String {
    "the peer does not read: \(state.queue.byteCount) bytes wait for it"
  }

  /// Gives the connection up; closing the channel wakes both threads.
  private func fail(_ message: String, _ state: inout State) {
    if !state.isFinishing { state.failure = message }
    state.isStopped = true
    state.queue.removeAll()
    channel.close()
  }
}

// MARK: - Writing, on one thread

extension Outbox {
  /// Writes what is enqueued until `finish` and the queue is empty, or the channel fails.
  func run() {
    var frame: [UInt8] = []
    while let (item, framing) = nextItem() {
      encode(item, framing, into: &frame)
      let error = write(frame)
      update { state in
        state.queue.finished(item)
        switch error {
        case nil: break
        case .closed?: state.isStopped = true
        case .system?: fail(error?.message ?? "", &state)
        }
      }
      // The memory of one large message is not kept.
      if frame.capacity > 1 << 20 { frame = [] }
    }
    stop()
  }

  /// Takes nothing more in; `run` ends when the queue is empty.
  func finish() {
    update { $0.isFinishing = true }
  }

  /// Waits for the end of `run`, until the deadline.
  func waitUntilStopped(_ deadline: DispatchTime) {
    if stopped.wait(timeout: deadline) == .success { stopped.signal() }
  }

  /// The queue ends here, whatever is in it.
  func stop() {
    update { state in
      state.isFinishing = true
      state.isStopped = true
      state.queue.removeAll()
    }
    stopped.signal()
  }

  /// What is queued now, framed, without a thread.
  func takeAll() -> [UInt8] {
    var all: [UInt8] = []
    var frame: [UInt8] = []
    while let (item, framing) = state.withLock({ take(&$0) }) {
      encode(item, framing, into: &frame)
      all += frame
      update { $0.queue.finished(item) }
    }
    return all
  }

  /// Waits for the next item; nil at the end.
  private func nextItem() -> (OutgoingQueue.Item, Framing)? {
    while true {
      let (next, isOver) = state.withLock { state -> ((OutgoingQueue.Item, Framing)?, Bool) in
        if state.isStopped { return (nil, true) }
        if let next = take(&state) { return (next, false) }
        if state.isFinishing { return (nil, true) }
        state.isWriterWaiting = true
        return (nil, false)
      }
      if next != nil || isOver { return next }
      wake.wait()
    }
  }

  /// nil when nothing waits, or the framing is not known yet.
  private func take(_ state: inout State) -> (OutgoingQueue.Item, Framing)? {
    if state.framing == .auto { return nil }
    return state.queue.take().map { ($0, state.framing) }
  }

  private func encode(_ item: OutgoingQueue.Item, _ framing: Framing, into frame: inout [UInt8]) {
    let body = item.body
    mirror?.record(.out, body)
    frame.removeAll(keepingCapacity: true)
    switch framing {
    case .header, .auto:
      frame += "Content-Length: \(body.count)\r\n\r\n".utf8
      frame += body
    case .line:
      frame += body
      frame.append(Byte.lineFeed)
    }
  }

  private func write(_ frame: [UInt8]) -> ChannelError? {
    frame.withUnsafeBytes { bytes -> ChannelError? in
      do throws(ChannelError) {
        try channel.write(bytes)
        return nil
      } catch {
        return error
      }
    }
  }
}
