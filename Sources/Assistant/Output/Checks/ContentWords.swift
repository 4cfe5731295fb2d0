/// The words of a text that carry its meaning.
package enum ContentWords {
  /// All words in their order, in lower case; an apostrophe belongs to its word.
  package static func words(of text: String) -> [String] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "'" && $0 != "’" }
      .map { String($0).replacing("’", with: "'") }
  }

  /// Which share of the text's content words have no word of the same stem in the source; nil when there are too few
  /// words to tell, as always in scripts without spaces.
  package static func inventedShare(of text: String, source: String) -> Double? {
    let known = Known(in: source)
    let (all, new) = known.count(in: text)
    guard all >= leastWords, known.words >= leastSourceWords else { return nil }
    return Double(new) / Double(all)
  }

  /// The content words of a text, in which those of others are looked up.
  struct Known: Sendable {
    /// How many there are.
    let words: Int
    private let stems: Stems

    init(in text: String) {
      let carriers = ContentWords.carriers(in: text)
      words = carriers.count
      stems = Stems(of: carriers)
    }

    /// The content words of another text, and those that have no word of the same stem here.
    func count(in text: String) -> (all: Int, new: Int) {
      let carriers = ContentWords.carriers(in: text)
      return (carriers.count, carriers.count { !stems.contains($0) })
    }
  }

  private static let leastWords = 5
  private static let leastSourceWords = 3

  private static func carriers(in text: String) -> [String] {
    words(of: text).filter { word in
      guard word.count > 3 || word.contains(where: \.isNumber), !FrequentWords.all.contains(word) else { return false }
      return !(word.unicodeScalars.first?.isSpaceless ?? false)
    }
  }

  /// The starts of words: endings differ, and so do many tenses. Of short words four letters count, of long ones five.
  private struct Stems: Sendable {
    private static let long = 7
    private var four: Set<Substring> = []
    private var fourOfShort: Set<Substring> = []
    private var five: Set<Substring> = []

    init(of words: [String]) {
      for word in words {
        four.insert(word.prefix(4))
        five.insert(word.prefix(5))
        if word.count < Self.long { fourOfShort.insert(word.prefix(4)) }
      }
    }

    func contains(_ word: String) -> Bool {
      word.count < Self.long
        ? four.contains(word.prefix(4)) : five.contains(word.prefix(5)) || fourOfShort.contains(word.prefix(4))
    }
  }
}
