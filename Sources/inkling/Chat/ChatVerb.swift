import Assistant
import AssistantProtocol
import JSONRPC

/// A command within a chat: what it is called, what `/help` says of it, what it does.
struct ChatVerb: Sendable {
  /// What Tab offers behind it.
  enum ArgumentKind: Sendable { case none, text, voice, session, file }

  let name: String
  var placeholder = ""
  var argument = ArgumentKind.none
  let summary: String
  let run: @Sendable (ChatLoop, _ argument: String) async throws(RPCError) -> Void

  var usage: String { placeholder.isEmpty ? name : "\(name) \(placeholder)" }

  static let all: [ChatVerb] = [
    ChatVerb(name: "/help", summary: "Lists the commands.") { (chat, _) in chat.showHelp() },
    ChatVerb(name: "/retry", summary: "Has the last message answered again.") { (chat, _) async throws(RPCError) in
      try await chat.retry()
    },
    ChatVerb(name: "/undo", summary: "Takes the last message and its answer back.") {
      (chat, _) async throws(RPCError) in try await chat.undo()
    },
    ChatVerb(
      name: "/save", placeholder: "FILE", argument: .file,
      summary: "Writes the session to a file: Markdown, or JSON when its name ends in .json."
    ) { (chat, path) async throws(RPCError) in try await chat.save(path, overwrites: false) },
    ChatVerb(
      name: "/save!", placeholder: "FILE", argument: .file, summary: "The same, in the place of a file that is there."
    ) { (chat, path) async throws(RPCError) in try await chat.save(path, overwrites: true) },
    ChatVerb(
      name: "/voice", placeholder: "[NAME]", argument: .voice,
      summary: "Answers in another voice from now on; lists them."
    ) { (chat, name) async throws(RPCError) in try await chat.setVoice(name) },
    ChatVerb(
      name: "/instructions", placeholder: "[TEXT]", argument: .text,
      summary: "What the model has to heed from now on; shows it."
    ) { (chat, text) async throws(RPCError) in try await chat.setInstructions(text) },
    ChatVerb(name: "/new", summary: "Begins a new session, which ends with the chat.") {
      (chat, _) async throws(RPCError) in try await chat.beginNew()
    },
    ChatVerb(name: "/sessions", summary: "Lists the sessions.") { (chat, _) async throws(RPCError) in
      try await chat.listSessions()
    },
    ChatVerb(
      name: "/session", placeholder: "NAME", argument: .session,
      summary: "Goes on with the session of that name, which is kept; made when there is none."
    ) { (chat, name) async throws(RPCError) in try await chat.switchSession(name) },
    ChatVerb(name: "/status", summary: "Shows the session, its voice, the model.") { (chat, _) async throws(RPCError) in
      try await chat.showStatus()
    },
    ChatVerb(name: "/quit", summary: "Ends the chat.") { (chat, _) in chat.end() },
  ]
}
