import JSON
import JSONRPC

/// Tells who uses the daemon, what it costs and what it has done. Never loads the model.
public enum DaemonStatus: RequestMethod {
  public static let name = "daemon/status"
  public typealias Params = Empty

  public struct Result: JSONMessage, Equatable {
    public var version = ""
    public var processID = 0
    public var uptimeSeconds = 0
    public var clients: [ClientDescription] = []
    public var memory = MemoryDescription()
    public var totals = RequestTotals()
    public var rates = RequestRates()
    public var model = ModelStatus.Result()
    public init() {}
    public static let fields: [JSONField<Result>] = [
      .required("version", \.version, "The daemon's version."),
      .required("processId", \.processID, "The daemon's process."),
      .required("uptimeSeconds", \.uptimeSeconds, "Since the daemon was started."),
      .required("clients", \.clients, "Who is connected, the longest first; the one that asks is among them."),
      .required("memory", \.memory, "What the processes hold."),
      .required("totals", \.totals, "What was done since the start."),
      .required("rates", \.rates, "What was done in the last five minutes."),
      .required("model", \.model, "As `model/status` answers."),
    ]
  }
}

/// A connected client.
public struct ClientDescription: JSONMessage, Equatable {
  public var name: String?
  public var version: String?
  public var connectedSeconds = 0
  public var requests = 0
  public var activeRequests = 0
  public init() {}
  public static let fields: [JSONField<ClientDescription>] = [
    .nullable("name", \.name, "From `clientInfo` of `initialize`."), .nullable("version", \.version, "The same."),
    .required("connectedSeconds", \.connectedSeconds, "Since it has connected."),
    .required("requests", \.requests, "Requests for the model that it was answered."),
    .required("activeRequests", \.activeRequests, "Those that run or wait."),
  ]
}

/// Memory in bytes; null where the system does not tell.
public struct MemoryDescription: JSONMessage, Equatable {
  public var daemonBytes: Int?
  public var engineBytes: Int?
  public init() {}
  public init(daemonBytes: Int?, engineBytes: Int?) {
    self.daemonBytes = daemonBytes
    self.engineBytes = engineBytes
  }
  public static let fields: [JSONField<MemoryDescription>] = [
    .nullable("daemonBytes", \.daemonBytes, "Resident memory of the daemon's process."),
    .nullable("engineBytes", \.engineBytes, "The same of the engine's, the model's file included; null without one."),
  ]
}

/// Sums over all clients.
public struct RequestTotals: JSONMessage, Equatable {
  public var requests = 0
  public var failedRequests = 0
  public var promptTokens = 0
  public var cachedTokens = 0
  public var completionTokens = 0
  public init() {}
  public static let fields: [JSONField<RequestTotals>] = [
    .required("requests", \.requests, "Requests for the model that were answered."),
    .required("failedRequests", \.failedRequests, "Those of them that were answered with an error."),
    .required("promptTokens", \.promptTokens, "Tokens of their prompts."),
    .required("cachedTokens", \.cachedTokens, "Those of them that the KV cache held already."),
    .required("completionTokens", \.completionTokens, "Tokens that the model wrote."),
  ]
}

/// Averages over the last five minutes.
public struct RequestRates: JSONMessage, Equatable {
  public var requestsPerMinute = 0.0
  public var completionTokensPerSecond: Double?
  public init() {}
  public init(requestsPerMinute: Double, completionTokensPerSecond: Double?) {
    self.requestsPerMinute = requestsPerMinute
    self.completionTokensPerSecond = completionTokensPerSecond
  }
  public static let fields: [JSONField<RequestRates>] = [
    .required("requestsPerMinute", \.requestsPerMinute, "Requests answered a minute."),
    .nullable(
      "completionTokensPerSecond", \.completionTokensPerSecond,
      "Tokens a second of a request, from its first one on; null when none was answered."),
  ]
}
