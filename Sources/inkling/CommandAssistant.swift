import Assistant
import AssistantProtocol
import Client
import JSONRPC

/// The assistant that a command uses: the daemon that all of the user's programs share, or one of the command's own.
struct CommandAssistant: Sendable {
  let service: LinkService
  private let link: DaemonLink
  private let own: OwnDaemon?

  /// - Parameters:
  ///   - isPrivate: the command has an engine of its own.
  ///   - name: the command, for those who look who uses the daemon.
  ///   - incoming: what is done with what comes for no request.
  init(
    _ setup: EngineSetup, isPrivate: Bool, name: String, incoming: DaemonLink.Incoming = .none
  ) throws(DaemonError) {
    let connector: any DaemonConnector
    if isPrivate {
      let daemon = OwnDaemon(setup)
      own = daemon
      connector = ProcessAssistant(server: daemon.server, requestLimit: nil)
    } else {
      own = nil
      connector = try SharedDaemon.starter(idleExit: nil)
    }
    link = DaemonLink(connector: connector, incoming: incoming)
    service = LinkService(link, name: name, encoding: .utf8)
    var params = Initialize.Params()
    params.clientInfo = ClientInfo(name: "inkling \(name)", version: Program.version)
    var general = GeneralCapabilities()
    general.positionEncodings = [PositionEncoding.utf8.rawValue]
    params.capabilities.general = general
    link.introduce(params, isInitialized: true)
  }

  /// Whoever waits for an answer gets none any more.
  func hangUp() { link.close() }

  /// Ends the connection, and the engine if it is the command's own.
  func close() async {
    link.close()
    await own?.close()
  }
}

/// A daemon within this process, for one command.
private struct OwnDaemon {
  let server: AssistantServer
  private let supervisor: EngineSupervisor
  private let store: SessionStore?

  init(_ setup: EngineSetup) {
    let log = Log.standardError(level: .error)
    supervisor = setup.makeSupervisor(log: log)
    store = try? SessionStore(path: StoreLocation.path, log: log)
    server = AssistantServer(
      engine: supervisor, version: Program.version, configuration: setup.configurationFile, log: log, store: store)
  }

  func close() async {
    await supervisor.shutDown()
    await store?.close()
  }
}
