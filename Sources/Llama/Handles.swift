import CLlama
import Inference

/// Owns a loaded model: weights and vocabulary.
///
/// `@unchecked Sendable` because a model does not change once it is loaded: the vocabulary is only read, and
/// libllama documents tokenising as thread-safe. What does change, the context, stays on one thread.
@safe struct ModelHandle: ~Copyable, @unchecked Sendable {
  let pointer: OpaquePointer
  let vocabulary: OpaquePointer

  /// Takes over a model that libllama has just loaded; nil when it has none.
  init?(adopting model: OpaquePointer?) {
    guard let model = unsafe model, let vocabulary = unsafe llama_model_get_vocab(model) else { return nil }
    unsafe pointer = model
    unsafe self.vocabulary = vocabulary
  }

  deinit { unsafe llama_model_free(pointer) }
}

/// Shares one `ModelHandle` between the context and the vocabulary; the last of them frees the model.
final class Weights: Sendable {
  let handle: ModelHandle
  init(_ handle: consuming ModelHandle) { self.handle = handle }
}

/// Owns a context: KV cache, compute buffers, logits. Used from one thread.
@safe struct ContextHandle: ~Copyable {
  let pointer: OpaquePointer
  let memory: OpaquePointer
  /// Keeps the model until after the context is freed, which the deinit does first.
  private let weights: Weights
  /// What the abort callback reads.
  private let signal: ComputeSignal

  /// nil when libllama cannot make the context; the reason is in its log.
  init?(weights: Weights, parameters: llama_context_params, signal: ComputeSignal) {
    var parameters = unsafe parameters
    unsafe parameters.abort_callback = { data in
      guard let data = unsafe data else { return false }
      return unsafe Unmanaged<ComputeSignal>.fromOpaque(data).takeUnretainedValue().advanceAndAskToStop()
    }
    unsafe parameters.abort_callback_data = Unmanaged.passUnretained(signal).toOpaque()
    guard let context = unsafe llama_init_from_model(weights.handle.pointer, parameters) else { return nil }
    guard let memory = unsafe llama_get_memory(context) else {
      unsafe llama_free(context)
      return nil
    }
    unsafe pointer = context
    unsafe self.memory = memory
    self.weights = weights
    self.signal = signal
  }

  deinit { unsafe llama_free(pointer) }
}

/// Owns the arrays of a batch, one sequence to a row.
@safe struct BatchHandle: ~Copyable {
  private var batch: llama_batch
  let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
    unsafe batch = llama_batch_init(Int32(capacity), 0, 1)
  }

  /// Fills the arrays with `rows`, of which there are at most `capacity`, and computes them. Returns libllama's code.
  mutating func decode(_ rows: [BatchRow], in context: borrowing ContextHandle) -> Int32 {
    precondition(rows.count <= capacity)
    for (index, row) in rows.enumerated() {
      unsafe batch.token[index] = row.token
      unsafe batch.pos[index] = row.position
      unsafe batch.n_seq_id[index] = 1
      unsafe batch.seq_id[index]![0] = row.sequence
      unsafe batch.logits[index] = row.wantsLogits ? 1 : 0
    }
    unsafe batch.n_tokens = Int32(rows.count)
    return unsafe llama_decode(context.pointer, batch)
  }

  deinit { unsafe llama_batch_free(batch) }
}
