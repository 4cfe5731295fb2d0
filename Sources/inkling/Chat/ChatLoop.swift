import Assistant
import AssistantProtocol
import Client
import JSONRPC
import Synchronization
import TerminalUI

/// A chat from its first message to its end. Errors are said, and the chat goes on.
final class ChatLoop {
  let settings: ChatCommand.Settings
  let input: any ChatInput
  let view: ChatView
  private let assistant: CommandAssistant
  private let signals: ChatSignals
  private let news: SessionNews
  var conversation: Conversation
  private let completion: ChatCompletion
  private var hasFailed = false
  private var isEnded = false

  init(
    _ settings: ChatCommand.Settings, _ assistant: CommandAssistant, _ input: any ChatInput, _ signals: ChatSignals,
    _ news: SessionNews
  ) {
    self.settings = settings
    self.assistant = assistant
    self.input = input
    self.signals = signals
    self.news = news
    view = ChatView(isInteractive: input.isInteractive)
    let common = settings.request.common
    conversation = Conversation(
      id: settings.request.session, personality: common.personality, instructions: common.instructions,
      persists: settings.request.session != nil)
    completion = ChatCompletion(voices: settings.voices.map(\.id))
  }

  /// - Returns: the exit status.
  func run() async -> Int32 {
    if view.isInteractive { view.note("Ctrl-D or /quit ends the chat, /help lists the commands") }
    await attempt { () async throws(RPCError) in try await self.makeSession() }
    while !isEnded {
      if signals.hasEndedScript { return Program.Status.interrupted }
      learnSessions()
      signals.beginWaiting()
      switch await input.next({ [completion] in completion.complete($0) }) {
      case .message(let text): await take(text)
      case .interrupted(let wasEmpty): if wasEmpty { view.note("Ctrl-D or /quit ends the chat") }
      case .unreadable: fail("a line is not UTF-8")
      case .end: isEnded = true
      }
    }
    if signals.hasEndedScript { return Program.Status.interrupted }
    return hasFailed && !view.isInteractive ? Program.Status.failed : 0
  }

  func end() { isEnded = true }

  /// Says what went wrong in one line.
  func fail(_ message: String) {
    hasFailed = true
    _ = OneShot.fail(message, 0)
  }

  private func take(_ text: String) async {
    guard text.contains(where: { !$0.isWhitespace }) else { return }
    guard text.utf8.first == UInt8(ascii: "/") else { return await send(text) }
    if text.utf8.starts(with: "//".utf8) { return await send(String(text.dropFirst())) }
    let word = text.prefix { !$0.isWhitespace }
    let argument = text.dropFirst(word.count).trimmed
    guard let verb = ChatVerb.all.first(where: { $0.name.hasSameBytes(as: String(word)) }) else {
      let hint = view.isInteractive ? "; /help lists them, and // begins a message with /" : ""
      return fail(unknown("command", String(word), ChatVerb.all.map(\.name)) + hint)
    }
    await attempt { () async throws(RPCError) in try await verb.run(self, argument) }
  }

  /// Runs what may fail, and says why it did.
  private func attempt(_ body: () async throws(RPCError) -> Void) async {
    do throws(RPCError) {
      try await body()
    } catch {
      let canRetry = conversation.unanswered != nil && error.data?["retryable"] != false
      let hint = canRetry && view.isInteractive ? " (/retry sends the message again)" : ""
      if error.code == RPCError.cancelled.code { return view.note("stopped" + hint) }
      // Messages name the fields of the protocol.
      fail(error.message.replacing("maxTokens", with: "--max-tokens") + hint)
    }
  }

  // MARK: The daemon

  /// Sends a request, which Ctrl-C stops.
  func call<Method: RequestMethod>(
    _: Method.Type, _ params: Method.Params, wanting wanted: Set<ProgressKind> = [],
    onProgress: @escaping @Sendable (ProgressValue) -> Void = { _ in }
  ) async throws(RPCError) -> Method.Result {
    let service = assistant.service
    let task = Task { () async -> Result<Method.Result, RPCError> in
      do throws(RPCError) {
        return .success(try await service.call(Method.self, params, wanting: wanted, onProgress: onProgress))
      } catch {
        return .failure(error)
      }
    }
    signals.beginWork { task.cancel() }
    defer { signals.endWork() }
    return try await task.value.get()
  }

  /// Does something in the session, which is made again when the daemon that held it has gone.
  func inSession<Result>(
    _ body: (SessionID) async throws(RPCError) -> Result
  ) async throws(RPCError) -> Result {
    let id = try await makeSession()
    do throws(RPCError) {
      return try await body(id)
    } catch {
      guard error.code == AssistantErrorKind.sessionNotFound.code else { throw error }
      conversation.isMade = false
      let turns = Conversation.turns(conversation.transcript.turns.count)
      view.note("the session had ended with the daemon; it is made again with its \(turns)")
      return try await body(try await makeSession())
    }
  }

