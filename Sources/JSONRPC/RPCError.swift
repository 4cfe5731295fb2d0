import JSON

/// The error of a response (JSON-RPC 2.0, section 5.1).
public struct RPCError: Error, Equatable {
  public var code: Int
  /// One plain sentence for a person.
  public var message: String
  public var data: JSONValue?

  public init(code: Int, message: String, data: JSONValue? = nil) {
    self.code = code
    self.message = message
    self.data = data
  }

  public static func parseError(_ message: String) -> RPCError { RPCError(code: -32700, message: message) }
  public static func invalidRequest(_ message: String) -> RPCError { RPCError(code: -32600, message: message) }
  public static func methodNotFound(_ method: String) -> RPCError {
    RPCError(code: -32601, message: "there is no method “\(method)”")
  }
  public static func invalidParams(_ message: String) -> RPCError { RPCError(code: -32602, message: message) }
  public static func internalError(_ message: String) -> RPCError { RPCError(code: -32603, message: message) }
  public static let notInitialized = RPCError(code: -32002, message: "send “initialize” first")
  public static let cancelled = RPCError(code: -32800, message: "the request was cancelled")

  /// The peer did not answer a request of ours in the time that `Connection.request` was given.
  public static let timedOut = RPCError(
    code: -32803, message: "the other side did not answer in time", data: ["kind": "timeout"])
  /// The connection ended before the peer answered a request of ours.
  public static let connectionClosed = RPCError(
    code: -32803, message: "the connection is closed", data: ["kind": "connectionClosed"])
}
