import AssistantProtocol
import JSON
import JSONRPC

extension AssistantServer {
  /// The routes of sessions. All but the chat are quick and keep their place among the messages.
  func routeSessions(_ sessions: ConnectionSessions, _ client: ClientState, in router: inout Router) {
    router.onInOrder(
      SessionCreate.self,
      orLater: { params in
        var params = params
        let known = configuration.current.customization
        do throws(RPCError) {
          params.personality = try personality(params.personality, known) ?? known.personality
        } catch {
          return .now(.failure(error))
        }
        return sessions.create(params).answer
      })
    router.onInOrder(SessionList.self, orLater: { _ in sessions.list().answer })
    router.onInOrder(
      SessionGet.self,
      orLater: { params in
        sessions.get(params.sessionID) { SessionGet.Result(session: $0, transcript: $1.written) }.answer
      })
    router.onInOrder(
      SessionUpdate.self,
      orLater: { params in
        var params = params
        let tools: [Tool]?
        do throws(RPCError) {
          params.personality = try personality(params.personality, configuration.current.customization)
          tools = try Self.tools(params.tools)
        } catch {
          return .now(.failure(error))
        }
        let update = params
        return sessions.change(params.sessionID) { $0.update(update, tools: tools) }.answer
      })
    router.onInOrder(SessionFork.self, orLater: { sessions.fork($0.sessionID, turns: $0.turns).answer })
    router.onInOrder(
      SessionRewind.self,
      orLater: { params in sessions.change(params.sessionID) { $0.rewind(params.turns) }.answer })
    router.onInOrder(
      SessionReset.self, orLater: { params in sessions.change(params.sessionID) { $0.clear() }.answer })
    router.onInOrder(SessionDelete.self, orLater: { sessions.delete($0.sessionID).answer })
    router.onInOrder(
      SessionExport.self,
      orLater: { params in
        sessions.get(params.sessionID) { session, record in
          let tools = record.tools.map(\.definition)
          return SessionExport.Result(
            text: SessionExporter.text(session, record.written, tools, format: params.format))
        }.answer
      })
    routeChat(sessions, client, in: &router)
  }

  private static func tools(_ definitions: [ToolDefinition]?) throws(RPCError) -> [Tool]? {
    guard let definitions else { return nil }
    do throws(AssistantError) { return try Tool.all(definitions) } catch { throw error.rpcError }
  }

  /// The voice that a request gives to a session, which must be one there is.
  private func personality(_ named: Personality?, _ known: Customization) throws(RPCError) -> Personality? {
    do throws(JSONMismatch) {
      return try named?.completed(from: known.personalities, in: "personality")
    } catch {
      throw .invalidParams(error.message)
    }
  }

  private func routeChat(_ sessions: ConnectionSessions, _ client: ClientState, in router: inout Router) {
    let runner = ChatRunner(engine: engine)
    let place: @Sendable (Chat.Params) -> SessionPlace = { SessionPlace($0.common, in: sessions) }
    router.on(Chat.self, inOrder: place) { params, place, context throws(RPCError) in
      try await answer(Chat.name, context) { (sink) async throws(RequestFailure) in
        let sink = sink(params.common)
        let params = try completed(params)
        guard let lease = try await place.lease() else { throw .engine(.refused("there is no session")) }
        defer { lease.end() }
        let session = inTodaysVoice(lease.session)
        let encoding = client.encoding
        let outcome = try await lease.run { () async throws(RequestFailure) in
          try await guarded(params, in: lease, encoding, sink, \.result) { (sink) async throws(RequestFailure) in
            try await runner.run(
              params, session: session, tools: lease.tools, transcript: lease.transcript, encoding: encoding,
              sink: sink)
          }
        }
        var result = outcome.result
        result.common.warnings += try await commit(outcome.transcript, result.common.usage, lease, client, context)
        return result
      }
    }
  }

