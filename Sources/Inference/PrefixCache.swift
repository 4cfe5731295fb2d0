/// A sequence in the KV cache that no request is using.
package struct IdleSequence: Sendable {
  package var sequence: SequenceID
  /// What it holds, one token a position.
  package var tokens: [Token]
  /// Grows with each use; the lowest goes first.
  package var lastUse: Int
  /// A copy made at a saved border, which is copied again rather than taken over.
  package var isSaved: Bool
  /// Goes last, and only for a running request.
  package var isPinned: Bool
  /// It cannot be parked.
  package var staysInCache = false
  /// It was parked too, so hardly anything is lost when it goes.
  package var isParked = false
  /// More is likely to be said behind it.
  package var isConversation = false
}

/// The idle sequences, found by what they hold.
package struct PrefixCache: Sendable {
  package var entries: [IdleSequence] = []
  private var uses = 0

  func isUsedLast(_ entry: IdleSequence) -> Bool { entries.allSatisfy { $0.lastUse <= entry.lastUse } }

  mutating func nextUse() -> Int {
    uses += 1
    return uses
  }

  /// The entry that was used longest ago among those that `mayGo`; pinned ones only after all others.
  func leastRecentlyUsed(where mayGo: (IdleSequence) -> Bool) -> Int? {
    var best: Int?
    for (index, entry) in entries.enumerated() where mayGo(entry) {
      guard let other = best.map({ entries[$0] }) else {
        best = index
        continue
      }
      let goesFirst = entry.isPinned == other.isPinned ? entry.lastUse < other.lastUse : other.isPinned
      if goesFirst { best = index }
    }
    return best
  }

  /// Marks the saved copy of exactly these tokens as used; false when there is none.
  mutating func touchSaved(_ tokens: ArraySlice<Token>, pin: Bool) -> Bool {
    guard let index = entries.firstIndex(where: { $0.isSaved && $0.tokens.elementsEqual(tokens) }) else { return false }
    entries[index].lastUse = nextUse()
    entries[index].isPinned = entries[index].isPinned || pin
    return true
  }

  /// Takes pins back, oldest first, until so many entries with so many tokens are pinned at most.
  mutating func limitPins(entries mostEntries: Int, tokens mostTokens: Int) {
    while true {
      let pinned = entries.indices.filter { entries[$0].isPinned }
      let tokens = pinned.reduce(0) { $0 + entries[$1].tokens.count }
      guard pinned.count > mostEntries || tokens > mostTokens,
        let oldest = pinned.min(by: { entries[$0].lastUse < entries[$1].lastUse })
      else { return }
      entries[oldest].isPinned = false
    }
  }
}

/// How many first tokens two arrays share, counting to `limit` at most.
func commonPrefix(_ left: [Token], _ right: [Token], limit: Int) -> Int {
  let most = min(left.count, right.count, limit)
  return left.withUnsafeBufferPointer { left in
    right.withUnsafeBufferPointer { right in
      var length = 0
      while length < most, left[length] == right[length] { length += 1 }
      return length
    }
  }
}
