/// A place in a leaf of the grammar (a literal, words or a machine), and the stack of what follows it.
struct GrammarThread: Hashable, Sendable {
  var node: Int32
  /// The literal's offset, the trie's node, the machine's state.
  var state: Int32
  /// Characters that a machine has completed.
  var count: Int32 = 0
  /// The frame below, -1 at the end of the answer.
  var rest: Int32
}

/// Persistent stacks of the places to go on at. Equal stacks have equal numbers.
struct StackArena: Sendable {
  struct Frame: Hashable, Sendable {
    var node: Int32
    /// Where to go on in the node: the next child of a sequence; for members and lists twice the index or count, plus 1
    /// when that one is done.
    var position: Int32
    var parent: Int32
  }

  /// What can stand after a frame's inside is done.
  struct Exits: Sendable {
    var threads: Range<Int>
    /// Whether the answer may end there.
    var mayEnd: Bool
    /// Moves that the search for them took.
    var moves: Int
  }

  private(set) var frames: [Frame] = []
  /// Fewest bytes from the frame to the end of the answer.
  private(set) var costs: [Int] = []
  /// Reserved nodes open at the frame.
  private(set) var depths: [Int32] = []
  private var numbers: [Frame: Int32] = [:]
  private var exits: [Exits?] = []
  private(set) var exitThreads: [GrammarThread] = []

  func cost(_ frame: Int32) -> Int { frame < 0 ? 0 : costs[Int(frame)] }
  func depth(_ frame: Int32) -> Int { frame < 0 ? 0 : Int(depths[Int(frame)]) }
  func knownExits(_ frame: Int32) -> Exits? { exits[Int(frame)] }

  mutating func push(_ frame: Frame, cost: Int, opensReserved: Bool = false) -> Int32 {
    if let number = numbers[frame] { return number }
    let number = Int32(frames.count)
    depths.append(Int32(depth(frame.parent) + (opensReserved ? 1 : 0)))
    costs.append(cost + self.cost(frame.parent))
    frames.append(frame)
    exits.append(nil)
    numbers[frame] = number
    return number
  }

  mutating func setExits(_ frame: Int32, _ threads: [GrammarThread], mayEnd: Bool, moves: Int) -> Exits {
    let range = exitThreads.count..<exitThreads.count + threads.count
    exitThreads.append(contentsOf: threads)
    let value = Exits(threads: range, mayEnd: mayEnd, moves: moves)
    exits[Int(frame)] = value
    return value
  }

  /// An arena with the stacks of these threads alone, and the threads with their new numbers.
  func compacted(_ threads: [GrammarThread]) -> (StackArena, [GrammarThread]) {
    var arena = StackArena()
    var moved: [Int32: Int32] = [-1: -1]
    let result = threads.map { thread in
      var path: [Int32] = []
      var frame = thread.rest
      while moved[frame] == nil {
        path.append(frame)
        frame = frames[Int(frame)].parent
      }
      for old in path.reversed() {
        var copy = frames[Int(old)]
        copy.parent = moved[copy.parent] ?? -1
        let opens = depth(old) > depth(frames[Int(old)].parent)
        moved[old] = arena.push(copy, cost: cost(old) - cost(frames[Int(old)].parent), opensReserved: opens)
      }
      var thread = thread
      thread.rest = moved[thread.rest] ?? -1
      return thread
    }
    return (arena, result)
  }
}
