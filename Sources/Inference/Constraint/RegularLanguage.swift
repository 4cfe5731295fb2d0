/// A regular language over bytes.
public indirect enum RegularLanguage: Sendable {
  /// The empty string.
  case empty
  /// Exactly these.
  case bytes([UInt8])
  /// One byte of the range.
  case byte(ClosedRange<UInt8>)
  case sequence([RegularLanguage])
  case choice([RegularLanguage])
  case repeated(RegularLanguage, minimum: Int, maximum: Int?)
  /// Marks what is inside as one character for counting: reaching its end completes a character. Not nested, not
  /// empty, and no character of a machine is the start of another one that could stand in its place.
  case character(RegularLanguage)
}

/// A nondeterministic automaton (K. Thompson, "Regular expression search algorithm", 1968): each state has one edge
/// with bytes, or up to two without.
struct ByteNFA {
  struct State {
    var bytes: ClosedRange<UInt8>?
    var first: Int32 = -1
    var second: Int32 = -1
    var endsCharacter = false
  }

  private(set) var states: [State] = []
  private(set) var start: Int32 = 0
  private(set) var end: Int32 = 0
  private var work = 0
  private let limit: Int

  /// - Throws: `TooLarge` when more than `limit` states would be needed, or the description nests too deeply.
  init(_ language: RegularLanguage, limit: Int) throws(TooLarge) {
    self.limit = limit
    end = try add(State())
    start = try build(language, to: end, depth: 0)
  }

  private mutating func add(_ state: State) throws(TooLarge) -> Int32 {
    guard states.count < limit else { throw TooLarge() }
    states.append(state)
    return Int32(states.count - 1)
  }

  /// Adds a language that goes on at `next`; where it starts.
  private mutating func build(_ language: RegularLanguage, to next: Int32, depth: Int) throws(TooLarge) -> Int32 {
    work += 1
    guard depth < 512, work < 4 * limit else { throw TooLarge() }
    switch language {
    case .empty: return next
    case .byte(let range): return try add(State(bytes: range, first: next))
    case .bytes(let bytes):
      var target = next
      for byte in bytes.reversed() { target = try add(State(bytes: byte...byte, first: target)) }
      return target
    case .sequence(let parts):
      var target = next
      for part in parts.reversed() { target = try build(part, to: target, depth: depth + 1) }
      return target
    case .choice(let parts):
      var rest = try add(State())  // leads nowhere
      for part in parts.reversed() {
        let entry = try build(part, to: next, depth: depth + 1)
        rest = try add(State(first: entry, second: rest))
      }
      return rest
    case .repeated(let part, let minimum, let maximum):
      return try buildRepeated(part, max(0, minimum), maximum, to: next, depth: depth + 1)
    case .character(let part):
      let mark = try add(State(first: next, endsCharacter: true))
      return try build(part, to: mark, depth: depth + 1)
    }
  }

  private mutating func buildRepeated(
    _ part: RegularLanguage, _ minimum: Int, _ maximum: Int?, to next: Int32, depth: Int
  ) throws(TooLarge) -> Int32 {
    var target = next
    if let maximum {
      guard maximum >= minimum else { return try add(State()) }
      for _ in minimum..<maximum {
        let entry = try build(part, to: target, depth: depth)
        target = try add(State(first: entry, second: next))
      }
    } else {
      let loop = try add(State(second: next))
      states[Int(loop)].first = try build(part, to: loop, depth: depth)
      target = loop
    }
    for _ in 0..<minimum { target = try build(part, to: target, depth: depth) }
    return target
  }
}
