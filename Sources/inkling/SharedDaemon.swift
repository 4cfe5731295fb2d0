import Assistant
import AssistantProtocol
import Client
import JSONRPC

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The daemon that all of a user's editors share.
enum SharedDaemon {
  /// Its folder.
  static func folder() throws(DaemonError) -> RuntimeFolder { try RuntimeFolder.usual() }

  /// Where the daemon of this build is to be found: one of another build may speak another protocol.
  static func place(in folder: RuntimeFolder) -> DaemonPlace {
    folder.daemon(protocolVersion: AssistantCapabilities.currentVersion, build: Executable.shortBuildID)
  }

  /// Where a daemon that nobody has started by hand writes its log.
  static var logPath: String { StoreLocation.folder + "/daemon.log" }

  /// Connects to it, and starts it when it is not there.
  /// - Parameter idleExit: for a daemon that is started, as the option has it.
  static func starter(idleExit: String?) throws(DaemonError) -> DaemonStarter {
    let folder = try folder()
    let arguments =
      ["inkling", "serve", "--socket", "--log-level", "info", "--log-file", logPath]
      + (idleExit.map { ["--idle-exit", $0] } ?? [])
    return DaemonStarter(
      folder, place(in: folder), process: ProcessStart(executable: Executable.startPath, arguments: arguments))
  }

  /// `inkling serve --socket`.
  static func serve(_ settings: ServeCommand.Settings, _ log: Log) async -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    let place: DaemonPlace
    do throws(DaemonError) {
      let folder = try folder()
      try folder.prepare()
      for other in folder.daemons { other.remove() }
      place = self.place(in: folder)
      guard try place.claim() else {
        let process = place.processID.map { " (process \($0))" } ?? ""
        log.warning("the shared daemon is there already\(process): this one is not needed")
        return 0
      }
    } catch {
      log.error("\(error.message) \(error.remedy)")
      return Program.Status.failed
    }
    do throws(ChannelError) {
      place.removeSocket()
      let listener = try UnixListener(path: place.socketPath)
      let marks = place.marks
      // What is there when it leaves may be another daemon's.
      let removeSocket: @Sendable () -> Void = { if marks.areIntact { place.removeSocket() } }
      defer { removeSocket() }
      let store = settings.isEphemeral ? nil : try SessionStore(path: StoreLocation.path, log: log)
      let supervisor = settings.engine.makeSupervisor(log: log)
      let server = AssistantServer(
        engine: supervisor, version: Program.version, configuration: settings.engine.configurationFile, log: log,
        thermometer: settings.thermometer, store: store, readsAhead: settings.readsAhead)
      let clients = SocketServer(server, at: listener, idleExit: settings.idleExit, log: log)
      Signals.onFirst { signal in
        log.info("ended by signal \(signal)")
        // Who comes now is to find no daemon, and start one.
        removeSocket()
        clients.close()
      }
      let watch = Task {
        repeat { try await Task.sleep(for: .seconds(3)) } while marks.areIntact
        log.warning("the socket or the lock was removed: nobody would find this daemon, so it leaves")
        clients.close()
      }
      defer { watch.cancel() }
      // It must keep no file system from being unmounted.
      chdir("/")
      log.info("serving at \(place.socketPath)")
      if Terminal.errorIsTerminal { Terminal.writeError("inkling: serving at \(place.socketPath); Ctrl-C ends it\n") }
      await supervisor.start()
      try await clients.run()
      removeSocket()
      await supervisor.shutDown()
      await store?.close()
      return 0
    } catch {
      log.error("cannot serve at \(place.socketPath): \(error.message)")
      return Program.Status.failed
    }
  }
}
