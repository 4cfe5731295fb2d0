/// Follows bytes through a compiled grammar: a pushdown automaton whose configuration is a set of threads. Every thread
/// can reach the end of the answer, so no set of them is a dead end.
struct GrammarAutomaton: Sendable {
  let grammar: CompiledGrammar
  private(set) var arena = StackArena()
  private var seen: Set<UInt64> = []
  /// What `advance` has done: comparisons of threads, and steps and moves by what they cost beside one. Depends on the
  /// threads and bytes alone, not on what the arena knew already.
  private(set) var work = 0

  private static let stepWork = 8
  private static let moveWork = 64

  init(_ grammar: CompiledGrammar) {
    self.grammar = grammar
  }

  /// Before the first byte.
  mutating func start() -> [GrammarThread] {
    let frame = push(grammar.startNode, 0, -1)
    return [GrammarThread(node: grammar.emptyNode, state: 0, rest: frame)]
  }

  /// Appends the threads that a byte leads to; at most `CompiledGrammar.mostThreads`, the first ones.
  mutating func advance(_ threads: [GrammarThread], by byte: UInt8, into output: inout [GrammarThread]) {
    guard grammar.isAllowed[Int(byte)] else { return }
    let start = output.count
    for thread in threads { advance(thread, by: byte, into: &output, from: start) }
  }

  /// The same for threads that lie in the buffer to which those they lead to are appended: a walk keeps the threads of
  /// all its levels in one.
  mutating func advance(_ range: Range<Int>, of buffer: inout [GrammarThread], by byte: UInt8) {
    guard grammar.isAllowed[Int(byte)] else { return }
    let start = buffer.count
    for index in range { advance(buffer[index], by: byte, into: &buffer, from: start) }
  }

  private mutating func advance(
    _ thread: GrammarThread, by byte: UInt8, into output: inout [GrammarThread], from start: Int
  ) {
    takeStep(thread, byte, into: &output, from: start)
    guard thread.rest >= 0, mayLeave(thread) else { return }
    let exits = exits(of: thread.rest)
    work += Self.moveWork * exits.moves
    for index in exits.threads { takeStep(arena.exitThreads[index], byte, into: &output, from: start) }
  }

  private mutating func takeStep(
    _ thread: GrammarThread, _ byte: UInt8, into output: inout [GrammarThread], from start: Int
  ) {
    work += Self.stepWork
    guard let next = step(thread, byte) else { return }
    work += output.count - start
    append(next, to: &output, from: start)
  }

  /// Appends a thread unless it is there already, of those from `start` on.
  private func append(_ thread: GrammarThread, to output: inout [GrammarThread], from start: Int = 0) {
    guard output.count - start < CompiledGrammar.mostThreads else { return }
    for index in start..<output.count where output[index] == thread { return }
    output.append(thread)
  }

  /// Whether the answer may end here.
  mutating func mayEnd(_ threads: [GrammarThread]) -> Bool {
    for thread in threads where mayLeave(thread) {
      if thread.rest < 0 || exits(of: thread.rest).mayEnd { return true }
    }
    return false
  }

  /// The byte that must follow; nil when several can, or the answer may end.
  mutating func forcedByte(_ threads: [GrammarThread]) -> UInt8? {
    var found: Int16 = -2
    for thread in threads {
      guard merge(onlyByte(thread), into: &found) else { return nil }
      guard mayLeave(thread) else { continue }
      guard thread.rest >= 0 else { return nil }
      let exits = exits(of: thread.rest)
      if exits.mayEnd { return nil }
      for index in exits.threads where !merge(onlyByte(arena.exitThreads[index]), into: &found) { return nil }
    }
    return found < 0 ? nil : UInt8(found)
  }

  /// Whether no byte can follow.
  mutating func isExhausted(_ threads: [GrammarThread]) -> Bool {
    threads.allSatisfy { thread in
      guard onlyByte(thread) == -2 else { return false }
      guard mayLeave(thread), thread.rest >= 0 else { return true }
      return exits(of: thread.rest).threads.allSatisfy { onlyByte(arena.exitThreads[$0]) == -2 }
    }
  }

