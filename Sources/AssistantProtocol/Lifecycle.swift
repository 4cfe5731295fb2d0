import JSON
import JSONRPC

/// The first request of a connection. Answered at once, from what is known without the model.
public enum Initialize: RequestMethod {
  public static let name = "initialize"

  public struct Params: JSONMessage, Equatable {
    public var processID: Int?
    public var clientInfo: ClientInfo?
    public var capabilities = ClientCapabilities()
    public var initializationOptions: JSONValue?
    public var trace = TraceLevel.off
    public init() {}
    public static let fields: [JSONField<Params>] = [
      .optional("processId", \.processID, "The client's process: when it has gone, the daemon ends too."),
      .optional("clientInfo", \.clientInfo, "Who the client is."),
      .defaulted("capabilities", \.capabilities, "What the client can do."),
      .optional(
        "initializationOptions", \.initializationOptions, "Settings, see [The LSP face](#the-lsp-face)."),
      .defaulted("trace", \.trace, "Accepted, as LSP asks; nothing is traced."),
    ]
  }

  public struct Result: JSONMessage, Equatable {
    public var serverInfo = ServerInfo()
    public var capabilities = ServerCapabilities()
    public init() {}
    public init(serverInfo: ServerInfo, capabilities: ServerCapabilities) {
      self.serverInfo = serverInfo
      self.capabilities = capabilities
    }
    public static let fields: [JSONField<Result>] = [
      .required("serverInfo", \.serverInfo, "Who the daemon is."),
      .required("capabilities", \.capabilities, "What it can do."),
    ]
  }
}

/// The client has taken the answer to `initialize`.
public enum Initialized: NotificationMethod {
  public static let name = "initialized"
  public typealias Params = Empty
}

/// Asks the daemon to end its work; `exit` follows.
public enum Shutdown: RequestMethod {
  public static let name = "shutdown"
  public typealias Params = Empty
  public typealias Result = Empty
}

/// Ends the connection.
public enum Exit: NotificationMethod {
  public static let name = "exit"
  public typealias Params = Empty
}

/// Asks for an end to a request, which is still answered: with its result if that was ready, else with -32800.
public enum CancelRequest: NotificationMethod {
  public static let name = "$/cancelRequest"

  public struct Params: JSONMessage, Equatable {
    public var id = ProgressToken(RequestID(0))
    public init() {}
    public init(id: RequestID) { self.id = ProgressToken(id) }
    public static let fields: [JSONField<Params>] = [.required("id", \.id, "The id of the request.")]
  }
}

/// LSP's levels, and `compact`, which VS Code sends too.
public enum TraceLevel: String, JSONStringEnum { case off, messages, compact, verbose }

/// Changes what `initialize` said in `trace`.
public enum SetTrace: NotificationMethod {
  public static let name = "$/setTrace"

  public struct Params: JSONMessage, Equatable {
    public var value = TraceLevel.off
    public init() {}
    public init(value: TraceLevel) { self.value = value }
    public static let fields: [JSONField<Params>] = [
      .required("value", \.value, "Accepted, as LSP asks; nothing is traced.")
    ]
  }
}
