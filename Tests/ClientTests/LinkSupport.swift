import AssistantProtocol
import Client
import JSON
import JSONRPC
import Synchronization
import TestSupport

/// A request through a link, with what came of it in order.
final class Call: Sendable {
  private let outcome = Promise<Result<JSONValue, RPCError>>()
  let serial: DaemonLink.Serial

  init(_ link: DaemonLink, _ params: JSONValue, _ method: String = Rephrase.name) {
    let (events, outcome) = (EventList(), outcome)
    list = events
    serial = link.begin(
      method, params, onProgress: { events.add($0.value.json) }, reply: { outcome.keep($0) })
  }

  private let list: EventList
  var told: [String] { list.all }

  func result() async throws -> JSONValue {
    let outcome = outcome
    return try await withDeadline(patience, "the reply") { await outcome.value() }.get()
  }

  func error() async throws -> RPCError? {
    let outcome = outcome
    let result = try await withDeadline(patience, "the reply") { await outcome.value() }
    if case .failure(let error) = result { return error }
    return nil
  }
}

final class EventList: Sendable {
  private let state = Mutex<[String]>([])
  var all: [String] { state.withLock { $0 } }
  func add(_ value: JSONValue) {
    let what = [value["kind"]?.stringValue, value["delta"]?.stringValue, value["title"]?.stringValue]
    state.withLock { $0.append(what.compactMap { $0 }.joined(separator: " ")) }
  }
}

extension DaemonLink.Incoming {
  /// A client with tools.
  static let answering = DaemonLink.Incoming(
    notification: { _, _ in }, request: { (_, _) throws(RPCError) in ["content": ""] })
}

/// Connections that end before anything is said.
final class DyingConnector: DaemonConnector {
  private let count = Mutex(0)
  var attempts: Int { count.withLock { $0 } }

  func connect() throws(DaemonError) -> any ByteChannel {
    count.withLock { $0 += 1 }
    let (near, far) = InMemoryChannel.pair()
    far.close()
    return near
  }
}

/// A daemon that says nothing.
final class MuteConnector: DaemonConnector {
  private let ends = Mutex<[InMemoryChannel]>([])

  func connect() throws(DaemonError) -> any ByteChannel {
    let (near, far) = InMemoryChannel.pair()
    ends.withLock { $0.append(far) }
    return near
  }
}

extension LinkPatience {
  static var short: LinkPatience {
    var patience = LinkPatience()
    patience.cancelling = .milliseconds(20)
    patience.pause = .milliseconds(20)
    patience.answer = .milliseconds(500)
    return patience
  }
}
