import JSON
import JSONRPC

/// What can be done at a place of a document.
enum CodeActionRequest: RequestMethod {
  static let name = "textDocument/codeAction"
  typealias Result = JSONValue

  struct Params: JSONMessage {
    var textDocument = DocumentIdentifier()
    var range = DocumentRange()
    var context = CodeActionContext()
    init() {}
    static let fields: [JSONField<Params>] = [
      .required("textDocument", \.textDocument, "The document."), .required("range", \.range, "The selection."),
      .defaulted("context", \.context, "What is asked for."),
    ]
  }
}

package struct CodeActionContext: JSONMessage {
  /// The client asks of its own accord.
  static let automatic = 2

  package var only: [String]?
  package var triggerKind: Int?
  package init() {}
  package init(only: [String]? = nil, triggerKind: Int? = nil) {
    self.only = only
    self.triggerKind = triggerKind
  }
  package static let fields: [JSONField<CodeActionContext>] = [
    .optional("only", \.only, "Kinds; what is of another is not wanted."),
    .optional("triggerKind", \.triggerKind, "1: a person asks; 2: the client does."),
  ]
}

/// Something that the client runs with `workspace/executeCommand`.
struct CommandMessage: JSONMessage {
  var title = ""
  var command = ""
  var arguments: [CommandArguments] = []
  init() {}
  init(title: String, command: String, arguments: [CommandArguments]) {
    self.title = title
    self.command = command
    self.arguments = arguments
  }
  static let fields: [JSONField<CommandMessage>] = [
    .required("title", \.title, "For a menu."), .required("command", \.command, "Its name."),
    .required("arguments", \.arguments, "One object."),
  ]
}

struct CodeActionMessage: JSONMessage {
  var title = ""
  var kind = ""
  var command = CommandMessage()
  init() {}
  init(title: String, kind: String, command: CommandMessage) {
    self.title = title
    self.kind = kind
    self.command = command
  }
  static let fields: [JSONField<CodeActionMessage>] = [
    .required("title", \.title, "For a menu."), .required("kind", \.kind, "By which clients filter and sort."),
    .required("command", \.command, "What it does."),
  ]
}
