import JSON
import JSONRPC

/// One method of the protocol.
public struct MethodEntry: Sendable {
  public enum Direction: String, Sendable { case clientToServer, serverToClient }

  public let name: String
  public let direction: Direction
  public let params: any JSONConvertible.Type
  /// nil for a notification.
  public let result: (any JSONConvertible.Type)?
  /// One sentence for protocol.md.
  public let summary: String

  public var isRequest: Bool { result != nil }
  /// Whether it can also be sent without an id, and then has no reply.
  public private(set) var isAlsoNotification = false

  /// The same, also to be sent without an id.
  fileprivate var orNotification: MethodEntry {
    var entry = self
    entry.isAlsoNotification = true
    return entry
  }

  static func request<R: RequestMethod>(_: R.Type, _ direction: Direction, _ summary: String) -> MethodEntry {
    MethodEntry(name: R.name, direction: direction, params: R.Params.self, result: R.Result.self, summary: summary)
  }

  static func notification<N: NotificationMethod>(_: N.Type, _ direction: Direction, _ summary: String) -> MethodEntry {
    MethodEntry(name: N.name, direction: direction, params: N.Params.self, result: nil, summary: summary)
  }
}

/// All methods of the protocol, in the order of protocol.md.
public enum MethodList {
  public static let all: [MethodEntry] = [
    .request(Initialize.self, .clientToServer, "Opens the connection: who is there, and what both can do."),
    .notification(Initialized.self, .clientToServer, "The client has taken the answer to `initialize`."),
    .request(Shutdown.self, .clientToServer, "Asks the daemon to end its work; `exit` follows."),
    .notification(Exit.self, .clientToServer, "Ends the connection."),
    .notification(CancelRequest.self, .clientToServer, "Asks for an end to a request."),
    .notification(Progress.self, .serverToClient, "A partial result or a progress report."),
    .notification(SetTrace.self, .clientToServer, "Accepted, as LSP asks; nothing is traced."),
    .request(Rephrase.self, .clientToServer, "Says a text again in another tone."),
    .request(Summarize.self, .clientToServer, "Says in short what a text says."),
    .request(Brainstorm.self, .clientToServer, "Makes something up for a topic, as a value of a known shape."),
    .request(Generate.self, .clientToServer, "Fills in a JSON Schema of yours."),
    .request(Chat.self, .clientToServer, "Says something in a session."),
    .request(CustomCommand.self, .clientToServer, "Runs a command of the configuration."),
    .request(Prewarm.self, .clientToServer, "Has the prompt of a coming request read beforehand.").orNotification,
    .request(CountTokens.self, .clientToServer, "Counts the tokens of a text."),
    .request(SessionCreate.self, .clientToServer, "Makes a session, empty or from a transcript."),
    .request(SessionList.self, .clientToServer, "The sessions of this connection, and the persisted ones."),
    .request(SessionGet.self, .clientToServer, "A session with all that was said in it."),
    .request(SessionUpdate.self, .clientToServer, "Changes what a session is like."),
    .request(SessionFork.self, .clientToServer, "Makes another session that begins with the same turns."),
    .request(SessionRewind.self, .clientToServer, "Forgets the last turns of a session."),
    .request(SessionReset.self, .clientToServer, "Forgets all turns of a session."),
    .request(SessionDelete.self, .clientToServer, "Ends a session."),
    .request(SessionExport.self, .clientToServer, "Gives a session as a text to keep."),
    .request(ToolCall.self, .serverToClient, "Asks the client to run one of its tools."),
    .notification(DidChangeConfiguration.self, .serverToClient, "What can be offered to a person has changed."),
    .notification(SessionDidChange.self, .serverToClient, "A request has been answered in a session."),
    .request(DaemonStatus.self, .clientToServer, "Tells who uses the daemon and what it has done; loads nothing."),
    .request(ModelStatus.self, .clientToServer, "Tells about the model, the engine and the load; loads nothing."),
    .request(ModelLoad.self, .clientToServer, "Loads another model."),
    .request(ModelUnload.self, .clientToServer, "Takes the model out of memory."),
    .notification(ModelDidChangeAvailability.self, .serverToClient, "The model's availability has changed."),
  ]

  /// The names of the requests that a client can send once it is connected, for `initialize`.
  public static var callable: [String] {
    all.filter { $0.isRequest && $0.direction == .clientToServer && $0.name.utf8.contains(UInt8(ascii: "/")) }
      .map(\.name)
  }
}
