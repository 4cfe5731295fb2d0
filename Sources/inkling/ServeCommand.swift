import Assistant
import AssistantProtocol
import JSONRPC
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `inkling serve`: the daemon on standard input and output.
enum ServeCommand {
  enum FramingChoice: String, CaseIterable, Sendable {
    case auto, header, line

    var framing: Framing {
      switch self {
      case .auto: .auto
      case .header: .header
      case .line: .line
      }
    }
  }

  struct Settings: ModelSettings {
    var engine = EngineSetup(warnings: .each)
    var framing = FramingChoice.auto
    var mirror: String?
    var logLevel = Log.Level.warning
    var thermometer = Thermometer()
    var isEphemeral = false
    var isShared = false
    /// nil: a shared daemon waits for clients for ever.
    var idleExit: Duration? = .seconds(30 * 60)
    var logFile: String?
    /// Whether `assistant/prewarm` reads anything.
    var readsAhead = true
  }

  static let command = Command<Settings>(
    name: "serve", summary: "Serves an editor or a script over JSON-RPC on standard input and output.",
    details: [
      "Each such daemon has a model of its own. “inkling connect” shares one among all editors; it starts “inkling "
        + "serve --socket” when it is needed.",
      "The model is loaded in the background; requests wait for it. protocol.md describes the messages.",
      "Sessions that a client wants persisted are kept in $XDG_STATE_HOME/inkling (~/.local/state/inkling).",
      "The log on standard error holds no text of yours: no prompt, no selection, no result.",
      "Changes of the configuration are taken up with the next request, but for the model and the context window.",
    ],
    options: [
      .model, .config, .noConfig,
      .number(
        "--context", "TOKENS", "Tokens of the context window (default: chosen by the engine).", in: 256...1_048_576,
        \.engine.load.contextSize),
      .number(
        "--threads", "N", "Threads for batches (default, and most: the processors).", in: 1...512, \.engine.load.threads
      ),
      Option(
        name: "--no-prepared", placeholder: nil, summary: "Loads the model's own file, not what “inkling prepare” made."
      ) { settings, _ in settings.engine.usesPrepared = false },
      .choice("--framing", "KIND", "How messages are framed", \.framing),
      .value(
        "--idle-unload", "TIME",
        "Takes the model out of memory when idle for so long: 15m (default), 90s, 2h, or minutes; 0: never."
      ) { (settings, text) throws(UsageError) in
        settings.engine.idleUnload = try Option<Settings>.duration(text, of: "--idle-unload")
      },
      .flag(
        "--socket", "Serves many clients, at a socket that only you can use, instead of standard input and output.",
        \.isShared),
      .value(
        "--idle-exit", "TIME", "With --socket: leaves when no client has come for so long: 30m (default); 0: never."
      ) { (settings, text) throws(UsageError) in
        settings.idleExit = try Option<Settings>.duration(text, of: "--idle-exit")
      },
      .value(
        "--log-file", "FILE", "The log goes there instead of standard error; at 1 MiB it becomes FILE.1.", kind: .file
      ) { (settings, path) throws(UsageError) in
        guard !path.isEmpty else { throw UsageError("--log-file wants a path") }
        settings.logFile = ModelLocation.absolute(path)
      },
      .flag("--ephemeral", "Keeps no session on the disk, and reads none.", \.isEphemeral),
      .value(
        "--mirror", "DIR", "Records all messages, texts included, in a file there. For finding faults.", kind: .folder
      ) {
        (settings, path) throws(UsageError) in
        guard !path.isEmpty else { throw UsageError("--mirror wants a folder") }
        settings.mirror = path
      },
      .value(
        "--thermal-root", "DIR", "Where the machine's thermal zones are (default: /sys/class/thermal).", kind: .folder
      ) { (settings, path) throws(UsageError) in
        guard !path.isEmpty else { throw UsageError("--thermal-root wants a folder") }
        settings.thermometer = Thermometer(root: path)
      },
      .choice("--log-level", "LEVEL", "How much is logged", \.logLevel),
      .flag(
        "--reproducible", "Makes output the same, greedy or seeded, whatever is cached, unless others run; slower.",
        \.engine.load.reproducible),
      Option(
        name: "--no-cache", placeholder: nil,
        summary: "Reads each prompt whole: nothing is kept of earlier ones, in memory or on the disk. To compare."
      ) { settings, _ in settings.engine.load.reusesPrefixes = false },
      Option(
        name: "--no-draft", placeholder: nil,
        summary: "Writes one token after the other: none are guessed and verified together. To compare."
      ) { settings, _ in settings.engine.load.drafts = false },
      Option(
        name: "--no-prewarm", placeholder: nil, summary: "Reads nothing for “assistant/prewarm”. To compare."
      ) { settings, _ in settings.readsAhead = false },
    ],
    exitStatuses: [
      (0, "The client ended the session (exit after shutdown, or end of input), or a first signal did."),
      (
        1, "Exit without shutdown, input that is not the protocol, or, with headers, input that ended inside a message."
      ),
      (2, "The command line is wrong."),
    ],
    defaults: { Settings() },
    check: { settings throws(UsageError) in
      if settings.isShared, settings.mirror != nil {
        throw UsageError("--mirror records one connection, and --socket has many: leave one of them out")
      }
    },
    run: { await serve($0) })

