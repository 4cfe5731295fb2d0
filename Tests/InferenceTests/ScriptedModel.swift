import Inference

/// A token model whose logits follow from the tokens that a row can see, through its own simulation of a KV cache:
/// a wrong cell, a missing position or a foreign token anywhere before a row changes its logits.
final class ScriptedModel: TokenModel {
  /// What the logits are made from.
  enum Behaviour {
    /// Pseudo-random logits, a function of all tokens before and their order.
    case random
    /// The next token for the tokens so far, by far the likeliest.
    case next(([Token]) -> Token)
    /// All logits for the tokens so far.
    case logits(([Token]) -> [Float])
  }

  private struct Cell {
    var token: Token
    var state: UInt64
    var holders: Int
  }

  var vocabularySize: Int { pieces.count }
  let contextSize: Int
  let batchSize: Int
  let maxSequences: Int
  let memoryKind: MemoryKind
  let pieces: [[UInt8]]
  let behaviour: Behaviour
  /// The token that ends an answer.
  static let end: Token = 0

  /// What the scheduler did that libllama would not forgive.
  private(set) var violations: [String] = [] {
    didSet { if violations.count > 5 { violations.removeLast() } }
  }
  /// Every batch that was computed.
  private(set) var batches: [[BatchRow]] = []
  private(set) var operations: [MemoryOperation] = []
  var keepsBatches = true
  var savesStates = true
  /// Cells that the cache really has, when fewer than it says.
  var realCells: Int
  /// Called before a batch; what it throws the batch fails with.
  var fault: (([BatchRow]) -> DecodeFailure?)?
  /// Whether an operation fails though it could be done.
  var operationFault: ((MemoryOperation) -> Bool)?

  private var cells: [Int: Cell] = [:]
  private var nextCell = 0
  private var sequences: [[Int]]
  private var logits: [[Float]] = []

  init(
    contextSize: Int = 8192, batchSize: Int = 512, maxSequences: Int = 16, memoryKind: MemoryKind = .sliceable,
    pieces: [[UInt8]] = ScriptedModel.letters, behaviour: Behaviour = .random
  ) {
    self.contextSize = contextSize
    self.batchSize = batchSize
    self.maxSequences = maxSequences
    self.memoryKind = memoryKind
    self.pieces = pieces
    self.behaviour = behaviour
    realCells = contextSize
    sequences = Array(repeating: [], count: maxSequences)
  }

  /// An end, letters, spaces, and the parts of characters of several bytes, as byte-level vocabularies have them.
  static let letters: [[UInt8]] =
    [[]] + (0..<26).map { [UInt8(97 + $0)] } + [[32], [10], [0xC3], [0xA9], [0xF0, 0x9F], [0x98], [0x80], [0xFF]]
    + ["the ", " and", "é", "👩", "\u{200D}"].map { Array($0.utf8) }

  var occupiedCells: Int { cells.count }
  /// The tokens that a sequence holds.
  func tokens(of sequence: SequenceID) -> [Token] { sequences[Int(sequence)].compactMap { cells[$0]?.token } }

  func isEndOfGeneration(_ token: Token) -> Bool { token == Self.end }
  func appendBytes(of token: Token, to bytes: inout [UInt8]) { bytes.append(contentsOf: pieces[Int(token)]) }

  func apply(_ operation: MemoryOperation) -> Bool {
    operations.append(operation)
    if operationFault?(operation) == true { return false }
    switch operation {
    case .remove(let sequence, let from):
      let kept = min(Int(from), sequences[Int(sequence)].count)
      if memoryKind == .wholeOnly && kept > 0 && kept < sequences[Int(sequence)].count { return false }
      while sequences[Int(sequence)].count > kept { drop(sequences[Int(sequence)].removeLast()) }
    case .copy(let source, let target, let count):
      if memoryKind == .wholeOnly && Int(count) != sequences[Int(source)].count { return false }
      if !sequences[Int(target)].isEmpty { violations.append("copy onto a sequence that is not empty") }
      if Int(count) > sequences[Int(source)].count { violations.append("copy of positions that are not there") }
      sequences[Int(target)] = Array(sequences[Int(source)].prefix(Int(count)))
      for cell in sequences[Int(target)] { cells[cell]?.holders += 1 }
    case .restore(let prefix, let target):
      if !sequences[Int(target)].isEmpty { violations.append("restored into a sequence that is not empty") }
      guard prefix.state.elementsEqual(Self.savedState(of: prefix.tokens)) else { return false }
      if cells.count + prefix.tokens.count > realCells {
        if realCells == contextSize { violations.append("restored into a full cache") }
        return false
      }
      for (index, token) in prefix.tokens.enumerated() {
        cells[nextCell] = Cell(token: token, state: Self.state(after: Array(prefix.tokens[...index])), holders: 1)
        sequences[Int(target)].append(nextCell)
        nextCell += 1
      }
    }
    return true
  }

