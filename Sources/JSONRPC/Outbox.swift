import Dispatch
import JSON
import Synchronization

/// Parameters of a notification of which two that wait in the queue can become one, for readers that are slow.
public protocol MergeableParams: JSONConvertible {
  /// Takes a later value in; false when the two cannot be one.
  mutating func merge(_ later: Self) -> Bool
  /// About how many bytes the value takes on the wire. The default writes it to find out.
  var approximateByteCount: Int { get }
}

extension MergeableParams {
  public var approximateByteCount: Int { JSONWriter.bytes(of: json).count }
}

/// The outgoing queue of a connection: bounded, in order, and never in the way of those who add to it. One thread
/// (`run`) writes what the others enqueue.
///
/// It also knows which requests are unanswered. Sending for a request and closing it happen under one lock: there is no
/// second reply, and no partial result after the reply.
package final class Outbox: Sendable {
  /// Whose message it is: a request's serial number, or `connection`.
  typealias Owner = UInt64
  static let connection: Owner = 0

  private struct Item {
    enum Content {
      case message([UInt8])
      case mergeable(method: String, any MergeableParams, target: (Owner, ExactString))
    }
    var content: Content
    /// What the item counts for in `State.bytes`.
    var size: Int
  }

  private struct State {
    var items: [Item] = []
    /// Items before this one have been taken; `firstNumber` counts them over the connection's life.
    var head = 0
    var firstNumber = 0
    /// Bytes that wait or are being written.
    var bytes = 0
    var openRequests: Set<Owner> = []
    /// The numbers of queued items that a later one may still be merged into.
    var mergeTargets: [Owner: [ExactString: Int]] = [:]
    var writable: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var nextWaiter: UInt64 = 0
    var framing: Framing
    var isWriterWaiting = false
    /// Nothing more is taken in; the writer ends when the queue is empty.
    var isFinishing = false
    /// The writer has ended, or never begins.
    var isStopped = false
    var overHardSince: ContinuousClock.Instant?
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
  package var byteCount: Int { state.withLock { $0.bytes } }
}

// MARK: - Sending, from any thread

extension Outbox {
  /// From now on messages and one reply may be sent for the request.
  func open(_ request: Owner) {
    state.withLock { _ = $0.openRequests.insert(request) }
  }

  /// Enqueues a message, unless it belongs to a request that has been answered.
  func send(_ body: [UInt8], from owner: Owner) {
    update { state in
      guard owner == Self.connection || state.openRequests.contains(owner) else { return }
      // What follows must not be merged into what went before this message.
      state.mergeTargets[owner] = nil
      append(Item(content: .message(body), size: body.count), to: &state)
    }
  }

  /// Merges a notification into one that waits, or enqueues it.
  func sendMerging<Params: MergeableParams>(_ method: String, key: String, _ params: Params, from owner: Owner) {
    let key = ExactString(key)
    let size = params.approximateByteCount
    update { state in
      guard owner == Self.connection || state.openRequests.contains(owner) else { return }
      if let number = state.mergeTargets[owner]?[key], merge(params, method, into: number, &state) { return }
      let item = Item(content: .mergeable(method: method, params, target: (owner, key)), size: size)
      if let number = append(item, to: &state) { state.mergeTargets[owner, default: [:]][key] = number }
    }
  }

  /// Ends a request, with its reply unless that goes out another way. Returns false, and sends nothing, when it has
  /// ended before.
  @discardableResult
  func close(_ request: Owner, reply: [UInt8]?) -> Bool {
    update { state in
      guard state.openRequests.remove(request) != nil else { return false }
      state.mergeTargets[request] = nil
      if let reply { append(Item(content: .message(reply), size: reply.count), to: &state) }
      return true
    }
  }

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
    state.bytes <= limits.outgoingSoft || state.isFinishing || state.isStopped
  }

  /// Returns the item's number, or nil when nothing is taken in any more.
  @discardableResult
  private func append(_ item: Item, to state: inout State) -> Int? {
    if state.isFinishing || state.isStopped { return nil }
    if state.bytes > limits.outgoingMaximum {
      fail("the peer does not read: \(state.bytes) bytes wait for it", &state)
      return nil
    }
    state.items.append(item)
    count(item.size, &state)
    return state.firstNumber + state.items.count - state.head - 1
  }

  private func merge<Params: MergeableParams>(
    _ later: Params, _ method: String, into number: Int, _ state: inout State
  ) -> Bool {
    let index = number - state.firstNumber + state.head
    // The item is taken out meanwhile, so that what grows in it has one owner and is not copied each time.
    var item = Item(content: .message([]), size: 0)
    swap(&item, &state.items[index])
    defer { swap(&item, &state.items[index]) }
    guard case .mergeable(let waiting, let params, let target) = item.content, waiting.hasSameBytes(as: method),
      var merged = params as? Params
    else { return false }
    item.content = .message([])
    let isMerged = merged.merge(later)
    let size = isMerged ? merged.approximateByteCount : item.size
    count(size - item.size, &state)
    item = Item(content: .mergeable(method: method, merged, target: target), size: size)
    return isMerged
  }

  /// Changes the number of waiting bytes and watches the hard limit.
  private func count(_ change: Int, _ state: inout State) {
    state.bytes += change
    if state.bytes <= limits.outgoingHard {
      state.overHardSince = nil
    } else if state.overHardSince == nil {
      let now = ContinuousClock.now
      state.overHardSince = now
      Task { [weak self, limits] in
        try? await Task.sleep(for: limits.outgoingHold)
        self?.dropIfOver(since: now)
      }
    }
  }

  private func dropIfOver(since start: ContinuousClock.Instant) {
    update { state in
      if state.overHardSince == start { fail("the peer does not read: \(state.bytes) bytes wait for it", &state) }
    }
  }

  private func fail(_ message: String, _ state: inout State) {
    if state.failure == nil { state.failure = message }
    state.isStopped = true
    state.items = []
    state.head = 0
    state.mergeTargets = [:]
    channel.close()
  }

  /// Changes the state, then wakes whom that concerns.
  private func update<Value: Sendable>(_ change: (inout State) -> Value) -> Value {
    let (value, wakesWriter, waiters) = state.withLock { state in
      let value = change(&state)
      let wakesWriter = state.isWriterWaiting
      state.isWriterWaiting = false
      var waiters: [CheckedContinuation<Void, Never>] = []
      if !state.writable.isEmpty, isWritable(state) {
        waiters = Array(state.writable.values)
        state.writable = [:]
      }
      return (value, wakesWriter, waiters)
    }
    if wakesWriter { wake.signal() }
    for waiter in waiters { waiter.resume() }
    return value
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
        count(-item.size, &state)
        if let error { writeFailed(error, &state) }
      }
      if frame.capacity > 1 << 20 { frame = [] }
    }
    stop()
  }

  /// Takes nothing more in; `run` ends when the queue is empty.
  func finish() {
    update { $0.isFinishing = true }
  }

  /// Waits for the end of `run`; false when it did not come in time.
  func waitUntilStopped(_ timeout: DispatchTime) -> Bool {
    if stopped.wait(timeout: timeout) == .timedOut { return false }
    stopped.signal()
    return true
  }

  /// The queue ends here, whatever is in it.
  func stop() {
    update { state in
      state.isFinishing = true
      state.isStopped = true
      state.items = []
      state.head = 0
      state.overHardSince = nil
    }
    stopped.signal()
  }

  /// What is queued now, framed, without a thread: for tests.
  package func takeAll() -> [UInt8] {
    var all: [UInt8] = []
    var frame: [UInt8] = []
    while let (item, framing) = state.withLock({ takeFirst(&$0) }) {
      encode(item, framing, into: &frame)
      all += frame
      update { count(-item.size, &$0) }
    }
    return all
  }

  /// Waits for the next item; nil at the end.
  private func nextItem() -> (Item, Framing)? {
    while true {
      let (next, isOver) = state.withLock { state -> ((Item, Framing)?, Bool) in
        if state.isStopped { return (nil, true) }
        if let next = takeFirst(&state) { return (next, false) }
        if state.isFinishing { return (nil, true) }
        state.isWriterWaiting = true
        return (nil, false)
      }
      if next != nil || isOver { return next }
      wake.wait()
    }
  }

  /// nil when there is none, or the framing is not known yet.
  private func takeFirst(_ state: inout State) -> (Item, Framing)? {
    guard state.head < state.items.count, state.framing != .auto else { return nil }
    let item = state.items[state.head]
    if case .mergeable(_, _, let (owner, key)) = item.content, state.mergeTargets[owner]?[key] == state.firstNumber {
      state.mergeTargets[owner]?[key] = nil
      if state.mergeTargets[owner]?.isEmpty == true { state.mergeTargets[owner] = nil }
    }
    state.items[state.head] = Item(content: .message([]), size: 0)
    state.head += 1
    state.firstNumber += 1
    if state.head == state.items.count || state.head >= 1_024 {
      state.items.removeFirst(state.head)
      state.head = 0
    }
    return (item, state.framing)
  }

  private func encode(_ item: Item, _ framing: Framing, into frame: inout [UInt8]) {
    let body: [UInt8] =
      switch item.content {
      case .message(let body): body
      case .mergeable(let method, let params, _): Outgoing.notification(method: method, params: params.json)
      }
    mirror?.record(.out, body)
    frame.removeAll(keepingCapacity: true)
    switch framing {
    case .header, .auto: frame += "Content-Length: \(body.count)\r\n\r\n".utf8
    case .line: break
    }
    frame += body
    if framing == .line { frame.append(Byte.lineFeed) }
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

  private func writeFailed(_ error: ChannelError, _ state: inout State) {
    switch error {
    case .closed: state.isStopped = true
    case .system: fail(error.message, &state)
    }
  }
}