  /// Makes the session, or joins the one of that name.
  @discardableResult
  func makeSession() async throws(RPCError) -> SessionID {
    if conversation.isMade, let id = conversation.id { return id }
    let wanted = conversation
    do throws(RPCError) {
      let made = try await call(SessionCreate.self, wanted.creation)
      conversation.adopt(made.session)
      for warning in made.warnings { view.note("warning: " + warning.message) }
      if conversation.persists, conversation.transcript.turns.isEmpty {
        view.note("\(conversation.name): a new session")
      }
      return made.session.sessionID
    } catch {
      guard error.code == AssistantErrorKind.sessionExists.code, let id = wanted.id else { throw error }
      try await refresh(id)
      view.note(conversation.summary)
      var change = SessionUpdate.Params(sessionID: id)
      if let personality = wanted.personality, personality != conversation.personality {
        change.personality = personality
      }
      if let instructions = wanted.instructions, instructions != conversation.instructions {
        change.instructions = instructions
      }
      if change != SessionUpdate.Params(sessionID: id) {
        change.keepHistory = true
        conversation.adopt(try await call(SessionUpdate.self, change).session)
      }
      return id
    }
  }

  /// Takes from the daemon what the session is like, and what was said in it.
  func refresh(_ id: SessionID) async throws(RPCError) {
    let found = try await call(SessionGet.self, SessionParams(sessionID: id))
    conversation.adopt(found.session)
    conversation.transcript = found.transcript
  }

  /// So that Tab knows their names.
  private func learnSessions() {
    guard input is EditorInput, conversation.isMade else { return }
    Task { [service = assistant.service, completion] in
      if let list = try? await service.call(SessionList.self, Empty()) {
        completion.learn(list.sessions.map(\.sessionID.text))
      }
    }
  }

  // MARK: Messages

  func send(_ message: String) async {
    await attempt { () async throws(RPCError) in
      // Until there is an answer.
      self.conversation.unanswered = message
      let answer = try await self.answer(message)
      self.conversation.add(message, answer)
    }
  }

  /// Has the last message answered once more; one that has no answer yet is sent again.
  func retry() async throws(RPCError) {
    if let message = conversation.unanswered { return await send(message) }
    guard let last = conversation.transcript.turns.last?.prompt.words else {
      return fail("nothing has been said yet")
    }
    let answer = try await answer(nil)
    conversation.transcript.turns.removeLast()
    conversation.add(last, answer)
  }

  /// Shows the answer as it comes, and what there is to be said of it.
  /// - Parameter message: nil: the last one again.
  private func answer(_ message: String?) async throws(RPCError) -> String {
    let result = try await inSession { (id) async throws(RPCError) in try await self.stream(message, in: id) }
    for warning in result.common.warnings { view.note("warning: " + warning.message) }
    if let id = conversation.id, let change = news.take(id) { tell(change) }
    return result.text
  }

  private func stream(_ message: String?, in id: SessionID) async throws(RPCError) -> Chat.Result {
    var params = Chat.Params()
    params.message = message
    params.retry = message == nil
    params.common.sessionID = id
    params.common.options = settings.request.common.options
    let screen = Screen(streams: true)
    let spinner = Task { await screen.spin() }
    defer { spinner.cancel() }
    do throws(RPCError) {
      let result = try await call(Chat.self, params, wanting: screen.wanted) { screen.show($0) }
      screen.clearProgress()
      if screen.streams {
        screen.breakLine()
      } else {
        Terminal.write((Terminal.outputIsTerminal ? TerminalText.neutralise(result.text) : result.text) + "\n")
      }
      return result
    } catch {
      screen.clearProgress()
      screen.breakLine()
      throw error
    }
  }

  /// Says once that the session fills up.
  private func tell(_ change: SessionDidChange.Params) {
    let levels = SessionLevel.allCases
    let rises = (levels.firstIndex(of: change.level) ?? 0) > (levels.firstIndex(of: conversation.level) ?? 0)
    conversation.level = change.level
    guard rises else { return }
    let percentage = change.session.contextUsed * 100 / max(1, change.session.contextSize)
    let what =
      percentage >= 75 ? "fills \(percentage) % of the window" : "has \(Conversation.turns(change.session.turns))"
    view.note("the session \(what); /new begins a new one")
  }
}

extension ChatCommand.Settings {
  /// The voices that there are.
  var voices: [Personality] { Personality.builtin + engine.customization.personalities.map(Personality.custom) }
}

extension StringProtocol {
  /// Without white space at either end.
  var trimmed: String {
    let start = drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }
}
