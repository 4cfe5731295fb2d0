/// What a handler knows about the request it serves.
public struct RequestContext: Sendable {
  public let id: RequestID
  public let connection: Connection
  let serial: OutgoingQueue.Owner

  /// Sends a notification that belongs to this request. It is dropped once the request has been answered.
  public func notify<N: NotificationMethod>(_: N.Type, _ params: N.Params) {
    connection.outbox.send(Outgoing.notification(method: N.name, params: params.json), from: serial)
  }

  /// The same, but while it waits in the queue a later one of the same key may be merged into it. It stays before every
  /// message that is sent for this request after it.
  public func notifyMerging<N: NotificationMethod>(
    _: N.Type, key: String, _ params: N.Params
  ) where N.Params: MergeableParams {
    connection.outbox.sendMerging(N.name, key: key, params, from: serial)
  }

  /// Whether the outgoing queue is under its soft limit.
  public var isWritable: Bool { connection.outbox.isUnderSoftLimit }

  /// Returns at once while the outgoing queue is under its soft limit, else waits until the peer has read enough: the
  /// moment to pause what produces more. Ends with `CancellationError` when the request is cancelled.
  public func waitUntilWritable() async throws(CancellationError) {
    try await connection.outbox.waitUntilWritable()
  }
}
