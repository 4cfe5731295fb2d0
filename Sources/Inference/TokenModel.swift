/// A token of the model's vocabulary.
public typealias Token = Int32

/// A sequence's number in the KV cache, 0 ..< `TokenModel.maxSequences`.
public typealias SequenceID = Int32

/// One row of a batch: a token at a position of a sequence.
public struct BatchRow: Sendable, Equatable {
  public var token: Token
  public var position: Int32
  public var sequence: SequenceID
  /// Whether the logits after this token are wanted.
  public var wantsLogits: Bool

  public init(token: Token, position: Int32, sequence: SequenceID, wantsLogits: Bool) {
    self.token = token
    self.position = position
    self.sequence = sequence
    self.wantsLogits = wantsLogits
  }
}

/// What happens to the KV cache before a batch, in order.
public enum MemoryOperation: Sendable, Equatable {
  /// Removes a sequence's positions from `from` to its end; the whole sequence when `from` is 0.
  case remove(sequence: SequenceID, from: Int32)
  /// Makes `to` share the cells of `from` at the positions below `count`.
  case copy(from: SequenceID, to: SequenceID, count: Int32)
  /// Fills an empty sequence with what was saved.
  case restore(SavedPrefix, to: SequenceID)
}

/// What the memory of a model can do.
public enum MemoryKind: Sendable, Equatable {
  /// Any prefix can be copied, any tail removed (attention over the whole window).
  case sliceable
  /// Only whole states: recurrent, hybrid and sliding-window models. A sequence is copied whole, at the position
  /// where it stands, or not at all.
  case wholeOnly
}

/// Why a batch was not computed.
public enum DecodeFailure: Error, Equatable {
  /// There was no room in the KV cache; nothing was changed.
  case noSpace
  /// The computation was ended by `TokenModel`'s owner. The positions of this batch are void, and with
  /// `MemoryKind.wholeOnly` its sequences as a whole; what was there before can still be used otherwise.
  case aborted
  /// libllama's own code, or logits that are not finite; the same is void.
  case failed(String)
}

/// The seam between inference and a model that computes logits: libllama, or a scripted model in tests. Used from
/// one thread.
public protocol TokenModel: AnyObject {
  var vocabularySize: Int { get }
  /// Positions in the KV cache, shared by all sequences.
  var contextSize: Int { get }
  /// Most rows of one `decode`.
  var batchSize: Int { get }
  var maxSequences: Int { get }
  var memoryKind: MemoryKind { get }

  /// Whether a token ends the answer.
  func isEndOfGeneration(_ token: Token) -> Bool
  /// Appends the token's bytes, which may be part of a character. Control tokens have none.
  func appendBytes(of token: Token, to bytes: inout [UInt8])

  /// Applies an operation; false when the memory could not do it (the scheduler then gives the sequence up). Removing
  /// a whole sequence always works.
  func apply(_ operation: MemoryOperation) -> Bool
  /// Computes the rows. After it, `withLogits` serves the rows that wanted logits.
  func decode(_ rows: [BatchRow]) throws(DecodeFailure)
  /// The logits after the row of that index in the last batch. The buffer may be changed in place and is valid
  /// inside the call only.
  func withLogits<Value>(row: Int, _ body: (UnsafeMutableBufferPointer<Float>) -> Value) -> Value
  /// The state of a sequence, for `MemoryOperation.restore` on a model that is the same in every way. nil when there is
  /// none to be had.
  func state(of sequence: SequenceID) -> [UInt8]?
}

extension TokenModel {
  public func state(of sequence: SequenceID) -> [UInt8]? { nil }
}
