import JSONRPC
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Connects to a daemon, and starts it when it is not there. Many programs may do that at once: each daemon that is
/// started tries to become the one, and all but the first leave.
public struct DaemonStarter: DaemonConnector {
  private let folder: RuntimeFolder
  private let place: DaemonPlace
  private let process: ProcessStart
  private let patience: Duration

  /// - Parameters:
  ///   - process: the daemon.
  ///   - patience: how long it may take until it can be connected to.
  public init(_ folder: RuntimeFolder, _ place: DaemonPlace, process: ProcessStart, patience: Duration = .seconds(20)) {
    self.folder = folder
    self.place = place
    self.process = process
    self.patience = patience
  }

  public func connect() throws(DaemonError) -> any ByteChannel {
    try folder.prepare()
    let clock = ContinuousClock()
    let deadline = clock.now + patience
    var started: StartedDaemon?
    while true {
      if let channel = try place.connect() { return channel }
      switch started?.status {
      case nil where started == nil && place.processID == nil: started = try start()
      case nil: break
      // It found another one at its place, or has left again.
      case 0?: started = nil
      case let status?:
        guard place.processID == nil else { break }
        throw DaemonError(
          "The daemon could not be started (it ended with status \(status)).", remedy: DaemonError.seeWhy)
      }
      guard clock.now < deadline else {
        throw DaemonError(
          "The daemon cannot be reached at \(place.socketPath).", remedy: "Run “inkling stop”, then try again.")
      }
      // The thread is this connection's own.
      _ = poll(nil, 0, 5)
    }
  }

  private func start() throws(DaemonError) -> StartedDaemon {
    do throws(ChannelError) {
      let nulls = (0...2).map { ProcessStart.Descriptor.null(as: $0) }
      return try StartedDaemon(try process.start(nulls, group: .session))
    } catch {
      throw DaemonError("The daemon could not be started (\(error.message)).", remedy: DaemonError.seeWhy)
    }
  }
}

extension DaemonPlace {
  /// nil when no daemon listens there.
  public func connect() throws(DaemonError) -> (any ByteChannel)? {
    do throws(ChannelError) {
      return try UnixSocket.connect(to: socketPath)
    } catch {
      switch error {
      case .system(call: _, code: ENOENT), .system(call: _, code: ECONNREFUSED), .system(call: _, code: ECONNRESET):
        return nil
      case .system(call: _, code: EMFILE), .system(call: _, code: ENFILE):
        throw DaemonError("Too many files are open (\(error.message)).", remedy: "Raise the limit (ulimit -n).")
      case .system(call: _, code: ENAMETOOLONG):
        throw DaemonError(
          "The path of the daemon's socket is too long: \(socketPath).",
          remedy: "Name a folder with a shorter path in XDG_RUNTIME_DIR.")
      case .system, .closed:
        throw DaemonError(
          "The daemon at \(socketPath) cannot be used (\(error.message)).", remedy: "Remove that file.")
      }
    }
  }
}

/// Connects to a daemon only if it is there.
public struct RunningDaemon: DaemonConnector {
  private let place: DaemonPlace

  public init(_ place: DaemonPlace) { self.place = place }

  public func connect() throws(DaemonError) -> any ByteChannel {
    if let channel = try place.connect() { return channel }
    if let process = place.processID {
      throw DaemonError(
        "The daemon (process \(process)) cannot be reached: its socket was removed.", remedy: "It leaves in a moment.")
    }
    throw DaemonError("No daemon runs.", remedy: "“inkling connect” starts one.")
  }
}

/// A daemon that this process has started. One small thread waits for its end, so that it does not stay as a zombie.
private final class StartedDaemon: Sendable {
  private let ended = Mutex<Int32?>(nil)

  init(_ processID: Int32) throws(ChannelError) {
    try DedicatedThread.start(name: "daemon reaper", stackSize: 128 << 10) { [self] in
      var word: Int32 = 0
      while waitpid(processID, &word, 0) < 0, errno == EINTR {}
      ended.withLock { $0 = word & 0x7F == 0 ? (word >> 8) & 0xFF : 128 + (word & 0x7F) }
    }
  }

  /// As a shell gives it; nil while it runs.
  var status: Int32? { ended.withLock { $0 } }
}
