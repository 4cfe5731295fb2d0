import JSON

/// A rule of the user's about what may be sent to the model or shown of its answers.
public struct Guardrail: Sendable {
  /// What is looked at.
  public enum Direction: String, Sendable, CaseIterable {
    /// What a request says: its texts, its instructions, and what tools give.
    case input
    /// What the model writes: texts, values, arguments of tools.
    case output
    case both
  }

  /// What is done when it is met.
  public enum Action: String, Sendable, CaseIterable {
    /// The request ends with the error `guardrailViolation`, and nothing of what met the rule is shown or kept.
    case block
    /// The result says so in a warning.
    case warn
  }

  /// What it looks for.
  public enum Subject: Sendable {
    /// These characters, whatever stands around them. White space in it stands for any white space.
    case literal(String)
    /// A regular expression of the subset of `JSONPattern`.
    case pattern(String)
  }

  public let id: String
  public let direction: Direction
  public let action: Action
  /// What a person is told; nil for a sentence of ours.
  public let message: String?
  /// At the start of a text.
  let scanner: PatternScanner

  /// - Parameter ignoresCase: takes capital and small letters for the same.
  /// - Throws: `PatternError` when it is no such expression, or one that every text meets.
  public init(
    id: String, _ subject: Subject, on direction: Direction = .both, action: Action = .block,
    message: String? = nil, ignoresCase: Bool = true
  ) throws(PatternError) {
    self.id = id
    self.direction = direction
    self.action = action
    self.message = message
    let expression =
      switch subject {
      case .literal(let text):
        // A rewrite may break lines elsewhere.
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isWhitespace).map { word in
          word.unicodeScalars.map { "\\u{\(String($0.value, radix: 16))}" }.joined()
        }.joined(separator: "\\s+")
      case .pattern(let text): text
      }
    let pattern = try JSONPattern(expression)
    if pattern.matches("") { throw PatternError(problem: "is met by every text, even by none") }
    scanner = PatternScanner(pattern, ignoresCase: ignoresCase)
  }

  func looksAt(_ other: Direction) -> Bool { direction == .both || direction == other }

  /// Where a whole text meets it, in scalars; nil when it does not.
  func match(in text: String) throws(CancellationError) -> Range<Int>? {
    var scanner = scanner
    // A text may be as long as a request can be, and its client may have gone.
    var rest = text.unicodeScalars[...]
    while !rest.isEmpty {
      if Task.isCancelled { throw CancellationError() }
      scanner.append(Substring(rest.prefix(Self.step)))
      rest = rest.dropFirst(Self.step)
    }
    if case .found(let range) = scanner.stateAtEnd { return range }
    return nil
  }

  private static let step = 16_384
}
