import JSON

/// The incoming half of a connection: from bytes to handlers, in order, without waiting for anything. The reading
/// thread owns it.
package struct Receiver {
  private let connection: Connection
  private var frames: FrameReader
  private var lifecycle: Lifecycle
  private var lastSerial = OutgoingQueue.connection
  private var isFramingKnown: Bool

  init(connection: Connection, framing: Framing, lifecycle: LifecyclePolicy) {
    self.connection = connection
    self.lifecycle = Lifecycle(policy: lifecycle)
    frames = FrameReader(framing: framing, limits: connection.limits.frames)
    isFramingKnown = framing != .auto
  }

  /// Serves what is whole in these bytes. An end is returned when the connection must be taken down.
  package mutating func receive(_ bytes: UnsafeRawBufferPointer) -> ConnectionEnd? {
    var rest = bytes
    while true {
      let event = frames.next(&rest)
      if !isFramingKnown, frames.framing != .auto {
        isFramingKnown = true
        connection.decide(frames.framing)
      }
      guard let event else { return nil }
      if let end = serve(event) { return end }
    }
  }

  /// The peer sends no more.
  package mutating func finish() -> ConnectionEnd {
    if let event = frames.finish(), let end = serve(event) { return end }
    return .endOfInput(insideFrame: frames.isInsideFrame)
  }

  /// Whether the bytes so far end between two messages.
  package var isBetweenMessages: Bool { frames.isBetweenMessages }

  private mutating func serve(_ event: FrameReader.Event) -> ConnectionEnd? {
    switch event {
    case .failed(let message): return .protocolError(message)
    case .refused(let error):
      answer(id: nil, error, nil)
      return nil
    case .message(let body):
      connection.mirror?.record(.in, body)
      do throws(JSONParseError) {
        return serve(try JSONParser.parse(body))
      } catch {
        answer(id: nil, .parseError("the message is not JSON: \(error.message) at byte \(error.offset)"), nil)
        return nil
      }
    }
  }

  private mutating func serve(_ message: JSONValue) -> ConnectionEnd? {
    guard case .array(let members) = message else { return serve(Incoming(message), nil) }
    let limit = connection.limits.batchSize
    guard (1...limit).contains(members.count) else {
      answer(id: nil, .invalidRequest("a batch must have between 1 and \(limit) members"), nil)
      return nil
    }
    let batch = Batch(outbox: connection.outbox)
    // No member ends the connection: `exit` is refused in a batch.
    for member in members { _ = serve(Incoming(member), batch) }
    batch.complete()
    return nil
  }

  private mutating func serve(_ incoming: Incoming, _ batch: Batch?) -> ConnectionEnd? {
    switch incoming {
    case .ignored: break
    case .invalid(let id, let error): answer(id: id, error, batch)
    case .response(let id, let outcome): connection.received(id, outcome)
    case .notification(let method, let params):
      switch lifecycle.verdict(onNotification: method, inBatch: batch != nil, framing: frames.framing) {
      case .proceed: notified(method, params)
      case .refuse(let error): answer(id: nil, error, batch)
      case .ignore: break
      case .exit(let afterShutdown): return .exit(afterShutdown: afterShutdown)
      }
    case .request(let id, let method, let params):
      switch lifecycle.verdict(onRequest: method, inBatch: batch != nil, framing: frames.framing) {
      case .proceed: requested(id, method, params, batch)
      case .refuse(let error): answer(id: id, error, batch)
      case .ignore, .exit: break
      }
    }
    return nil
  }

  private func notified(_ method: String, _ params: JSONValue) {
    if method.hasSameBytes(as: CancelMessage.name) {
      guard let id = params["id"].flatMap(RequestID.init(json:)) else { return }
      connection.requests.cancel(id)
    } else {
      connection.router.handler(forNotification: method)?(params, connection)
    }
  }

  private mutating func requested(_ id: RequestID, _ method: String, _ params: JSONValue, _ batch: Batch?) {
    if connection.requests.isRunning(id) {
      return answer(id: id, .invalidRequest("a request with this id is still running"), batch)
    }
    do throws(RPCError) {
      switch connection.router.route(forRequest: method) {
      case nil: throw .methodNotFound(method)
      case .inOrder(let handler)?: runInOrder(id, method, params, handler, batch)
      case .concurrent(let isLight, let prepare)?:
        try start(id, method, isLight: isLight, try prepare(params), batch)
      }
    } catch {
      answer(id: id, error, batch)
    }
  }

  private mutating func runInOrder(
    _ id: RequestID, _ method: String, _ params: JSONValue,
    _ handler: (JSONValue, RequestContext) throws(RPCError) -> (JSONValue, afterReply: @Sendable () -> Void),
    _ batch: Batch?
  ) {
    let responder = open(id, batch, isRunning: false)
    let context = responder.context
    do throws(RPCError) {
      let (result, afterReply) = try handler(params, context)
      lifecycle.accepted(method)
      responder.reply(.success(result))
      afterReply()
    } catch {
      responder.reply(.failure(error))
    }
  }

  private mutating func start(
    _ id: RequestID, _ method: String, isLight: Bool, _ begin: () -> Router.Begun, _ batch: Batch?
  ) throws(RPCError) {
    let requests = connection.requests
    let serial = lastSerial + 1
    if let limit = requests.admit(id, serial: serial, isLight: isLight, isExempt: lifecycle.isExempt(method)) {
      throw connection.limits.overloadedError(limit)
    }
    lifecycle.accepted(method)
    let responder = open(id, batch, isRunning: true)
    let context = responder.context
    let run: Router.Running
    switch begin() {
    case .finished(let result): return responder.reply(result)
    case .running(let rest): run = rest
    }
    let handoff = Handoff(responder)
    let task = Task {
      let result: Result<JSONValue, RPCError>
      do throws(RPCError) {
        result = .success(try await run(context))
      } catch {
        // Whatever a cancelled handler stumbled over, the reason is the cancellation.
        result = .failure(Task.isCancelled ? .cancelled : error)
      }
      handoff.reply(result)
    }
    requests.started(id, serial: serial, task)
  }

  /// A request that nobody serves yet: for tests of the responder itself.
  package mutating func openRequest(_ id: RequestID) -> Responder { open(id, nil, isRunning: false) }

  /// Opens a request for one reply.
  private mutating func open(_ id: RequestID, _ batch: Batch?, isRunning: Bool) -> Responder {
    lastSerial += 1
    connection.outbox.open(lastSerial)
    let context = RequestContext(id: id, connection: connection, serial: lastSerial)
    return Responder(ReplyDestination(context: context, place: batch?.reserve(), isRunning: isRunning))
  }

  /// Answers what never became a request.
  private func answer(id: RequestID?, _ error: RPCError, _ batch: Batch?) {
    let body = Outgoing.response(id: id, .failure(error))
    if let place = batch?.reserve() {
      place.batch.fill(place.index, body)
    } else {
      connection.outbox.send(body, from: OutgoingQueue.connection)
    }
  }
}
