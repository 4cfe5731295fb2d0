import JSON
import JSONRPC

/// The child's first message: who it is. The front end ends a child whose build differs from its own.
public enum EngineHello: NotificationMethod {
  public static let name = "engine/hello"

  public struct Params: JSONMessage {
    public var buildID = ""
    public var processID = 0
    public init() {}
    public init(buildID: String, processID: Int) {
      self.buildID = buildID
      self.processID = processID
    }
    public static let fields: [JSONField<Params>] = [
      .required("buildId", \.buildID, "Identifies the executable; both sides are the same file."),
      .required("processId", \.processID, "The child's process."),
    ]
  }
}

/// Loads the model; answered when it can generate. After an error another file may be tried; a child that has a model
/// keeps it, and another model is another child.
public enum EngineLoad: RequestMethod {
  public static let name = "engine/load"
  public typealias Result = ModelFacts

  public struct Params: JSONMessage {
    public var path = ""
    /// Tokens of the KV cache; 0 = the smaller of 8,192 and what the model was trained with.
    public var contextSize = 0
    /// Threads for batches; 0 = chosen by the engine.
    public var threads = 0
    public var reproducible = false
    /// Whether what was read of a prompt is kept for later ones.
    public var reusesPrefixes = true
    /// Whether likely tokens are guessed and verified several at a time.
    public var drafts = true
    /// Where the states of built-in instructions are kept between processes; empty: nowhere.
    public var prefixFolder = ""
    public init() {}
    public init(path: String, contextSize: Int = 0, threads: Int = 0, reproducible: Bool = false) {
      self.path = path
      self.contextSize = contextSize
      self.threads = threads
      self.reproducible = reproducible
    }
    public static let fields: [JSONField<Params>] = [
      .required("path", \.path, "The GGUF file."),
      .defaulted("contextSize", \.contextSize, "Tokens of the KV cache; 0 = chosen by the engine."),
      .defaulted("threads", \.threads, "Threads for batches; 0 = chosen by the engine."),
      .defaulted("reproducible", \.reproducible, "One decode thread and micro-batches of at most 63 rows."),
      .defaulted("reusesPrefixes", \.reusesPrefixes, "Whether what was read of a prompt is kept for later ones."),
      .defaulted("drafts", \.drafts, "Whether likely tokens are guessed and verified several at a time."),
      .defaulted("prefixFolder", \.prefixFolder, "Where the states of built-in instructions are kept; empty: nowhere."),
    ]
  }
}

/// How far the loading is.
public enum EngineLoadProgress: NotificationMethod {
  public static let name = "engine/loadProgress"

  public struct Params: JSONMessage {
    public var fraction = 0.0
    public init() {}
    public init(fraction: Double) { self.fraction = fraction }
    public static let fields: [JSONField<Params>] = [.required("fraction", \.fraction, "0…1.")]
  }
}

/// A line for the daemon's log: what could not be done though no request failed for it. Never a text of a user's.
public enum EngineNotice: NotificationMethod {
  public static let name = "engine/notice"

  public struct Params: JSONMessage {
    public var message = ""
    public init() {}
    public init(message: String) { self.message = message }
    public static let fields: [JSONField<Params>] = [.required("message", \.message, "One line.")]
  }
}

/// Generates text for one prompt. Text arrives as `engine/text` before the response, which carries no text.
public enum EngineGenerate: RequestMethod {
  public static let name = "engine/generate"
  public typealias Params = GenerateParams
  public typealias Result = GenerateResult
}

/// A piece of generated text, in order. Always whole Unicode scalars.
public enum EngineText: NotificationMethod {
  public static let name = "engine/text"

  public struct Params: JSONMessage {
    public var request = 0
    public var text = ""
    public init() {}
    public init(request: Int, text: String) {
      self.request = request
      self.text = text
    }
    public static let fields: [JSONField<Params>] = [
      .required("request", \.request, "`GenerateParams.request`."),
      .required("text", \.text, "What follows the text sent before."),
    ]
  }
}

extension EngineText.Params: MergeableParams {
  public mutating func merge(_ later: Self) -> Bool {
    guard later.request == request else { return false }
    text += later.text
    return true
  }

  public var approximateByteCount: Int { text.utf8.count + 100 }
}

/// The value so far of an answer with a schema, true to it but for what is still missing: keys, items, the rest of a
/// free string. Replaces the one sent before.
public enum EngineStructured: NotificationMethod {
  public static let name = "engine/structured"

