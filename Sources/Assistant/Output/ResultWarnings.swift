import AssistantProtocol
import EngineProtocol

/// What the reader of a result should know, found by looking at it.
enum ResultWarnings {
  /// More would be noise.
  static let mostFindings = 20

  /// Why a request was run again.
  enum Retry: CaseIterable {
    case engineRestarted, copiedExample, flawed, tooShort, empty

    var message: String {
      switch self {
      case .engineRestarted: "The engine was restarted, and the request was run again."
      case .copiedExample: "The first answer repeated an example of the prompt; the request was run again without it."
      case .flawed: "The first answer was not good enough, so more were drawn and the best was taken."
      case .empty: "The first answer was empty; the request was run again."
      case .tooShort: "The first answer had too few different sentences or bullets; the request was run again."
      }
    }
  }

  static func all(
    text: String, source: String, encoding: PositionEncoding, result: GenerateResult, retries: Set<Retry>
  ) -> [Warning] {
    var warnings = Retry.allCases.filter(retries.contains).map { Warning(.retried, $0.message) }
    switch result.finishReason {
    case .length:
      warnings.append(Warning(.truncatedByLimit, "The text ends early: the limit of tokens was reached."))
    case .contextFull:
      warnings.append(Warning(.truncatedByLimit, "The text ends because the context window is full."))
    case .stop:
      if result.repeated {
        warnings.append(Warning(.truncatedByLimit, "The model repeated itself and was stopped."))
      }
    }
    return warnings + nearlyFull(result) + suspiciousCharacters(in: text, source: source, encoding: encoding)
  }

  /// Whether the context window is nearly full.
  static func nearlyFull(_ result: GenerateResult) -> [Warning] {
    guard result.contextSize > 0, result.contextUsed * 10 > result.contextSize * 9 else { return [] }
    let message = "\(result.contextUsed) of \(result.contextSize) tokens of the context window are used."
    return [Warning(.contextNearlyFull, message)]
  }

  private static func suspiciousCharacters(
    in text: String, source: String, encoding: PositionEncoding
  ) -> [Warning] {
    let findings = SuspiciousCharacters.find(in: text, notIn: source).prefix(mostFindings)
    guard let last = findings.last else { return [] }
    // Positions of the scalars in the client's units, as far as they are needed.
    var offsets = [0]
    for scalar in text.unicodeScalars.prefix(last.scalars.upperBound) {
      offsets.append((offsets.last ?? 0) + encoding.length(of: scalar))
    }
    return findings.map { finding in
      Warning(
        .suspiciousCharacters, "The text holds \(finding.name), which is invisible and was not in the source.",
        range: TextRange(start: offsets[finding.scalars.lowerBound], end: offsets[finding.scalars.upperBound]))
    }
  }
}

extension AssistantProtocol.FinishReason {
  init(_ reason: EngineProtocol.FinishReason) {
    switch reason {
    case .stop: self = .stop
    case .length: self = .length
    case .contextFull: self = .contextFull
    }
  }
}
