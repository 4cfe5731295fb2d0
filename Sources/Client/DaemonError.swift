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

  static let seeWhy = "“inkling serve --socket” in a terminal says why; “inkling doctor” looks at the rest."
}
