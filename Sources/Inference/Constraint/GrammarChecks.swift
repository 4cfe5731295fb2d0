// What is known of a grammar before it runs: shortest strings, recursion, and how wide it is.

extension GrammarCompiler {
  /// The fewest bytes of each node, as the least solution of the equations between them (D. Knuth, "A generalization
  /// of Dijkstra's algorithm", 1977), by passes until nothing changes.
  mutating func findCosts() throws(ConstraintError) {
    costs = Array(repeating: CompiledGrammar.infinite, count: nodes.count)
    var work = 0
    var isChanging = true
    while isChanging {
      isChanging = false
      for node in order {
        let cost = cost(of: node)
        if cost < costs[node] {
          costs[node] = cost
          isChanging = true
        }
        work += 1 + weight(of: node)
      }
      guard work < 100_000_000 else { throw .tooComplex("a grammar with too much recursion") }
    }
  }

  private func weight(of node: Int) -> Int {
    switch nodes[node] {
    case .literal, .words, .machine, .list, .unused: 1
    case .sequence(let children), .choice(let children): children.count
    case .members(let members, _): members.count
    }
  }

  private func cost(of node: Int) -> Int {
    switch nodes[node] {
    case .unused: return CompiledGrammar.infinite
    case .literal(let bytes): return literalCost(bytes)
    case .sequence(let children): return sum(children.lazy.map { costs[Int($0)] })
    case .choice(let children): return children.lazy.map { costs[Int($0)] }.min() ?? CompiledGrammar.infinite
    case .words(let trie): return widened(trie.costs[0])
    case .machine(let machine): return widened(machine.cost(0, 0))
    case .list(let list):
      if let maximum = list.maximum, maximum < list.minimum { return CompiledGrammar.infinite }
      return list.minimum == 0
        ? 0 : sum([times(costs[Int(list.item)], list.minimum), times(costs[Int(list.separator)], list.minimum - 1)])
    case .members(let members, let separator):
      let required = members.filter(\.isRequired)
      return sum(
        [times(costs[Int(separator)], max(0, required.count - 1))] + required.map { costs[Int($0.node)] })
    }
  }

  private func widened(_ cost: Int32) -> Int { cost == CountedMachine.infinite ? CompiledGrammar.infinite : Int(cost) }

  private func sum(_ costs: some Sequence<Int>) -> Int {
    costs.reduce(0) { min($0 + $1, CompiledGrammar.infinite) }
  }

  private func times(_ cost: Int, _ count: Int) -> Int {
    let (result, overflow) = cost.multipliedReportingOverflow(by: count)
    return overflow ? CompiledGrammar.infinite : min(result, CompiledGrammar.infinite)
  }

  /// How many reserved nodes are open inside one another in the shortest string of each node. It contains no node in
  /// itself, so the passes end.
  mutating func findNeeds() {
    needs = Array(repeating: 0, count: nodes.count)
    var isChanging = true
    while isChanging {
      isChanging = false
      for node in order {
        let inner = shortestParts(of: node).map { needs[$0] }.max() ?? 0
        let need = inner + (isReserved[node] ? 1 : 0)
        if need > needs[node] {
          needs[node] = need
          isChanging = true
        }
      }
    }
  }

  private func shortestParts(of node: Int) -> [Int] {
    switch nodes[node] {
    case .literal, .words, .machine, .unused: return []
    case .sequence(let children): return children.map { Int($0) }
    case .choice(let children): return children.first { costs[Int($0)] == costs[node] }.map { [Int($0)] } ?? []
    case .list(let list): return list.minimum > 0 ? [Int(list.item)] : []
    case .members(let members, _): return members.filter(\.isRequired).map { Int($0.node) }
    }
  }

