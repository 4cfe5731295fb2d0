/// Cuts a text into parts that are about as long as each other and at most so long.
///
/// Between paragraphs where it can; inside a paragraph only when it is too long for one part, and then between
/// sentences; inside a sentence only when that is too long, and then between words, characters, and at last scalars.
package enum TextParts {
  private enum Level: CaseIterable {
    case paragraph, sentence, word, character, scalar

    var below: Level? {
      switch self {
      case .paragraph: .sentence
      case .sentence: .word
      case .word: .character
      case .character: .scalar
      case .scalar: nil
      }
    }
  }

  /// - Parameters:
  ///   - limit: most tokens of a part.
  ///   - density: how many tokens a scalar counts for.
  /// - Returns: ranges of `text` side by side that cover it all. Only a text of white space gives a part of nothing but
  ///   white space. A part is over the limit only when it is a single scalar.
  package static func parts(
    of text: ArraySlice<Unicode.Scalar>, limit: Double, density: TokenDensity
  ) -> [Range<Int>] {
    let total = density.tokens(in: text)
    guard total > limit, limit > 0 else { return text.isEmpty ? [] : [text.startIndex..<text.endIndex] }
    var packer = Packer(text: text, limit: limit, total: total, density: density)
    packer.add(text.startIndex..<text.endIndex, as: .paragraph)
    return joiningBlanks(packer.finish(), of: text)
  }

  private struct Packer {
    let text: ArraySlice<Unicode.Scalar>
    let limit: Double
    let density: TokenDensity
    private var parts: [Range<Int>] = []
    private var current: Range<Int>
    private var tokens = 0.0
    /// From the beginning of the current part to the end of the text.
    private var rest: Double

    init(text: ArraySlice<Unicode.Scalar>, limit: Double, total: Double, density: TokenDensity) {
      self.text = text
      self.limit = limit
      rest = total
      self.density = density
      current = text.startIndex..<text.startIndex
    }

    mutating func add(_ range: Range<Int>, as level: Level) {
      for unit in TextParts.units(of: text[range], level) {
        let size = density.tokens(in: text[unit])
        if size > limit, let below = level.below {
          add(unit, as: below)
        } else {
          if !current.isEmpty, tokens + size > limit || isBetterWithout(size) { close() }
          current = current.lowerBound..<unit.upperBound
          tokens += size
        }
      }
    }

    /// Parts are to be of about the same size: a short rest at the end would be summarised as if it were as much as
    /// the others.
    private func isBetterWithout(_ size: Double) -> Bool {
      tokens + size / 2 > rest / max(1, (rest / limit).rounded(.up))
    }

    private mutating func close() {
      rest -= tokens
      parts.append(current)
      current = current.upperBound..<current.upperBound
      tokens = 0
    }

    mutating func finish() -> [Range<Int>] {
      if !current.isEmpty { close() }
      return parts
    }
  }

  private static func units(of text: ArraySlice<Unicode.Scalar>, _ level: Level) -> [Range<Int>] {
    switch level {
    case .paragraph: TextSplitter.paragraphs(in: text)
    case .sentence: TextSplitter.sentences(in: text)
    case .word: words(in: text)
    case .character: characters(in: text)
    case .scalar: text.indices.map { $0..<$0 + 1 }
    }
  }

  /// Words with the white space behind them.
  private static func words(in text: ArraySlice<Unicode.Scalar>) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var start = text.startIndex
    var wasSpace = false
    for index in text.indices {
      let isSpace = text[index].isWhitespace
      if wasSpace, !isSpace, text[start..<index].contains(where: { !$0.isWhitespace }) {
        result.append(start..<index)
        start = index
      }
      wasSpace = isSpace
    }
    if start < text.endIndex { result.append(start..<text.endIndex) }
    return result
  }

  /// What a person sees as one character.
  private static func characters(in text: ArraySlice<Unicode.Scalar>) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var start = text.startIndex
    for character in String(scalars: text) {
      let end = start + character.unicodeScalars.count
      result.append(start..<end)
      start = end
    }
    return result
  }

  /// White space is nothing to summarise: it goes with its neighbour.
  private static func joiningBlanks(_ parts: [Range<Int>], of text: ArraySlice<Unicode.Scalar>) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var blank = text.startIndex
    for part in parts {
      if text[part].allSatisfy(\.isWhitespace) {
        if let last = result.popLast() {
          result.append(last.lowerBound..<part.upperBound)
          blank = part.upperBound
        }
      } else {
        result.append(blank..<part.upperBound)
        blank = part.upperBound
      }
    }
    return result.isEmpty && !text.isEmpty ? [text.startIndex..<text.endIndex] : result
  }
}

/// How many tokens the scalars of a text have, without a tokeniser in this process.
///
/// The engine counts the whole text, once. That number is spread over the scalars as `TokenEstimate` weighs them, bytes
/// that are not ASCII three times as heavy. Counting every paragraph would be exact but takes thousands of round trips
/// for a long text; an estimate within some ten percent is enough, for parts are far smaller than the window, and a
/// part that turns out too long for it is cut again.
package struct TokenDensity: Sendable {
  private let ascii: Double
  private let other: Double

  /// - Parameter tokens: what the engine counted in the text.
  package init(tokens: Int, in text: String) {
    var asciiBytes = 0
    for byte in text.utf8 where byte < 0x80 { asciiBytes += 1 }
    let otherBytes = text.utf8.count - asciiBytes
    let weight = Double(asciiBytes) + 3 * Double(otherBytes)
    // A text never counts for nothing, so that its parts have an end.
    ascii = max(Double(tokens), 1) / max(weight, 1)
    other = ascii * 3
  }

  package func tokens(in text: ArraySlice<Unicode.Scalar>) -> Double {
    var sum = 0.0
    for scalar in text { sum += scalar.isASCII ? ascii : other * Double(UTF8.width(scalar)) }
    return sum
  }
}

extension String {
  init(scalars: some Sequence<Unicode.Scalar>) {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    self = String(view)
  }
}
