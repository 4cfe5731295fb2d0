import JSON

/// One message of the conversation that a prompt is made of.
public struct PromptMessage: JSONMessage, Equatable {
  public enum Role: String, JSONStringEnum { case system, user, assistant }

  public var role = Role.user
  /// Text from a person or a model; never read as control tokens.
  public var text = ""
  public init() {}
  public init(_ role: Role, _ text: String) {
    self.role = role
    self.text = text
  }
  public static let fields: [JSONField<PromptMessage>] = [
    .required("role", \.role, "Who says it."),
    .required("text", \.text, "What is said; never read as control tokens."),
  ]
}

/// How the next token is chosen.
public struct Sampling: JSONMessage, Equatable {
  /// 0 is greedy.
  public var temperature = 0.0
  /// 0 = off.
  public var topK = 0
  public var topP = 1.0
  public var minP = 0.0
  public var seed = 0
  /// 1 = off; above 1, how strongly a token is held back that would go on a repetition within the output.
  public var repetitionPenalty = 1.0
  public init() {}
  public static let fields: [JSONField<Sampling>] = [
    .defaulted("temperature", \.temperature, "0 is greedy."),
    .defaulted("topK", \.topK, "Only the k likeliest tokens; 0 = all."),
    .defaulted("topP", \.topP, "Only the likeliest tokens that together have this probability."),
    .defaulted("minP", \.minP, "Only tokens at least this share as likely as the likeliest."),
    .defaulted("seed", \.seed, "Of the random numbers."),
    .defaulted("repetitionPenalty", \.repetitionPenalty, "1 = off."),
  ]
}

public enum Priority: String, JSONStringEnum { case interactive, background }

/// A form that plain text must have; the engine lets the model write nothing else.
public struct TextShape: JSONMessage, Equatable {
  public enum Unit: String, JSONStringEnum {
    /// Sentences on one line, one space between them.
    case sentence
    /// Lines that begin with `- `.
    case bullet
    /// One line without a full stop at its end.
    case headline

    /// Most Unicode scalars of one, without the mark of a bullet; one that is as long was broken off.
    public var mostCharacters: Int {
      switch self {
      case .sentence: 400
      case .bullet: 200
      case .headline: 120
      }
    }
  }

  public var unit = Unit.sentence
  /// How many there are, exactly; at least 1.
  public var count = 1
  public init() {}
  public init(_ unit: Unit, count: Int) {
    self.unit = unit
    self.count = count
  }
  public static let fields: [JSONField<TextShape>] = [
    .required("unit", \.unit, "What the text is made of."),
    .required("count", \.count, "How many there are, exactly.", in: 1...1_000),
  ]
}

public struct GenerateParams: JSONMessage {
  /// Chosen by the front end; names the request in notifications. Unique in a child's life.
  public var request = 0
  public var messages: [PromptMessage] = []
  /// How many of the first messages are worth keeping for later requests (a feature's instructions).
  public var pinnedMessages = 0
  /// How many of the first messages hold nothing but the program's own words: only what is read of these may be kept on
  /// the disk.
  public var builtInMessages = 0
  /// The start of the answer, continued by the model; not part of the text that is sent. With a schema it is the start
  /// of a value, and snapshots show it.
  public var answerPrefix = ""
  public var sampling = Sampling()
  /// Most tokens to generate.
  public var maxTokens = 1024
  /// Texts that end the answer; they are not part of it.
  public var stop: [String] = []
  public var priority = Priority.interactive
  /// Whether thinking models may think; if not, the empty thought of the family is put in the prompt.
  public var reasoning = false
  /// The JSON Schema that the answer, one compact JSON text, is true to. Never together with `shape`.
  public var schema: JSONValue?
  public var shape: TextShape?
  /// Only reads the prompt, so that a later request finds it in the KV cache: nothing is generated, and it ends at
  /// once, with what is read so far, when another request comes.
  public var prefillOnly = false
  /// Tokens that the prompt must leave free, at most a quarter of the window; a longer one is refused as one that does
  /// not fit.
  public var leastRoom = 0
  /// Whether a later prompt is likely to begin with this one and its answer.
  public var isConversation = false
  public init() {}
  public static let fields: [JSONField<GenerateParams>] = [
    .required("request", \.request, "Names the request in notifications."),
    .required("messages", \.messages, "The conversation."),
    .defaulted("pinnedMessages", \.pinnedMessages, "How many first messages to keep for later requests."),
    .defaulted("builtInMessages", \.builtInMessages, "How many first messages are the program's own words alone."),
    .defaulted("answerPrefix", \.answerPrefix, "The start of the answer."),
    .defaulted("sampling", \.sampling, "How tokens are chosen."),
    .defaulted("maxTokens", \.maxTokens, "Most tokens to generate."),
    .defaulted("stop", \.stop, "Texts that end the answer."),
    .defaulted("priority", \.priority, "Interactive requests go before background ones."),
    .defaulted("reasoning", \.reasoning, "Whether a thinking model may think."),
    .optional("schema", \.schema, "The JSON Schema of the answer."),
    .optional("shape", \.shape, "The form of the answer."),
    .defaulted("prefillOnly", \.prefillOnly, "Only reads the prompt, for later requests."),
    .defaulted("isConversation", \.isConversation, "A later prompt is likely to begin with this one and its answer."),
    .defaulted("leastRoom", \.leastRoom, "Tokens that the prompt must leave free, a quarter of the window at most."),
  ]
}

