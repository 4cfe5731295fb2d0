import JSON

/// What `workspace/executeCommand` can run.
package enum AssistantCommand: String, CaseIterable, Sendable {
  case rephrase = "inkling.rephrase"
  case summarize = "inkling.summarize"
  case brainstorm = "inkling.brainstorm"
  /// One of the configuration's.
  case command = "inkling.command"
}

/// The kinds of code actions. What replaces the selection is a rewriting refactoring; what makes another text of it
/// changes nothing of it, so those are kinds of their own: not `source`, which is for whole files and is left out of
/// most menus.
package enum ActionKind {
  package static let rewrite = "refactor.rewrite"
  package static let summarize = "inkling.summarize"
  package static let brainstorm = "inkling.brainstorm"
  package static let command = "inkling.command"
  package static let all = [rewrite, summarize, brainstorm, command]

  /// Whether a kind is what a client asks for, itself or as a part of it; the empty kind has all parts.
  package static func matches(_ kind: String, only wanted: [String]?) -> Bool {
    guard let wanted, !wanted.isEmpty else { return true }
    return wanted.contains { $0.isEmpty || kind.hasSameBytes(as: $0) || (kind + ".").hasPrefix($0 + ".") }
  }
}
