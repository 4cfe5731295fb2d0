import AssistantProtocol

extension Transcript {
  /// How many first turns both have.
  func commonTurns(with other: Transcript) -> Int {
    zip(turns, other.turns).prefix { $0 == $1 }.count
  }
}

extension [Session] {
  /// Both lists as one, the oldest first; of the same second those of this list first.
  func merged(with other: [Session]) -> [Session] {
    var result: [Session] = []
    var rest = other[...]
    for session in self {
      while let first = rest.first, first.createdAt < session.createdAt {
        result.append(first)
        rest.removeFirst()
      }
      result.append(session)
    }
    return result + rest
  }
}
