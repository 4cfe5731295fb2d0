import JSONRPC

/// What one connection is served besides the assistant's own methods.
public struct ConnectionExtension: Sendable {
  /// Adds its routes.
  public var addRoutes: @Sendable (inout Router) -> Void
  /// Called with `initialize` on the reading thread, before the next message is looked at; may add to what the answer
  /// says. The encoding is the connection's.
  public var initialize: @Sendable (Initialize.Params, PositionEncoding, inout ServerCapabilities) -> Void
  /// Called when the connection has ended.
  public var end: @Sendable () -> Void

  public init(
    addRoutes: @escaping @Sendable (inout Router) -> Void,
    initialize: @escaping @Sendable (Initialize.Params, PositionEncoding, inout ServerCapabilities) -> Void,
    end: @escaping @Sendable () -> Void
  ) {
    self.addRoutes = addRoutes
    self.initialize = initialize
    self.end = end
  }
}