  func state(of sequence: SequenceID) -> [UInt8]? {
    savesStates ? Self.savedState(of: tokens(of: sequence)) : nil
  }

  /// What a state's bytes are made of.
  private static func savedState(of tokens: [Token]) -> [UInt8] {
    tokens.flatMap { token in (0..<4).map { UInt8(truncatingIfNeeded: token >> (8 * $0)) } }
  }

  func decode(_ rows: [BatchRow]) throws(DecodeFailure) {
    if rows.count > batchSize { violations.append("\(rows.count) rows in a batch of \(batchSize)") }
    if let failure = fault?(rows) {
      switch failure {
      case .noSpace: break
      case .aborted, .failed: spoil(rows)
      }
      throw failure
    }
    if cells.count + rows.count > realCells { throw .noSpace }
    if keepsBatches { batches.append(rows) }
    logits.removeAll()
    for row in rows {
      let sequence = sequences[Int(row.sequence)]
      if Int(row.position) != sequence.count {
        violations.append("sequence \(row.sequence) at \(sequence.count) got position \(row.position)")
      }
      let before = sequence.last.flatMap { cells[$0]?.state } ?? 1
      let state = Self.mix(before ^ UInt64(UInt32(bitPattern: row.token)) &* 0x9E37_79B9_7F4A_7C15)
      cells[nextCell] = Cell(token: row.token, state: state, holders: 1)
      sequences[Int(row.sequence)].append(nextCell)
      nextCell += 1
      logits.append(row.wantsLogits ? makeLogits(state: state, sequence: row.sequence) : [])
    }
  }

  func withLogits<Value>(row: Int, _ body: (UnsafeMutableBufferPointer<Float>) -> Value) -> Value {
    if logits[row].isEmpty {
      violations.append("logits of a row that did not want any")
      logits[row] = Array(repeating: 0, count: vocabularySize)
    }
    return logits[row].withUnsafeMutableBufferPointer { body($0) }
  }

  private func makeLogits(state: UInt64, sequence: SequenceID) -> [Float] {
    switch behaviour {
    case .random: return Self.randomLogits(state: state, count: vocabularySize)
    case .next(let next):
      var logits = Array(repeating: Float(0), count: vocabularySize)
      logits[Int(next(tokens(of: sequence)))] = 30
      return logits
    case .logits(let make): return make(tokens(of: sequence))
    }
  }

  static func randomLogits(state: UInt64, count: Int) -> [Float] {
    (0..<count).map { Float(mix(state &+ UInt64($0) &* 0xD134_2543_DE82_EF95) >> 40) / Float(1 << 21) }
  }

  /// The state after some tokens, by the plainest way: what a row's logits must be made from.
  static func state(after tokens: [Token]) -> UInt64 {
    tokens.reduce(1) { mix($0 ^ UInt64(UInt32(bitPattern: $1)) &* 0x9E37_79B9_7F4A_7C15) }
  }

  /// Leaves half of the rows behind, as a computation that was ended does.
  private func spoil(_ rows: [BatchRow]) {
    for row in rows.prefix(rows.count / 2) {
      cells[nextCell] = Cell(token: -1, state: 0xBAD, holders: 1)
      sequences[Int(row.sequence)].append(nextCell)
      nextCell += 1
    }
  }

  private func drop(_ cell: Int) {
    cells[cell]?.holders -= 1
    if cells[cell]?.holders == 0 { cells[cell] = nil }
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var generator = SplitMix64(state: value)
    return generator.next()
  }
}
