/// Many byte strings as a tree: the children of a node lie side by side, ordered by byte.
final class WordTrie: Sendable {
  private let bytes: [UInt8]
  private let firstChild: [Int32]
  private let childCount: [Int16]
  private let isEnd: [Bool]
  /// Fewest bytes to the end of a word; `CountedMachine.infinite` in a tree without words.
  let costs: [Int32]

  /// Words with a byte that is not allowed are left out.
  init(_ words: [[UInt8]], isAllowed: [Bool], mostNodes: Int = 4_000_000) throws(ConstraintError) {
    let words = words.filter { $0.allSatisfy { isAllowed[Int($0)] } }.sorted { $0.lexicographicallyPrecedes($1) }
    var bytes: [UInt8] = [0]
    var firstChild: [Int32] = [0]
    var childCount: [Int16] = [0]
    var isEnd = [false]
    var ranges = [(words: 0..<words.count, depth: 0)]
    var node = 0
    while node < ranges.count {
      var (range, depth) = ranges[node]
      while let first = range.first, words[first].count == depth {
        isEnd[node] = true
        range = range.dropFirst()
      }
      firstChild[node] = Int32(bytes.count)
      while let first = range.first {
        let end = range.first { words[$0][depth] != words[first][depth] } ?? range.upperBound
        guard bytes.count < mostNodes else { throw .tooComplex("words with too many bytes") }
        bytes.append(words[first][depth])
        firstChild.append(0)
        childCount.append(0)
        isEnd.append(false)
        ranges.append((first..<end, depth + 1))
        childCount[node] += 1
        range = end..<range.upperBound
      }
      node += 1
    }
    var costs = isEnd.map { $0 ? 0 : CountedMachine.infinite }
    for node in costs.indices.reversed() {
      let first = Int(firstChild[node])
      for child in first..<first + Int(childCount[node]) where costs[child] < costs[node] {
        costs[node] = min(costs[node], costs[child] + 1)
      }
    }
    self.bytes = bytes
    self.firstChild = firstChild
    self.childCount = childCount
    self.isEnd = isEnd
    self.costs = costs
  }

  func mayEnd(_ node: Int32) -> Bool { isEnd[Int(node)] }

  func step(_ node: Int32, _ byte: UInt8) -> Int32? {
    var range = children(of: node)
    while let first = range.first {
      let middle = first + range.count / 2
      if bytes[middle] == byte { return Int32(middle) }
      range = bytes[middle] < byte ? (middle + 1)..<range.upperBound : first..<middle
    }
    return nil
  }

  /// The bytes that can follow: -2 none, -1 several, else the one.
  func onlyByte(_ node: Int32) -> Int16 {
    let range = children(of: node)
    return range.isEmpty ? -2 : range.count > 1 ? -1 : Int16(bytes[range.lowerBound])
  }

  /// The first byte on the shortest way to the end of a word.
  func nearest(_ node: Int32) -> (byte: UInt8, node: Int32)? {
    guard costs[Int(node)] > 0 else { return nil }
    let child = children(of: node).first { costs[$0] == costs[Int(node)] - 1 }
    return child.map { (bytes[$0], Int32($0)) }
  }

  private func children(of node: Int32) -> Range<Int> {
    Int(firstChild[Int(node)])..<Int(firstChild[Int(node)]) + Int(childCount[Int(node)])
  }
}
