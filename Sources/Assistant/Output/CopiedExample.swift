/// A small model that does not know what to do with a short text repeats an example of its prompt instead.
enum CopiedExample {
  /// Fewer words in a row say nothing: people write them too.
  private static let leastWords = 4

  /// So many words in a row are enough whatever else the text says.
  private static let manyWords = 6

  /// Characters in which that many words stand, and those of one that is just being written.
  static let longestStretch = 120

  /// Whether the text holds many words in a row of an example's result: no text around makes that another one.
  static func isSure(_ text: String, examples: [(source: String, result: String)], source: String) -> Bool {
    holds(words(of: text), manyWords, examples, source)
  }

  /// Whether the text holds a stretch of an example's result, most of it not from the source, that is half of the
  /// text's words or many.
  static func isIn(_ text: String, examples: [(source: String, result: String)], source: String) -> Bool {
    let words = words(of: text)
    return holds(words, min(manyWords, max(leastWords, (words.count + 1) / 2)), examples, source)
  }

  private static func holds(
    _ words: [String], _ least: Int, _ examples: [(source: String, result: String)], _ source: String
  ) -> Bool {
    guard words.count >= least else { return false }
    let sourceWords = Set(self.words(of: source))
    return examples.contains { example in
      let shown = self.words(of: example.result)
      return stretches(of: words, least).contains { stretch in
        stretches(of: shown, least).contains { $0.elementsEqual(stretch) }
          && stretch.filter(sourceWords.contains).count * 2 < stretch.count
      }
    }
  }

  private static func words(of text: String) -> [String] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "'" && $0 != "’" }.map(String.init)
  }

  private static func stretches(of words: [String], _ length: Int) -> [ArraySlice<String>] {
    words.count < length ? [] : (0...(words.count - length)).map { words[$0..<($0 + length)] }
  }
}
