import Assistant
import Client
import JSONRPC

/// The daemon of this very process, for those in it that are its clients: a channel takes the place of the socket.
struct ProcessAssistant: DaemonConnector {
  let server: AssistantServer
  let requestLimit: SharedRequestLimit?

  func connect() throws(DaemonError) -> any ByteChannel {
    let (near, far) = InMemoryChannel.pair()
    Task { await server.serve(far, framing: .header, requestLimit: requestLimit) }
    return near
  }
}
