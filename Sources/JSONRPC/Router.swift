import JSON

/// Which handler serves which method. Parameters are decoded once, here; results are written here; past it nobody
/// holds JSON.
public struct Router: Sendable {
  typealias Running = @Sendable (RequestContext) async throws(RPCError) -> JSONValue

  /// What has become of a request on the reading thread.
  enum Begun: Sendable {
    case finished(Result<JSONValue, RPCError>)
    /// The rest is done in a task.
    case running(Running)
  }

  enum Route: Sendable {
    /// Decodes on the reading thread; begins there when the request is admitted; may go on in a task of its own.
    case concurrent(isLight: Bool, @Sendable (JSONValue) throws(RPCError) -> @Sendable () -> Begun)
    /// Decodes and runs on the reading thread.
    case inOrder(
      @Sendable (JSONValue, RequestContext) throws(RPCError) -> (JSONValue, afterReply: @Sendable () -> Void))
  }

  private var requests: [ExactString: Route] = [:]
  private var notifications: [ExactString: @Sendable (JSONValue, Connection) -> Void] = [:]

  public init() {}

  /// Serves a request in a task of its own, which `$/cancelRequest` cancels. An error thrown after that is answered as
  /// -32800, whatever it is; a result that was ready is still sent.
  ///
  /// - Parameter isLight: it only looks at something; more of these may run at once than of others.
  public mutating func on<R: RequestMethod>(
    _: R.Type, isLight: Bool = false,
    _ handler: @escaping @Sendable (R.Params, RequestContext) async throws(RPCError) -> R.Result
  ) {
    requests[ExactString(R.name)] = .concurrent(isLight: isLight) { (json) throws(RPCError) in
      let params = try Self.params(R.Params.self, json)
      return { .running { (context) async throws(RPCError) in try await handler(params, context).json } }
    }
  }

  /// Serves a request in a task of its own, after something that must be done in the order of the messages.
  ///
  /// - Parameter inOrder: called on the reading thread before the next message is looked at; what it gives is for the
  ///   handler. For a request that is refused as one too many it is not called.
  public mutating func on<R: RequestMethod, Place: Sendable>(
    _: R.Type, isLight: Bool = false, inOrder: @escaping @Sendable (R.Params) -> Place,
    _ handler: @escaping @Sendable (R.Params, Place, RequestContext) async throws(RPCError) -> R.Result
  ) {
    requests[ExactString(R.name)] = .concurrent(isLight: isLight) { (json) throws(RPCError) in
      let params = try Self.params(R.Params.self, json)
      return {
        let place = inOrder(params)
        return .running { (context) async throws(RPCError) in try await handler(params, place, context).json }
      }
    }
  }

  /// Serves a request that has its place in the order of the messages and may have to wait for its result. It is light.
  ///
  /// - Parameter handler: called on the reading thread before the next message is looked at.
  public mutating func onInOrder<R: RequestMethod>(
    _: R.Type, orLater handler: @escaping @Sendable (R.Params) -> Answer<R.Result>
  ) {
    requests[ExactString(R.name)] = .concurrent(isLight: true) { (json) throws(RPCError) in
      let params = try Self.params(R.Params.self, json)
      return {
        switch handler(params) {
        case .now(let result): .finished(result.map(\.json))
        case .later(let value): .running { (_) async throws(RPCError) in try await value().json }
        }
      }
    }
  }

  /// Serves a request on the reading thread before the next message is looked at: only for what is quick and must keep
  /// its place in the order.
  public mutating func onInOrder<R: RequestMethod>(
    _: R.Type, _ handler: @escaping @Sendable (R.Params, RequestContext) throws(RPCError) -> R.Result
  ) {
    requests[ExactString(R.name)] = .inOrder { (json, context) throws(RPCError) in
      (try handler(try Self.params(R.Params.self, json), context).json, {})
    }
  }

  /// The same with something to begin after the reply, so that what comes of it follows the reply on the wire.
  ///
  /// - Parameter handler: what it gives besides the result is called on the reading thread, before the next message is
  ///   looked at.
  public mutating func beginInOrder<R: RequestMethod>(
    _: R.Type,
    _ handler:
      @escaping @Sendable (R.Params, RequestContext) throws(RPCError) -> (
        R.Result, afterReply: @Sendable () -> Void
      )
  ) {
    requests[ExactString(R.name)] = .inOrder { (json, context) throws(RPCError) in
      let (result, afterReply) = try handler(try Self.params(R.Params.self, json), context)
      return (result.json, afterReply)
    }
  }

  /// Takes a notification, in order, on the reading thread. One whose parameters are wrong is dropped.
  public mutating func on<N: NotificationMethod>(
    _: N.Type, _ handler: @escaping @Sendable (N.Params, Connection) -> Void
  ) {
    notifications[ExactString(N.name)] = { json, connection in
      guard let params = try? Self.params(N.Params.self, json) else { return }
      handler(params, connection)
    }
  }

  /// Serves a request by its name, with parameters and a result that are looked at elsewhere. It is light.
  ///
  /// - Parameter begin: called on the reading thread before the next message is looked at; gives what is done then in
  ///   the request's task.
  public mutating func onInOrder(
    request method: String,
    begin: @escaping @Sendable (JSONValue) -> @Sendable (RequestContext) async throws(RPCError) -> JSONValue
  ) {
    requests[ExactString(method)] = .concurrent(isLight: true) { params in { .running(begin(params)) } }
  }

  /// Takes a notification by its name, in order, on the reading thread.
  public mutating func on(notification method: String, _ handler: @escaping @Sendable (JSONValue, Connection) -> Void) {
    notifications[ExactString(method)] = handler
  }

  /// The names of all requests that are served, sorted.
  public var requestNames: [String] { requests.keys.map(\.string).sorted() }

  func route(forRequest method: String) -> Route? { requests[ExactString(method)] }

  func handler(forNotification method: String) -> (@Sendable (JSONValue, Connection) -> Void)? {
    notifications[ExactString(method)]
  }

  private static func params<Params: JSONConvertible>(
    _: Params.Type, _ json: JSONValue
  ) throws(RPCError) -> Params {
    do throws(JSONMismatch) {
      return try Params(json: json)
    } catch {
      throw .invalidParams(error.path.isEmpty ? "the parameters \(error.problem)" : error.message)
    }
  }
}

/// The answer to a request, as far as it is there.
public enum Answer<Value: Sendable>: Sendable {
  case now(Result<Value, RPCError>)
  case later(@Sendable () async throws(RPCError) -> Value)
}
