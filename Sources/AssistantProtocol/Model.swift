import JSON
import JSONRPC

/// Tells about the model, the engine and the load. Never loads the model.
public enum ModelStatus: RequestMethod {
  public static let name = "model/status"
  public typealias Params = Empty

  public struct Result: JSONMessage, Equatable {
    public var availability = Availability()
    public var model: ModelDescription?
    public var engine = EngineDescription()
    public var thermalState = ThermalState.unknown
    public var sessions = 0
    public var activeRequests = 0
    public var queuedRequests = 0
    public var uptimeSeconds = 0
    public init() {}
    /// Other results contain this one.
    public static var jsonTypeName: String { "ModelStatus" }
    public static let fields: [JSONField<Result>] = [
      .required("availability", \.availability, "Whether the model can generate now."),
      .nullable("model", \.model, "The loaded model."), .required("engine", \.engine, "The process that computes."),
      .required("thermalState", \.thermalState, "How hot the machine is; `unknown` where it cannot be read."),
      .required("sessions", \.sessions, "Sessions in memory."),
      .required("activeRequests", \.activeRequests, "Requests that are reading or writing."),
      .required("queuedRequests", \.queuedRequests, "Requests that wait for the model or for room in it."),
      .required("uptimeSeconds", \.uptimeSeconds, "Since the daemon was started."),
    ]
  }
}

/// How hot the machine is, in the words of Apple's `ProcessInfo.ThermalState`.
public enum ThermalState: String, JSONStringEnum { case nominal, fair, serious, critical, unknown }

/// What is known of a loaded model.
public struct ModelDescription: JSONMessage, Equatable {
  public var name = ""
  public var path = ""
  public var sourcePath = ""
  public var architecture = ""
  public var parameterCount = 0
  public var quantization = ""
  public var sizeBytes = 0
  public var contextSize = 0
  public var trainedContext = 0
  public var chatTemplate = ""
  public var license: String?
  public init() {}
  public static let fields: [JSONField<ModelDescription>] = [
    .required("name", \.name, "From the file's metadata, else the file's name."),
    .required("path", \.path, "The file that is loaded."),
    .required("sourcePath", \.sourcePath, "The file that was asked for."),
    .required("architecture", \.architecture, "As GGUF names it."),
    .required("parameterCount", \.parameterCount, "How many weights it has."),
    .required("quantization", \.quantization, "How the weights are stored."),
    .required("sizeBytes", \.sizeBytes, "The size of the weights."),
    .required("contextSize", \.contextSize, "Tokens the context window holds."),
    .required("trainedContext", \.trainedContext, "Tokens it was trained with."),
    .required("chatTemplate", \.chatTemplate, "The form in which it is given messages."),
    .nullable("license", \.license, "From the file's metadata."),
  ]
}

/// What is known of the process that computes; what only a running one has is null or 0 while there is none.
public struct EngineDescription: JSONMessage, Equatable {
  public var libllama: String?
  public var threads: Int?
  public var devices: [String] = []
  public var sequences = 0
  public var cachedTokens = 0
  public var processID: Int?
  public var restarts = 0
  public init() {}
  public static let fields: [JSONField<EngineDescription>] = [
    .nullable("libllama", \.libllama, "The library's version."),
    .nullable("threads", \.threads, "Threads that compute batches."), .required("devices", \.devices, "What computes."),
    .required("sequences", \.sequences, "Texts in the KV cache, running and kept."),
    .required("cachedTokens", \.cachedTokens, "Tokens in the KV cache."),
    .nullable("processId", \.processID, "The engine's process."),
    .required("restarts", \.restarts, "How often it has been started again after it had failed."),
  ]
}

/// Loads another model. Running requests finish with the old one, new ones wait; on failure the old model returns.
public enum ModelLoad: RequestMethod {
  public static let name = "model/load"

  public struct Params: JSONMessage, Equatable {
    public var path = FilePath.placeholder
    public var force = false
    public var workDoneToken: ProgressToken?
    public init() {}
    public init(path: FilePath, force: Bool = false, workDoneToken: ProgressToken? = nil) {
      self.path = path
      self.force = force
      self.workDoneToken = workDoneToken
    }
    public static let fields: [JSONField<Params>] = [
      .required("path", \.path, "A GGUF file."),
      .defaulted("force", \.force, "Ends running requests with `engineFailed` instead of waiting for them."),
      .optional("workDoneToken", \.workDoneToken, "Asks for progress reports, sent with this token."),
    ]
  }

  public struct Result: JSONMessage, Equatable {
    public var model = ModelDescription()
    public init() {}
    public init(model: ModelDescription) { self.model = model }
    public static let fields: [JSONField<Result>] = [.required("model", \.model, "The model that is loaded now.")]
  }
}

/// Takes the model out of memory once running requests have finished. The next request that needs it loads it again.
public enum ModelUnload: RequestMethod {
  public static let name = "model/unload"
  public typealias Params = Empty
  public typealias Result = Empty
}
