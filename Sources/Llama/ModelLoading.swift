import CLlama
import GGUF
import Inference
import Synchronization

extension LlamaModel {
  /// How a model is to be run.
  public struct Options: Sendable {
    /// Cells of the KV cache; 0 = the smaller of 8,192 and what the model was trained with. Never more than the latter.
    public var contextSize = 0
    /// Threads for batches; 0 = chosen by the machine.
    public var threads = 0
    /// Bit-identical results however requests are batched: micro-batches of at most 63 rows and one decode thread.
    public var reproducible = false

    public init(contextSize: Int = 0, threads: Int = 0, reproducible: Bool = false) {
      self.contextSize = contextSize
      self.threads = threads
      self.reproducible = reproducible
    }
  }

  private enum Defaults {
    static let batchRows: UInt32 = 512
    /// Batches of 64 rows and more go through another kernel, whose sums come out differently.
    static let reproducibleRows: UInt32 = 63
    static let sequences: UInt32 = 64
    /// Recurrent models allocate a state for each sequence.
    static let recurrentSequences: UInt32 = 8
  }

  /// Loads a model and makes its context, on the calling thread.
  ///
  /// - Parameters:
  ///   - signal: counts the progress, inside the load and later inside every step, and ends both.
  ///   - progress: called on this thread with the part of the weights that is loaded, 0…1.
  public static func load(
    path: String, options: Options = Options(), signal: ComputeSignal = ComputeSignal(),
    progress: (Double) -> Void = { _ in }
  ) throws(ModelLoadError) -> LlamaModel {
    var outcome: Result<LlamaModel, ModelLoadError>?
    loading.withLock { _ in
      outcome = Result { () throws(ModelLoadError) in
        try loadAlone(path: path, options: options, signal: signal, progress: progress)
      }
    }
    guard let outcome else { throw stopped }
    return try outcome.get()
  }

  /// One load or copy at a time in a process: some facts are read from the library's log, which is one for all.
  static let loading = Mutex(())

  private static func loadAlone(
    path: String, options: Options, signal: ComputeSignal, progress: (Double) -> Void
  ) throws(ModelLoadError) -> LlamaModel {
    let header = try ModelFileCheck.check(path)
    _ = Library.started
    LibraryLog.reset()
    let weights = try loadWeights(path, header: header, signal: signal, progress: progress)
    try refuseWhatCannotWrite(weights, path: path)

    let trained = unsafe max(256, Int(llama_model_n_ctx_train(weights.handle.pointer)))
    let wanted = options.contextSize > 0 ? options.contextSize : GGUFHeader.defaultWindow
    let contextSize = max(256, min(wanted, trained))
    let threads = ThreadCounts.chosen(
      processors: Machine.processors, requested: options.threads, reproducible: options.reproducible)
    let parameters = unsafe contextParameters(weights, size: contextSize, threads: threads, options: options)
    guard let context = unsafe ContextHandle(weights: weights, parameters: parameters, signal: signal) else {
      if signal.isStopped { throw stopped }
      let needs =
        "\(path) does not fit into memory with a context of \(contextSize) tokens (\(LibraryLog.takeErrors()))."
      throw ModelLoadError(.outOfMemory, needs)
    }

    let choice = chooseTemplate(weights)
    let vocabulary = Vocabulary(weights: weights, template: choice.template)
    var facts = facts(of: weights, path: path, header: header)
    facts.contextSize = unsafe Int(llama_n_ctx(context.pointer))
    facts.trainedContext = trained
    facts.chatTemplate = choice.template.name
    facts.chatTemplateWarning = choice.warning
    facts.threads = threads
    facts.reproducible = options.reproducible
    facts.flashAttention =
      switch LibraryLog.flashAttention {
      case "enabled": .on
      case "disabled": .off
      case .none, .some: .unknown
      }
    facts.stateKey = StateKey.make(paths: ModelFileCheck.files(of: path, header: header), facts: facts)
    return LlamaModel(
      context: context, weights: weights, vocabulary: vocabulary, template: choice.template, facts: facts,
      signal: signal)
  }

  private static let stopped = ModelLoadError(.stopped, "The load was ended.")

  private static func loadWeights(
    _ path: String, header: GGUFHeader, signal: ComputeSignal, progress: (Double) -> Void
  ) throws(ModelLoadError) -> Weights {
    try checkMemory(path, header: header)
    let loaded = withoutActuallyEscaping(progress) { progress in
      let listener = LoadListener(signal: signal, progress: progress)
      var parameters = unsafe llama_model_default_params()
      unsafe parameters.progress_callback_user_data = Unmanaged.passUnretained(listener).toOpaque()
      unsafe parameters.progress_callback = { fraction, data in
        guard let data = unsafe data else { return true }
        return unsafe Unmanaged<LoadListener>.fromOpaque(data).takeUnretainedValue().hear(fraction)
      }
      return unsafe withExtendedLifetime(listener) { unsafe llama_model_load_from_file(path, parameters) }
    }
    guard let handle = unsafe ModelHandle(adopting: loaded) else {
      if signal.isStopped { throw stopped }
      let error = LibraryLog.takeErrors()
      if error.contains("alloc") || error.contains("out of memory") {
        throw ModelLoadError(.outOfMemory, "\(path) does not fit into memory (\(error)).")
      }
      throw ModelLoadError(
        .modelInvalid,
        "libllama \(Library.version) cannot load \(path)\(error.isEmpty ? "" : " (\(error))").")
    }
    return Weights(handle)
  }

