import JSON
import TestSupport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The real program, as an editor would start it.
enum Daemon {
  /// The binary built together with these tests.
  static let executable = BuiltProgram.path

  static func start(
    _ arguments: [String] = [], environment: [String: String] = [:], framing: WireClient.Framing = .header
  ) throws -> WireClient {
    WireClient(
      try SpawnedProcess(executable, ["serve"] + arguments, environment: environment), framing: framing)
  }

  /// Started, and the handshake done.
  static func ready(_ arguments: [String] = [], environment: [String: String] = [:]) throws -> WireClient {
    let client = try start(arguments, environment: environment)
    try client.initialize()
    return client
  }

  /// The process of the engine child, once `model/status` knows it.
  static func engineProcess(of client: WireClient, within seconds: Double = 30) throws -> pid_t {
    let deadline = Deadline(seconds)
    while !deadline.hasPassed {
      let status = try client.request("model/status")
      if status.result?["availability"]?["state"] == "available",
        let id = status.result?["engine"]?["processId"]?.intValue, id > 0
      {
        return pid_t(id)
      }
      _ = poll(nil, 0, 20)
    }
    throw SpawnedProcess.Failure("no engine within \(seconds) s")
  }

  /// Whether a process is there and not a zombie.
  static func isAlive(_ process: pid_t) -> Bool {
    guard kill(process, 0) == 0 else { return false }
    guard let stat = try? readText("/proc/\(process)/stat"), let end = stat.lastIndex(of: ")") else { return false }
    return !stat[end...].hasPrefix(") Z")
  }

  /// A process that this one has started; nil when there is none.
  static func child(of parent: pid_t) -> pid_t? {
    (Files.list("/proc") ?? []).lazy.compactMap { pid_t($0) }.first { process in
      // Behind the name in parentheses: the state, the parent.
      guard let stat = try? readText("/proc/\(process)/stat"), let end = stat.lastIndex(of: ")") else { return false }
      return stat[end...].split(separator: " ").dropFirst(2).first.flatMap { pid_t($0) } == parent
    }
  }

  static func waitUntilGone(_ process: pid_t, within seconds: Double) -> Bool {
    let deadline = Deadline(seconds)
    while isAlive(process) {
      if deadline.hasPassed { return false }
      _ = poll(nil, 0, 10)
    }
    return true
  }

  static func shutDown(_ client: WireClient) throws -> SpawnedProcess.Exit {
    _ = try client.request("shutdown")
    try client.notify("exit", nil)
    return try client.process.waitForExit(within: 5)
  }
}
