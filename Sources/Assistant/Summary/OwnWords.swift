import AssistantProtocol
import EngineProtocol

/// What a text says in its own words, to stand in a summary where the model's words are not good.
struct OwnWords {
  /// Fewer words are no clause that stands for itself, and more no headline.
  private static let clauseWords = 3
  /// What is shorter between two commas is an item of a list rather than a sentence.
  private static let sentenceWords = 6
  private static let headlineWords = 12
  /// What joins a clause to the one before.
  private static let joiners: Set = ["and", "but", "or", "und", "aber", "et", "mais", "y", "pero", "e", "ma", "mas"]

  private let style: Summarize.Style
  private let sentences: [String]
  private let isGood: (String) -> Bool

  /// - Parameters:
  ///   - text: what the model has read.
  ///   - language: what the text is written in, as an editor names it.
  ///   - isGood: whether a sentence, or a part of one, may stand in the summary.
  init(_ text: String, language: String?, style: Summarize.Style, isGood: @escaping (String) -> Bool) {
    self.style = style
    self.isGood = isGood
    sentences = Form(text, language: language).prose.flatMap { prose in
      let scalars = Array(prose.text.unicodeScalars)
      return TextSplitter.sentences(in: scalars[...]).map { String(scalars: scalars[$0]).trimmed }
    }.filter { Prose(original: $0, text: $0).isWorthWriting }
  }

  /// The units with those that are bad replaced, each by what is most like it and is not said by another one. A unit
  /// for which nothing is left stays.
  /// - Returns: the units, and which of them are the text's own.
  func replacing(_ bad: Set<Int>, of units: [String]) -> (units: [String], replaced: [Int]) {
    let own = pool(for: units.count)
    let known = own.map { ContentWords.Known(in: $0) }
    func shared(_ unit: String, _ index: Int) -> Int {
      let (all, new) = known[index].count(in: unit)
      return all - new
    }
    var free = Set(own.indices)
    for (index, unit) in units.enumerated() where !bad.contains(index) {
      let alike = own.indices.max { (shared(unit, $0), $1) < (shared(unit, $1), $0) }
      if let alike, shared(unit, alike) > 0 { free.remove(alike) }
    }
    var result = units
    var replaced: [Int] = []
    for index in bad.sorted() {
      // The first of those that are alike.
      let best = free.max { (shared(units[index], $0), $1) < (shared(units[index], $1), $0) }
      guard let best else { break }
      free.remove(best)
      result[index] = own[best]
      replaced.append(index)
    }
    // A text of one long sentence has no second one, but it may be two that are joined.
    if style == .sentences, replaced.count < bad.count, case let joined = joinedSentences, joined.count >= units.count {
      return (Array(joined.prefix(units.count)), Array(units.indices))
    }
    return (result, replaced)
  }

  private func pool(for count: Int) -> [String] {
    let pool =
      switch style {
      case .sentences: sentences.map(Self.ended)
      // A list of what one sentence says is a list of its clauses, and so is what is too long for a bullet.
      case .bullets:
        sentences.flatMap { sentences.count < count || !isGood($0) ? Self.clauses(of: $0) : [$0] }
      case .headline: headlines.isEmpty ? sentences.compactMap(Self.beginning) : headlines
      }
    return pool.filter(isGood)
  }

  private var headlines: [String] { sentences.compactMap(Self.headline) }

  /// The sentences, and those that are joined in one each for itself.
  private var joinedSentences: [String] {
    sentences.flatMap { sentence in
      Self.clauses(of: sentence, least: Self.sentenceWords, onlyJoined: true).map { clause in
        Self.ended(clause.prefix(1).uppercased() + clause.dropFirst())
      }
    }.filter(isGood)
  }

  /// Items of a list have no mark at their end; sentences are told apart by theirs.
  private static func ended(_ sentence: String) -> String {
    guard let last = sentence.unicodeScalars.last else { return sentence }
    if SentenceMarks.endsSentence(last) || SentenceMarks.closes(last) { return sentence }
    return last.isWordPart ? sentence + "." : String(sentence.unicodeScalars.dropLast()) + "."
  }

  /// As much of a sentence as a headline holds.
  private static func beginning(_ sentence: String) -> String? {
    let words = sentence.split(whereSeparator: \.isWhitespace)
    let text = words.prefix(headlineWords).joined(separator: " ") + "…"
    return words.count > headlineWords && text.unicodeScalars.count < TextShape.Unit.headline.mostCharacters
      ? text : nil
  }

  /// The first clause of a sentence that is short enough; nil when there is none.
  private static func headline(_ sentence: String) -> String? {
    var text = clauses(of: sentence)[0]
    while let last = text.unicodeScalars.last, last == "." || last == "。" { text.unicodeScalars.removeLast() }
    let isShort =
      text.split(whereSeparator: \.isWhitespace).count <= headlineWords
      && text.unicodeScalars.count < TextShape.Unit.headline.mostCharacters
    return isShort && !text.isEmpty ? text : nil
  }

  /// At least one. What is too short goes with its neighbour.
  /// - Parameters:
  ///   - least: words of a clause.
  ///   - onlyJoined: only where “and” or the like follows, which mostly begins what could be a sentence.
  private static func clauses(of sentence: String, least: Int = clauseWords, onlyJoined: Bool = false) -> [String] {
    let scalars = Array(sentence.unicodeScalars)
    var result: [String] = []
    var start = 0
    for place in scalars.indices where isBorder(place, in: scalars) {
      let clause = withoutJoiner(String(scalars: scalars[start..<place]).trimmed)
      let rest = String(scalars: scalars[(place + 1)...]).trimmed
      guard words(clause) >= least, words(rest) >= least, !onlyJoined || withoutJoiner(rest) != rest else { continue }
      result.append(clause)
      start = place + 1
    }
    return result + [withoutJoiner(String(scalars: scalars[start...]).trimmed)]
  }

  private static func words(_ text: String) -> Int { text.split(whereSeparator: \.isWhitespace).count }

  private static func isBorder(_ place: Int, in scalars: [Unicode.Scalar]) -> Bool {
    guard place > 0, place + 1 < scalars.count, scalars[place + 1].isWhitespace else { return false }
    switch scalars[place] {
    case ",", ";", ":": return true
    case "–", "—": return scalars[place - 1].isWhitespace
    case _: return false
    }
  }

  private static func withoutJoiner(_ clause: String) -> String {
    guard let space = clause.firstIndex(of: " "), joiners.contains(String(clause[..<space])) else { return clause }
    return String(clause[clause.index(after: space)...])
  }
}
