import AssistantProtocol
import JSONRPC

extension AssistantServer {
  /// Tells a client of each change of what can be offered, until the connection ends.
  /// - Parameter changes: since the connection began.
  func tell(of changes: AsyncStream<Configuration>, _ client: ClientState, _ connection: Connection) async {
    var known = DidChangeConfiguration.Params(configuration.current)
    for await change in changes {
      let news = DidChangeConfiguration.Params(change)
      guard news != known else { continue }
      known = news
      if client.wantsNotifications(on: connection) { connection.notify(DidChangeConfiguration.self, news) }
    }
  }
}

extension DidChangeConfiguration.Params {
  init(_ configuration: Configuration) {
    self.init(features: configuration.features, tones: configuration.tones, personalities: configuration.personalities)
  }
}
