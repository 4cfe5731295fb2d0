import Client

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `inkling stop`: ends the shared daemon.
enum StopCommand {
  struct Settings: Sendable {
    var force = false
  }

  private static let patience = Duration.seconds(10)

  static let command = Command<Settings>(
    name: "stop", summary: "Ends the shared daemon, of whatever version.",
    details: ["Editors that are connected start it again with their next request."],
    options: [.flag("--force", "Kills a daemon that does not end within 10 seconds.", \.force)],
    exitStatuses: [(0, "No daemon runs any more."), (1, "A daemon did not end."), (2, "The command line is wrong.")],
    defaults: { Settings() }, run: { await stop($0) })

  private static func stop(_ settings: Settings) async -> Int32 {
    let running: [(place: DaemonPlace, processID: Int32)]
    do throws(DaemonError) {
      let folder = try SharedDaemon.folder()
      let daemons = folder.daemons
      if !daemons.isEmpty { try folder.check() }
      running = daemons.compactMap { place in place.processID.map { (place, $0) } }
    } catch {
      return OneShot.fail("\(error.message) \(error.remedy)", Program.Status.failed)
    }
    if running.isEmpty { return Terminal.write("No daemon runs.\n") }
    for (_, processID) in running { kill(processID, SIGTERM) }
    var status: Int32 = 0
    for (place, processID) in running {
      if await hasGone(place, processID) {
        Terminal.write("Stopped the daemon (process \(processID)).\n")
      } else if settings.force, kill(processID, SIGKILL) == 0, await hasGone(place, processID) {
        Terminal.write("Killed the daemon (process \(processID)).\n")
      } else {
        status = OneShot.fail(
          "the daemon (process \(processID)) does not end; “inkling stop --force” kills it", Program.Status.failed)
      }
    }
    return status
  }

  /// Waits until the process has given up its place.
  private static func hasGone(_ place: DaemonPlace, _ processID: Int32) async -> Bool {
    let deadline = ContinuousClock.now + patience
    while place.processID == processID {
      guard ContinuousClock.now < deadline else { return false }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return true
  }
}
