import JSON
import Synchronization

/// The duty to answer one request. It cannot be copied, answering uses it up, and one that is dropped answers that the
/// request failed: so there is exactly one reply, whatever a handler does.
package struct Responder: ~Copyable, Sendable {
  private let destination: ReplyDestination
  private var isPending = true

  init(_ destination: ReplyDestination) { self.destination = destination }

  var context: RequestContext { destination.context }

  package consuming func reply(_ result: Result<JSONValue, RPCError>) {
    isPending = false
    destination.send(result)
  }

  deinit {
    if isPending { destination.send(.failure(.internalError("the request was dropped"))) }
  }
}

/// Where a reply goes: to the outgoing queue, or into its place in a batch.
struct ReplyDestination: Sendable {
  let context: RequestContext
  let place: BatchPlace?
  /// Set for requests that stand in the table of running ones.
  let isRunning: Bool

  fileprivate func send(_ result: Result<JSONValue, RPCError>) {
    let (id, serial, connection) = (context.id, context.serial, context.connection)
    let body = Outgoing.response(id: id, result)
    // The id is free before the peer can see the reply and use it again; the request counts as running until after.
    if isRunning { connection.requests.free(id, serial: serial) }
    if let place {
      connection.outbox.close(serial, reply: nil)
      place.batch.fill(place.index, body)
    } else {
      connection.outbox.close(serial, reply: body)
    }
    if isRunning { connection.requests.finished() }
  }
}

/// One member's place among the replies to a batch.
struct BatchPlace: Sendable {
  let batch: Batch
  let index: Int
}

/// The replies to one batch (JSON-RPC 2.0, section 6): sent together, in the order of the requests, when all are there.
final class Batch: Sendable {
  private struct State {
    var replies: [[UInt8]?] = []
    var missing = 0
    var isComplete = false
  }

  private let state = Mutex(State())
  private let outbox: Outbox

  init(outbox: Outbox) { self.outbox = outbox }

  /// A place for one more reply. Before `complete` only.
  func reserve() -> BatchPlace {
    state.withLock { state in
      state.replies.append(nil)
      state.missing += 1
      return BatchPlace(batch: self, index: state.replies.count - 1)
    }
  }

  func fill(_ index: Int, _ reply: [UInt8]) {
    sendIfDone { state in
      state.replies[index] = reply
      state.missing -= 1
    }
  }

  /// All members have been looked at. A batch without requests is not answered.
  func complete() {
    sendIfDone { $0.isComplete = true }
  }

  private func sendIfDone(_ change: (inout State) -> Void) {
    let replies = state.withLock { state -> [[UInt8]] in
      change(&state)
      guard state.isComplete, state.missing == 0 else { return [] }
      defer { state.replies = [] }
      return state.replies.compactMap(\.self)
    }
    if replies.isEmpty { return }
    var body: [UInt8] = [UInt8(ascii: "[")]
    body.append(contentsOf: replies.joined(separator: [UInt8(ascii: ",")]))
    body.append(UInt8(ascii: "]"))
    outbox.send(body, from: OutgoingQueue.connection)
  }
}

/// Carries a responder into a task, whose closure could not use it up itself.
final class Handoff: Sendable {
  private let responder: Mutex<Responder?>

  init(_ responder: consuming Responder) { self.responder = Mutex(responder) }

  func reply(_ result: Result<JSONValue, RPCError>) {
    if let responder = responder.withLock({ $0.take() }) { responder.reply(result) }
  }
}
