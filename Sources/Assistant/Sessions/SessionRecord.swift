import AssistantProtocol

/// A session and what is at work in it.
struct SessionRecord: Sendable {
  var session: Session
  /// Without the instructions, which are the session's.
  var transcript = Transcript()
  var tools: [Tool] = []
  /// The number of the request at work.
  var worker: Int?
  /// Ends that request.
  var cancel: (@Sendable () -> Void)?

  init(session: Session) { self.session = session }

  /// A new session, without a name.
  init(_ params: SessionCreate.Params) throws(AssistantError) {
    session = Session()
    session.title = params.title
    session.instructions = params.instructions ?? params.transcript.instructions?.text ?? ""
    session.personality = params.personality ?? .neutral
    session.contextPolicy = params.contextPolicy
    session.maxTurns = params.maxTurns
    transcript = params.transcript
    transcript.instructions = nil
    tools = try Tool.all(params.tools)
  }

  /// The transcript as the wire has it.
  var written: Transcript {
    var result = transcript
    if !session.instructions.isEmpty {
      result.instructions = TranscriptEntry(.instructions, session.instructions, at: session.createdAt)
    }
    return result
  }

  /// The session as the wire has it.
  var described: Session {
    var result = session
    result.turns = transcript.turns.count
    result.busy = worker != nil
    return result
  }

  // MARK: Changes

  mutating func begin(named id: SessionID, at now: String) {
    session.sessionID = id
    session.createdAt = now
    session.updatedAt = now
  }

  /// Another one with the same first turns, without a name.
  func forked(turns: Int?) -> SessionRecord {
    var child = SessionRecord(session: session)
    child.transcript = transcript
    child.tools = tools
    if let turns, turns < transcript.turns.count {
      child.transcript.turns.removeLast(transcript.turns.count - turns)
      child.session.contextUsed = 0
    }
    return child
  }

  /// - Parameter tools: those of the parameters.
  mutating func update(_ params: SessionUpdate.Params, tools: [Tool]?) {
    let personality = params.personality ?? session.personality
    let instructions = params.instructions ?? session.instructions
    let isOther = personality.id != session.personality.id || instructions != session.instructions
    if isOther, !params.keepHistory { clear() }
    session.personality = personality
    session.instructions = instructions
    if let title = params.title { session.title = title }
    if let policy = params.contextPolicy { session.contextPolicy = policy }
    if let maxTurns = params.maxTurns { session.maxTurns = maxTurns }
    if let tools { self.tools = tools }
  }

  mutating func rewind(_ turns: Int) {
    transcript.turns.removeLast(min(turns, transcript.turns.count))
    session.contextUsed = 0
  }

  /// Forgets what has been said.
  mutating func clear() {
    transcript = Transcript()
    session.contextUsed = 0
  }

  /// Takes the session for a request.
  mutating func take(_ worker: Int) throws(AssistantError) {
    try checkIsFree()
    guard transcript.byteCount <= Limits.sessionBytes else { throw .sessionTooLarge(limit: Limits.sessionBytes) }
    self.worker = worker
  }

  func checkIsFree() throws(AssistantError) {
    guard worker == nil else { throw .sessionBusy(sessionID: session.sessionID.text) }
  }

  /// Keeps what the request at work has come to, which is then at work no more.
  mutating func keep(_ turn: SessionCommit, at now: String) {
    transcript = turn.transcript
    session.contextUsed = turn.usage.contextUsed
    session.contextSize = turn.usage.contextSize
    session.updatedAt = now
    release()
  }

  mutating func release() {
    worker = nil
    cancel = nil
  }
}

/// What a request has come to.
struct SessionCommit: Sendable {
  var transcript: Transcript
  var usage: Usage
  /// Told what the session is now, before anybody else can change it.
  var announce: @Sendable (Session) -> Void
}
