import AssistantProtocol
import JSON
import JSONRPC

/// Runs a command. Its arguments are looked at by hand, since what is wrong with them is told to the person.
enum ExecuteCommand: RequestMethod {
  static let name = "workspace/executeCommand"
  typealias Result = Empty

  struct Params: JSONMessage {
    var command = ""
    var arguments: JSONValue?
    init() {}
    static let fields: [JSONField<Params>] = [
      .required("command", \.command, "Its name."), .optional("arguments", \.arguments, "One object."),
    ]
  }
}

/// The one argument of each command.
struct CommandArguments: JSONMessage, Equatable {
  var uri: String?
  var version: Int?
  var range: DocumentRange?
  var tone: Tone?
  var style: Summarize.Style?
  var kind: BrainstormKind?
  var id: String?
  var title: String?
  init() {}
  static let fields: [JSONField<CommandArguments>] = [
    .optional("uri", \.uri, "The document."), .optional("version", \.version, "The state that the range means."),
    .optional("range", \.range, "The selection."), .optional("tone", \.tone, "Of `inkling.rephrase`."),
    .optional("style", \.style, "Of `inkling.summarize`."), .optional("kind", \.kind, "Of `inkling.brainstorm`."),
    .optional("id", \.id, "Of `inkling.command`."), .optional("title", \.title, "For progress and undo."),
  ]
}
