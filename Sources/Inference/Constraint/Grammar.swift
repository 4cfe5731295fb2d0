/// A description of the byte strings that an answer may be. Plain data; `Constraint` checks it.
///
/// A node may refer to nodes that were added before it, or to reserved ones that are defined later: only those can
/// make a recursion. At most `recursionLimit` reserved nodes are open inside one another.
public struct Grammar: Sendable {
  /// A node of the grammar that made it.
  public struct NodeID: Sendable, Hashable {
    let index: Int
  }

  public enum Node: Sendable {
    /// Exactly these bytes (may be empty).
    case literal([UInt8])
    case sequence([NodeID])
    /// One of these; several may begin alike (the automaton follows them side by side, within a bound).
    case choice([NodeID])
    /// One of many literals, kept as a byte trie.
    case words([[UInt8]])
    /// `item` between minimum and maximum times, with the separator's bytes between. An item that may be empty needs
    /// a separator.
    case list(item: NodeID, separator: [UInt8], minimum: Int, maximum: Int?)
    /// Members in this order, each with the separator between those that are present; optional ones may be left out.
    case members([(node: NodeID, isRequired: Bool)], separator: [UInt8])
    /// A machine's language, with so many characters (`RegularLanguage.character`). Without marked characters only a
    /// minimum of 0 can be met.
    case machine(ByteMachine, minimum: Int, maximum: Int?)
  }

  var nodes: [Node?] = []
  var reserved: Set<Int> = []

  /// What the whole answer is.
  public var root: NodeID?
  /// How many reserved nodes may be open inside one another. Raised to what the shortest answer needs.
  public var recursionLimit = 64

  public init() {}

  public mutating func add(_ node: Node) -> NodeID {
    nodes.append(node)
    return NodeID(index: nodes.count - 1)
  }

  /// A node to be defined later: recursion.
  public mutating func reserve() -> NodeID {
    nodes.append(nil)
    reserved.insert(nodes.count - 1)
    return NodeID(index: nodes.count - 1)
  }

  /// Says what a reserved node is. An id of another grammar is ignored.
  public mutating func define(_ id: NodeID, _ node: Node) {
    guard nodes.indices.contains(id.index) else { return }
    nodes[id.index] = node
    reserved.insert(id.index)
  }
}

/// Why a grammar cannot constrain an output.
public enum ConstraintError: Error, Equatable {
  /// No root, or a node that is referred to but not defined.
  case undefined
  /// The node, by its number in the order of adding, matches no byte string at all, or none that the vocabulary can
  /// spell.
  case emptyLanguage(node: Int)
  /// The node can come to itself, or be repeated, without a byte in between.
  case endless(node: Int)
  /// It goes over a bound; which one.
  case tooComplex(String)
}
