import AssistantProtocol
import JSON
import JSONRPC
import LanguageServer
import Synchronization
import TestSupport
import Testing

/// An editor with the face at the other end of its connection. What comes from the face is put down in short, in order:
/// `create T`, `begin T TITLE`, `report T MESSAGE N`, `end T`, `edit LABEL`, `error …`, `warning …`, `info …`.
final class ScriptedEditor: Sendable {
  static let uri = "file:///notes.md"

  /// What the editor says to an edit.
  enum Manner: Sendable {
    /// Makes it, sends the change, and says so.
    case applies
    /// The same, but the change is sent after the answer.
    case appliesLate
    /// Answers this and makes nothing of it.
    case answers(JSONValue)
    /// Makes it if its version is that of the document.
    case checksVersion
    /// Lets the test answer.
    case waits
  }

  private struct State {
    var documents: [String: (replica: Replica, version: Int)] = [:]
    var manner = Manner.applies
    var edits: [JSONValue] = []
  }

  let service = ScriptedService()
  let face: LanguageServer
  let connection: Connection
  let encoding: PositionEncoding
  private let server: Connection
  private let messages = Mailbox<String>()
  private let answers = Mailbox<JSONValue>()
  private let state = Mutex(State())

  /// All that a client can do.
  static let everything: JSONValue = [
    "workspace": [
      "applyEdit": true, "workspaceEdit": ["documentChanges": true, "resourceOperations": ["create"]],
    ],
    "window": ["workDoneProgress": true, "showDocument": ["support": true]],
    "textDocument": ["codeAction": ["codeActionLiteralSupport": ["codeActionKind": ["valueSet": []]]]],
  ]

  init(
    _ capabilities: JSONValue = everything, options: JSONValue? = nil, encoding: PositionEncoding = .utf16,
    manner: Manner = .applies, patience: LanguageServer.Patience = .init()
  ) throws {
    let face = LanguageServer(
      service: service, offers: { .sample }, patience: patience)
    self.face = face
    self.encoding = encoding
    state.withLock { $0.manner = manner }
    var params = Initialize.Params()
    params.capabilities = try ClientCapabilities(json: capabilities)
    params.initializationOptions = options
    face.initialize(params, encoding: encoding, serviceEncoding: .utf8)
    let (near, far) = InMemoryChannel.pair()
    var router = Router()
    face.addRoutes(to: &router)
    server = Connection(channel: far, framing: .header, router: router, lifecycle: .none)
    let (messages, handler) = (messages, EditHandler())
    var own = Router()
    own.onInOrder(FromFace.Apply.self, orLater: { params in handler.handle(params) })
    own.onInOrder(FromFace.Create.self) { params, _ in
      messages.put("create \(JSONWriter.text(of: params["token"] ?? nil))")
      return nil
    }
    own.onInOrder(FromFace.Show.self) { params, _ in
      messages.put("show \(params["uri"]?.stringValue ?? "")")
      return ["success": true]
    }
    own.on(FromFace.Progress.self) { params, _ in messages.put(Self.summary(ofProgress: params)) }
    own.on(FromFace.Message.self) { params, _ in
      let kind = ["", "error", "warning", "info"][params["type"]?.intValue ?? 0]
      messages.put("\(kind) \(params["message"]?.stringValue ?? "")")
    }
    connection = Connection(channel: near, framing: .header, router: own, lifecycle: .none)
    handler.editor.withLock { $0 = WeakEditor(self) }
    server.start()
    connection.start()
  }

  deinit {
    connection.close()
    server.close()
  }

  private static func summary(ofProgress params: JSONValue) -> String {
    let (value, token) = (params["value"] ?? nil, JSONWriter.text(of: params["token"] ?? nil))
    switch value["kind"]?.stringValue {
    case "begin": return "begin \(token) \(value["title"]?.stringValue ?? "") \(value["cancellable"] == true)"
    case "report":
      return "report \(token) \(value["message"]?.stringValue ?? "") \(value["percentage"]?.intValue ?? -1)"
    case let kind: return "\(kind ?? "?") \(token)"
    }
  }

