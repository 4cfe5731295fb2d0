import AssistantProtocol
import JSON
import JSONRPC

/// What a link knows: its connection, and the messages that are not done.
struct LinkState: Sendable {
  enum Phase {
    case idle
    /// Being made; there is a connection once the handshake has begun.
    case connecting(Connection?)
    case ready(Connection)
    case closed

    var connection: Connection? {
      switch self {
      case .idle, .closed: nil
      case .connecting(let connection): connection
      case .ready(let connection): connection
      }
    }
  }

  typealias Answer = (item: LinkItem, outcome: Result<JSONValue, RPCError>)

  /// The answer to a request that the daemon took with it.
  private static var lost: RPCError {
    var error = AssistantError.engineFailed(.crashed).rpcError
    error.message = "The daemon ended while it worked on the request. Try again."
    return error
  }

  /// So many connections in a row may end before they can be used.
  private static let mostFailures = 3

  var phase = Phase.idle
  /// The connection that is there or being made; whatever an earlier one tells is of no interest.
  private(set) var epoch = 0
  private var failures = 0
  private var nextSerial = 1
  private(set) var items: [DaemonLink.Serial: LinkItem] = [:]
  private var serials: [ProgressToken: DaemonLink.Serial] = [:]
  var handshake: Initialize.Params?
  /// The client has said `initialized`, or never will.
  var isInitialized = false

  // MARK: Messages

  mutating func makeSerial() -> DaemonLink.Serial {
    defer { nextSerial += 1 }
    return nextSerial
  }

  mutating func add(_ item: LinkItem, as serial: DaemonLink.Serial) {
    items[serial] = item
    // The later of two requests under one token is told nothing; the protocol has no such thing.
    for token in item.tokens where serials[token] == nil { serials[token] = serial }
  }

  mutating func take(_ serial: DaemonLink.Serial) -> LinkItem? {
    guard let item = items.removeValue(forKey: serial) else { return nil }
    for token in item.tokens where serials[token] == serial { serials[token] = nil }
    return item
  }

  /// All messages, in order, each to be answered so.
  mutating func takeAll(_ error: RPCError) -> [Answer] {
    items.keys.sorted().compactMap { take($0) }.map { ($0, .failure(error)) }
  }

  mutating func noteSent(_ serial: DaemonLink.Serial, as id: Int) {
    items[serial]?.sentID = id
    items[serial]?.sendings += 1
  }

  mutating func noteCancelled(_ serial: DaemonLink.Serial) { items[serial]?.isCancelled = true }

  /// Who is to be told; nil when nobody is.
  mutating func note(_ progress: Progress.Params) -> (@Sendable (Progress.Params) -> Void)? {
    guard let serial = serials[progress.token] else { return nil }
    return items[serial]?.note(progress) == true ? items[serial]?.onProgress : nil
  }

  /// A tool may have done something: the request is not made a second time without the user.
  mutating func noteToolCall(in session: JSONValue?) {
    for (serial, item) in items where item.sentID != nil && item.mayCallTools(in: session) {
      items[serial]?.hasShown = true
    }
  }

  // MARK: Connections

  /// Notes that a connection is to be made when there is none; the caller makes it, outside of the lock.
  mutating func beginConnecting() -> Bool {
    guard case .idle = phase else { return false }
    phase = .connecting(nil)
    epoch += 1
    return true
  }

  mutating func noteReady(_ connection: Connection) {
    phase = .ready(connection)
    failures = 0
  }

  /// The connection is over. What is answered now is returned; the rest is to be sent again.
  mutating func noteEnd() -> [Answer] {
    if case .connecting = phase { failures += 1 }
    phase = .idle
    if failures >= Self.mostFailures {
      failures = 0
      return takeAll(DaemonError("The daemon ends before it answers.", remedy: DaemonError.seeWhy).rpcError)
    }
    var answers: [Answer] = []
    for (serial, item) in items.sorted(by: { $0.key < $1.key }) where item.sentID != nil {
      if item.isCancelled || item.hasShown || item.sendings > 1 {
        let error = item.isCancelled ? .cancelled : Self.lost
        if let item = take(serial) { answers.append((item, .failure(error))) }
      } else {
        items[serial]?.sentID = nil
      }
    }
    return answers
  }

  /// There is no daemon to be had: whoever waits is to be told why.
  mutating func noteFailure(_ error: RPCError) -> [Answer] {
    guard case .connecting = phase else { return [] }
    phase = .idle
    failures = 0
    return takeAll(error)
  }

  var hasRequests: Bool { items.values.contains { $0.isRequest } }
}

extension Initialize.Params {
  /// A client that says nothing of itself, as scripts may.
  static var script: Initialize.Params {
    var params = Initialize.Params()
    params.capabilities.experimental = ["assistant": [:]]
    return params
  }
}
