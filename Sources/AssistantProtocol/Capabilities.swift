import JSON

public struct ClientInfo: JSONMessage, Equatable {
  public var name = ""
  public var version: String?
  public init() {}
  public init(name: String, version: String?) {
    self.name = name
    self.version = version
  }
  public static let fields: [JSONField<ClientInfo>] = [
    .required("name", \.name, "The client's name."), .optional("version", \.version, "Its version."),
  ]
}

/// The part of LSP's client capabilities that is looked at.
public struct ClientCapabilities: JSONMessage, Equatable {
  public var general: GeneralCapabilities?
  public var workspace: JSONValue?
  public var textDocument: JSONValue?
  public var window: JSONValue?
  public var experimental: JSONValue?
  public init() {}
  public static let fields: [JSONField<ClientCapabilities>] = [
    .optional("general", \.general, "What concerns all messages."),
    .optional("workspace", \.workspace, "What the client can do with edits."),
    .optional("textDocument", \.textDocument, "What it knows of documents."),
    .optional("window", \.window, "What it can show."),
    .optional("experimental", \.experimental, "With a member `assistant`, the daemon sends notifications of its own."),
  ]

  /// Whether the client knows notifications that LSP does not have.
  public var knowsAssistant: Bool {
    switch experimental?["assistant"] {
    case nil, .null?, .bool(false)?: false
    case .bool(true)?, .number?, .string?, .array?, .object?: true
    }
  }
}

public struct GeneralCapabilities: JSONMessage, Equatable {
  public var positionEncodings: [String]?
  public init() {}
  public static let fields: [JSONField<GeneralCapabilities>] = [
    .optional("positionEncodings", \.positionEncodings, "The units the client can count positions in, best first.")
  ]
}

public struct ServerInfo: JSONMessage, Equatable {
  public var name = "inkling"
  public var version = ""
  public init() {}
  public init(version: String) { self.version = version }
  public static let fields: [JSONField<ServerInfo>] = [
    .required("name", \.name, "`inkling`."), .required("version", \.version, "The daemon's version."),
  ]
}

public struct ServerCapabilities: JSONMessage, Equatable {
  public var positionEncoding = PositionEncoding.utf16
  public var textDocumentSync: TextDocumentSyncOptions?
  public var codeActionProvider: CodeActionOptions?
  public var executeCommandProvider: ExecuteCommandOptions?
  public var experimental = ExperimentalCapabilities()
  public init() {}
  public init(positionEncoding: PositionEncoding, assistant: AssistantCapabilities) {
    self.positionEncoding = positionEncoding
    experimental.assistant = assistant
  }
  public static let fields: [JSONField<ServerCapabilities>] = [
    .required("positionEncoding", \.positionEncoding, "The units of every offset and range on this connection."),
    .optional("textDocumentSync", \.textDocumentSync, "How documents are followed."),
    .optional("codeActionProvider", \.codeActionProvider, "Which code actions there are."),
    .optional("executeCommandProvider", \.executeCommandProvider, "Which commands there are."),
    .required("experimental", \.experimental, "What goes beyond LSP."),
  ]
}

/// LSP 3.17, `TextDocumentSyncOptions`.
public struct TextDocumentSyncOptions: JSONMessage, Equatable {
  public var openClose = true
  /// Incremental.
  public var change = 2
  public init() {}
  public static let fields: [JSONField<TextDocumentSyncOptions>] = [
    .required("openClose", \.openClose, "Whether `didOpen` and `didClose` are wanted."),
    .required("change", \.change, "2: changes are sent as ranges; whole texts are taken too."),
  ]
}

/// LSP 3.17, `CodeActionOptions`.
public struct CodeActionOptions: JSONMessage, Equatable {
  public var codeActionKinds: [String] = []
  public init() {}
  public init(codeActionKinds: [String]) { self.codeActionKinds = codeActionKinds }
  public static let fields: [JSONField<CodeActionOptions>] = [
    .required("codeActionKinds", \.codeActionKinds, "The kinds that may come.")
  ]
}

/// LSP 3.17, `ExecuteCommandOptions`.
public struct ExecuteCommandOptions: JSONMessage, Equatable {
  public var commands: [String] = []
  public init() {}
  public init(commands: [String]) { self.commands = commands }
  public static let fields: [JSONField<ExecuteCommandOptions>] = [
    .required("commands", \.commands, "What `workspace/executeCommand` can run.")
  ]
}

public struct ExperimentalCapabilities: JSONMessage, Equatable {
  public var assistant = AssistantCapabilities()
  public init() {}
  public static let fields: [JSONField<ExperimentalCapabilities>] = [
    .required("assistant", \.assistant, "What the assistant can do.")
  ]
}

/// What a client needs to offer the assistant's commands in its menus.
public struct AssistantCapabilities: JSONMessage, Equatable {
  /// Grows when a client that knows the former version would misunderstand the daemon.
  public static let currentVersion = 1

  public var protocolVersion = currentVersion
  public var methods: [String] = []
  public var features: [FeatureDescription] = []
  public var tones: [Choice] = []
  public var kinds: [Choice] = []
  public var personalities: [Choice] = []
  public var schemaKeywords: [String] = []
  public init() {}
  public static let fields: [JSONField<AssistantCapabilities>] = [
    .required("protocolVersion", \.protocolVersion, "Grows when older clients would misunderstand the daemon."),
    .required("methods", \.methods, "All methods that can be called."),
    .required("features", \.features, "What can be offered to a person."),
    .required("tones", \.tones, "The tones of `assistant/rephrase`."),
    .required("kinds", \.kinds, "The kinds of `assistant/brainstorm`."),
    .required("personalities", \.personalities, "The voices there are."),
    .required("schemaKeywords", \.schemaKeywords, "The JSON Schema keywords that are understood."),
  ]
}

/// Something to choose from, with words for a menu.
public struct Choice: JSONMessage, Equatable {
  public var id = ""
  public var title = ""
  public var description = ""
  public init() {}
  public init(id: String, title: String, description: String) {
    self.id = id
    self.title = title
    self.description = description
  }
  public static let fields: [JSONField<Choice>] = [
    .required("id", \.id, "The word for requests."), .required("title", \.title, "A few words for a menu."),
    .required("description", \.description, "A sentence."),
  ]
}

/// A command that a client can offer to a person.
public struct FeatureDescription: JSONMessage, Equatable {
  /// What the person has to give.
  public enum Input: String, JSONStringEnum { case selection, topic, none }
  /// What the client does with the result.
  public enum Output: String, JSONStringEnum { case replace, insert, show }

  public var id = ""
  public var title = ""
  public var description = ""
  public var input = Input.selection
  public var output = Output.replace
  public var suggestions: [String] = []
  public init() {}
  public init(
    id: String, title: String, description: String, input: Input, output: Output, suggestions: [String] = []
  ) {
    self.id = id
    self.title = title
    self.description = description
    self.input = input
    self.output = output
    self.suggestions = suggestions
  }
  public static let fields: [JSONField<FeatureDescription>] = [
    .required("id", \.id, "The method, without `assistant/`, or the `id` of a command of the configuration."),
    .required("title", \.title, "A few words for a menu."),
    .required("description", \.description, "A sentence."), .required("input", \.input, "What the person gives."),
    .required("output", \.output, "What to do with the result."),
    .required("suggestions", \.suggestions, "What to suggest in a menu: topics, prompts, things to say."),
  ]
}
