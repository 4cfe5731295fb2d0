import AssistantProtocol
import EngineProtocol

/// Says of the units of a summary (a sentence, a bullet, the headline) whether they say what the text says, as far as
/// that can be seen without a model.
struct SummaryJudge: Sendable {
  /// Up to so many weights a model that uses words of its own mostly makes something up; larger ones know synonyms.
  private static let mostWeightsOfSmall = 500_000_000
  /// The share of a unit's content words that may be new.
  private static let mostInventedBySmall = 0.2
  private static let mostInvented = 0.6
  /// Fewer content words tell nothing.
  private static let leastWords = 3
  /// The engine ends a unit at its bound or a little before, where a character of several bytes has no more room.
  private static let boundSlack = 2

  private let unit: TextShape.Unit
  private let source: String
  private let known: ContentWords.Known
  private let numbers: SourceNumbers
  private let mostInvented: Double

  /// - Parameters:
  ///   - params: the request with the whole text, also when that is read in parts.
  ///   - parameterCount: weights of the model; 0 when it is not known.
  init(_ params: Summarize.Params, parameterCount: Int) {
    unit = params.style.unit
    source = params.text
    known = ContentWords.Known(in: params.text)
    numbers = SourceNumbers(in: params.text)
    let isSmall = (1...Self.mostWeightsOfSmall).contains(parameterCount)
    // Who asks for another voice or language asks for other words.
    let isAskedForMore = !(params.common.instructions ?? "").isBlank
    mostInvented = isSmall && !isAskedForMore ? Self.mostInventedBySmall : Self.mostInvented
  }

  /// How a summary compares with another; the first is the best.
  func rank(_ units: [String]) -> (bad: Int, invented: Double) {
    let shares = units.map { inventedShare(of: $0) ?? 0 }
    return (units.count(where: isBad), shares.reduce(0, +) / Double(max(1, units.count)))
  }

  func isBad(_ text: String) -> Bool {
    isBrokenOff(text) || talksOfItsForm(text) || isGlued(text) || numbers.areNew(in: text)
      || (inventedShare(of: text) ?? 0) > mostInvented
  }

  private func inventedShare(of text: String) -> Double? {
    let (all, new) = known.count(in: text)
    return all >= Self.leastWords && known.words >= Self.leastWords ? Double(new) / Double(all) : nil
  }

  private func isBrokenOff(_ text: String) -> Bool {
    text.unicodeScalars.count >= unit.mostCharacters - Self.boundSlack
  }

  /// “3 short bullet points” is what the model was asked for.
  private func talksOfItsForm(_ text: String) -> Bool {
    guard unit == .bullet else { return false }
    return ContentWords.words(of: text).contains { ["bullet", "bullets"].contains($0) && !isInSource($0) }
  }

  private func isInSource(_ word: String) -> Bool { source.lowercased().hasBytes(of: word) }

  /// Two sentences with nothing between, “the end.and so”, unless it is an address or the like of the text's.
  private func isGlued(_ text: String) -> Bool {
    text.split(whereSeparator: \.isWhitespace).contains { word in
      let scalars = Array(word.unicodeScalars)
      guard scalars.count > 4 else { return false }
      let isGlue = scalars.indices.dropFirst(2).dropLast(2).contains { place in
        SentenceMarks.endsSentence(scalars[place]) && !scalars[place].isSpaceless
          && [-2, -1, 1, 2].allSatisfy { scalars[place + $0].properties.isAlphabetic }
          && scalars[place - 1].properties.isLowercase
      }
      guard isGlue else { return false }
      let core = scalars.drop { !$0.isWordPart }.reversed().drop { !$0.isWordPart }.reversed()
      return !source.hasBytes(of: String(scalars: core))
    }
  }
}

/// The numbers of a text in digits, whatever groups them: 1,482 is 1482.
struct SourceNumbers: Sendable {
  private let all: Set<[Unicode.Scalar]>

  init(in text: String) {
    all = Self.numbers(in: text).reduce(into: []) { $0.formUnion([$1.joined] + $1.pieces) }
  }

  /// Whether one in this text is not here, neither as a whole nor in its pieces.
  func areNew(in text: String) -> Bool {
    Self.numbers(in: text).contains { !all.contains($0.joined) && !$0.pieces.allSatisfy(all.contains) }
  }

  private struct Number {
    var pieces: [[Unicode.Scalar]]
    var joined: [Unicode.Scalar] { pieces.flatMap { $0 } }
  }

  private static func numbers(in text: String) -> [Number] {
    var result: [Number] = []
    var last: Unicode.Scalar?
    /// How many scalars that are no digits stand behind the last digit.
    var gap = 2
    for scalar in text.unicodeScalars {
      if scalar.isDigit {
        if gap == 0, let number = result.indices.last, let piece = result[number].pieces.indices.last {
          result[number].pieces[piece].append(scalar)
        } else if gap == 1, let last, groups(last), let number = result.indices.last {
          result[number].pieces.append([scalar])
        } else {
          result.append(Number(pieces: [[scalar]]))
        }
        gap = 0
      } else {
        gap += 1
      }
      last = scalar
    }
    return result
  }

  private static func groups(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case ",", ".", "'", "’", "\u{A0}", "\u{2009}", "\u{202F}": true
    case _: false
    }
  }
}
