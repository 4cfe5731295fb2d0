import Assistant
import AssistantProtocol
import JSONRPC
import TerminalUI

// What the commands of a chat do.
extension ChatLoop {
  func showHelp() { view.show(table(ChatVerb.all.map { ($0.usage, $0.summary) }).joined(separator: "\n") + "\n") }

  func undo() async throws(RPCError) {
    // Another client may have said something in it meanwhile.
    try await inSession { (id) async throws(RPCError) in try await self.refresh(id) }
    conversation.unanswered = nil
    if conversation.transcript.turns.isEmpty { return fail("nothing has been said yet") }
    try await inSession { (id) async throws(RPCError) in
      _ = try await self.call(SessionRewind.self, SessionRewind.Params(sessionID: id))
      try await self.refresh(id)
    }
    conversation.level = .ok
    guard let last = conversation.transcript.turns.last else { return view.note("the session is empty again") }
    view.note("the last exchange is now:")
    view.show("> \(last.prompt.words.trimmed)\n\(last.response.words.trimmed)\n")
  }

  func save(_ path: String, overwrites: Bool) async throws(RPCError) {
    guard !path.isEmpty else { return fail("\(overwrites ? "/save!" : "/save") wants the name of a file") }
    let isJSON = path.lowercased().hasSuffix(".json")
    let text = try await inSession { (id) async throws(RPCError) in
      try await self.call(SessionExport.self, SessionExport.Params(sessionID: id, format: isJSON ? .json : .markdown))
        .text
    }
    do throws(PrivateFileError) {
      try PrivateFile.write(Array(text.utf8), to: Self.expanded(path), overwrites: overwrites)
      view.note("saved in \(path)")
    } catch {
      fail(
        error == .exists ? "“\(path)” is there already; “/save! \(path)” overwrites it" : "“\(path)”: \(error.message)")
    }
  }

  /// `~` at the start is the user's home.
  static func expanded(_ path: String) -> String {
    guard path.hasPrefix("~/") || path == "~", let home = ModelLocation.environment("HOME") else { return path }
    return home + path.dropFirst()
  }

  func setVoice(_ name: String) async throws(RPCError) {
    let known = settings.voices
    if name.isEmpty {
      try await makeSession()
      let current = conversation.personality?.id ?? ""
      let rows = known.map { (($0.id.hasSameBytes(as: current) ? "* " : "  ") + $0.id, $0.choice.description) }
      return view.show(table(rows).joined(separator: "\n") + "\n")
    }
    guard let voice = known.first(where: { $0.id.hasSameBytes(as: name) }) else {
      return fail(unknownName("voice", name, known.map(\.id)))
    }
    try await update { $0.personality = voice }
    view.note("answers are in the voice “\(voice.id)” now")
  }

  func setInstructions(_ text: String) async throws(RPCError) {
    if text.isEmpty {
      try await makeSession()
      let current = conversation.instructions ?? ""
      return current.isEmpty ? view.note("there are no instructions") : view.show(current.trimmed + "\n")
    }
    try await update { $0.instructions = text }
    view.note("the instructions hold from now on")
  }

  /// What has been said stays.
  private func update(_ change: (inout SessionUpdate.Params) -> Void) async throws(RPCError) {
    let session = try await inSession { (id) async throws(RPCError) in
      var params = SessionUpdate.Params(sessionID: id)
      params.keepHistory = true
      change(&params)
      return try await self.call(SessionUpdate.self, params).session
    }
    conversation.adopt(session)
  }

  func beginNew() async throws(RPCError) {
    let old = conversation
    conversation = Conversation(
      personality: old.personality, instructions: settings.request.instructions, persists: false)
    try await makeSession()
    view.note("a new session")
    try await forget(old)
  }

  func switchSession(_ name: String) async throws(RPCError) {
    guard let id = SessionID(name) else {
      return fail("/session wants 1 to 128 letters, digits, dots, hyphens or underscores")
    }
    if settings.isEphemeral { return fail("a session with a name is kept, and --ephemeral keeps nothing") }
    let old = conversation
    if old.isMade, old.id == id { return view.note(old.summary) }
    conversation = Conversation(id: id, personality: nil, instructions: nil, persists: true)
    do throws(RPCError) {
      try await makeSession()
    } catch {
      conversation = old
      throw error
    }
    try await forget(old)
  }

  /// Nobody can go back to a session without a name.
  private func forget(_ old: Conversation) async throws(RPCError) {
    guard let id = old.id, old.isMade, !old.persists else { return }
    do throws(RPCError) {
      _ = try await call(SessionDelete.self, SessionParams(sessionID: id))
    } catch {
      if error.code != AssistantErrorKind.sessionNotFound.code { throw error }
    }
  }

  func listSessions() async throws(RPCError) {
    let current = try await makeSession()
    let sessions = try await call(SessionList.self, Empty()).sessions
    let rows = sessions.map { session in
      [
        session.sessionID == current ? "*" : " ", session.sessionID.text, Conversation.turns(session.turns),
        session.persisted ? "kept" : "ends with the chat", TerminalText.oneLine(session.title),
      ]
    }
    view.show(TextTable.text(rows, wordColumns: [0, 1, 3, 4]))
  }

  func showStatus() async throws(RPCError) {
    let session = try await inSession { (id) async throws(RPCError) in
      try await self.call(SessionGet.self, SessionParams(sessionID: id)).session
    }
    let model = try await call(ModelStatus.self, Empty())
    let percentage = session.contextUsed * 100 / max(1, session.contextSize)
    var rows = [
      ["session", "\(session.sessionID.text) (\(session.persisted ? "kept" : "ends with the chat"))"],
      ["turns", "\(session.turns)"], ["voice", TerminalText.oneLine(session.personality.id)],
    ]
    if !session.instructions.isEmpty { rows.append(["instructions", TerminalText.oneLine(session.instructions)]) }
    if session.contextSize > 0 { rows.append(["window", "\(percentage) % of \(session.contextSize) tokens"]) }
    rows.append(["model", StatusText.model(model)])
    rows.append(["daemon", settings.isPrivate ? "the chat's own" : "the shared one"])
    view.show(TextTable.text(rows, wordColumns: [0, 1]))
  }
}
