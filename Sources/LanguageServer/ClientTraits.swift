import AssistantProtocol
import JSON

/// What of LSP the client can do, read leniently: whatever is not said as it should be, it cannot.
package struct ClientTraits: Sendable, Equatable {
  package var appliesEdits = false
  package var knowsDocumentChanges = false
  package var createsDocuments = false
  package var showsProgress = false
  package var showsDocuments = false
  package var knowsCodeActions = false

  package init() {}

  package init(_ capabilities: ClientCapabilities) {
    let (workspace, window) = (capabilities.workspace, capabilities.window)
    let edit = workspace?["workspaceEdit"]
    appliesEdits = workspace?["applyEdit"] == true
    knowsDocumentChanges = edit?["documentChanges"] == true
    if case .array(let operations)? = edit?["resourceOperations"] {
      createsDocuments = knowsDocumentChanges && operations.contains("create")
    }
    showsProgress = window?["workDoneProgress"] == true
    showsDocuments = window?["showDocument"]?["support"] == true
    if case .object? = capabilities.textDocument?["codeAction"]?["codeActionLiteralSupport"] { knowsCodeActions = true }
  }
}
