import AssistantProtocol
import JSONRPC
import Synchronization

/// The connections that are served, and what was done for them.
final class ClientTable: Sendable {
  /// Rates are averages over so long.
  private static let window = Duration.seconds(300)
  /// So many answers are remembered at most.
  private static let longestMemory = 4_096

  private struct Client {
    let state: ClientState
    let since: ContinuousClock.Instant
    var requests = 0
    var active = 0
  }

  private struct Answered {
    let at: ContinuousClock.Instant
    let tokens: Int
    /// From the first token to the answer.
    let writing: Duration
  }

  private struct State {
    var clients: [ObjectIdentifier: Client] = [:]
    var totals = RequestTotals()
    var recent: [Answered] = []
  }

  private let start = ContinuousClock.now
  private let state = Mutex(State())

  func add(_ connection: Connection, _ client: ClientState) {
    state.withLock { $0.clients[ObjectIdentifier(connection)] = Client(state: client, since: .now) }
  }

  func remove(_ connection: Connection) { state.withLock { $0.clients[ObjectIdentifier(connection)] = nil } }

  func noteBegin(_ connection: Connection) { state.withLock { $0.clients[ObjectIdentifier(connection)]?.active += 1 } }

  /// - Parameter result: what was answered; nil: an error.
  func noteEnd(_ connection: Connection, _ result: (some Sendable)?) {
    let usage = (result as? any GenerationResult)?.common.usage
    state.withLock { state in
      let id = ObjectIdentifier(connection)
      state.clients[id]?.active -= 1
      state.clients[id]?.requests += 1
      state.totals.requests += 1
      if result == nil { state.totals.failedRequests += 1 }
      guard let usage else { return }
      state.totals.promptTokens += usage.promptTokens
      state.totals.cachedTokens += usage.cachedTokens
      state.totals.completionTokens += usage.completionTokens
      let writing = Duration.milliseconds(Int64(max(0, usage.durationMs - usage.timeToFirstTokenMs)))
      state.recent.append(Answered(at: .now, tokens: usage.completionTokens, writing: writing))
      Self.forget(&state)
    }
  }

  /// Fills in what is known here.
  func describe(_ result: inout DaemonStatus.Result) {
    let now = ContinuousClock.now
    let (clients, totals, recent) = state.withLock { state in
      Self.forget(&state)
      return (state.clients.values.sorted { $0.since < $1.since }, state.totals, state.recent)
    }
    result.clients = clients.map { client in
      var description = ClientDescription()
      let info = client.state.info
      description.name = info?.name
      description.version = info?.version
      description.connectedSeconds = Int(client.since.duration(to: now).components.seconds)
      description.requests = client.requests
      description.activeRequests = client.active
      return description
    }
    result.totals = totals
    let minutes = max(1, min(Self.window, start.duration(to: now)).milliseconds) / 60_000
    let writing = recent.reduce(Duration.zero) { $0 + $1.writing }.milliseconds
    let tokens = recent.reduce(0) { $0 + $1.tokens }
    result.rates = RequestRates(
      requestsPerMinute: tenths(Double(recent.count) / max(1, minutes)),
      completionTokensPerSecond: writing > 0 ? tenths(Double(tokens) / writing * 1_000) : nil)
  }

  private static func forget(_ state: inout State) {
    let oldest = ContinuousClock.now - window
    let count = state.recent.prefix { $0.at < oldest }.count
    state.recent.removeFirst(max(count, state.recent.count - longestMemory))
  }

  private func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
