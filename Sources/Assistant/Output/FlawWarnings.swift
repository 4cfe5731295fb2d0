import AssistantProtocol

/// What a reader should know of a stretch of the text that is not as it should be.
enum FlawWarnings {
  /// More are not named.
  private static let mostStrings = 5

  /// - Parameter stayed: sentences that are as they were; nil when the stretch was written as one.
  static func all(_ verdict: Verdict, stayed: Stayed? = nil, range: TextRange) -> [Warning] {
    flaws(verdict, range: range) + (stayed.map { sentences($0, range: range) } ?? [])
  }

  private static func sentences(_ stayed: Stayed, range: TextRange) -> [Warning] {
    guard stayed.count > 0 else { return [] }
    let verb = stayed.count == 1 ? "is as it was" : "are as they were"
    let message = "\(stayed.count) of \(stayed.of) sentences \(verb): the model had no good words for that."
    return [Warning(.unchanged, message, range: range)]
  }

  private static func flaws(_ verdict: Verdict, range: TextRange) -> [Warning] {
    Flaw.allCases.filter(verdict.flaws.contains).compactMap { flaw in
      switch flaw {
      case .languageChanged: Warning(.languageChanged, "This is in another language than the source.", range: range)
      case .structureChanged:
        Warning(.structureChanged, "The model wrote several paragraphs for one; they were joined.", range: range)
      case .unchanged, .empty: unchanged(verdict.lost, range: range)
      // A repetition is said by the end of the text that it brings; what would lose something stays as it was.
      case .refusal, .copiedExample, .protectedTextLost, .repetition, .invention, .length, .unfinished: nil
      }
    }
  }

  /// - Parameter strings: what the best rewrite has lost, if that is why it was not taken.
  private static func unchanged(_ strings: [String], range: TextRange) -> Warning {
    let message =
      strings.isEmpty
      ? "The model had no other words for this." : "It is as it was: even the best rewrite lost \(names(strings))."
    return Warning(.unchanged, message, range: range)
  }

  /// Strings that had to stay are missing.
  static func lost(_ strings: [String], range: TextRange) -> Warning {
    Warning(.protectedTextLost, "Missing: " + names(strings) + ".", range: range)
  }

  private static func names(_ strings: [String]) -> String {
    let shown = strings.prefix(mostStrings).map { "“\($0)”" }.joined(separator: ", ")
    return strings.count > mostStrings ? "\(shown) and \(strings.count - mostStrings) more" : shown
  }
}
