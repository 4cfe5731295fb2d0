/// Which messages may come when.
public enum LifecyclePolicy: Sendable {
  /// The life cycle of LSP 3.17: `initialize` first, `shutdown`, `exit`. Strict in header framing; in line framing the
  /// handshake may be left out.
  case languageServer
  /// Any message at any time.
  case none
}

/// Where a connection is in its life. Used by the reading thread alone.
struct Lifecycle {
  enum Verdict: Equatable {
    case proceed
    case refuse(RPCError)
    case ignore
    case exit(afterShutdown: Bool)
  }

  let policy: LifecyclePolicy
  private var isInitialized = false
  private var isShutDown = false

  init(policy: LifecyclePolicy) { self.policy = policy }

  func verdict(onRequest method: String, inBatch: Bool, framing: Framing) -> Verdict {
    guard policy == .languageServer else { return .proceed }
    let name = Name(method)
    if inBatch, name != nil { return .refuse(.invalidRequest("“\(method)” must not be in a batch")) }
    if isShutDown { return .refuse(.invalidRequest("the connection has been shut down")) }
    if name == .initialize {
      return isInitialized ? .refuse(.invalidRequest("“initialize” was sent before")) : .proceed
    }
    if !isInitialized, framing == .header { return .refuse(.notInitialized) }
    return .proceed
  }

  func verdict(onNotification method: String, inBatch: Bool, framing: Framing) -> Verdict {
    guard policy == .languageServer else { return .proceed }
    let name = Name(method)
    if inBatch, name != nil { return .refuse(.invalidRequest("“\(method)” must not be in a batch")) }
    if name == .exit { return .exit(afterShutdown: isShutDown) }
    if isShutDown || (!isInitialized && framing == .header) {
      return method.hasSameBytes(as: CancelMessage.name) && isInitialized ? .proceed : .ignore
    }
    return .proceed
  }

  /// A request was handed to its handler, and not refused by it.
  mutating func accepted(_ method: String) {
    switch Name(method) {
    case .initialize?: isInitialized = true
    case .shutdown?: isShutDown = true
    case .exit?, nil: break
    }
  }

  /// Requests that the limit on requests in flight does not hold for.
  func isExempt(_ method: String) -> Bool { policy == .languageServer && Name(method) != nil }

  private enum Name: String {
    case initialize, shutdown, exit

    init?(_ method: String) {
      guard let name = [Name.initialize, .shutdown, .exit].first(where: { $0.rawValue.hasSameBytes(as: method) })
      else { return nil }
      self = name
    }
  }
}
