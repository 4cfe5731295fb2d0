import AssistantProtocol
import EngineProtocol
import JSON

/// What the reader of a structured result should know.
struct StructuredWarnings: Sendable {
  /// The engine was restarted, and the request was run again.
  var engineRestarted = false
  /// The first answer held a text of the prompt's example, and the request was run again.
  var copiedExample = false
  /// How many items of the list come from further answers, since the first had repeated itself.
  var replacedItems = 0
  /// Optional members that held what nobody had said, as JSON pointers.
  var leftOut: [String] = []

  /// - Parameters:
  ///   - source: what the person has written; suspicious characters in it may come back.
  ///   - result: of the answer that the value is made of.
  func all(_ value: JSONValue, source: String, _ result: GenerateResult) -> [Warning] {
    var warnings: [Warning] = []
    if engineRestarted {
      warnings.append(Warning(.retried, ResultWarnings.Retry.engineRestarted.message))
    }
    if copiedExample {
      let message = "The first answer repeated an example of the prompt; that part was written again."
      warnings.append(Warning(.retried, message))
    }
    if replacedItems > 0 {
      let message = "The first answer repeated itself; \(replacedItems) of its items come from another one."
      warnings.append(Warning(.retried, message))
    }
    if !leftOut.isEmpty {
      let names = leftOut.prefix(5).map { "“\($0)”" }.joined(separator: ", ") + (leftOut.count > 5 ? ", …" : "")
      warnings.append(Warning(.leftOut, "Left out, since the request does not say it: \(names)."))
    }
    switch result.finishReason {
    case .stop: break
    case .length, .contextFull:
      let limit =
        result.finishReason == .length
        ? "\(result.completionTokens) tokens were the limit" : "the context window is full"
      warnings.append(Warning(.truncatedByLimit, "The value may be shorter than the model meant it to be: \(limit)."))
    }
    warnings += ResultWarnings.nearlyFull(result)
    var named: Set<String> = []
    for finding in SuspiciousCharacters.find(in: value.strings.joined(separator: "\n"), notIn: source)
    where named.count < ResultWarnings.mostFindings && named.insert(finding.name).inserted {
      let message = "The value holds \(finding.name), which is invisible and was not in the source."
      warnings.append(Warning(.suspiciousCharacters, message))
    }
    return warnings
  }
}

extension JSONValue {
  /// All strings in the value, but for the names of members.
  package var strings: [String] {
    switch self {
    case .null, .bool, .number: []
    case .string(let text): [text]
    case .array(let values): values.flatMap(\.strings)
    case .object(let object): object.members.flatMap(\.value.strings)
    }
  }
}
