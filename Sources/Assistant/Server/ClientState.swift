import AssistantProtocol
import JSONRPC
import Synchronization

/// What a client said of itself in `initialize`. Written on the connection's reading thread, before the next message
/// is looked at.
final class ClientState: Sendable {
  private struct State {
    var encoding = PositionEncoding.utf16
    var info: ClientInfo?
    var knowsAssistant = false
    /// The client has said that it has the answer to `initialize`; before, it is sent nothing of our own accord.
    var isInitialized = false
  }

  private let state = Mutex(State())

  var encoding: PositionEncoding { state.withLock { $0.encoding } }

  var info: ClientInfo? { state.withLock { $0.info } }

  func initialize(_ params: Initialize.Params) {
    let encoding = PositionEncoding(negotiatedFrom: params.capabilities.general?.positionEncodings)
    state.withLock {
      $0 = State(encoding: encoding, info: params.clientInfo, knowsAssistant: params.capabilities.knowsAssistant)
    }
  }

  func noteInitialized() { state.withLock { $0.isInitialized = true } }

  /// Whether the client wants notifications that LSP does not have.
  func wantsNotifications(on connection: Connection) -> Bool {
    switch connection.framing {
    case .line: true
    case .header, .auto: state.withLock { $0.isInitialized && $0.knowsAssistant }
    }
  }
}
