/// What the scheduler may use.
package struct SchedulerLimits: Sendable {
  /// Cells of the KV cache, and so positions of the longest sequence.
  package var contextSize: Int
  /// Most rows of a batch.
  package var batchSize: Int
  package var maxSequences: Int
  package var memoryKind: MemoryKind
  /// Requests that may hold a sequence at once.
  package var maxRunning: Int
  /// Cells that idle sequences may keep when no running request needs them.
  package var idleCells: Int
  /// The same together with those of conversations; at least `idleCells`.
  package var conversationCells: Int
  /// Prefixes that may be pinned.
  package var maxPinned: Int
  /// Whether ended requests leave anything for later ones.
  package var reusesPrefixes: Bool
  /// Bytes of states that are kept outside of the KV cache; 0 = idle sequences stay in it.
  package var parkedBytes: Int

  package init(
    contextSize: Int, batchSize: Int, maxSequences: Int, memoryKind: MemoryKind = .sliceable, maxRunning: Int = 16,
    idleCells: Int = 2048, conversationCells: Int? = nil, maxPinned: Int = 8, reusesPrefixes: Bool = true,
    parkedBytes: Int = 0
  ) {
    self.contextSize = contextSize
    self.batchSize = batchSize
    self.maxSequences = maxSequences
    self.memoryKind = memoryKind
    self.maxRunning = max(1, min(maxRunning, maxSequences, batchSize))
    self.idleCells = idleCells
    self.conversationCells = max(idleCells, conversationCells ?? contextSize * 3 / 4)
    self.maxPinned = maxPinned
    self.reusesPrefixes = reusesPrefixes
    self.parkedBytes = reusesPrefixes ? parkedBytes : 0
  }

  /// Cells kept free for the output of a request when it is admitted.
  package static func reserve(maxTokens: Int) -> Int { min(maxTokens, 64) }

  package static func reserve(_ request: GenerationRequest) -> Int {
    request.prefillOnly ? 0 : reserve(maxTokens: request.maxTokens)
  }
}

/// One step: memory operations in order, then rows to compute together.
package struct BatchPlan: Sendable, Equatable {
  package struct Prefill: Sendable, Equatable {
    package var request: Int
    /// Prompt tokens in the KV cache after this step.
    package var done: Int
    package var total: Int
  }

  package var operations: [MemoryOperation] = []
  package var rows: [BatchRow] = []
  /// The request of each row.
  package var requests: [Int] = []
  /// Prompts that this step goes on reading.
  package var prefills: [Prefill] = []

  package var isEmpty: Bool { operations.isEmpty && rows.isEmpty }

  /// Does the memory operations. The sequences that are not what they should be because an operation failed, or one
  /// that they were copied from had.
  func applyOperations(to model: any TokenModel) -> [SequenceID] {
    var broken: [SequenceID] = []
    for operation in operations {
      switch operation {
      case .remove(let sequence, from: 0):
        _ = model.apply(operation)
        broken.removeAll { $0 == sequence }
      case .remove(let sequence, _):
        if !model.apply(operation) { broken.append(sequence) }
      case .copy(let source, let target, _):
        if broken.contains(source) || !model.apply(operation) { broken.append(target) }
      case .restore(_, let target):
        if !model.apply(operation) { broken.append(target) }
      }
    }
    return broken
  }

  mutating func removeAll() {
    operations.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
    requests.removeAll(keepingCapacity: true)
    prefills.removeAll(keepingCapacity: true)
  }
}

/// What the scheduler asks for tokens that may follow the last one of a request.
package typealias DraftSource = (_ request: Int, _ room: DraftRoom) -> ArraySlice<Token>

/// What a draft has to fit into.
package struct DraftRoom: Sendable, Equatable {
  /// Tokens that it may have.
  package var most: Int
  /// Rows of the step without it.
  package var rows: Int
  /// How many of these are the last tokens of outputs.
  package var outputs: Int
}

/// What became of a `BatchPlan`.
package enum StepOutcome: Sendable, Equatable {
  /// The rows were computed; one entry for each row that wanted logits.
  case computed([SampledToken])
  /// There was no room in the KV cache; nothing was changed.
  case noSpace
  /// The computation was ended from outside.
  case aborted
  case failed(String)
  /// The memory could not make these sequences what the plan says; the rows were not computed.
  case broken([SequenceID])
}

/// What was made of the logits of one request's rows.
package struct SampledToken: Sendable, Equatable {
  package enum Result: Sendable, Equatable {
    /// The output goes on with these tokens, one at least, which are not computed yet.
    case next([Token])
    /// The request is done; its sequence is kept for later prompts.
    case end
    /// The logits were useless: the request is over and its sequence worth nothing.
    case spoiled
  }

  package var request: Int
  /// How many tokens of the step's draft the output has taken; what was computed behind them is void.
  package var accepted: Int
  package var result: Result

  package init(request: Int, accepted: Int = 0, result: Result) {
    self.request = request
    self.accepted = accepted
    self.result = result
  }
}
