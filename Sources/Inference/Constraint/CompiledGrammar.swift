/// A grammar that was checked, with the shortest string of each node known. Immutable.
final class CompiledGrammar: Sendable {
  /// Node numbers as in `Grammar`; separators follow them as literals.
  enum Node: Sendable {
    case literal([UInt8])
    case sequence([Int32])
    case choice([Int32])
    case words(WordTrie)
    case list(List)
    case members([Member], separator: Int32)
    case machine(CountedMachine)
    /// Cannot be reached from the root.
    case unused
  }

  struct List: Sendable {
    var item: Int32
    var separator: Int32
    var minimum: Int
    var maximum: Int?
  }

  struct Member: Sendable {
    var node: Int32
    var isRequired: Bool
  }

  /// Longer than any answer.
  static let infinite = 1 << 40
  /// Most bytes of the shortest string of a node: more than any context holds.
  static let longestShortest = 1 << 20
  /// Most children of all nodes together.
  static let mostEdges = 500_000
  /// Stacks that are followed side by side.
  static let mostThreads = 256

  let nodes: [Node]
  let isReserved: [Bool]
  /// Fewest bytes of each node's strings.
  let costs: [Int]
  /// Reserved nodes that are open inside one another in the shortest string.
  let needs: [Int]
  /// By node, for sequences and members: fewest bytes of the children from an index on, without those of separators.
  let suffixCosts: [[Int]]
  /// By node, for members: how many from an index on are required.
  let suffixRequired: [[Int]]
  let isAllowed: [Bool]
  /// An empty literal and a sequence of the root alone: where an automaton starts.
  let emptyNode: Int32
  let startNode: Int32
  let recursionLimit: Int

  /// - Parameter isAllowed: by byte, whether it may occur at all.
  init(_ grammar: Grammar, isAllowed: [Bool] = Array(repeating: true, count: 256)) throws(ConstraintError) {
    var compiler = GrammarCompiler(grammar, isAllowed: isAllowed)
    try compiler.compile()
    nodes = compiler.nodes
    isReserved = compiler.isReserved
    costs = compiler.costs
    needs = compiler.needs
    self.isAllowed = isAllowed
    emptyNode = compiler.emptyNode
    startNode = compiler.startNode
    recursionLimit = max(grammar.recursionLimit, needs[Int(startNode)])
    (suffixCosts, suffixRequired) = compiler.makeSuffixes()
  }
}