  /// Fewest bytes to the end of the answer.
  func cost(_ threads: [GrammarThread]) -> Int { threads.lazy.map { cost($0) }.min() ?? 0 }

  func cost(_ thread: GrammarThread) -> Int { leafCost(thread) + arena.cost(thread.rest) }

  /// Gives up the stacks that these threads do not need, when there are many.
  mutating func compact(_ threads: inout [GrammarThread], beyond limit: Int = 100_000) {
    guard arena.frames.count > limit || arena.exitThreads.count > 4 * limit else { return }
    (arena, threads) = arena.compacted(threads)
  }

  private func merge(_ byte: Int16, into found: inout Int16) -> Bool {
    if byte == -2 || byte == found { return true }
    guard byte >= 0, found == -2 else { return false }
    found = byte
    return true
  }
}

// From leaf to leaf.
extension GrammarAutomaton {
  /// Steps of one search for exits.
  private static let mostMoves = 200_000

  private enum Move {
    case enter(Int32, rest: Int32)
    case leave(Int32)
  }

  /// What can follow when all inside a frame is done.
  private mutating func exits(of frame: Int32) -> StackArena.Exits {
    if let known = arena.knownExits(frame) { return known }
    var threads: [GrammarThread] = []
    var mayEnd = false
    var moves = [Move.leave(frame)]
    var count = 0
    seen.removeAll(keepingCapacity: true)
    while let move = moves.popLast(), count < Self.mostMoves {
      count += 1
      var options: [Move] = []
      switch move {
      case .leave(let rest):
        guard isFirst(-1, rest) else { continue }
        if rest < 0 { mayEnd = true } else { leave(rest, &options, &threads) }
      case .enter(let node, let rest):
        if isFirst(node, rest) { enter(node, rest, &options, &threads) }
      }
      moves.append(contentsOf: options.reversed())
    }
    return arena.setExits(frame, threads, mayEnd: mayEnd, moves: count)
  }

  private mutating func isFirst(_ node: Int32, _ rest: Int32) -> Bool {
    seen.insert(UInt64(UInt32(bitPattern: node)) << 32 | UInt64(UInt32(bitPattern: rest))).inserted
  }

  /// Whether a node can be begun on a stack and finished within the limit of recursion.
  private func mayEnter(_ node: Int32, on rest: Int32) -> Bool {
    arena.depth(rest) + grammar.needs[Int(node)] <= grammar.recursionLimit
  }

  private mutating func enter(
    _ node: Int32, _ below: Int32, _ options: inout [Move], _ threads: inout [GrammarThread]
  ) {
    guard mayEnter(node, on: below) else { return }
    var rest = below
    if grammar.isReserved[Int(node)] {
      rest = arena.push(StackArena.Frame(node: node, position: -1, parent: below), cost: 0, opensReserved: true)
    }
    switch grammar.nodes[Int(node)] {
    case .literal, .words, .machine:
      let thread = GrammarThread(node: node, state: 0, rest: rest)
      if onlyByte(thread) != -2 { append(thread, to: &threads) }
      if mayLeave(thread) { options.append(.leave(rest)) }
    case .sequence: goOnInSequence(node, 0, rest, &options)
    case .choice(let children): options.append(contentsOf: children.map { .enter($0, rest: rest) })
    case .list(let list): goOnInList(node, list, done: 0, rest, &options, &threads)
    case .members(let members, let separator):
      goOnInMembers(node, members, separator, from: 0, isFirst: true, rest, &options, &threads)
    case .unused: return
    }
  }

