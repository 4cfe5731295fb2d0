import AssistantProtocol
import JSON
import JSONRPC

/// A request on its way to the daemon, or a notification that waits for one to be there.
struct LinkItem: Sendable {
  enum Kind: Sendable {
    case request(reply: @Sendable (Result<JSONValue, RPCError>) -> Void)
    case notification
  }

  let kind: Kind
  let method: String
  let params: JSONValue
  /// Called with what `$/progress` carries for this request.
  let onProgress: @Sendable (Progress.Params) -> Void
  /// Its id on the present connection; nil while it waits for one.
  var sentID: Int?
  /// How often it was sent.
  var sendings = 0
  /// Something of its result has been seen: the same request again could not take that back.
  var hasShown = false
  /// Its work-done progress has begun for the client, and is not over.
  var isAtWork = false
  var isCancelled = false

  init(
    _ kind: Kind, _ method: String, _ params: JSONValue,
    onProgress: @escaping @Sendable (Progress.Params) -> Void = { _ in }
  ) {
    self.kind = kind
    self.method = method
    self.params = params
    self.onProgress = onProgress
  }

  var isRequest: Bool { if case .request = kind { true } else { false } }

  /// The tokens under which it is told about.
  var tokens: [ProgressToken] { [ProgressKind.partialResults, .workDone].compactMap(token) }

  private func token(_ kind: ProgressKind) -> ProgressToken? {
    params[kind.parameter].flatMap { try? ProgressToken(json: $0) }
  }

  /// Notes what is told, and says whether it is to be passed on: after a second start work does not begin again.
  mutating func note(_ progress: Progress.Params) -> Bool {
    switch progress.value {
    case .partial: hasShown = true
    case .workDone(.begin):
      defer { isAtWork = true }
      return !isAtWork
    case .workDone(.report): break
    case .workDone(.end): isAtWork = false
    }
    return true
  }

  /// Gives the request its one answer; progress that has begun ends before.
  func answer(_ answer: Result<JSONValue, RPCError>) {
    guard case .request(let reply) = kind else { return }
    if isAtWork, let token = token(.workDone) {
      onProgress(Progress.Params(token: token, value: .workDone(.end(WorkDoneEnd()))))
    }
    reply(answer)
  }

  /// Whether a tool that is called for this session may be called for this request.
  func mayCallTools(in session: JSONValue?) -> Bool {
    method.hasPrefix("assistant/") && params["sessionId"] == session
  }
}
