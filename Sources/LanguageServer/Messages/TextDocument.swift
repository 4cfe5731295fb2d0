import JSON
import JSONRPC

/// A document is open in the client from now on, and this is its text.
enum DidOpen: NotificationMethod {
  static let name = "textDocument/didOpen"

  struct Params: JSONMessage {
    var textDocument = TextDocumentItem()
    init() {}
    static let fields: [JSONField<Params>] = [.required("textDocument", \.textDocument, "The document.")]
  }
}

struct TextDocumentItem: JSONMessage {
  var uri = ""
  var languageID = ""
  var version: Int?
  var text = ""
  init() {}
  static let fields: [JSONField<TextDocumentItem>] = [
    .required("uri", \.uri, "Its address."), .defaulted("languageId", \.languageID, "What it is written in."),
    .optional("version", \.version, "The number of this state."), .required("text", \.text, "All of it."),
  ]
}

/// The document has been changed. Read by hand, since a change that is not understood must not be passed over.
enum DidChange: NotificationMethod {
  static let name = "textDocument/didChange"
  typealias Params = JSONValue

  struct Changes: JSONMessage {
    var textDocument = DocumentIdentifier()
    var contentChanges: [ContentChange] = []
    init() {}
    static let fields: [JSONField<Changes>] = [
      .required("textDocument", \.textDocument, "The document, and the state it is in afterwards."),
      .required("contentChanges", \.contentChanges, "What was changed, one after the other."),
    ]
  }
}

/// One change of a document; without a range the whole text is new.
package struct ContentChange: JSONMessage {
  package var range: DocumentRange?
  package var text = ""
  package init() {}
  package init(range: DocumentRange?, text: String) {
    self.range = range
    self.text = text
  }
  package static let fields: [JSONField<ContentChange>] = [
    .optional("range", \.range, "What is replaced."), .required("text", \.text, "What stands there now."),
  ]
}

/// The document is not open in the client any more.
enum DidClose: NotificationMethod {
  static let name = "textDocument/didClose"

  struct Params: JSONMessage {
    var textDocument = DocumentIdentifier()
    init() {}
    static let fields: [JSONField<Params>] = [.required("textDocument", \.textDocument, "The document.")]
  }
}

struct DocumentIdentifier: JSONMessage {
  var uri = ""
  var version: Int?
  init() {}
  init(uri: String) { self.uri = uri }
  static let fields: [JSONField<DocumentIdentifier>] = [
    .required("uri", \.uri, "Its address."), .optional("version", \.version, "The number of its state."),
  ]
}
