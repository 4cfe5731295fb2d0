import JSON

// What this side sends of its own accord: notifications and requests.
extension Connection {
  /// Sends a notification that belongs to no request. Nothing happens once the connection has ended.
  public func notify<N: NotificationMethod>(_: N.Type, _ params: N.Params) { notify(N.name, params.json) }

  /// The same, by its name.
  public func notify(_ method: String, _ params: JSONValue) {
    outbox.send(Outgoing.notification(method: method, params: params), from: OutgoingQueue.connection)
  }

  /// The same, but while it waits in the queue a later one of the same key may be merged into it.
  public func notifyMerging<N: NotificationMethod>(
    _: N.Type, key: String, _ params: N.Params
  ) where N.Params: MergeableParams {
    outbox.sendMerging(N.name, key: key, params, from: OutgoingQueue.connection)
  }

  /// Sends a request to the peer and waits for its answer. When the task is cancelled, or the time is over, the peer is
  /// sent `$/cancelRequest` and the wait ends at once.
  ///
  /// - Throws: the peer's error; `.cancelled`; `.timedOut`; `.connectionClosed`; or an internal error when the result
  ///   is not of the method's type.
  public func request<R: RequestMethod>(
    _: R.Type, _ params: R.Params, timeout: Duration? = nil
  ) async throws(RPCError) -> R.Result {
    let json = try await request(R.name, params.json, timeout: timeout)
    do throws(JSONMismatch) {
      return try R.Result(json: json)
    } catch {
      throw .internalError("the result of “\(R.name)” is not of its type: \(error.message)")
    }
  }

  /// The same for any method, with parameters and result as they are on the wire.
  public func request(
    _ method: String, _ params: JSONValue, timeout: Duration? = nil
  ) async throws(RPCError) -> JSONValue {
    let id = sent.nextID()
    let timer = timeout.map { timeout in
      Task { [weak self] in
        try await Task.sleep(for: timeout)
        self?.giveUp(id, .timedOut)
      }
    }
    defer { timer?.cancel() }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isSent = send(id, method, params) { continuation.resume(returning: $0 ?? .failure(.connectionClosed)) }
        guard isSent else { return continuation.resume(returning: .failure(.connectionClosed)) }
        // Cancellation either comes later and finds the request sent, or is seen here. Of one that came between the two
        // the peer has heard too early, so it is told again.
        if Task.isCancelled {
          sent.resolve(id, .failure(.cancelled))
          askToStop(id)
        }
      }
    } onCancel: {
      giveUp(id, .cancelled)
    }
    return try outcome.get()
  }

  /// Sends a request to the peer and returns at once with its id, or with nil when the connection has ended.
  ///
  /// - Parameter reply: called once: on the reading thread with the answer, before the next message is looked at; or
  ///   with nil when the connection ends before there is one. It is not called when nothing was sent.
  public func send(
    _ method: String, _ params: JSONValue, reply: @escaping @Sendable (Result<JSONValue, RPCError>?) -> Void
  ) -> Int? {
    let id = sent.nextID()
    return send(id, method, params, reply) ? id : nil
  }

  /// Asks the peer to end a request of ours; its answer still comes.
  public func cancel(_ id: Int) {
    if sent.isAwaited(id) { askToStop(id) }
  }

  private func send(_ id: Int, _ method: String, _ params: JSONValue, _ reply: @escaping SentRequests.Reply) -> Bool {
    guard sent.wait(id, reply) else { return false }
    let body = Outgoing.request(id: RequestID(id), method: method, params: params)
    outbox.send(body, from: OutgoingQueue.connection)
    return true
  }

  private func giveUp(_ id: Int, _ error: RPCError) {
    if sent.resolve(id, .failure(error)) { askToStop(id) }
  }

  private func askToStop(_ id: Int) {
    notify(CancelMessage.self, CancelMessage.Params(id: .number(JSONNumber(id))))
  }
}
