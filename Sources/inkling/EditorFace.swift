import Assistant
import AssistantProtocol
import Client
import JSON
import JSONRPC
import LanguageServer
import Synchronization

/// The LSP face of a daemon that serves one editor. The daemon itself is the assistant that it calls.
enum EditorFace {
  static func make(
    _ server: AssistantServer, _ configuration: ConfigurationFile, _ requestLimit: SharedRequestLimit
  ) -> ConnectionExtension {
    let service = OwnService(server, requestLimit)
    let face = LanguageServer(service: service, offers: { configuration.current.capabilities })
    return ConnectionExtension(
      addRoutes: { face.addRoutes(to: &$0) },
      initialize: { params, encoding, capabilities in
        face.initialize(params, encoding: encoding, serviceEncoding: .utf8)
        LanguageServer.announce(in: &capabilities)
      },
      end: {
        face.close()
        service.close()
      })
  }
}

/// The daemon as an assistant that is called: over a channel within the process, which is there from the first call on.
private final class OwnService: AssistantService {
  private enum State {
    case unused
    case open(Task<ConnectionService, any Error>, ConnectionService)
    case closed
  }

  private let server: AssistantServer
  private let requestLimit: SharedRequestLimit
  private let state = Mutex(State.unused)

  init(_ server: AssistantServer, _ requestLimit: SharedRequestLimit) {
    self.server = server
    self.requestLimit = requestLimit
  }

  func call(
    _ method: String, _ params: JSONValue, wanting wanted: Set<ProgressKind>,
    onProgress: @escaping @Sendable (ProgressValue) -> Void
  ) async throws(RPCError) -> JSONValue {
    let service: ConnectionService
    switch await opening()?.result {
    case .success(let opened)?: service = opened
    case .failure(let error)?: throw error as? RPCError ?? .connectionClosed
    case nil: throw .connectionClosed
    }
    return try await service.call(method, params, wanting: wanted, onProgress: onProgress)
  }

  /// The handshake, which the first call begins; nil when there are no more calls.
  private func opening() -> Task<ConnectionService, any Error>? {
    state.withLock { state in
      switch state {
      case .open(let opening, _): return opening
      case .closed: return nil
      case .unused:
        let (near, far) = InMemoryChannel.pair()
        let service = ConnectionService(near)
        Task { [server, requestLimit] in
          await server.serve(far, framing: .header, requestLimit: requestLimit)
        }
        let opening = Task<ConnectionService, any Error> {
          _ = try await service.open(as: ClientInfo(name: "inkling serve", version: Program.version))
          return service
        }
        state = .open(opening, service)
        return opening
      }
    }
  }

  func close() {
    let open = state.withLock { state in
      defer { state = .closed }
      if case .open(_, let service) = state { return service as ConnectionService? }
      return nil
    }
    open?.close()
  }
}
