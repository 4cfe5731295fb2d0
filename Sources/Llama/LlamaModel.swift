import CLlama
import Inference

/// A model and its one context in libllama. Everything but `facts`, `vocabulary` and `template` belongs to the
/// thread that loaded it.
public final class LlamaModel: TokenModel {
  public let facts: LlamaFacts
  /// Text to tokens and back, from any thread.
  public let vocabulary: Vocabulary
  public let template: ChatTemplate

  public let contextSize: Int
  public let batchSize: Int
  public let maxSequences: Int
  public let memoryKind: MemoryKind

  let context: ContextHandle
  private var batch: BatchHandle
  private let signal: ComputeSignal
  /// Of steps of one row, and of all others.
  private var decodeThreads: ThreadGovernor
  private var batchThreads: ThreadGovernor
  /// Positions that a sliding-window model still sees; 0 when it sees all.
  private let window: Int32
  private let keepsWholeStates: Bool

  init(
    context: consuming ContextHandle, weights: Weights, vocabulary: Vocabulary, template: ChatTemplate,
    facts: LlamaFacts, signal: ComputeSignal
  ) {
    let pointer = unsafe context.pointer
    contextSize = unsafe Int(llama_n_ctx(pointer))
    batchSize = unsafe Int(llama_n_batch(pointer))
    maxSequences = unsafe Int(llama_n_seq_max(pointer))
    let model = unsafe weights.handle.pointer
    keepsWholeStates = unsafe llama_model_is_recurrent(model) || llama_model_is_hybrid(model)
    window = unsafe llama_model_n_swa(model)
    memoryKind = keepsWholeStates || window > 0 ? .wholeOnly : .sliceable
    batch = BatchHandle(capacity: batchSize)
    self.context = context
    self.vocabulary = vocabulary
    self.template = template
    self.facts = facts
    self.signal = signal
    decodeThreads = ThreadGovernor(most: facts.threads.decode)
    batchThreads = ThreadGovernor(most: facts.threads.batch)
  }

  public var vocabularySize: Int { vocabulary.size }

  public func isEndOfGeneration(_ token: Token) -> Bool { vocabulary.isEndOfGeneration(token) }

  public func appendBytes(of token: Token, to bytes: inout [UInt8]) { vocabulary.appendBytes(of: token, to: &bytes) }

  public func apply(_ operation: MemoryOperation) -> Bool {
    let memory = unsafe context.memory
    switch operation {
    case .remove(let sequence, let start):
      guard isSequence(sequence) else { return false }
      if start > 0 {
        if unsafe llama_memory_seq_pos_max(memory, sequence) < start { return true }
        if !canCut(sequence, at: start) { return false }
      }
      return unsafe llama_memory_seq_rm(memory, sequence, start <= 0 ? -1 : start, -1)
    case .copy(let source, let target, let count):
      guard isSequence(source), isSequence(target), source != target, count > 0 else { return false }
      let end = unsafe llama_memory_seq_pos_max(memory, source) + 1
      guard count <= end, memoryKind == .sliceable || count == end else { return false }
      // Recurrent memories ignore positions: the whole state is copied, and it stands where it must.
      unsafe llama_memory_seq_cp(memory, source, target, -1, memoryKind == .sliceable ? count : -1)
      return true
    case .restore(let prefix, let target): return restore(prefix, to: target)
    }
  }

  /// Whether what is left of the sequence could be gone on with.
  private func canCut(_ sequence: SequenceID, at start: Int32) -> Bool {
    if keepsWholeStates { return false }
    guard window > 0 else { return true }
    // Cells that fell out of the window may have been given to others, and libllama cuts without a word.
    let first = unsafe llama_memory_seq_pos_min(context.memory, sequence)
    return first >= 0 && first <= max(0, start - window)
  }

  func isSequence(_ sequence: SequenceID) -> Bool { sequence >= 0 && Int(sequence) < maxSequences }

  public func decode(_ rows: [BatchRow]) throws(DecodeFailure) {
    // libllama ends the process on some of these.
    guard !rows.isEmpty, rows.count <= batchSize else { throw .failed("a batch of \(rows.count) rows") }
    for row in rows {
      guard row.token >= 0, Int(row.token) < vocabulary.size, row.position >= 0, isSequence(row.sequence) else {
        throw .failed("a row with token \(row.token) at \(row.position) of sequence \(row.sequence)")
      }
    }
    if signal.isStopped { throw .aborted }
    let code = compute(rows)
    signal.advance()
    switch code {
    case 0: break
    case 1: throw .noSpace
    case 2: throw .aborted
    default: throw .failed("libllama refused a step (code \(code)): \(LibraryLog.takeErrors())")
    }
    for (index, row) in rows.enumerated() where row.wantsLogits {
      let problem = unsafe withLogits(row: index) { unsafe LogitCheck.problem(in: UnsafeBufferPointer($0)) }
      if let problem { throw .failed(problem) }
    }
  }

  private func compute(_ rows: [BatchRow]) -> Int32 {
    unsafe llama_set_n_threads(context.pointer, Int32(decodeThreads.threads), Int32(batchThreads.threads))
    let start = ContinuousClock.now
    let before = ThreadGovernor.processorTime
    let code = LibraryLog.duringStep {
      batch.decode(rows, in: context)
    } isExpected: {
      (0...2).contains($0)
    }
    let wall = ContinuousClock.now - start
    let processor = ThreadGovernor.processorTime - before
    if rows.count == 1 {
      decodeThreads.record(wall: wall, processor: processor)
    } else {
      batchThreads.record(wall: wall, processor: processor)
    }
    return code
  }

  public func withLogits<Value>(row: Int, _ body: (UnsafeMutableBufferPointer<Float>) -> Value) -> Value {
    guard let logits = unsafe llama_get_logits_ith(context.pointer, Int32(row)) else {
      preconditionFailure("row \(row) of the last batch has no logits")
    }
    return unsafe body(UnsafeMutableBufferPointer(start: logits, count: vocabulary.size))
  }
}

/// The check that a model computes numbers.
package enum LogitCheck {
  /// What is wrong with a row of logits, or nil. Minus infinity is allowed for some tokens (a model may forbid them),
  /// not for all.
  package static func problem(in logits: UnsafeBufferPointer<Float>) -> String? {
    var sums = SIMD16<Float>(repeating: 0)
    var best = SIMD16<Float>(repeating: -.infinity)
    var index = 0
    while index + 16 <= logits.count {
      let values = unsafe UnsafeRawPointer(logits.baseAddress! + index).loadUnaligned(as: SIMD16<Float>.self)
      // x − x is 0 for a finite number and NaN for NaN and the infinities; those are looked at one by one.
      sums += values - values
      best = best.replacing(with: values, where: values .> best)
      index += 16
    }
    var highest = best.max()
    var suspicious = sums.sum().isNaN
    while index < logits.count {
      let value = unsafe logits[index]
      suspicious = suspicious || !value.isFinite
      highest = max(highest, value)
      index += 1
    }
    if suspicious {
      for value in unsafe Array(logits) where value.isNaN || value == .infinity {
        return "the model computed numbers that are not finite; its file is probably damaged"
      }
    }
    return highest == -.infinity ? "the model gave no token a chance; its file is probably damaged" : nil
  }
}
