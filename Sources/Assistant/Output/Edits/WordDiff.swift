/// The smallest changes, by words, that make one text of another. (Myers, “An O(ND) Difference Algorithm and Its
/// Variations”, 1986.)
package enum WordDiff {
  /// One change: a range of UTF-8 bytes of the old text and what stands there instead.
  package struct Change: Equatable, Sendable {
    package var range: Range<Int>
    package var text: String

    package init(range: Range<Int>, text: String) {
      self.range = range
      self.text = text
    }
  }

  /// Of more words, or more differences, one change of all that lies between the first and the last difference is made.
  private static let mostWords = 20_000
  private static let mostDifferences = 1_000

  /// Ascending, not touching each other; none when the texts have the same bytes.
  package static func changes(from old: String, to new: String) -> [Change] {
    if old.utf8.elementsEqual(new.utf8) { return [] }
    let (before, after) = (words(of: old), words(of: new))
    var head = 0
    while head < before.count, head < after.count, before[head] == after[head] { head += 1 }
    var tail = 0
    while tail < min(before.count, after.count) - head,
      before[before.count - 1 - tail] == after[after.count - 1 - tail]
    {
      tail += 1
    }
    let (a, b) = (Array(before[head..<before.count - tail]), Array(after[head..<after.count - tail]))
    let kept = a.count + b.count > mostWords ? [] : common(a, b) ?? []
    return changes(a, b, kept: kept, from: before[..<head].reduce(0) { $0 + $1.count })
  }

  private typealias Word = [UInt8]

  /// Runs of letters and digits, runs of white space, and everything else by characters.
  private static func words(of text: String) -> [Word] {
    var words: [Word] = []
    var kind = 0
    for character in text {
      let next = character.isLetter || character.isNumber ? 1 : character.isWhitespace ? 2 : 3
      if next == kind, next != 3, !words.isEmpty {
        words[words.count - 1] += Array(character.utf8)
      } else {
        words.append(Array(character.utf8))
      }
      kind = next
    }
    return words
  }

  /// Pairs of equal words, ascending; nil when there are too many differences.
  private static func common(_ a: [Word], _ b: [Word]) -> [(Int, Int)]? {
    var numbers: [Word: Int] = [:]
    func number(_ word: Word) -> Int {
      if let known = numbers[word] { return known }
      numbers[word] = numbers.count
      return numbers.count - 1
    }
    let (x, y) = (a.map(number), b.map(number))
    let most = min(x.count + y.count, mostDifferences)
    let offset = most + 1
    var furthest = Array(repeating: 0, count: 2 * most + 3)
    var history: [[Int]] = []
    for distance in 0...most {
      history.append(Array(furthest[(offset - distance - 1)...(offset + distance + 1)]))
      for diagonal in stride(from: -distance, through: distance, by: 2) {
        let goesDown =
          diagonal == -distance
          || (diagonal != distance && furthest[offset + diagonal - 1] < furthest[offset + diagonal + 1])
        var i = goesDown ? furthest[offset + diagonal + 1] : furthest[offset + diagonal - 1] + 1
        while i < x.count, i - diagonal < y.count, i - diagonal >= 0, x[i] == y[i - diagonal] { i += 1 }
        furthest[offset + diagonal] = i
        if i >= x.count, i - diagonal >= y.count { return path(history, x, y) }
      }
    }
    return nil
  }

  /// Walks back through the furthest points of each distance.
  private static func path(_ history: [[Int]], _ x: [Int], _ y: [Int]) -> [(Int, Int)] {
    var pairs: [(Int, Int)] = []
    var (i, j) = (x.count, y.count)
    for distance in stride(from: history.count - 1, through: 0, by: -1) {
      // history[distance] begins at diagonal -distance - 1.
      let row = history[distance]
      func furthest(_ diagonal: Int) -> Int { row[diagonal + distance + 1] }
      let diagonal = i - j
      let goesDown =
        diagonal == -distance || (diagonal != distance && furthest(diagonal - 1) < furthest(diagonal + 1))
      let before = goesDown ? diagonal + 1 : diagonal - 1
      let (beforeI, beforeJ) = distance == 0 ? (0, 0) : (furthest(before), furthest(before) - before)
      while i > beforeI, j > beforeJ, i > 0, j > 0, x[i - 1] == y[j - 1] {
        i -= 1
        j -= 1
        pairs.append((i, j))
      }
      (i, j) = (beforeI, beforeJ)
    }
    return pairs.reversed()
  }

  private static func changes(_ a: [Word], _ b: [Word], kept: [(Int, Int)], from start: Int) -> [Change] {
    var changes: [Change] = []
    var (i, j, place) = (0, 0, start)
    for (keptI, keptJ) in kept + [(a.count, b.count)] {
      let length = a[i..<keptI].reduce(0) { $0 + $1.count }
      if keptI > i || keptJ > j {
        let text = String(decoding: b[j..<keptJ].joined(), as: UTF8.self)
        changes.append(Change(range: place..<place + length, text: text))
      }
      place += length
      if keptI < a.count { place += a[keptI].count }
      (i, j) = (keptI + 1, keptJ + 1)
    }
    return changes
  }
}
