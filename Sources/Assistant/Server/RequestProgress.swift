import AssistantProtocol
import Synchronization

/// The progress of one request: it begins once and ends once, however often its work has to begin anew.
final class RequestProgress: Sendable {
  private struct State {
    var hasBegun = false
    var end = WorkDoneEnd()
  }

  private let send: @Sendable (WorkDoneProgress) -> Void
  private let state = Mutex(State())

  init(_ send: @escaping @Sendable (WorkDoneProgress) -> Void) { self.send = send }

  func report(_ progress: WorkDoneProgress) {
    let isShown = state.withLock { state in
      switch progress {
      case .begin:
        defer { state.hasBegun = true }
        return !state.hasBegun
      case .report: return true
      case .end(let end):
        state.end = end
        return false
      }
    }
    if isShown { send(progress) }
  }

  /// Nothing more is done for the request.
  func finish() {
    let (hasBegun, end) = state.withLock { ($0.hasBegun, $0.end) }
    if hasBegun { send(.end(end)) }
  }
}
