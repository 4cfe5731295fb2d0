import AssistantProtocol
import Client
import JSON
import JSONRPC
import Synchronization

/// What a chat knows of its session: enough to make it again when the daemon that held it has gone.
struct Conversation: Sendable {
  /// nil before one without a name is made.
  var id: SessionID?
  /// It is kept on the disk.
  let persists: Bool
  private var title = ""
  /// nil: what the configuration says.
  var personality: Personality?
  var instructions: String?
  var transcript = Transcript()
  /// The daemon has it.
  var isMade = false
  /// The last message, when it has no answer.
  var unanswered: String?
  var level = SessionLevel.ok

  /// - Parameter id: a persisted session's.
  init(id: SessionID? = nil, personality: Personality?, instructions: String?, persists: Bool) {
    self.id = id
    self.personality = personality
    self.instructions = instructions
    self.persists = persists
  }

  /// What makes it.
  var creation: SessionCreate.Params {
    var params = SessionCreate.Params()
    params.sessionID = id
    params.persist = persists
    params.contextPolicy = .slidingWindow
    params.personality = personality
    params.instructions = instructions
    params.transcript = transcript
    return params
  }

  mutating func adopt(_ session: Session) {
    id = session.sessionID
    title = session.title
    personality = session.personality
    instructions = session.instructions
    isMade = true
  }

  /// A message was answered.
  mutating func add(_ message: String, _ answer: String) {
    unanswered = nil
    transcript.turns.append(
      Transcript.Turn(
        prompt: TranscriptEntry(.prompt, message, feature: Chat.name),
        response: TranscriptEntry(.response, answer, feature: Chat.name)))
  }

  /// For people.
  var name: String { (id?.text ?? "") + (title.isEmpty ? "" : " (\(title.firstLine))") }

  /// What it is called, how many turns there are, and what was said last.
  var summary: String {
    guard let last = transcript.turns.last else { return "\(name): nothing has been said yet" }
    return "\(name): \(Self.turns(transcript.turns.count)), the last one: \(last.prompt.words.firstLine)"
  }

  static func turns(_ count: Int) -> String { count == 1 ? "1 turn" : "\(count) turns" }
}

extension String {
  /// The first line with something in it, cut so that it fits a window.
  var firstLine: String {
    let line = split(whereSeparator: \.isNewline).first { $0.contains { !$0.isWhitespace } } ?? ""
    return line.count > 60 ? line.prefix(59) + "…" : String(line)
  }
}

/// What the daemon tells of sessions, until somebody looks.
final class SessionNews: Sendable {
  private let changes = Mutex<[SessionID: SessionDidChange.Params]>([:])

  var incoming: DaemonLink.Incoming {
    DaemonLink.Incoming(
      notification: { method, params in
        guard method.hasSameBytes(as: SessionDidChange.name) else { return }
        guard let change = try? SessionDidChange.Params(json: params) else { return }
        self.changes.withLock { $0[change.session.sessionID] = change }
      }, request: { (method, _) throws(RPCError) in throw .methodNotFound(method) })
  }

  func take(_ id: SessionID) -> SessionDidChange.Params? { changes.withLock { $0.removeValue(forKey: id) } }
}