  /// Serves a feature's request, in a session if it names one: then the session's voice and instructions hold, and
  /// request and answer become a turn of it.
  /// - Parameter work: runs the feature. Its engine shows the model the session's turns.
  func route<Method: RequestMethod>(
    _: Method.Type, _ turn: SessionTurn<Method.Params, Method.Result>, _ sessions: ConnectionSessions,
    _ client: ClientState, in router: inout Router,
    _ work:
      @escaping @Sendable (Method.Params, any EngineService, SessionTools, RequestSink) async throws(RequestFailure) ->
      Method.Result
  ) where Method.Params: GenerationParams, Method.Result: GenerationResult {
    let place: @Sendable (Method.Params) -> SessionPlace = { SessionPlace($0.common, in: sessions) }
    router.on(Method.self, inOrder: place) { params, place, context throws(RPCError) in
      try await answer(Method.name, context) { (sink) async throws(RequestFailure) in
        let sink = sink(params.common)
        let params = try completed(params)
        let showsHistory = turn.showsHistory(params)
        guard let lease = try await place.lease() else {
          let (spoken, tools) = (params.speaking(in: nil), SessionTools())
          return try await guarded(params, in: nil, client.encoding, sink, \.self) {
            (sink) async throws(RequestFailure) in
            try await Session().fitting(Transcript(), tools.calls) { (_) async throws(RequestFailure) in
              try await work(spoken, engine, tools, sink)
            }
          }
        }
        defer { lease.end() }
        let spoken = params.speaking(
          in: inTodaysVoice(lease.session), summary: showsHistory ? lease.transcript.summary : nil)
        let tools = SessionTools(sessionID: lease.session.sessionID, tools: lease.tools)
        let encoding = client.encoding
        let output = try await lease.run { () async throws(RequestFailure) in
          try await guarded(params, in: lease, encoding, sink, \.self) { (sink) async throws(RequestFailure) in
            guard showsHistory else { return try await work(spoken, engine, tools, sink) }
            let room = lease.session.contextPolicy == .error ? 0 : ChatRunner.leastRoom
            return try await lease.session.fitting(lease.transcript, tools.calls) {
              (history) async throws(RequestFailure) in
              let shown = EngineWithHistory(base: engine, history: history, leastRoom: history.isEmpty ? 0 : room)
              return try await work(spoken, shown, tools, sink)
            }
          }
        }
        var transcript = lease.transcript
        transcript.turns.append(turn.made(of: params, output, feature: Method.name))
        var usage = output.common.usage
        if !showsHistory {
          // The model has read nothing of the session.
          usage.contextUsed = lease.session.contextUsed
          usage.contextSize = max(usage.contextSize, lease.session.contextSize)
        }
        var result = output
        result.common.warnings += try await commit(transcript, usage, lease, client, context)
        return result
      }
    }
  }

  /// Runs a request's work within the user's rules. A session may have been given what no request has said.
  private func guarded<Output: Sendable, Result: GenerationResult>(
    _ params: some GenerationParams, in lease: SessionLease?, _ encoding: PositionEncoding, _ sink: RequestSink,
    _ result: WritableKeyPath<Output, Result>, _ work: (RequestSink) async throws(RequestFailure) -> Output
  ) async throws(RequestFailure) -> Output {
    let guardrails = Guardrails(configuration.current.guardrails)
    guard !guardrails.isEmpty, let lease else {
      return try await guardrails.run(params, encoding: encoding, sink, result, work)
    }
    let said = lease.transcript.entries.filter { $0.role != .response }.map(\.words)
    let tools = lease.tools.map(\.definition.json).flatMap(\.schemaWords)
    return try await guardrails.run(
      params, with: [lease.session.instructions] + said + tools, encoding: encoding, sink, result, work)
  }

  /// The request with what the configuration knows of the voices and the command that it names.
  private func completed<Params: GenerationParams>(_ params: Params) throws(RequestFailure) -> Params {
    var params = params
    do throws(JSONMismatch) {
      try params.complete(with: configuration.current.customization)
      return params
    } catch {
      throw .invalid(error)
    }
  }

  /// A session whose voice is as it is configured now; one that is configured no more stays as it was.
  private func inTodaysVoice(_ session: Session) -> Session {
    var session = session
    let known = configuration.current.customization.personalities
    session.personality = session.personality.current(in: known) ?? session.personality
    return session
  }

  /// Keeps a turn, and tells the client how the session stands before anything else can be done to it. A turn of a
  /// persisted session is on the disk when this returns, or a warning says that it is not.
  private func commit(
    _ transcript: Transcript, _ usage: Usage, _ lease: SessionLease, _ client: ClientState, _ context: RequestContext
  ) async throws(RequestFailure) -> [Warning] {
    let isWanted = client.wantsNotifications(on: context.connection)
    return try await lease.commit(transcript, usage: usage) { session in
      guard isWanted else { return }
      context.notify(SessionDidChange.self, SessionDidChange.Params(session: session, level: SessionLevel(session)))
    }
  }
}

/// The session that a request works in, taken when the request came.
struct SessionPlace: Sendable {
  private let taken: ConnectionSessions.Ordered<SessionLease>?

  init(_ common: CommonParams, in sessions: ConnectionSessions) {
    taken = common.sessionID.map { sessions.lease($0) }
  }

  /// nil when the request works in no session.
  func lease() async throws(RequestFailure) -> SessionLease? { try await taken?.value() }
}

extension SessionLevel {
  /// A conversation with so many turns is one to end soon: small models lose the thread.
  private static let manyTurns = 15

  init(_ session: Session) {
    if session.contextSize > 0, session.contextUsed * 10 >= session.contextSize * 9 {
      self = .critical
    } else if session.turns >= Self.manyTurns
      || (session.contextSize > 0 && session.contextUsed * 4 >= session.contextSize * 3)
    {
      self = .warning
    } else {
      self = .ok
    }
  }
}