  private mutating func leave(_ number: Int32, _ options: inout [Move], _ threads: inout [GrammarThread]) {
    let frame = arena.frames[Int(number)]
    guard frame.position >= 0 else { return options.append(.leave(frame.parent)) }
    let isDone = frame.position & 1 == 1
    let index = Int(frame.position >> 1)
    switch grammar.nodes[Int(frame.node)] {
    case .sequence: goOnInSequence(frame.node, Int(frame.position), frame.parent, &options)
    case .list(let list):
      if isDone {
        goOnInList(frame.node, list, done: index, frame.parent, &options, &threads)
      } else {
        options.append(.enter(list.item, rest: push(frame.node, next(list, after: index) << 1 | 1, frame.parent)))
      }
    case .members(let members, let separator):
      if isDone {
        goOnInMembers(frame.node, members, separator, from: index + 1, isFirst: false, frame.parent, &options, &threads)
      } else {
        options.append(.enter(members[index].node, rest: push(frame.node, index << 1 | 1, frame.parent)))
      }
    case .literal, .choice, .words, .machine, .unused: options.append(.leave(frame.parent))
    }
  }

  private mutating func goOnInSequence(_ node: Int32, _ index: Int, _ rest: Int32, _ options: inout [Move]) {
    guard case .sequence(let children) = grammar.nodes[Int(node)] else { return }
    switch children.count - index {
    case 0: options.append(.leave(rest))
    case 1: options.append(.enter(children[index], rest: rest))
    default: options.append(.enter(children[index], rest: push(node, index + 1, rest)))
    }
  }

  private mutating func goOnInList(
    _ node: Int32, _ list: CompiledGrammar.List, done: Int, _ rest: Int32, _ options: inout [Move],
    _ threads: inout [GrammarThread]
  ) {
    if done < list.maximum ?? .max, mayEnter(list.item, on: rest) {
      if done > 0, grammar.costs[Int(list.separator)] > 0 {
        append(GrammarThread(node: list.separator, state: 0, rest: push(node, done << 1, rest)), to: &threads)
      } else {
        options.append(.enter(list.item, rest: push(node, next(list, after: done) << 1 | 1, rest)))
      }
    }
    if done >= list.minimum { options.append(.leave(rest)) }
  }

  /// Without a maximum the count stays where it no longer matters.
  private func next(_ list: CompiledGrammar.List, after done: Int) -> Int {
    list.maximum == nil ? min(done + 1, max(1, list.minimum)) : done + 1
  }

  private mutating func goOnInMembers(
    _ node: Int32, _ members: [CompiledGrammar.Member], _ separator: Int32, from start: Int, isFirst: Bool,
    _ rest: Int32, _ options: inout [Move], _ threads: inout [GrammarThread]
  ) {
    for index in start..<max(start, members.count) {
      let member = members[index]
      if mayEnter(member.node, on: rest) {
        if !isFirst, grammar.costs[Int(separator)] > 0 {
          append(GrammarThread(node: separator, state: 0, rest: push(node, index << 1, rest)), to: &threads)
        } else {
          options.append(.enter(member.node, rest: push(node, index << 1 | 1, rest)))
        }
      }
      if member.isRequired { return }
    }
    options.append(.leave(rest))
  }

  private mutating func push(_ node: Int32, _ position: Int, _ parent: Int32) -> Int32 {
    let frame = StackArena.Frame(node: node, position: Int32(position), parent: parent)
    return arena.push(frame, cost: costInside(frame))
  }

  /// Fewest bytes from a place in a node to its end.
  private func costInside(_ frame: StackArena.Frame) -> Int {
    let node = Int(frame.node)
    let isDone = frame.position & 1 == 1
    let index = Int(frame.position >> 1)
    switch grammar.nodes[node] {
    case .sequence: return grammar.suffixCosts[node][Int(frame.position)]
    case .list(let list):
      let item = grammar.costs[Int(list.item)]
      let separator = grammar.costs[Int(list.separator)]
      let done = isDone ? index : next(list, after: index)
      return (isDone ? 0 : item) + max(0, list.minimum - done) * (item + separator)
    case .members(let members, let separator):
      let own = isDone ? 0 : grammar.costs[Int(members[index].node)]
      return own + grammar.suffixCosts[node][index + 1]
        + grammar.suffixRequired[node][index + 1] * grammar.costs[Int(separator)]
    case .literal, .choice, .words, .machine, .unused: return 0
    }
  }
}
