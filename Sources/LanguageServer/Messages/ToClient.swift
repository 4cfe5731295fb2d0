import AssistantProtocol
import JSON
import JSONRPC

/// Something to tell the person.
enum ShowMessage: NotificationMethod {
  static let name = "window/showMessage"

  enum Kind: Int, Sendable {
    case error = 1
    case warning = 2
    case info = 3
  }

  struct Params: JSONMessage {
    var type = Kind.info.rawValue
    var message = ""
    init() {}
    init(_ kind: Kind, _ message: String) {
      type = kind.rawValue
      self.message = message
    }
    static let fields: [JSONField<Params>] = [
      .required("type", \.type, "1: error, 2: warning, 3: information."), .required("message", \.message, "The text."),
    ]
  }
}

/// Asks for a place where progress can be shown.
enum CreateProgress: RequestMethod {
  static let name = "window/workDoneProgress/create"
  /// Whatever it is: that there is an answer is enough.
  typealias Result = JSONValue

  struct Params: JSONMessage {
    var token = ProgressToken(RequestID(0))
    init() {}
    init(token: ProgressToken) { self.token = token }
    static let fields: [JSONField<Params>] = [.required("token", \.token, "Under which the reports come.")]
  }
}

/// The person wants an end to what is shown under the token.
enum CancelProgress: NotificationMethod {
  static let name = "window/workDoneProgress/cancel"
  typealias Params = CreateProgress.Params
}

/// What the person has set in the client.
enum DidChangeSettings: NotificationMethod {
  static let name = "workspace/didChangeConfiguration"

  struct Params: JSONMessage {
    var settings = JSONValue.null
    init() {}
    static let fields: [JSONField<Params>] = [.defaulted("settings", \.settings, "All settings.")]
  }
}

/// Asks the client to change documents.
enum ApplyEdit: RequestMethod {
  static let name = "workspace/applyEdit"

  struct Params: JSONMessage {
    var label = ""
    var edit = JSONValue.null
    init() {}
    init(label: String, edit: JSONValue) {
      self.label = label
      self.edit = edit
    }
    static let fields: [JSONField<Params>] = [
      .required("label", \.label, "For undo."), .required("edit", \.edit, "A `WorkspaceEdit`."),
    ]
  }

  struct Result: JSONMessage {
    var applied = false
    var failureReason: String?
    init() {}
    static let fields: [JSONField<Result>] = [
      .defaulted("applied", \.applied, "Whether it was done."), .optional("failureReason", \.failureReason, "Why not."),
    ]
  }
}

/// Asks the client to show a document.
enum ShowDocument: RequestMethod {
  static let name = "window/showDocument"
  typealias Result = JSONValue

  struct Params: JSONMessage {
    var uri = ""
    var takeFocus = true
    init() {}
    init(uri: String) { self.uri = uri }
    static let fields: [JSONField<Params>] = [
      .required("uri", \.uri, "The document."), .defaulted("takeFocus", \.takeFocus, "Whether to go there."),
    ]
  }
}

/// A change of a document for `workspace/applyEdit`.
package struct DocumentEdit: JSONMessage, Equatable {
  package var range = DocumentRange()
  package var newText = ""
  package init() {}
  package init(range: DocumentRange, newText: String) {
    self.range = range
    self.newText = newText
  }
  package static let fields: [JSONField<DocumentEdit>] = [
    .required("range", \.range, "What is replaced."), .required("newText", \.newText, "What stands there now."),
  ]
}

/// `WorkspaceEdit` in the forms that are sent.
enum WorkspaceEdit {
  /// - Parameter version: the state that the edits mean; nil when the client does not count.
  static func changing(_ uri: String, version: Int?, _ edits: [DocumentEdit], for client: ClientTraits) -> JSONValue {
    guard client.knowsDocumentChanges else { return ["changes": .object(JSONObject([(uri, edits.json)]))] }
    return ["documentChanges": [documentChange(uri, version: version, edits)]]
  }

  /// A new document with that text.
  static func creating(_ uri: String, _ text: String) -> JSONValue {
    [
      "documentChanges": [
        ["kind": "create", "uri": .string(uri)],
        documentChange(uri, version: nil, [DocumentEdit(range: DocumentRange(), newText: text)]),
      ]
    ]
  }

  private static func documentChange(_ uri: String, version: Int?, _ edits: [DocumentEdit]) -> JSONValue {
    ["textDocument": ["uri": .string(uri), "version": version?.json ?? .null], "edits": edits.json]
  }
}
