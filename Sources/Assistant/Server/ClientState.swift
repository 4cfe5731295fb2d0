import AssistantProtocol
import JSONRPC
import Synchronization

/// What a client said of itself in `initialize`. Written on the connection's reading thread, before the next message
/// is looked at.
final class ClientState: Sendable {
  private struct State {
    var encoding = PositionEncoding.utf16
    var knowsAssistant = false
  }

  private let state = Mutex(State())

  var encoding: PositionEncoding { state.withLock { $0.encoding } }

  func initialize(_ params: Initialize.Params) {
    let encoding = PositionEncoding(negotiatedFrom: params.capabilities.general?.positionEncodings)
    state.withLock { $0 = State(encoding: encoding, knowsAssistant: params.capabilities.knowsAssistant) }
  }

  /// Whether the client wants notifications that LSP does not have.
  func wantsNotifications(on connection: Connection) -> Bool {
    switch connection.framing {
    case .line: true
    case .header, .auto: state.withLock { $0.knowsAssistant }
    }
  }
}
