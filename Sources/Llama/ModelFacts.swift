/// What is known of a loaded model and of how it is run.
public struct LlamaFacts: Sendable, Equatable {
  /// From the file's metadata, else the file's name.
  public var name = ""
  public var path = ""
  /// As GGUF names it.
  public var architecture = ""
  public var parameterCount = 0
  /// As libllama describes the file type.
  public var quantization = ""
  /// Bytes of the weights.
  public var sizeBytes = 0
  /// Cells of the KV cache.
  public var contextSize = 0
  public var trainedContext = 0
  public var chatTemplate = ""
  public var chatTemplateWarning: String?
  public var license: String?
  public var libllama = ""
  public var devices: [String] = []
  public var threads = ThreadCounts(decode: 1, batch: 1)
  public var flashAttention = FlashAttention.unknown
  public var reproducible = false
  /// What states of sequences depend on, see `StateKey`; nil when they must not go to another process.
  public var stateKey: String?

  /// Whether attention is computed without storing its matrix; without it idle sequences make every step slow.
  public enum FlashAttention: String, Sendable {
    case on, off
    /// This libllama does not say.
    case unknown
  }
}

/// Threads that compute, at most (`ThreadGovernor`).
public struct ThreadCounts: Sendable, Equatable {
  /// For steps of one token.
  public var decode: Int
  /// For every step of more than one token.
  public var batch: Int
}

extension ThreadCounts {
  /// The counts for a machine with that many processors.
  ///
  /// - Parameter requested: threads for batches that the user asked for; 0 when the choice is ours. Never more than
  ///   processors: threads that wait for each other without one are slower by orders of magnitude.
  static func chosen(processors: Int, requested: Int, reproducible: Bool) -> ThreadCounts {
    let batch = max(1, min(requested > 0 ? requested : processors, processors))
    // Attention over many cells is split over the decode threads, and its result depends on the split.
    return ThreadCounts(decode: reproducible ? 1 : batch, batch: batch)
  }
}
