import EngineProtocol

/// What may be wrong with an answer.
package enum Flaw: Sendable, Hashable, CaseIterable {
  case refusal, empty, copiedExample, languageChanged, protectedTextLost, repetition, unchanged, structureChanged
  case invention, length, unfinished

  /// How much it weighs against an answer.
  var weight: Double {
    switch self {
    case .refusal: 200
    case .empty: 150
    case .copiedExample: 60
    case .unfinished: 40
    case .languageChanged: 50
    case .protectedTextLost: 30
    case .repetition: 25
    case .unchanged: 15
    case .invention: 60
    case .structureChanged, .length: 8
    }
  }
}

/// What the verifier says of an answer.
package struct Verdict: Sendable, Equatable {
  package var flaws: Set<Flaw> = []
  /// Protected strings that the answer does not hold.
  package var lost: [String] = []
  /// Higher is better; 0 is perfect but for the model's own doubt.
  package var score = 0.0

  package var isGood: Bool { flaws.isEmpty }

  /// Whether nobody would look for a better one: without flaws, and little of it is made up.
  var isConvincing: Bool { isGood && score > -8 }

  /// Says something else than the source: the source as it is would be better.
  var isBeside: Bool { !flaws.isDisjoint(with: [.copiedExample, .invention]) }

  /// Without what must stay, or without its end: to lose something is worse than to change nothing.
  var loses: Bool { !flaws.isDisjoint(with: [.protectedTextLost, .unfinished]) }

  /// Out of proportion, or nothing at all: among other stretches the source as it is would be better.
  var isOdd: Bool { !flaws.isDisjoint(with: [.empty, .length]) }
}

extension Verdict {
  /// Whether it can be offered without a word about it, beside a text that has warnings of its own.
  var isFitForChoice: Bool {
    !isBeside && !loses && flaws.isDisjoint(with: [.empty, .refusal, .languageChanged])
  }
}

/// Judges answers by what can be seen without a model.
package struct Verifier: Sendable {
  /// Of shorter sources only an answer that is longer by so much is out of proportion.
  private static let leastScalars = 24
  private static let slack = 60
  /// A text that is longer than the rules allow by this factor is no result any more.
  private static let mostExcess = 1.5
  /// A larger share of new content words is no rewriting any more.
  private static let mostInvented = 0.7

  private let source: String
  private let examples: [(source: String, result: String)]
  private let rules: TextRules
  private let protected: ProtectedStrings

  init(source: String, examples: [(source: String, result: String)], rules: TextRules) {
    self.source = source
    self.examples = examples
    self.rules = rules
    protected = ProtectedStrings(source, protect: rules.protect, language: rules.documentLanguage)
  }

  /// Whether a text of so many characters is much too long, whatever follows. One that is somewhat too long may still
  /// be the best there is, and what the caller limits needs no other limit.
  func isHopeless(_ count: Int) -> Bool {
    let most = rules.length.upperBound * Double(max(source.unicodeScalars.count, Self.leastScalars))
    return !rules.isLimited && Double(count) > Self.mostExcess * most + Double(Self.slack)
  }

  /// Whether a text that ends like this says what an example says, whatever follows.
  func copiesExample(_ end: String) -> Bool { CopiedExample.isSure(end, examples: examples, source: source) }

  /// Puts back what was nearly right.
  func repaired(_ text: String) -> String {
    ProtectedRepair.repaired(text, lost: ProtectedText.lost(protected.all, in: text))
  }

  /// - Parameters:
  ///   - text: the answer, repaired; nil for a refusal.
  ///   - repeats: the answer ran in circles.
  func verdict(on text: String?, repeats: Bool, _ result: GenerateResult) -> Verdict {
    var verdict = Verdict()
    guard let text else { return Verdict(flaws: [.refusal], score: -Flaw.refusal.weight) }
    if text.isBlank { return Verdict(flaws: [.empty], score: -Flaw.empty.weight) }
    if CopiedExample.isIn(text, examples: examples, source: source) { verdict.flaws.insert(.copiedExample) }
    if !rules.isFree, LanguageDetector.hasChanged(from: source, to: text) { verdict.flaws.insert(.languageChanged) }
    verdict.lost = ProtectedText.lost(protected.all, in: text)
    if !verdict.lost.isEmpty { verdict.flaws.insert(.protectedTextLost) }
    if repeats { verdict.flaws.insert(.repetition) }
    // The model ran on. What stands before a loop has its end.
    if result.finishReason == .length, !rules.isLimited, !repeats { verdict.flaws.insert(.unfinished) }
    if isUnchanged(text) { verdict.flaws.insert(.unchanged) }
    if Self.hasOwnStructure(text) { verdict.flaws.insert(.structureChanged) }
    let count = source.unicodeScalars.count
    if isOutOfProportion(text.unicodeScalars.count, to: count) { verdict.flaws.insert(.length) }
    let invented = rules.isFree ? nil : ContentWords.inventedShare(of: text, source: source)
    if let invented, invented > Self.mostInvented { verdict.flaws.insert(.invention) }
    verdict.score = -verdict.flaws.reduce(0) { $0 + $1.weight }
    verdict.score -= Double(verdict.lost.count) * 5 + (invented ?? 0) * 20 + Double(min(3, newNumbers(in: text))) * 8
    if result.completionTokens > 0 { verdict.score += result.logProbability / Double(result.completionTokens) }
    return verdict
  }

  /// Numbers that the source does not have.
  private func newNumbers(in text: String) -> Int {
    func numbers(_ text: String) -> Set<Substring> { Set(text.split { !($0.isASCII && $0.isNumber) }) }
    return numbers(text).subtracting(numbers(source)).count
  }

  private func isOutOfProportion(_ count: Int, to source: Int) -> Bool {
    let ratio = Double(count) / Double(max(1, source))
    if source >= Self.leastScalars { return !rules.length.contains(ratio) }
    return ratio > rules.length.upperBound && count > source + Self.slack
  }

  private func isUnchanged(_ text: String) -> Bool {
    guard !rules.mayStayTheSame else { return false }
    let folded = text.spaceFolded
    return folded.contains(" ") && folded.utf8.elementsEqual(source.spaceFolded.utf8)
  }

  /// A source is one paragraph; lists and further paragraphs are the model's own.
  private static func hasOwnStructure(_ text: String) -> Bool {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard lines.count > 1 else { return false }
    return lines.dropFirst().contains { $0.allSatisfy(\.isWhitespace) }
      || lines.count { line in ["- ", "* ", "• ", "1. ", "2. "].contains { line.hasPrefix($0) } } > 1
  }
}