  private static func serve(_ settings: Settings) async -> Int32 {
    let log = makeLog(settings)
    if settings.isShared { return await SharedDaemon.serve(settings, log) }
    do throws(ChannelError) {
      let channel = try StandardStreams.takeOver()
      let mirror = try settings.mirror.map { (folder) throws(ChannelError) in
        try WireMirror(directory: folder) { log.warning("not everything is recorded (--mirror): \($0)") }
      }
      if let mirror {
        Terminal.writeError("inkling: ALL MESSAGES, TEXTS INCLUDED, ARE RECORDED in \(mirror.path) (--mirror)\n")
      }
      let store = settings.isEphemeral ? nil : try SessionStore(path: StoreLocation.path, log: log)
      return await serve(settings, channel, mirror, store, log)
    } catch {
      log.error("cannot start: \(error.message)")
      return Program.Status.failed
    }
  }

  /// A log that cannot be written keeps no daemon from its work.
  private static func makeLog(_ settings: Settings) -> Log {
    if let path = settings.logFile {
      if let file = LogFile(path) { return file.log(level: settings.logLevel) }
      OneShot.warn("the log file \(path) cannot be written; the log goes to standard error")
    }
    return .standardError(level: settings.logLevel)
  }

  private static func serve(
    _ settings: Settings, _ channel: FileChannel, _ mirror: WireMirror?, _ store: SessionStore?, _ log: Log
  ) async -> Int32 {
    if Terminal.inputIsTerminal {
      Terminal.writeError("inkling: serving JSON-RPC on standard input; Ctrl-D ends it (see “inkling serve --help”)\n")
    }
    let supervisor = settings.engine.makeSupervisor(log: log)
    let connections = Connections()
    Signals.onFirst { signal in
      log.info("ended by signal \(signal)")
      connections.closeAll()
    }
    let server = AssistantServer(
      engine: supervisor, version: Program.version, configuration: settings.engine.configurationFile, log: log,
      thermometer: settings.thermometer, store: store, readsAhead: settings.readsAhead
    ) { processID in
      watch(processID, log) { connections.closeAll() }
    }
    await supervisor.start()
    let requestLimit = SharedRequestLimit(256)
    let end = await server.serve(
      channel, framing: settings.framing.framing, mirror: mirror, requestLimit: requestLimit,
      and: EditorFace.make(server, settings.engine.configurationFile, requestLimit),
      started: { connections.add($0) })
    await supervisor.shutDown()
    await store?.close()
    return status(of: end, log)
  }

  static func status(of end: ConnectionEnd, _ log: Log) -> Int32 {
    switch end {
    case .exit(afterShutdown: true), .endOfInput(insideFrame: false), .closed: return 0
    case .exit(afterShutdown: false): log.info("exit without shutdown")
    case .endOfInput(insideFrame: true): log.error("the input ended inside a message")
    case .protocolError(let message): log.error("the input is not the protocol: \(message)")
    case .ioError(let message): log.error("the connection failed: \(message)")
    }
    return Program.Status.failed
  }

  /// Looks once a second whether the client's process is still there.
  static func watch(_ processID: Int, _ log: Log, _ gone: @escaping @Sendable () -> Void) {
    guard let processID = pid_t(exactly: processID), processID > 0 else { return }
    Task {
      // First the wait: `initialize` is answered even when the process was never there.
      repeat {
        do { try await Task.sleep(for: .seconds(1)) } catch { return }
      } while kill(processID, 0) == 0 || errno != ESRCH
      log.warning("the process \(processID), which the client named as its own, is not there: the daemon ends")
      gone()
    }
  }
}

/// The connection that a signal or the client's end closes, also when they come before it is there.
final class Connections: Sendable {
  private struct State {
    var open: [Connection] = []
    var isClosed = false
  }

  private let state = Mutex(State())

  func add(_ connection: Connection) {
    let isClosed = state.withLock { state in
      state.open.append(connection)
      return state.isClosed
    }
    if isClosed { connection.close() }
  }

  func closeAll() {
    let open = state.withLock { state in
      state.isClosed = true
      return state.open
    }
    for connection in open { connection.close() }
  }
}
