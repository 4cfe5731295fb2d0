import AssistantProtocol

/// The user's rules; none by default.
public struct Guardrails: Sendable {
  public static let none = Guardrails([])

  let rules: [Guardrail]

  public init(_ rules: [Guardrail]) { self.rules = rules }

  var isEmpty: Bool { rules.isEmpty }

  /// The rules that look at what goes this way.
  func rules(on direction: Guardrail.Direction) -> [Guardrail] { rules.filter { $0.looksAt(direction) } }

  /// Looks at what is to be read by the model.
  /// - Returns: a warning for each rule that is met and only warns.
  func checkInput(_ texts: [String]) throws(RequestFailure) -> [Warning] {
    var warnings: [Warning] = []
    for rule in rules(on: .input) {
      for text in texts where try rule.isMet(by: text) {
        if rule.action == .block { throw rule.violation }
        warnings.append(rule.warning(of: "The request"))
        break
      }
    }
    return warnings
  }
}

extension Guardrail {
  var violation: RequestFailure { .assistant(.guardrailViolation(rule: id, message: message)) }

  func warning(of subject: String, range: TextRange? = nil) -> Warning {
    Warning(.guardrail, message.map { "\(id): \($0)" } ?? "\(subject) meets the rule “\(id)”.", range: range)
  }

  package func isMet(by text: String) throws(RequestFailure) -> Bool { try range(in: text) != nil }

  func range(in text: String) throws(RequestFailure) -> Range<Int>? {
    do { return try match(in: text) } catch { throw .engine(.cancelled) }
  }
}

extension TextRange {
  init(scalars range: Range<Int>, of text: String, _ encoding: PositionEncoding) {
    let view = text.unicodeScalars
    let start = view.index(view.startIndex, offsetBy: range.lowerBound)
    let end = view.index(start, offsetBy: range.count)
    let before = encoding.length(of: text[..<start])
    self.init(start: before, end: before + encoding.length(of: text[start..<end]))
  }
}
