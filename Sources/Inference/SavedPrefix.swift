/// A model's state after a prompt's first tokens, as bytes: where they are at hand, the tokens need not be read again.
public struct SavedPrefix: Sendable, Equatable {
  public var tokens: [Token]
  /// What `TokenModel.state(of:)` gave for a sequence of these tokens.
  public var state: [UInt8]

  public init(tokens: [Token], state: [UInt8]) {
    self.tokens = tokens
    self.state = state
  }
}

/// A place where a prefix can be taken from without changing anything.
package struct PrefixSource: Sendable, Equatable {
  package var tokens: [Token]
  package var sequence: SequenceID
  /// A free sequence for a copy, when `sequence` holds more than the tokens.
  package var scratch: SequenceID?
}

// Prefixes that are to be saved, and those that were.

extension Scheduler {
  /// So many are kept in mind.
  static let mostWanted = 8

  /// Keeps in mind that the start of an ended request is to be saved.
  mutating func noteWanted(by record: Record) {
    guard record.savedLength > 0, record.evaluated >= record.savedLength, limits.reusesPrefixes else { return }
    let tokens = Array(record.tokens.prefix(record.savedLength))
    if wanted.contains(tokens) { return }
    if wanted.count == Self.mostWanted { wanted.removeFirst() }
    wanted.append(tokens)
  }

  /// Where the next prefix that is to be saved stands now. To be called when `plan` had nothing to do, so that all
  /// operations are done. nil when none is wanted; those that are gone from the cache are not wanted any more.
  package mutating func takeWanted() -> PrefixSource? {
    guard operations.isEmpty else { return nil }
    while let tokens = wanted.popLast() {
      for entry in cache.entries where entry.tokens.starts(with: tokens) {
        if entry.tokens.count == tokens.count { return PrefixSource(tokens: tokens, sequence: entry.sequence) }
        guard limits.memoryKind == .sliceable, let scratch = freeSequences.last else { continue }
        return PrefixSource(tokens: tokens, sequence: entry.sequence, scratch: scratch)
      }
    }
    return nil
  }

  /// Starts a request on what is parked or saved of its prompt, when that is more than what the cache has; false when
  /// it is not, or there is no room.
  mutating func restore(_ record: inout Record, insteadOf donor: Donor?) -> Bool {
    guard let (saved, length) = prefixToRestore(for: record, beyond: donor?.length ?? 0), fits(record, nil) else {
      return false
    }
    let count = saved.tokens.count
    guard let sequence = allocate(keeping: nil, sparingPinned: record.isPrefillOnly) else { return false }
    guard makeRoom(count, sparingPinned: record.isPrefillOnly) else {
      freeSequences.append(sequence)
      return false
    }
    ledger.extend(sequence, by: count)
    operations.append(.restore(saved, to: sequence))
    if length < count {
      ledger.truncate(sequence, to: length)
      operations.append(.remove(sequence: sequence, from: Int32(length)))
    }
    record.sequence = sequence
    record.evaluated = length
    return true
  }
}
