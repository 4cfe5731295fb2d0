/// Which requests are to blame for the engine's crashes. Requests are known by a digest of their parameters, so that
/// the same request sent again is the same suspect.
///
/// A crash counts against a request only if the request ran alone in it, or if it is the only one that ran in every
/// crash on record. Kills from outside are not crashes and never come here.
struct CrashRecord: Sendable {
  typealias Digest = UInt64

  /// As many crashes by itself make a request be refused.
  static let quarantineAfter = 3
  /// Older crashes are forgotten.
  private static let memory = 32

  /// What ran in each crash, the oldest first. A set is never empty.
  private var crashes: [Set<Digest>] = []
  private var quarantined: Set<Digest> = []

  /// Takes note of a crash of the engine while these requests ran.
  mutating func noteCrash(running: Set<Digest>) {
    guard !running.isEmpty else { return }
    crashes.append(running)
    if crashes.count > Self.memory { crashes.removeFirst() }
    for digest in running where blame(for: digest) >= Self.quarantineAfter { quarantined.insert(digest) }
  }

  /// A request that ends well is innocent of the crashes in which it took part.
  mutating func noteFinished(_ digest: Digest) {
    guard !crashes.isEmpty else { return }
    for index in crashes.indices { crashes[index].remove(digest) }
    crashes.removeAll(where: \.isEmpty)
  }

  /// Whether the request took part in a crash and has not ended well since: it is to run alone.
  func isSuspect(_ digest: Digest) -> Bool { crashes.contains { $0.contains(digest) } }

  /// Whether the request is refused.
  func isQuarantined(_ digest: Digest) -> Bool { quarantined.contains(digest) }

  /// How many crashes count against the request.
  func blame(for digest: Digest) -> Int {
    let alone = crashes.count { $0 == [digest] }
    let inAll = crashes.allSatisfy { $0.contains(digest) }
    let onlyOneInAll = inAll && crashes.dropFirst().reduce(crashes.first ?? []) { $0.intersection($1) } == [digest]
    return onlyOneInAll ? crashes.count : alone
  }
}
