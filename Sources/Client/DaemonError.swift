import AssistantProtocol
import JSONRPC

/// Why there is no daemon to talk to.
public struct DaemonError: Error, Equatable {
  /// A sentence.
  public let message: String
  /// A sentence: what to do.
  public let remedy: String

  public init(_ message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }

  /// As the answer to a request.
  public var rpcError: RPCError {
    AssistantError.modelUnavailable(.engineFailed, message: message, remedy: remedy).rpcError
  }

  /// A daemon that is there and says nothing.
  static let silent = DaemonError(
    "The daemon does not answer; it may be stopped, or the machine short of memory.",
    remedy: "“inkling stop --force” ends it, and the next request starts another.")

  static let seeWhy = "“inkling serve --socket” in a terminal says why; “inkling doctor” looks at the rest."
}

/// How long a link waits for the daemon.
public struct LinkPatience: Sendable {
  /// For the answer to the handshake.
  public var handshake = Duration.seconds(10)
  /// For the answer to a request that was cancelled.
  public var cancelling = Duration.seconds(5)
  /// Between two looks whether a daemon from which an answer is awaited is alive.
  public var pause = Duration.seconds(15)
  /// For the sign that it is.
  public var answer = Duration.seconds(15)
  public init() {}
}