  /// The nodes that can stand at a node's start, without a byte before them.
  private func firstParts(of node: Int) -> [Int] {
    switch nodes[node] {
    case .literal, .words, .machine, .unused: return []
    case .choice(let children): return children.map { Int($0) }
    case .sequence(let children):
      let filled = children.firstIndex { costs[Int($0)] > 0 } ?? children.count - 1
      return children.prefix(filled + 1).map { Int($0) }
    case .list(let list): return list.maximum.map { $0 <= 0 } ?? false ? [] : [Int(list.item)]
    case .members(let members, let separator):
      let last = members.firstIndex { $0.isRequired && (costs[Int(separator)] > 0 || costs[Int($0.node)] > 0) }
      return members.prefix((last ?? members.count - 1) + 1).map { Int($0.node) }
    }
  }

  /// Refuses nodes that come to themselves, or are repeated, without a byte in between.
  func refuseEndless() throws(ConstraintError) {
    var state = Array(repeating: UInt8(0), count: nodes.count)
    for start in order where state[start] == 0 {
      var stack = [start]
      while let node = stack.last {
        if state[node] == 0 {
          state[node] = 1
          if case .list(let list) = nodes[node], costs[Int(list.separator)] == 0, costs[Int(list.item)] == 0 {
            throw .endless(node: node)
          }
          for part in firstParts(of: node) {
            if state[part] == 1 { throw .endless(node: part) }
            if state[part] == 0 { stack.append(part) }
          }
        } else {
          stack.removeLast()
          state[node] = 2
        }
      }
    }
  }

  /// Refuses nodes that begin in more ways than are followed side by side.
  func refuseWide() throws(ConstraintError) {
    var widths = Array(repeating: 0, count: nodes.count)
    var isChanging = true
    while isChanging {
      isChanging = false
      for node in order {
        let parts = firstParts(of: node)
        let width = parts.isEmpty ? 1 : min(parts.reduce(0) { $0 + widths[$1] }, CompiledGrammar.mostThreads + 1)
        if width > widths[node] {
          widths[node] = width
          isChanging = true
        }
      }
    }
    for node in order {
      let widest = runs(of: node).map { $0.reduce(0) { $0 + widths[$1] } }.max() ?? 1
      guard widest <= CompiledGrammar.mostThreads else {
        throw .tooComplex("a place with more than \(CompiledGrammar.mostThreads) ways to go on")
      }
    }
  }

  /// Parts that can stand at one place, for each place in a node.
  private func runs(of node: Int) -> [[Int]] {
    switch nodes[node] {
    case .literal, .words, .machine, .unused: return []
    case .choice, .list: return [firstParts(of: node)].filter { !$0.isEmpty }
    case .sequence(let children):
      return children.split(afterEach: { costs[Int($0)] > 0 })
        .map { $0.map { Int($0) } }
    case .members(let members, _):
      return members.split(afterEach: \.isRequired)
        .map { $0.map { Int($0.node) } }
    }
  }

  /// Fewest bytes, and required members, of the children from each index on.
  func makeSuffixes() -> (costs: [[Int]], required: [[Int]]) {
    var costsFrom: [[Int]] = Array(repeating: [], count: nodes.count)
    var requiredFrom = costsFrom
    for node in order {
      switch nodes[node] {
      case .literal, .choice, .words, .list, .machine, .unused: break
      case .sequence(let children): costsFrom[node] = suffixSums(children.map { costs[Int($0)] })
      case .members(let members, _):
        costsFrom[node] = suffixSums(members.map { $0.isRequired ? costs[Int($0.node)] : 0 })
        requiredFrom[node] = suffixSums(members.map { $0.isRequired ? 1 : 0 })
      }
    }
    return (costsFrom, requiredFrom)
  }

  private func suffixSums(_ values: [Int]) -> [Int] {
    var sums = [0]
    for value in values.reversed() { sums.append(sums[sums.count - 1] + value) }
    return sums.reversed()
  }
}

extension Array {
  /// Pieces that each end with an element of that kind, but for the last one.
  fileprivate func split(afterEach isLast: (Element) -> Bool) -> [ArraySlice<Element>] {
    var pieces: [ArraySlice<Element>] = []
    var start = 0
    for index in indices where isLast(self[index]) || index == count - 1 {
      pieces.append(self[start...index])
      start = index + 1
    }
    return pieces
  }
}
