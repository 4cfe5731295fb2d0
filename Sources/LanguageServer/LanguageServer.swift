import AssistantProtocol
import Client
import JSON
import JSONRPC
import Synchronization

/// The assistant for any client of the Language Server Protocol: code actions on the text of open documents, whose
/// answers come back as edits. It makes no text itself but asks a service for it, and sends the client nothing but LSP.
/// One for each editor's connection.
public final class LanguageServer: Sendable {
  /// How long a client is waited for.
  package struct Patience: Sendable {
    /// Until a place for progress is there.
    package var progress = Duration.seconds(2)
    /// Until an edit is answered.
    package var applying = Duration.seconds(10)
    /// Until the change comes that an applied edit has made.
    package var change = Duration.seconds(10)
    /// Until the change comes for which an edit was refused.
    package var catchingUp = Duration.seconds(5)
    package init() {}
  }

  let service: any AssistantService
  let offers: @Sendable () -> AssistantCapabilities
  let patience: Patience
  let state = Mutex(EditorState())
  let turns = DocumentTurns()

  /// - Parameters:
  ///   - service: the assistant.
  ///   - offers: what the assistant can do now; called on the reading thread, and so quick.
  public convenience init(
    service: any AssistantService, offers: @escaping @Sendable () -> AssistantCapabilities
  ) {
    self.init(service: service, offers: offers, patience: Patience())
  }

  package init(
    service: any AssistantService, offers: @escaping @Sendable () -> AssistantCapabilities, patience: Patience
  ) {
    self.service = service
    self.offers = offers
    self.patience = patience
  }

  /// Takes what the client says of itself in `initialize`, before its next message is looked at.
  ///
  /// - Parameters:
  ///   - encoding: the units of the client's positions.
  ///   - serviceEncoding: the units in which the service's answers count.
  public func initialize(_ params: Initialize.Params, encoding: PositionEncoding, serviceEncoding: PositionEncoding) {
    state.withLock { state in
      state.documents.encoding = encoding
      state.serviceEncoding = serviceEncoding
      state.client = ClientTraits(params.capabilities)
      if let options = params.initializationOptions { state.problems += state.options.read(options) }
    }
  }

  /// What the answer to `initialize` says of it.
  public static func announce(in capabilities: inout ServerCapabilities) {
    capabilities.textDocumentSync = TextDocumentSyncOptions()
    capabilities.codeActionProvider = CodeActionOptions(codeActionKinds: ActionKind.all)
    capabilities.executeCommandProvider = ExecuteCommandOptions(commands: AssistantCommand.allCases.map(\.rawValue))
  }

  /// Serves LSP's methods in a connection's router. All that concerns documents is done on its reading thread, in the
  /// order of the messages.
  public func addRoutes(to router: inout Router) {
    router.on(DidOpen.self) { params, connection in self.didOpen(params.textDocument, connection) }
    router.on(DidChange.self) { params, _ in self.didChange(params) }
    router.on(DidClose.self) { params, _ in self.didClose(params.textDocument.uri) }
    router.on(DidChangeSettings.self) { params, connection in self.didChangeSettings(params.settings, connection) }
    router.on(CancelProgress.self) { params, _ in self.cancel(params.token) }
    router.onInOrder(CodeActionRequest.self) { params, _ in self.codeActions(params) }
    router.beginInOrder(ExecuteCommand.self) { (params, context) throws(RPCError) in
      (Empty(), afterReply: try self.execute(params, on: context.connection))
    }
  }

  /// The editor's connection has ended: all jobs are cancelled and all documents freed.
  public func close() {
    let (jobs, waiters) = state.withLock { state in
      state.isClosed = true
      let jobs = state.endJobs()
      state.documents.closeAll()
      return (jobs, state.waiters.takeAll())
    }
    for job in jobs { job.task?.cancel() }
    for waiter in waiters { waiter.resume(returning: false) }
  }

  /// Documents that are held.
  package var documentCount: Int { state.withLock { $0.documents.count } }
  /// Jobs at work.
  package var jobCount: Int { state.withLock { $0.jobCount } }
}

// MARK: - Documents

extension LanguageServer {
  private func didOpen(_ document: TextDocumentItem, _ connection: Connection) {
    let waiters = state.withLock { state -> [ChangeWaiters.Waiter] in
      guard !state.isClosed else { return [] }
      state.documents.open(
        uri: document.uri, languageID: document.languageID, version: document.version, text: document.text)
      return state.waiters.take(document.uri, at: state.documents[document.uri]?.revision)
    }
    for waiter in waiters { waiter.resume(returning: true) }
    tellProblems(on: connection)
  }

  private func didChange(_ params: JSONValue) {
    guard let changes = try? DidChange.Changes(json: params) else { return lose(params) }
    let uri = changes.textDocument.uri
    let waiters = state.withLock { state -> [ChangeWaiters.Waiter] in
      guard state.documents[uri] != nil else { return [] }
      state.documents[uri]?.apply(changes.contentChanges, version: changes.textDocument.version)
      return state.waiters.take(uri, at: state.documents[uri]?.revision)
    }
    for waiter in waiters { waiter.resume(returning: true) }
  }

  /// Of a change that cannot be read nobody knows what the document is afterwards, so it is not held any longer.
  private func lose(_ params: JSONValue) {
    if case .string(let uri)? = params["textDocument"]?["uri"] { didClose(uri) }
  }

  private func didClose(_ uri: String) {
    let (jobs, waiters) = state.withLock { state in
      let jobs = state.endJobs(in: uri)
      state.documents.close(uri)
      return (jobs, state.waiters.take(uri, at: nil))
    }
    for job in jobs { job.task?.cancel() }
    for waiter in waiters { waiter.resume(returning: false) }
  }

  private func didChangeSettings(_ settings: JSONValue, _ connection: Connection) {
    state.withLock { $0.problems += $0.options.read(settings) }
    tellProblems(on: connection)
  }

  private func tellProblems(on connection: Connection) {
    let problems = state.withLock { state in
      defer { state.problems = [] }
      return state.problems
    }
    for problem in problems { show(.warning, problem, on: connection) }
  }

  private func codeActions(_ params: CodeActionRequest.Params) -> JSONValue {
    let (document, client) = state.withLock { ($0.documents[params.textDocument.uri], $0.client) }
    guard let document else { return [] }
    let actions = ActionMenu(offers()).actions(in: document, at: params.range, params.context)
    return .array(
      actions.map { action in
        let command = CommandMessage(
          title: action.title, command: action.command.rawValue, arguments: [action.arguments])
        guard client.knowsCodeActions else { return command.json }
        return CodeActionMessage(title: action.title, kind: action.kind, command: command).json
      })
  }
}
