import Assistant
import AssistantProtocol
import Client
import JSONRPC

/// `inkling connect`: an editor's way to the daemon that all editors share.
enum ConnectCommand {
  struct Settings: ModelSettings {
    var engine = EngineSetup(warnings: .none)
    var framing = ServeCommand.FramingChoice.auto
    var idleExit: String?
    var logLevel = Log.Level.warning
  }

  static let command = Command<Settings>(
    name: "connect", summary: "Connects an editor to the daemon that all your editors share.",
    details: [
      "It speaks on standard input and output as “inkling serve” does, and answers “initialize” at once. The daemon is "
        + "started when it is not there, and again when it has gone; it leaves when it is not used. The socket is in "
        + "$XDG_RUNTIME_DIR/inkling (~/.cache/inkling/run), for nobody but you.",
      "The daemon takes its model and configuration from the environment of the first client that needs it. Its log "
        + "is daemon.log in $XDG_STATE_HOME/inkling (~/.local/state/inkling) and holds no text of yours.",
    ],
    options: [
      .choice("--framing", "KIND", "How messages are framed", \.framing),
      .value(
        "--idle-exit", "TIME", "A daemon that is started leaves when no client has come for so long (default 30m)."
      ) { (settings, text) throws(UsageError) in
        _ = try Option<Settings>.duration(text, of: "--idle-exit")
        settings.idleExit = text
      },
      .choice("--log-level", "LEVEL", "How much is logged on standard error", \.logLevel),
    ],
    exitStatuses: [
      (0, "The client ended the session (exit after shutdown, or end of input), or a first signal did."),
      (
        1, "Exit without shutdown, input that is not the protocol, or, with headers, input that ended inside a message."
      ),
      (2, "The command line is wrong."),
    ],
    defaults: { Settings() }, run: { await connect($0) })

  private static func connect(_ settings: Settings) async -> Int32 {
    let log = Log.standardError(level: settings.logLevel)
    let channel: FileChannel
    let starter: DaemonStarter
    do throws(ChannelError) {
      channel = try StandardStreams.takeOver()
    } catch {
      log.error("cannot start: \(error.message)")
      return Program.Status.failed
    }
    do throws(DaemonError) {
      starter = try SharedDaemon.starter(idleExit: settings.idleExit)
    } catch {
      log.error("\(error.message) \(error.remedy)")
      return Program.Status.failed
    }
    let connections = Connections()
    Signals.onFirst { signal in
      log.info("ended by signal \(signal)")
      connections.closeAll()
    }
    let configuration = settings.engine.configurationFile
    let bridge = Bridge(
      connector: starter, and: { EditorFace.make(over: $0, configuration) },
      answer: { params in
        Initialize.Result(
          serverInfo: ServerInfo(version: Program.version),
          capabilities: ServerCapabilities(
            positionEncoding: PositionEncoding(negotiatedFrom: params.capabilities.general?.positionEncodings),
            assistant: configuration.current.capabilities))
      },
      clientIs: { processID in ServeCommand.watch(processID, log) { connections.closeAll() } })
    let end = await bridge.serve(channel, framing: settings.framing.framing, started: { connections.add($0) })
    return ServeCommand.status(of: end, log)
  }
}
