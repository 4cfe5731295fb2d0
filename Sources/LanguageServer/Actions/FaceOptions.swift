import AssistantProtocol
import JSON

/// Where a text goes that is not written in the place of the selection.
package enum Placement: String, JSONStringEnum {
  case above, below, replace, newDocument, message
}

/// What a person can set, in `initializationOptions` and `workspace/didChangeConfiguration`.
package struct FaceOptions: Sendable, Equatable {
  /// A summary stands before its text, as an abstract does.
  package var summarize = Placement.above
  /// Ideas come after their topic.
  package var brainstorm = Placement.below

  package init() {}

  /// Takes what is set, with or without a section `inkling` around it; the rest stays as it is.
  ///
  /// - Returns: what is wrong, in sentences for the person.
  package mutating func read(_ json: JSONValue) -> [String] {
    let settings = json["inkling"] ?? json
    var problems: [String] = []
    for (name, path) in [("summarize", \FaceOptions.summarize), ("brainstorm", \FaceOptions.brainstorm)] {
      guard let value = settings[name]?["placement"], value != .null else { continue }
      do throws(JSONMismatch) {
        self[keyPath: path] = try Placement(json: value)
      } catch {
        problems.append("The setting “\(name).placement” \(error.problem).")
      }
    }
    return problems
  }
}

extension TextFormat {
  /// What can be pasted into a document of that language.
  package init(languageID: String) {
    switch languageID {
    case "markdown", "mdx", "rmd", "quarto": self = .markdown
    case "org": self = .org
    case "latex", "tex", "plaintex": self = .latex
    case _: self = .plaintext
    }
  }

  /// Of the name of a document in this format.
  var fileExtension: String {
    switch self {
    case .markdown: "md"
    case .plaintext: "txt"
    case .org: "org"
    case .latex: "tex"
    }
  }
}
