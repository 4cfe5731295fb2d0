import JSON
import Synchronization

/// Bounds on one connection. Over a bound there is an error reply or an end, never a wait of the reading thread.
public struct ConnectionLimits: Sendable {
  public var frames = FrameLimits()
  /// Members of one batch.
  public var batchSize = 10_000
  /// Requests of the peer that run at once; one more is answered with `overloadedError`.
  public var requestsInFlight = 64
  /// With so many running, light ones among them, a light request is still answered.
  public var lightRequestsInFlight: Int { requestsInFlight * 4 }
  /// The same for all connections that share a counter.
  public var sharedRequests: SharedRequestLimit?
  /// The answer over a limit, given that limit.
  public var overloadedError: @Sendable (_ limit: Int) -> RPCError = { limit in
    RPCError(
      code: -32803, message: "more than \(limit) requests are running; try again later",
      data: ["retryable": true, "limit": .number(JSONNumber(limit))])
  }

  /// Outgoing bytes that wait for a slow reader: above this `RequestContext.waitUntilWritable` waits.
  public var outgoingSoft = 1 << 20
  /// When more than this has waited for `outgoingHold`, the connection is dropped.
  public var outgoingHard = 8 << 20
  public var outgoingHold = Duration.seconds(60)
  /// When more than this waits, the connection is dropped at once.
  public var outgoingMaximum = 64 << 20

  /// How long requests may go on running after the end of input in header framing.
  public var grace = Duration.milliseconds(100)
  /// After that, how long the end waits for cancelled requests and for the peer to read what is queued.
  public var closing = Duration.milliseconds(1_500)
  /// The same after `exit`.
  public var exiting = Duration.milliseconds(500)

  public init() {}
}

/// A bound on the requests that run at once over several connections.
public final class SharedRequestLimit: Sendable {
  public let limit: Int
  private let count = Atomic(0)

  public init(_ limit: Int) { self.limit = limit }

  /// Requests running now.
  public var running: Int { count.load(ordering: .relaxed) }

  /// Takes a place; false when there is none.
  func enter() -> Bool {
    if count.wrappingAdd(1, ordering: .relaxed).newValue <= limit { return true }
    leave()
    return false
  }

  func leave() { count.wrappingSubtract(1, ordering: .relaxed) }
}
