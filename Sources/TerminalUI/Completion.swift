/// What may stand in the place of what was typed before the cursor.
public struct Completion: Sendable, Equatable {
  /// How many characters before the cursor are replaced.
  public var length: Int
  /// Each is what would stand there then.
  public var candidates: [String]

  public init(length: Int, candidates: [String]) {
    self.length = length
    self.candidates = candidates
  }
}

extension LineEditor {
  /// Inserts what all candidates have in common.
  /// - Returns: the candidates when there are several and nothing could be inserted.
  public mutating func complete(_ completion: Completion) -> [String] {
    // A file may have any name, and not every one can be typed.
    let candidates = completion.candidates.filter { $0.unicodeScalars.allSatisfy(EditableText.allows) }
    guard let first = candidates.first, completion.length <= cursor else { return [] }
    let common = candidates.dropFirst().reduce(first[...]) { common, candidate in
      common.prefix(zip(common, candidate).prefix { $0 == $1 }.count)
    }
    if candidates.count > 1, common.count <= completion.length { return candidates }
    for _ in 0..<completion.length { _ = handle(.backspace) }
    insert(String(common))
    return []
  }
}