  /// Hears of a load's progress.
  private final class LoadListener {
    private let signal: ComputeSignal
    private let progress: (Double) -> Void

    init(signal: ComputeSignal, progress: @escaping (Double) -> Void) {
      self.signal = signal
      self.progress = progress
    }

    /// Whether to go on.
    func hear(_ fraction: Float) -> Bool {
      signal.advance()
      progress(Double(fraction))
      return !signal.isStopped
    }
  }

  private static func checkMemory(_ path: String, header: GGUFHeader) throws(ModelLoadError) {
    guard let available = Memory.available else { return }
    let needed = header.tensors.reduce(0) { $0 + $1.size }
    guard needed > available else { return }
    throw ModelLoadError(
      .outOfMemory,
      "\(path) needs \(megabytes(needed)) of memory, and \(megabytes(available)) are free.")
  }

  private static func megabytes(_ bytes: UInt64) -> String { "\(bytes / 1_000_000) MB" }

  private static func refuseWhatCannotWrite(_ weights: Weights, path: String) throws(ModelLoadError) {
    let model = unsafe weights.handle.pointer
    let vocabulary = unsafe weights.handle.vocabulary
    let writes =
      unsafe llama_model_has_decoder(model) && !llama_model_has_encoder(model) && !llama_model_is_diffusion(model)
      && llama_vocab_type(vocabulary) != LLAMA_VOCAB_TYPE_NONE && llama_vocab_n_tokens(vocabulary) > 0
    guard writes else {
      throw ModelLoadError(.modelInvalid, "\(path) is not a model that writes text.")
    }
  }

  private static func contextParameters(
    _ weights: Weights, size: Int, threads: ThreadCounts, options: Options
  ) -> llama_context_params {
    let model = unsafe weights.handle.pointer
    let keepsStates = unsafe llama_model_is_recurrent(model) || llama_model_is_hybrid(model)
    var parameters = unsafe llama_context_default_params()
    unsafe parameters.n_ctx = UInt32(size)
    unsafe parameters.n_batch = Defaults.batchRows
    unsafe parameters.n_ubatch = options.reproducible ? Defaults.reproducibleRows : Defaults.batchRows
    unsafe parameters.n_seq_max = keepsStates ? Defaults.recurrentSequences : Defaults.sequences
    unsafe parameters.kv_unified = true
    // Nothing that fell out of a sliding window is used again (`MemoryKind.wholeOnly`), so no cells are kept for it.
    unsafe parameters.swa_full = false
    // Not AUTO, which turns it off without a word where a device cannot do it.
    unsafe parameters.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_ENABLED
    unsafe parameters.n_threads = Int32(threads.decode)
    unsafe parameters.n_threads_batch = Int32(threads.batch)
    unsafe parameters.no_perf = true
    return unsafe parameters
  }

  private static func chooseTemplate(_ weights: Weights) -> ChatTemplateChoice {
    let model = unsafe weights.handle.pointer
    let vocabulary = unsafe weights.handle.vocabulary
    let jinja = unsafe llama_model_chat_template(model, nil).map { unsafe String(cString: $0) }
    let special = LLAMA_TOKEN_ATTR_CONTROL.rawValue | LLAMA_TOKEN_ATTR_USER_DEFINED.rawValue
    var names: [String] = []
    for token in 0..<(unsafe llama_vocab_n_tokens(vocabulary)) {
      guard unsafe llama_vocab_get_attr(vocabulary, token).rawValue & special != 0 else { continue }
      names.append(unsafe String(decoding: RawVocabulary.piece(token, in: vocabulary, special: true), as: UTF8.self))
    }
    let last = unsafe llama_vocab_eos(vocabulary)
    let end = last < 0 ? [] : unsafe RawVocabulary.piece(last, in: vocabulary, special: true)
    return ChatTemplateChoice(
      .init(
        jinja: jinja, specialTokens: names, endOfSequence: String(decoding: end, as: UTF8.self),
        isSentencePiece: unsafe llama_vocab_type(vocabulary) == LLAMA_VOCAB_TYPE_SPM))
  }

  private static func facts(of weights: Weights, path: String, header: GGUFHeader) -> LlamaFacts {
    let model = unsafe weights.handle.pointer
    var facts = LlamaFacts()
    let fileName = path.split(separator: "/").last.map(String.init) ?? path
    facts.name = header.metadata["general.name"]?.string.flatMap { $0.isEmpty ? nil : $0 } ?? fileName
    facts.path = path
    facts.architecture = header.metadata["general.architecture"]?.string ?? "unknown"
    facts.license = header.metadata["general.license"]?.string
    facts.parameterCount = unsafe Int(clamping: llama_model_n_params(model))
    facts.sizeBytes = unsafe Int(clamping: llama_model_size(model))
    facts.quantization = unsafe String(cString: llama_ftype_name(llama_model_ftype(model)))
    facts.libllama = Library.version
    facts.devices = Library.devices
    return facts
  }
}
