import AssistantProtocol
import JSONRPC
import Synchronization

/// What a client said of itself in `initialize`, written on the connection's reading thread before the next message is
/// looked at; and in which tones it has asked.
final class ClientState: Sendable {
  private struct State {
    var encoding = PositionEncoding.utf16
    var info: ClientInfo?
    var knowsAssistant = false
    /// The client has said that it has the answer to `initialize`; before, it is sent nothing of our own accord.
    var isInitialized = false
  }

  /// Tones that are remembered.
  private static let mostTones = 4

  private let state = Mutex(State())
  private let tones = Mutex<[Tone]>([])

  var encoding: PositionEncoding { state.withLock { $0.encoding } }

  var info: ClientInfo? { state.withLock { $0.info } }

  func initialize(_ params: Initialize.Params) {
    let encoding = PositionEncoding(negotiatedFrom: params.capabilities.general?.positionEncodings)
    state.withLock {
      $0 = State(encoding: encoding, info: params.clientInfo, knowsAssistant: params.capabilities.knowsAssistant)
    }
  }

  /// The client has asked for a rephrase in this tone.
  func note(_ tone: Tone) {
    tones.withLock { $0 = Array(([tone] + $0.filter { $0 != tone }).prefix(Self.mostTones)) }
  }

  /// The tones of its last requests, each once, the latest first.
  var recentTones: [Tone] { tones.withLock { $0 } }

  func noteInitialized() { state.withLock { $0.isInitialized = true } }

  /// Whether the client wants notifications that LSP does not have.
  func wantsNotifications(on connection: Connection) -> Bool {
    switch connection.framing {
    case .line: true
    case .header, .auto: state.withLock { $0.isInitialized && $0.knowsAssistant }
    }
  }
}