  // MARK: What the face asks

  fileprivate func apply(_ params: JSONValue) -> Answer<JSONValue> {
    messages.put("edit \(params["label"]?.stringValue ?? "")")
    let manner = state.withLock { state in
      state.edits.append(params["edit"] ?? nil)
      return state.manner
    }
    switch manner {
    case .applies:
      make(params)
      return .now(.success(["applied": true]))
    case .appliesLate:
      return .later { [self] () async throws(RPCError) in
        Task { make(params) }
        return ["applied": true]
      }
    case .answers(let answer): return .now(.success(answer))
    case .checksVersion:
      guard make(params) else { return .now(.success(["applied": false, "failureReason": "it has changed"])) }
      return .now(.success(["applied": true]))
    case .waits: return .later { [answers] () async throws(RPCError) in await answers.take() ?? nil }
    }
  }

  /// Makes an edit in the editor's own documents and tells the face; false when the version is not theirs.
  @discardableResult func make(_ params: JSONValue) -> Bool {
    guard let edit = params["edit"] else { return false }
    var all: [(String, [DocumentEdit])] = []
    if case .object(let changes)? = edit["changes"] {
      for (uri, edits) in changes.members { all.append((uri, (try? [DocumentEdit](json: edits)) ?? [])) }
    }
    for change in edit["documentChanges"]?.arrayValue ?? [] {
      guard let uri = change["textDocument"]?["uri"]?.stringValue else { continue }
      if let version = change["textDocument"]?["version"]?.intValue, version != self.version(of: uri) { return false }
      all.append((uri, change["edits"].flatMap { try? [DocumentEdit](json: $0) } ?? []))
    }
    for (uri, edits) in all where self.version(of: uri) != nil { change(uri, edits) }
    return true
  }

  // MARK: What the person does

  func open(_ text: String, _ uri: String = ScriptedEditor.uri, language: String = "markdown") {
    state.withLock { $0.documents[uri] = (Replica(text), 1) }
    let document: JSONValue = [
      "uri": .string(uri), "languageId": .string(language), "version": 1, "text": .string(text),
    ]
    connection.notify(ToFace.Open.self, ["textDocument": document])
  }

  /// A change by the person, sent at once.
  func change(_ range: DocumentRange, _ text: String, in uri: String = ScriptedEditor.uri) {
    change(uri, [DocumentEdit(range: range, newText: text)])
  }

  /// Edits that all mean the text as it is are sent from the last to the first: each is right when it is its turn.
  private func change(_ uri: String, _ edits: [DocumentEdit]) {
    let version = state.withLock { state -> Int in
      state.documents[uri]?.replica.apply(edits, encoding)
      state.documents[uri]?.version += 1
      return state.documents[uri]?.version ?? 0
    }
    let changes = edits.reversed().map { edit -> JSONValue in
      ["range": edit.range.json, "rangeLength": 0, "text": .string(edit.newText)]
    }
    connection.notify(
      ToFace.Change.self,
      ["textDocument": ["uri": .string(uri), "version": version.json], "contentChanges": .array(changes)])
  }

  func close(_ uri: String = ScriptedEditor.uri) {
    state.withLock { $0.documents[uri] = nil }
    connection.notify(ToFace.Close.self, ["textDocument": ["uri": .string(uri)]])
  }

  func cancel(_ token: String) { connection.notify(ToFace.Cancel.self, ["token": .string(token)]) }

  func actions(
    _ range: DocumentRange, _ uri: String = ScriptedEditor.uri, _ context: JSONValue = ["diagnostics": []]
  ) async throws -> [JSONValue] {
    let params: JSONValue = ["textDocument": ["uri": .string(uri)], "range": range.json, "context": context]
    return try await request("textDocument/codeAction", params).arrayValue ?? []
  }