public enum FinishReason: String, JSONStringEnum {
  /// The model ended its answer, or a stop text came.
  case stop
  /// `maxTokens` was reached.
  case length
  /// The context window was full.
  case contextFull
}

public struct GenerateResult: JSONMessage, Equatable {
  public var finishReason = FinishReason.stop
  public var promptTokens = 0
  public var cachedTokens = 0
  public var completionTokens = 0
  public var contextUsed = 0
  public var contextSize = 0
  public var timeToFirstTokenMs = 0.0
  public var durationMs = 0.0
  /// The output ran in circles and was ended.
  public var repeated = false
  /// The value is complete, but the model wanted more than the tokens allowed.
  public var cutShort = false
  /// The sum of the natural logarithms of the probabilities of the tokens that the model chose, the one that ended the
  /// output among them, at temperature 1, before penalties and constraints. Tokens that a form decided count 0.
  public var logProbability = 0.0
  public init() {}
  public static let fields: [JSONField<GenerateResult>] = [
    .required("finishReason", \.finishReason, "Why it ended."),
    .required("promptTokens", \.promptTokens, "Includes `cachedTokens`."),
    .required("cachedTokens", \.cachedTokens, "Prompt tokens that were in the KV cache already."),
    .required("completionTokens", \.completionTokens, "Tokens generated."),
    .required("contextUsed", \.contextUsed, "Positions used at the end."),
    .required("contextSize", \.contextSize, "Positions there are."),
    .required("timeToFirstTokenMs", \.timeToFirstTokenMs, "From the engine's receipt to the first token sampled."),
    .required("durationMs", \.durationMs, "From the engine's receipt to the end."),
    .required("repeated", \.repeated, "The output ran in circles and was ended."),
    .defaulted("cutShort", \.cutShort, "The value is complete, but the model wanted more than the tokens allowed."),
    .required("logProbability", \.logProbability, "Sum of ln p of the tokens that the model chose."),
  ]
}

/// What is known of a loaded model.
public struct ModelFacts: JSONMessage, Equatable {
  public var name = ""
  public var path = ""
  public var architecture = ""
  public var parameterCount = 0
  public var quantization = ""
  public var sizeBytes = 0
  public var contextSize = 0
  public var trainedContext = 0
  /// Name of the template in our table.
  public var chatTemplate = ""
  /// Set when the GGUF's own template names control tokens that ours does not use.
  public var chatTemplateWarning: String?
  public var license: String?
  public var libllama = ""
  public var threads = 0
  public var devices: [String] = []
  /// `on`, `off` or `unknown`.
  public var flashAttention = ""
  public init() {}
  public static let fields: [JSONField<ModelFacts>] = [
    .required("name", \.name, "From the file's metadata, else the file's name."),
    .required("path", \.path, "The file loaded."),
    .required("architecture", \.architecture, "As GGUF names it."),
    .required("parameterCount", \.parameterCount, "Weights in the model."),
    .required("quantization", \.quantization, "As libllama describes the file type."),
    .required("sizeBytes", \.sizeBytes, "Of the weights."),
    .required("contextSize", \.contextSize, "Tokens of the KV cache."),
    .required("trainedContext", \.trainedContext, "Tokens the model was trained with."),
    .required("chatTemplate", \.chatTemplate, "Name of the template used."),
    .optional("chatTemplateWarning", \.chatTemplateWarning, "The file's own template looks different."),
    .optional("license", \.license, "From the file's metadata."),
    .required("libllama", \.libllama, "Version or commit of the library."),
    .required("threads", \.threads, "Threads for batches."),
    .required("devices", \.devices, "What computes."),
    .required("flashAttention", \.flashAttention, "`on`, `off`, or `unknown` when the library does not tell."),
  ]
}
