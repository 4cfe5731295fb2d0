// Steps inside one leaf of the grammar.

extension GrammarAutomaton {
  func step(_ thread: GrammarThread, _ byte: UInt8) -> GrammarThread? {
    var next = thread
    switch grammar.nodes[Int(thread.node)] {
    case .literal(let bytes):
      guard Int(thread.state) < bytes.count, bytes[Int(thread.state)] == byte else { return nil }
      next.state += 1
    case .words(let trie):
      guard let state = trie.step(thread.state, byte) else { return nil }
      next.state = state
    case .machine(let machine):
      guard let (state, count) = machine.step(thread.state, thread.count, byte) else { return nil }
      next.state = state
      next.count = count
    case .sequence, .choice, .list, .members, .unused: return nil
    }
    return next
  }

  func mayLeave(_ thread: GrammarThread) -> Bool {
    switch grammar.nodes[Int(thread.node)] {
    case .literal(let bytes): Int(thread.state) == bytes.count
    case .words(let trie): trie.mayEnd(thread.state)
    case .machine(let machine): machine.mayEnd(thread.state, thread.count)
    case .sequence, .choice, .list, .members, .unused: false
    }
  }

  /// The bytes that can follow inside the leaf: -2 none, -1 several, else the one.
  func onlyByte(_ thread: GrammarThread) -> Int16 {
    switch grammar.nodes[Int(thread.node)] {
    case .literal(let bytes): Int(thread.state) < bytes.count ? Int16(bytes[Int(thread.state)]) : -2
    case .words(let trie): trie.onlyByte(thread.state)
    case .machine(let machine): machine.onlyByte(thread.state, thread.count)
    case .sequence, .choice, .list, .members, .unused: -2
    }
  }

  func leafCost(_ thread: GrammarThread) -> Int {
    switch grammar.nodes[Int(thread.node)] {
    case .literal(let bytes): bytes.count - Int(thread.state)
    case .words(let trie): Int(trie.costs[Int(thread.state)])
    case .machine(let machine): Int(machine.cost(thread.state, thread.count))
    case .sequence, .choice, .list, .members, .unused: CompiledGrammar.infinite
    }
  }
}