  public struct Params: JSONMessage {
    public var request = 0
    public var value = JSONValue.null
    public init() {}
    public init(request: Int, value: JSONValue) {
      self.request = request
      self.value = value
    }
    public static let fields: [JSONField<Params>] = [
      .required("request", \.request, "`GenerateParams.request`."),
      .required("value", \.value, "The value so far."),
    ]
  }
}

extension EngineStructured.Params: MergeableParams {
  public mutating func merge(_ later: Self) -> Bool {
    guard later.request == request else { return false }
    value = later.value
    return true
  }

  public var approximateByteCount: Int { value.approximateByteCount + 100 }
}

/// How much of a long prompt is read; sent at most once a step and only while prefilling takes several.
public enum EnginePrefillProgress: NotificationMethod {
  public static let name = "engine/prefillProgress"

  public struct Params: JSONMessage {
    public var request = 0
    public var done = 0
    public var total = 0
    public init() {}
    public init(request: Int, done: Int, total: Int) {
      self.request = request
      self.done = done
      self.total = total
    }
    public static let fields: [JSONField<Params>] = [
      .required("request", \.request, "`GenerateParams.request`."),
      .required("done", \.done, "Prompt tokens in the KV cache."),
      .required("total", \.total, "Prompt tokens."),
    ]
  }
}

/// A sign of life, about four times a second while the engine computes or loads: the supervisor listens to it.
public enum EngineHeartbeat: NotificationMethod {
  public static let name = "engine/heartbeat"

  public struct Params: JSONMessage {
    public var steps = 0
    public var stepMilliseconds = 0.0
    public init() {}
    public init(steps: Int, stepMilliseconds: Double) {
      self.steps = steps
      self.stepMilliseconds = stepMilliseconds
    }
    public static let fields: [JSONField<Params>] = [
      .required("steps", \.steps, "Grows whenever the engine gets on: with every step, and inside a step."),
      .required("stepMilliseconds", \.stepMilliseconds, "A running average of a step's time."),
    ]
  }
}

/// Stops or goes on generating for a request whose reader is slow.
public enum EnginePause: NotificationMethod {
  public static let name = "engine/pause"

  public struct Params: JSONMessage {
    public var request = 0
    public var paused = false
    public init() {}
    public init(request: Int, paused: Bool) {
      self.request = request
      self.paused = paused
    }
    public static let fields: [JSONField<Params>] = [
      .required("request", \.request, "`GenerateParams.request`."),
      .required("paused", \.paused, "true stops it after the step at hand, false goes on."),
    ]
  }
}

/// Ends the answer of a request where it stands, as if the model had ended it: the front end has seen that nothing
/// that follows can be used. Its result comes as usual, and what was read and written stays in the prefix cache.
public enum EngineFinish: NotificationMethod {
  public static let name = "engine/finish"

  public struct Params: JSONMessage {
    public var request = 0
    public init() {}
    public init(request: Int) { self.request = request }
    public static let fields: [JSONField<Params>] = [
      .required("request", \.request, "`GenerateParams.request`. One that has ended is left alone.")
    ]
  }
}

/// Counts the tokens of a text as a user's text would be counted in a prompt.
public enum EngineCount: RequestMethod {
  public static let name = "engine/count"

  public struct Params: JSONMessage {
    public var text = ""
    public init() {}
    public init(text: String) { self.text = text }
    public static let fields: [JSONField<Params>] = [.required("text", \.text, "Any text.")]
  }

  public struct Result: JSONMessage {
    public var tokens = 0
    public init() {}
    public init(tokens: Int) { self.tokens = tokens }
    public static let fields: [JSONField<Result>] = [.required("tokens", \.tokens, "Their number.")]
  }
}

/// What the engine holds now.
public enum EngineStatus: RequestMethod {
  public static let name = "engine/status"
  public typealias Params = Empty

  public struct Result: JSONMessage {
    public var sequences = 0
    public var cachedTokens = 0
    public var active = 0
    public var waiting = 0
    public init() {}
    public static let fields: [JSONField<Result>] = [
      .required("sequences", \.sequences, "Sequences in the KV cache, running and idle."),
      .required("cachedTokens", \.cachedTokens, "Occupied cells of the KV cache."),
      .required("active", \.active, "Requests that are prefilling or decoding."),
      .required("waiting", \.waiting, "Requests that wait for cells."),
    ]
  }
}
