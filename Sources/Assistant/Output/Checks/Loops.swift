/// Finds where a text begins to repeat itself.
package enum Loops {
  /// Longer texts are looked at from their end only.
  private static let mostWords = 4_000
  private static let longestPeriod = 60

  /// The text up to the end of the first turn when it ends in circles that the source does not have; nil when it does
  /// not. A circle is a stretch of words that stands at least three times in a row and makes up eight words or more,
  /// or a sentence of six words or more that stands there twice.
  package static func cut(_ text: String, source: String) -> String? {
    let words = Array(Self.words(of: text).suffix(mostWords))
    guard words.count >= 8, let loop = firstLoop(words) else { return nil }
    let turn = words[loop.start..<loop.start + loop.period].map(\.folded)
    let known = Self.words(of: source).map(\.folded)
    guard !repeats(turn, in: known) else { return nil }
    let end = words[loop.start + loop.period - 1].end
    return String(text[..<end])
  }

  private struct Word {
    let folded: String
    let end: String.Index
  }

  private static func words(of text: String) -> [Word] {
    text.split(whereSeparator: \.isWhitespace).map { word in
      let plain = word.lowercased().filter { $0.isLetter || $0.isNumber }
      return Word(folded: plain.isEmpty ? String(word) : plain, end: word.endIndex)
    }
  }

  private static func firstLoop(_ words: [Word]) -> (start: Int, period: Int)? {
    var best: (start: Int, period: Int)?
    for period in 1...min(longestPeriod, words.count / 2) {
      var run = 0
      for index in period..<words.count {
        run = words[index].folded.utf8.elementsEqual(words[index - period].folded.utf8) ? run + 1 : 0
        let isLong = period >= 6 && run >= period
        guard isLong || (run >= period * 2 && run + period >= 8) else { continue }
        let start = index + 1 - run - period
        if best.map({ start < $0.start }) ?? true { best = (start, period) }
        break
      }
    }
    return best
  }

  private static func repeats(_ turn: [String], in words: [String]) -> Bool {
    guard words.count >= turn.count * 2 else { return false }
    return (0...(words.count - turn.count * 2)).contains { start in
      words[start..<start + turn.count].elementsEqual(turn)
        && words[start + turn.count..<start + turn.count * 2].elementsEqual(turn)
    }
  }
}
