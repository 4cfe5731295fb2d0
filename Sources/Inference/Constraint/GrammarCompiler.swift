/// Turns a grammar's nodes into a form to run, and refuses those that cannot be run.
struct GrammarCompiler {
  typealias Node = CompiledGrammar.Node

  private let grammar: Grammar
  private let isAllowed: [Bool]
  private(set) var nodes: [Node] = []
  private(set) var isReserved: [Bool] = []
  var costs: [Int] = []
  var needs: [Int] = []
  private(set) var emptyNode: Int32 = 0
  private(set) var startNode: Int32 = 0
  /// The nodes that the root leads to, each before those that led to it where there is no recursion.
  private(set) var order: [Int] = []
  private var separators: [[UInt8]: Int32] = [:]
  private var entriesLeft = CountedMachine.mostEntries

  init(_ grammar: Grammar, isAllowed: [Bool]) {
    self.grammar = grammar
    self.isAllowed = isAllowed
  }

  mutating func compile() throws(ConstraintError) {
    guard let root = grammar.root else { throw .undefined }
    nodes = Array(repeating: .unused, count: grammar.nodes.count)
    emptyNode = separator([])
    nodes.append(.sequence([Int32(root.index)]))
    startNode = Int32(nodes.count - 1)
    try translateReachable(from: root.index)
    isReserved = nodes.indices.map { grammar.reserved.contains($0) }
    makeOrder()
    try findCosts()
    try refuseEndless()
    for node in order where costs[node] > CompiledGrammar.longestShortest {
      if costs[node] >= CompiledGrammar.infinite { throw .emptyLanguage(node: node) }
      throw .tooComplex("an answer of at least \(costs[node]) bytes")
    }
    findNeeds()
    try refuseWide()
  }

  private mutating func separator(_ bytes: [UInt8]) -> Int32 {
    if let known = separators[bytes] { return known }
    nodes.append(.literal(bytes))
    separators[bytes] = Int32(nodes.count - 1)
    return Int32(nodes.count - 1)
  }

  private mutating func translateReachable(from root: Int) throws(ConstraintError) {
    var seen = Array(repeating: false, count: grammar.nodes.count)
    var queue = [root]
    var edges = 0
    while let index = queue.popLast() {
      guard grammar.nodes.indices.contains(index), let node = grammar.nodes[index] else { throw .undefined }
      if seen[index] { continue }
      seen[index] = true
      nodes[index] = try translate(node)
      let ids = references(of: node)
      edges += ids.count
      guard edges <= CompiledGrammar.mostEdges else { throw .tooComplex("a grammar with too many nodes") }
      queue.append(contentsOf: ids.map(\.index))
    }
  }

  private func references(of node: Grammar.Node) -> [Grammar.NodeID] {
    switch node {
    case .literal, .words, .machine: []
    case .sequence(let children), .choice(let children): children
    case .list(let item, _, _, let maximum): maximum.map { $0 <= 0 } ?? false ? [] : [item]
    case .members(let members, _): members.map(\.node)
    }
  }

  private mutating func translate(_ node: Grammar.Node) throws(ConstraintError) -> Node {
    switch node {
    case .literal(let bytes): return .literal(bytes)
    case .sequence(let children): return .sequence(children.map { Int32($0.index) })
    case .choice(let children): return .choice(children.map { Int32($0.index) })
    case .words(let words): return .words(try WordTrie(words, isAllowed: isAllowed))
    case .list(let item, let bytes, let minimum, let maximum):
      return .list(
        CompiledGrammar.List(
          item: Int32(item.index), separator: separator(bytes), minimum: max(0, minimum),
          maximum: maximum.flatMap { $0 > CompiledGrammar.longestShortest ? nil : $0 }))
    case .members(let members, let bytes):
      let translated = members.map { CompiledGrammar.Member(node: Int32($0.node.index), isRequired: $0.isRequired) }
      return .members(translated, separator: separator(bytes))
    case .machine(let machine, let minimum, let maximum):
      guard minimum <= CompiledGrammar.longestShortest else {
        throw .tooComplex("a text of at least \(minimum) characters")
      }
      let most = maximum.flatMap { $0 > CompiledGrammar.longestShortest ? nil : $0 }
      return .machine(
        try CountedMachine(
          machine, minimum: minimum, maximum: most, isAllowed: isAllowed, entriesLeft: &entriesLeft))
    }
  }

  /// The nodes that a node can lead to.
  func children(of index: Int) -> [Int] {
    switch nodes[index] {
    case .literal, .words, .machine, .unused: return []
    case .sequence(let children), .choice(let children): return children.map { Int($0) }
    case .list(let list):
      return list.maximum.map { $0 <= 0 } ?? false ? [] : [Int(list.item), Int(list.separator)]
    case .members(let members, let separator): return members.map { Int($0.node) } + [Int(separator)]
    }
  }

  private mutating func makeOrder() {
    var state = Array(repeating: UInt8(0), count: nodes.count)
    var stack = [Int(startNode), Int(emptyNode)]
    while let node = stack.last {
      if state[node] == 0 {
        state[node] = 1
        stack.append(contentsOf: children(of: node).filter { state[$0] == 0 })
      } else {
        stack.removeLast()
        if state[node] == 1 { order.append(node) }
        state[node] = 2
      }
    }
  }

  /// Bytes of a literal when it can be spelled.
  func literalCost(_ bytes: [UInt8]) -> Int {
    bytes.allSatisfy { isAllowed[Int($0)] } ? bytes.count : CompiledGrammar.infinite
  }
}
