/// How the next token is chosen from the logits.
///
/// Top-k, top-p and min-p cut the distribution at temperature 1, in that order; the temperature then shapes what is
/// left. So a high temperature never brings back what the cuts have removed.
public struct SamplingParameters: Sendable, Equatable {
  /// 0 is greedy: the likeliest token, of equal ones the one with the lowest number.
  public var temperature: Float
  /// Only the k likeliest tokens; 0 = all.
  public var topK: Int
  /// Only the fewest likeliest tokens that together have at least this share of the probability; 1 = all.
  public var topP: Float
  /// Only tokens at least this share as likely as the likeliest; 0 = all.
  public var minP: Float
  public var seed: UInt64
  /// 1 = off; above it, how strongly a token is held back that would go on a repetition (`RepetitionTracker`).
  public var repetitionPenalty: Float

  public init(
    temperature: Float = 0, topK: Int = 0, topP: Float = 1, minP: Float = 0, seed: UInt64 = 0,
    repetitionPenalty: Float = 1
  ) {
    self.temperature = temperature
    self.topK = topK
    self.topP = topP
    self.minP = minP
    self.seed = seed
    self.repetitionPenalty = repetitionPenalty
  }
}

/// A prompt to continue.
public struct GenerationRequest: Sendable {
  /// Chosen by the caller, different from that of every request that has not ended.
  public var id: Int
  public var prompt: [Token]
  /// Lengths of prefixes of the prompt that are worth keeping for later requests, such as the end of a feature's
  /// instructions. The first one is pinned. A memory that cannot be cut keeps a copy at each of them.
  public var savedBorders: [Int]
  public var sampling: SamplingParameters
  /// Most tokens to generate, at least 1.
  public var maxTokens: Int
  /// Byte strings that end the output and are not part of it. Empty ones are ignored, with a constraint all are.
  public var stop: [[UInt8]]
  /// What a constrained output begins with, which the prompt ends with already.
  public var constrainedStart: [UInt8] = []
  /// Background requests come after interactive ones.
  public var isBackground: Bool
  /// What the output must be. It is complete unless it ends with `length` or `contextFull`.
  public var constraint: Constraint?
  /// Reads the prompt into the KV cache and generates nothing: a prewarm. It is a background request that gives way to
  /// every other one: it ends, with what was read by then, as soon as one is submitted.
  public var prefillOnly: Bool
  /// Prompt and output will be the start of a later prompt: they may keep more cells than others when it has ended.
  public var isConversation: Bool
  /// The part of the prompt that the output is likely to follow: the text of a rewrite. What it says next is drafted
  /// from there, and several tokens are computed together. Nothing is drafted with a constraint, and where the memory
  /// cannot be cut.
  public var draftSource: Range<Int>?
  /// How much of the prompt's start is to be saved (`Generator.takeSavedPrefix`); one of `savedBorders`, or 0.
  public var savedLength = 0
  /// The prompt's start as it was saved; used when the KV cache has no more of it.
  public var savedPrefix: SavedPrefix?

  public init(
    id: Int, prompt: [Token], savedBorders: [Int] = [], sampling: SamplingParameters = SamplingParameters(),
    maxTokens: Int = 1024, stop: [[UInt8]] = [], isBackground: Bool = false,
    constraint: Constraint? = nil, prefillOnly: Bool = false, isConversation: Bool = false,
    draftSource: Range<Int>? = nil
  ) {
    self.id = id
    self.prompt = prompt
    self.savedBorders = savedBorders
    self.sampling = sampling
    self.maxTokens = maxTokens
    self.stop = stop
    self.isBackground = isBackground
    self.constraint = constraint
    self.prefillOnly = prefillOnly
    self.isConversation = isConversation
    self.draftSource = draftSource
  }
}

/// What a request ended with.
public struct GenerationSummary: Sendable, Equatable {
  public enum FinishReason: Sendable, Equatable {
    /// The model ended its output, a stop string came, or it ran in circles (`repeated`).
    case stop
    /// `maxTokens` was reached.
    case length
    /// Prompt and output together fill the context window.
    case contextFull
  }

  public var finishReason: FinishReason
  /// Includes `cachedTokens`.
  public var promptTokens: Int
  /// Prompt tokens that were in the KV cache already when the request was admitted.
  public var cachedTokens: Int
  /// Tokens generated, without the one that ended the output.
  public var completionTokens: Int
  /// Positions of the window that prompt and output take; of a prewarm, what of its prompt is in the KV cache.
  public var contextUsed: Int
  /// The output ran in circles and was ended. What had been sent by then stays; further copies were not sent.
  /// With a constraint: a text in it, or all of it, ran in circles and was closed.
  public var repeated: Bool
  /// With a constraint: the output is complete, but the model wanted more than the tokens allowed.
  public var cutShort: Bool
  /// The sum of ln p of the sampled tokens, and of the token that ended the output, at temperature 1 and before
  /// penalties and constraints. Tokens that a constraint decided count 0.
  public var logProbability: Double
  /// The output, when it is free text; else empty. A loop that was cut off its end is in it.
  public var tokens: [Token]
  /// From `submit` to the first token sampled.
  public var timeToFirstToken: Duration
  /// From `submit` to the end.
  public var duration: Duration
}

/// Why a request could not be done.
public enum GenerationFailure: Error, Equatable {
  /// The prompt and the least room for output do not fit the window, whatever else runs.
  case contextWindowExceeded(promptTokens: Int, contextSize: Int, reservedForOutput: Int)
  /// The prompt is empty, or holds a token that the vocabulary does not have.
  case invalidPrompt
  /// A request with this id is still running.
  case duplicateID
  /// The model's logits were not numbers, or it refused the step with this message.
  case decodeFailed(String)
}

/// What happens to a request. After `finished` or `failed` nothing more comes for it.
public enum InferenceEvent: Sendable, Equatable {
  /// Prompt tokens in the KV cache, out of all. Only for prompts whose reading takes several steps.
  case prefill(request: Int, done: Int, total: Int)
  /// What follows the text sent before: whole Unicode scalars in UTF-8, never empty.
  case text(request: Int, [UInt8])
  case finished(request: Int, GenerationSummary)
  case failed(request: Int, GenerationFailure)
}

/// What `Generator` holds now.
public struct InferenceStatistics: Sendable, Equatable {
  /// Sequences in the KV cache, running and idle.
  public var sequences = 0
  /// Occupied cells of the KV cache.
  public var occupiedCells = 0
  /// Sequences that were taken out of the KV cache and can be put back.
  public var parked = 0
  /// Requests that hold a sequence: prefilling, decoding or paused.
  public var active = 0
  /// Requests that wait for cells or for a prefix that another one is reading.
  public var waiting = 0
  /// Steps done so far.
  public var steps = 0
  /// A running average of a step's time.
  public var stepTime = Duration.zero
  /// Rows that a step may have now.
  public var stepBudget = 0
  /// Tokens that were drafted so far.
  public var drafted = 0
  /// Of these, the ones that the output took.
  public var accepted = 0
}
