/// One change as positions see it: what stood in a range ends elsewhere now.
struct PositionMove: Sendable, Equatable {
  var range: Range<Position>
  /// Where the new text ends.
  var end: Position

  /// Where a place behind the change is afterwards.
  func shift(_ place: Position) -> Position {
    let old = range.upperBound
    guard place.line == old.line else {
      return Position(line: place.line + end.line - old.line, character: place.character)
    }
    return Position(line: end.line, character: end.character + place.character - old.character)
  }
}

/// The latest changes of a document, by which a range of an earlier state is found in the present one. The text of that
/// state is not needed for it.
struct ChangeHistory: Sendable {
  /// How many notifications with one change each are remembered at least.
  static let most = 1_000

  private struct Step {
    /// Of the text after these moves.
    var version: Int?
    var moves: [PositionMove]
  }

  /// The state before the first step.
  private var base: Int?
  private var steps: [Step] = []
  private var count = 0

  init(base: Int?) { self.base = base }

  /// - Parameter version: of the text after them.
  mutating func append(_ moves: [PositionMove], version: Int?) {
    steps.append(Step(version: version, moves: moves))
    count += moves.count + 1
    // Half is dropped at a time, so that a step costs little on average.
    guard count > 4 * Self.most else { return }
    var dropped = 0
    while count > 2 * Self.most, dropped < steps.count {
      count -= steps[dropped].moves.count + 1
      base = steps[dropped].version
      dropped += 1
    }
    steps.removeFirst(dropped)
  }

  /// What has been changed since the text had that version; nil when that is not known.
  func moves(since version: Int) -> [PositionMove]? {
    if let index = steps.lastIndex(where: { $0.version == version }) {
      return steps[(index + 1)...].flatMap(\.moves)
    }
    return base == version ? steps.flatMap(\.moves) : nil
  }
}