  /// Runs a command, which must be answered with null.
  func run(
    _ command: String, _ range: DocumentRange?, _ uri: String = ScriptedEditor.uri, _ more: [(String, JSONValue)] = []
  ) async throws {
    var argument = JSONObject([("uri", .string(uri))] + more)
    if let range { argument.append("range", range.json) }
    try await run(["command": .string(command), "arguments": [.object(argument)]])
  }

  func run(_ params: JSONValue) async throws {
    #expect(try await request("workspace/executeCommand", params) == .null)
  }

  func request(_ method: String, _ params: JSONValue) async throws -> JSONValue {
    try await withDeadline(patience, method) { [connection] in
      try await connection.request(method, params)
    }
  }

  func answer(_ answer: JSONValue) { answers.put(answer) }
  func behave(_ manner: Manner) { state.withLock { $0.manner = manner } }

  // MARK: What is there

  func text(of uri: String = ScriptedEditor.uri) -> String? { state.withLock { $0.documents[uri]?.replica.text } }
  func version(of uri: String = ScriptedEditor.uri) -> Int? { state.withLock { $0.documents[uri]?.version } }
  var edits: [JSONValue] { state.withLock { $0.edits } }

  /// Whether there is a message that nobody has taken.
  var hasMessage: Bool { !messages.isEmpty }

  /// The next message from the face.
  func next() async throws -> String {
    let message = try await withDeadline(patience, "a message") { [messages] in await messages.take() }
    return try #require(message)
  }

  /// All messages up to the end of a job's progress, without the reports in between.
  func untilEnd(of job: Int = 1) async throws -> [String] {
    var all: [String] = []
    repeat { all.append(try await next()) } while all.last != "end \"inkling/\(job)\""
    return all.dropLast().filter { !$0.hasPrefix("create") && !$0.hasPrefix("begin") && !$0.hasPrefix("report") }
  }
}

/// Breaks the circle: a connection's router is made before there is an editor.
private final class EditHandler: Sendable {
  let editor = Mutex(WeakEditor(nil))

  func handle(_ params: JSONValue) -> Answer<JSONValue> {
    guard let editor = editor.withLock({ $0.editor }) else { return .now(.failure(.connectionClosed)) }
    return editor.apply(params)
  }
}

private struct WeakEditor: Sendable {
  weak var editor: ScriptedEditor?
  init(_ editor: ScriptedEditor?) { self.editor = editor }
}

/// Messages of the face, as JSON.
private enum FromFace {
  enum Apply: RequestMethod {
    static let name = "workspace/applyEdit"
    typealias Params = JSONValue
    typealias Result = JSONValue
  }
  enum Create: RequestMethod {
    static let name = "window/workDoneProgress/create"
    typealias Params = JSONValue
    typealias Result = JSONValue
  }
  enum Show: RequestMethod {
    static let name = "window/showDocument"
    typealias Params = JSONValue
    typealias Result = JSONValue
  }
  enum Progress: NotificationMethod {
    static let name = "$/progress"
    typealias Params = JSONValue
  }
  enum Message: NotificationMethod {
    static let name = "window/showMessage"
    typealias Params = JSONValue
  }
}

/// Messages of the editor, as JSON.
enum ToFace {
  enum Open: NotificationMethod {
    static let name = "textDocument/didOpen"
    typealias Params = JSONValue
  }
  enum Change: NotificationMethod {
    static let name = "textDocument/didChange"
    typealias Params = JSONValue
  }
  enum Close: NotificationMethod {
    static let name = "textDocument/didClose"
    typealias Params = JSONValue
  }
  enum Cancel: NotificationMethod {
    static let name = "window/workDoneProgress/cancel"
    typealias Params = JSONValue
  }
  enum Settings: NotificationMethod {
    static let name = "workspace/didChangeConfiguration"
    typealias Params = JSONValue
  }
}
