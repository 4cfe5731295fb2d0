// The shortest string that ends an answer, which always exists.

extension GrammarAutomaton {
  private enum Task {
    case node(Int32)
    /// So many items, at least one, each with the separator before it.
    case items(CompiledGrammar.List, Int)
    case leave(Int32)
  }

  /// The first bytes, up to a limit, of the shortest end; of equally short ones that of the first thread, and in it the
  /// lowest bytes.
  func shortestCompletion(_ threads: [GrammarThread], limit: Int) -> [UInt8] {
    guard let thread = threads.min(by: { cost($0) < cost($1) }) else { return [] }
    var bytes = finishLeaf(thread, limit: limit)
    var tasks = [Task.leave(thread.rest)]
    while bytes.count < limit, let task = tasks.popLast() {
      switch task {
      case .node(let node): appendShortest(node, limit, &bytes, &tasks)
      case .items(let list, let count):
        if count > 1 { tasks.append(.items(list, count - 1)) }
        tasks.append(.node(list.item))
        tasks.append(.node(list.separator))
      case .leave(let frame): if frame >= 0 { appendRest(of: arena.frames[Int(frame)], &bytes, &tasks) }
      }
    }
    return Array(bytes.prefix(limit))
  }

  /// The shortest end of a thread's leaf alone; at most about `limit` bytes.
  func finishLeaf(_ thread: GrammarThread, limit: Int) -> [UInt8] {
    switch grammar.nodes[Int(thread.node)] {
    case .literal(let literal): return Array(literal[Int(thread.state)...])
    case .words(let trie):
      var bytes: [UInt8] = []
      var state = thread.state
      while bytes.count < limit, let (byte, next) = trie.nearest(state) {
        bytes.append(byte)
        state = next
      }
      return bytes
    case .machine(let machine):
      var bytes: [UInt8] = []
      var (state, count) = (thread.state, thread.count)
      while bytes.count < limit, let next = machine.nearest(state, count) {
        bytes.append(next.byte)
        (state, count) = (next.state, next.count)
      }
      return bytes
    case .sequence, .choice, .list, .members, .unused: return []
    }
  }

  private func appendShortest(_ node: Int32, _ limit: Int, _ bytes: inout [UInt8], _ tasks: inout [Task]) {
    switch grammar.nodes[Int(node)] {
    case .literal, .words, .machine:
      bytes += finishLeaf(GrammarThread(node: node, state: 0, rest: -1), limit: limit - bytes.count)
    case .sequence(let children): tasks += children.reversed().map { .node($0) }
    case .choice(let children):
      let best = children.first { grammar.costs[Int($0)] == grammar.costs[Int(node)] }
      if let best { tasks.append(.node(best)) }
    case .list(let list): appendItems(list, count: list.minimum, isFirst: true, &tasks)
    case .members(let members, let separator): appendMembers(members[...], separator, isFirst: true, &tasks)
    case .unused: return
    }
  }

  private func appendRest(of frame: StackArena.Frame, _ bytes: inout [UInt8], _ tasks: inout [Task]) {
    tasks.append(.leave(frame.parent))
    guard frame.position >= 0 else { return }
    let isDone = frame.position & 1 == 1
    let index = Int(frame.position >> 1)
    switch grammar.nodes[Int(frame.node)] {
    case .sequence(let children): tasks += children[Int(frame.position)...].reversed().map { .node($0) }
    case .list(let list):
      appendItems(list, count: max(0, list.minimum - index - (isDone ? 0 : 1)), isFirst: false, &tasks)
      if !isDone { tasks.append(.node(list.item)) }
    case .members(let members, let separator):
      appendMembers(members[(index + 1)...], separator, isFirst: false, &tasks)
      if !isDone { tasks.append(.node(members[index].node)) }
    case .literal, .choice, .words, .machine, .unused: return
    }
  }

  private func appendItems(_ list: CompiledGrammar.List, count: Int, isFirst: Bool, _ tasks: inout [Task]) {
    let others = isFirst ? count - 1 : count
    if others > 0 { tasks.append(.items(list, others)) }
    if isFirst, count > 0 { tasks.append(.node(list.item)) }
  }

  private func appendMembers(
    _ members: ArraySlice<CompiledGrammar.Member>, _ separator: Int32, isFirst: Bool, _ tasks: inout [Task]
  ) {
    let required = members.filter(\.isRequired)
    for (number, member) in required.reversed().enumerated() {
      tasks.append(.node(member.node))
      if !isFirst || number < required.count - 1 { tasks.append(.node(separator)) }
    }
  }
}
