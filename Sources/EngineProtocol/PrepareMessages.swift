import JSON
import JSONRPC

// What `inkling prepare` asks of an engine, which loads no model of its own for it (`engine/load` is not sent).

/// The forms of weights that copies of a model are made in.
public enum CopyFormat: String, JSONStringEnum {
  case eightBit = "Q8_0"
  case fourBit = "Q4_0"
}

/// Writes a copy of a model with its weights in another form. When it fails, part of the file may be there.
public enum EngineQuantize: RequestMethod {
  public static let name = "engine/quantize"
  public typealias Result = Empty

  public struct Params: JSONMessage {
    public var source = ""
    public var target = ""
    public var format = CopyFormat.eightBit
    public init() {}
    public init(source: String, target: String, format: CopyFormat) {
      self.source = source
      self.target = target
      self.format = format
    }
    public static let fields: [JSONField<Params>] = [
      .required("source", \.source, "The GGUF file."),
      .required("target", \.target, "The file to be written; what is there is replaced."),
      .required("format", \.format, "The form of the copy's weights."),
    ]
  }
}

/// Compares models of one vocabulary, all loaded at once: how fast each is, and how far its distributions lie from the
/// first one's.
public enum EngineMeasure: RequestMethod {
  public static let name = "engine/measure"

  public struct Params: JSONMessage {
    public var paths: [String] = []
    public var text = ""
    public var promptTokens = 100
    public var writtenTokens = 50
    public init() {}
    public static let fields: [JSONField<Params>] = [
      .required("paths", \.paths, "GGUF files; the others are compared with the first."),
      .required("text", \.text, "What is read and written; the model chooses nothing."),
      .defaulted("promptTokens", \.promptTokens, "Tokens that a run reads at once."),
      .defaulted("writtenTokens", \.writtenTokens, "Tokens that a run then writes one by one."),
    ]
    public func validate() throws(JSONMismatch) {
      guard (1...8).contains(paths.count) else { throw JSONMismatch(path: "paths", "must be 1 to 8 files") }
    }
  }

  public struct Result: JSONMessage {
    public var models: [MeasuredModel] = []
    public init() {}
    public init(models: [MeasuredModel]) { self.models = models }
    public static let fields: [JSONField<Result>] = [.required("models", \.models, "In the order of `paths`.")]
  }
}

/// What was measured of a model.
public struct MeasuredModel: JSONMessage, Equatable {
  public var quantization = ""
  public var prefillTokensPerSecond = 0.0
  public var decodeTokensPerSecond = 0.0
  public var relativeTime = 1.0
  public var perplexity = 0.0
  public var divergence = 0.0
  public init() {}
  public static let fields: [JSONField<MeasuredModel>] = [
    .required("quantization", \.quantization, "As libllama describes the file type."),
    .required("prefillTokensPerSecond", \.prefillTokensPerSecond, "Tokens read at once, by the lower quartile."),
    .required("decodeTokensPerSecond", \.decodeTokensPerSecond, "Tokens written one by one, likewise."),
    .required("relativeTime", \.relativeTime, "The time of a run, as a part of the first model's."),
    .required("perplexity", \.perplexity, "Of the sample text."),
    .required("divergence", \.divergence, "Mean KL divergence from the first model, in nats."),
  ]
}

/// How far an `engine/quantize` or `engine/measure` is; a sign of life too.
public enum EngineWorkProgress: NotificationMethod {
  public static let name = "engine/workProgress"

  public struct Params: JSONMessage {
    public var fraction = 0.0
    public init() {}
    public init(fraction: Double) { self.fraction = fraction }
    public static let fields: [JSONField<Params>] = [.required("fraction", \.fraction, "0…1.")]
  }
}
