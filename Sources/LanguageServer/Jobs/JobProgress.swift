import AssistantProtocol
import JSONRPC
import Synchronization

/// What a client shows of one job. It is asked for a place for it first, and the job does not wait for the answer.
final class JobProgress: Sendable {
  private enum State {
    /// The client has not answered; the report is the latest.
    case asking(WorkDoneReport?)
    case shown
    /// The client shows none.
    case none
    /// Over before the client answered.
    case endedEarly
    case ended
  }

  private let token: ProgressToken
  /// Under which its reports may be merged.
  private let key: String
  private let title: String
  private let connection: Connection
  private let state: Mutex<State>

  /// - Parameter token: unique on the connection.
  init(_ token: String, title: String, on connection: Connection, isWanted: Bool) {
    self.token = ProgressToken(.string(token))
    key = token
    self.title = title
    self.connection = connection
    state = Mutex(isWanted ? .asking(nil) : .none)
  }

  /// Asks the client for a place.
  ///
  /// - Parameter patience: how long its answer is waited for.
  func begin(within patience: Duration) {
    if case .none = state.withLock({ $0 }) { return }
    Task { [self] in
      do throws(RPCError) {
        _ = try await connection.request(CreateProgress.self, CreateProgress.Params(token: token), timeout: patience)
        open()
      } catch {
        state.withLock { $0 = .none }
      }
    }
  }

  private func open() {
    // Sent under the lock, so that nothing overtakes the beginning.
    state.withLock { state in
      switch state {
      case .asking(let report):
        sendBegin()
        if let report { send(.report(report)) }
        state = .shown
      case .endedEarly:
        // The client keeps a place until the work in it has ended.
        sendBegin()
        send(.end(WorkDoneEnd()))
        state = .ended
      case .shown, .none, .ended: break
      }
    }
  }

  /// Passes on what the assistant tells. Its beginning and its end are not the job's.
  func report(_ value: ProgressValue) {
    guard case .workDone(.report(let report)) = value else { return }
    state.withLock { state in
      switch state {
      case .asking: state = .asking(report)
      case .shown:
        connection.notifyMerging(
          Progress.self, key: key, Progress.Params(token: token, value: .workDone(.report(report))))
      case .none, .endedEarly, .ended: break
      }
    }
  }

  func end() {
    state.withLock { state in
      switch state {
      case .asking: state = .endedEarly
      case .shown:
        send(.end(WorkDoneEnd()))
        state = .ended
      case .none, .endedEarly, .ended: break
      }
    }
  }

  private func sendBegin() { send(.begin(WorkDoneBegin(title: title, cancellable: true, percentage: 0))) }

  private func send(_ value: WorkDoneProgress) {
    connection.notify(Progress.self, Progress.Params(token: token, value: .workDone(value)))
  }
}
