/// What was read or written, taken out of the KV cache as bytes and kept aside.
///
/// Every row of a step attends to all cells up to the highest that is used, whoever holds it: with SmolLM2-135M 1,500
/// idle cells make the reading of 100 tokens 40 % slower. To take 300 tokens out or to put them back takes less than a
/// millisecond. So idle sequences do not stay in the cache; they are parked here, and come back for a prompt that
/// begins like them.
package struct ParkedPrefixes: Sendable {
  private struct Entry: Sendable {
    var prefix: SavedPrefix
    var lastUse: Int
  }

  private let mostBytes: Int
  private var entries: [Entry] = []
  private var uses = 0
  private var bytes = 0

  package init(mostBytes: Int) { self.mostBytes = mostBytes }

  package var count: Int { entries.count }

  /// Takes a prefix in. Those that are only its start go, and then the ones that were not used for the longest time.
  /// False when it is larger than all that may be kept.
  package mutating func add(_ prefix: SavedPrefix) -> Bool {
    guard prefix.state.count <= mostBytes else { return false }
    remove { prefix.tokens.starts(with: $0.prefix.tokens) }
    uses += 1
    entries.append(Entry(prefix: prefix, lastUse: uses))
    bytes += prefix.state.count
    while bytes > mostBytes, let oldest = entries.min(by: { $0.lastUse < $1.lastUse }) {
      remove { $0.lastUse == oldest.lastUse }
    }
    return true
  }

  /// How many first tokens of a prompt one of them begins with at most.
  package func longest(of tokens: [Token], limit: Int) -> Int {
    entries.reduce(0) { max($0, commonPrefix($1.prefix.tokens, tokens, limit: limit)) }
  }

  /// The one that shares the most first tokens with a prompt, the shortest of several.
  package mutating func take(for tokens: [Token], limit: Int) -> (prefix: SavedPrefix, length: Int)? {
    var best: (index: Int, length: Int)?
    for (index, entry) in entries.enumerated() {
      let length = commonPrefix(entry.prefix.tokens, tokens, limit: limit)
      guard length > 0, length >= best?.length ?? 0 else { continue }
      let isShorter = best.map { entry.prefix.tokens.count < entries[$0.index].prefix.tokens.count } ?? true
      if length > best?.length ?? 0 || isShorter { best = (index, length) }
    }
    guard let best else { return nil }
    uses += 1
    entries[best.index].lastUse = uses
    return (entries[best.index].prefix, best.length)
  }

  private mutating func remove(where isGone: (Entry) -> Bool) {
    entries.removeAll { entry in
      let isGone = isGone(entry)
      if isGone { bytes -= entry.prefix.state.count }
      return isGone
    }
  }
}

// Who is parked, and who comes back.

extension Scheduler {
  /// A prefix that is this much longer than what the cache has is worth being put back.
  private static let leastRestored = 16

  /// The idle sequence that is to be parked next; nil when there is none, or something of the last plan is not done
  /// yet. The one used last comes last.
  package func parkable() -> IdleSequence? {
    guard limits.parkedBytes > 0, limits.memoryKind == .sliceable, operations.isEmpty else { return nil }
    let index = cache.leastRecentlyUsed { entry in
      !entry.isPinned && !entry.staysInCache && !entry.isParked && !(cache.isUsedLast(entry) && entry.isConversation)
        && !wanted.contains { entry.tokens.starts(with: $0) }
        && ledger.idleCells(of: entry.sequence, first: entry.tokens.count) > 0
    }
    return index.map { cache.entries[$0] }
  }

  /// Keeps the state of an idle sequence, which leaves the cache, unless it was used last: more is likely to come
  /// behind it. It stays as well when there is no state of it, or none that can be kept.
  package mutating func park(_ entry: IdleSequence, state: [UInt8]?) {
    guard let index = cache.entries.firstIndex(where: { $0.sequence == entry.sequence }) else { return }
    guard let state, parked.add(SavedPrefix(tokens: entry.tokens, state: state)) else {
      cache.entries[index].staysInCache = true
      return
    }
    cache.entries[index].isParked = true
    evictParked(sparingLast: true)
  }

  /// Lets sequences go that can be put back.
  mutating func evictParked(sparingLast: Bool) {
    let gone = cache.entries.indices.filter { index in
      cache.entries[index].isParked && !(sparingLast && cache.isUsedLast(cache.entries[index]))
    }
    for index in gone.reversed() { evict(at: index) }
  }

  /// Tokens of a waiting prompt that can be put back from outside of the cache.
  func savedLength(for record: Record) -> Int {
    guard record.mayReusePrefix else { return 0 }
    return max(record.savedPrefix?.tokens.count ?? 0, parked.longest(of: record.tokens, limit: record.tokens.count - 1))
  }

  /// What a request is to begin with instead of what the cache has of its prompt.
  mutating func prefixToRestore(for record: Record, beyond known: Int) -> (prefix: SavedPrefix, length: Int)? {
    guard record.mayReusePrefix else { return nil }
    let saved = record.savedPrefix.map { (prefix: $0, length: $0.tokens.count) }
    let least = max(known + Self.leastRestored, saved?.length ?? 0)
    if parked.longest(of: record.tokens, limit: record.tokens.count - 1) >= least,
      let found = parked.take(for: record.tokens, limit: record.tokens.count - 1)
    {
      return found
    }
    return saved.flatMap { $0.length > known ? $0 : nil }
  }
}
