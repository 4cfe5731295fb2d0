import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// One daemon for all editors of a user: `inkling connect`, `status` and `stop`.
  @Suite final class SharedDaemon {
    private let runtime: SharedRuntime

    init() throws { runtime = try SharedRuntime() }

    @Test("clients share one model; one's exit leaves the others and the model alone")
    func sharing() throws {
      let first = try runtime.ready()
      let second = try runtime.ready()
      let ids = (try runtime.rephrase(first), try runtime.rephrase(second))
      #expect(try first.outcomes([ids.0])[ids.0]?.result?["text"]?.stringValue?.isEmpty == false)
      #expect(try second.outcomes([ids.1])[ids.1]?.result?["text"]?.stringValue?.isEmpty == false)
      let shared = try runtime.status()
      #expect(shared["running"] == true)
      #expect(
        shared["clients"]?.arrayValue?.compactMap { $0["name"]?.stringValue } == ["tester", "tester", "inkling status"])
      #expect(shared["totals"]?["requests"] == 2)
      let engine = shared["model"]?["engine"]?["processId"]?.intValue
      #expect(engine != nil)
      try runtime.leave(first)
      let id = try runtime.rephrase(second, "another text about a broken train")
      #expect(try second.outcomes([id])[id]?.result != nil)
      #expect(try runtime.status()["model"]?["engine"]?["processId"]?.intValue == engine, "the model was loaded again")
      second.process.send(signal: SIGKILL)
      let third = try runtime.ready()
      #expect(try third.request("model/status").result?["engine"]?["processId"]?.intValue == engine)
      try runtime.leave(third)
    }

    private func isPrivate(_ path: String, _ mode: mode_t) -> Bool {
      var status = stat()
      return lstat(path, &status) == 0 && status.st_mode & 0o777 == mode && status.st_uid == geteuid()
    }

    @Test("the folder has mode 0700 and the socket 0600, under whatever umask")
    func privacy() throws {
      let old = umask(0)
      defer { umask(old) }
      let client = try runtime.ready()
      _ = try client.request("model/status")
      #expect(isPrivate(runtime.path, 0o700))
      let names = try #require(Files.list(runtime.path))
      #expect(names.filter { $0.hasSuffix(".sock") }.count == 1)
      for name in names { #expect(isPrivate(runtime.path + "/" + name, 0o600), "\(name)") }
      #expect(names.allSatisfy { $0.hasPrefix("daemon-1-") }, "the name carries the protocol's version")
      #expect(isPrivate(runtime.folder.path("state/inkling/daemon.log"), 0o600))
      try runtime.leave(client)
    }

    @Test("a folder that others could use, a symbolic link, a file: refused before anything is started")
    func foreignFolders() throws {
      func refusal() throws -> String {
        let client = try runtime.connect()
        try client.initialize()
        let id = try runtime.rephrase(client)
        let outcome = try client.outcomes([id])[id]
        try runtime.leave(client)
        #expect(outcome?.errorKind == "modelUnavailable")
        return outcome?.reply["error"]?["message"]?.stringValue ?? ""
      }
      mkdir(runtime.path, 0o755)
      chmod(runtime.path, 0o755)
      #expect(try refusal().contains("is open to other users"))
      rmdir(runtime.path)
      mkdir(runtime.folder.path("other"), 0o700)
      symlink(runtime.folder.path("other"), runtime.path)
      #expect(try refusal().contains("is not a folder"))
      unlink(runtime.path)
      try writeFile(runtime.path, [])
      #expect(try refusal().contains("is not a folder"))
      unlink(runtime.path)
    }

    @Test("30 first starts at once give one daemon and one model")
    func manyStarts() throws {
      let clients = try (1...30).map { _ in try runtime.connect() }
      for client in clients { _ = try client.start("initialize", ["capabilities": [:]]) }
      for client in clients {
        #expect(try client.outcomes([1], within: 10)[1]?.result != nil)
        try client.notify("initialized", [:])
      }
      let ids = try clients.map { try $0.start("model/status") }
      for (client, id) in zip(clients, ids) { #expect(try client.outcomes([id])[id]?.result != nil) }
      let counts = try clients.map { try $0.start("assistant/countTokens", ["text": "one two"]) }
      for (client, id) in zip(clients, counts) { #expect(try client.outcomes([id])[id]?.result?["tokens"] != nil) }
      #expect(try runtime.status()["clients"]?.arrayValue?.count == 31)
      let log = try readText(runtime.folder.path("state/inkling/daemon.log"))
      #expect(log.ranges(of: "serving at").count == 1, "\(log)")
      #expect(log.ranges(of: "the model is available").count == 1, "\(log)")
      for client in clients { try runtime.leave(client) }
    }

    @Test("the 33rd client is told so, and served when another has gone")
    func tooMany() throws {
      let clients = try (1...32).map { _ in try runtime.ready() }
      for client in clients { _ = try client.request("model/status") }
      let late = try runtime.ready()
      #expect(try late.request("model/status").errorKind == "overloaded")
      try runtime.leave(clients[0])
      let deadline = Deadline(20)
      while try late.request("model/status").result == nil, !deadline.hasPassed { _ = poll(nil, 0, 20) }
      #expect(try late.request("model/status").result != nil)
      for client in clients.dropFirst() + [late] { try runtime.leave(client) }
    }

    @Test("a stale socket, and a lock of a daemon that was killed, keep nobody out")
    func staleSocket() throws {
      let client = try runtime.ready()
      _ = try client.request("model/status")
      let killed = try runtime.daemon()
      kill(killed, SIGKILL)
      #expect(Daemon.waitUntilGone(killed, within: 10))
      #expect(Files.list(runtime.path)?.contains { $0.hasSuffix(".sock") } == true)
      let deadline = Deadline(10)
      while try runtime.run("status").status != 3, !deadline.hasPassed {}
      #expect(try runtime.run("status").status == 3)
      let second = try runtime.ready()
      #expect(try second.request("model/status").result != nil)
      #expect(try runtime.daemon() != killed)
      try runtime.leave(client)
      try runtime.leave(second)
    }

    @Test("a daemon that is stopped is started again with the next request, and the sessions on the disk are there")
    func startedAgain() throws {
      let client = try runtime.ready()
      #expect(try client.request("session/create", ["sessionId": "kept", "persist": true]).result != nil)
      #expect(try client.request("session/create", ["sessionId": "mine"]).result != nil)
      let old = try runtime.daemon()
      let stop = try runtime.run("stop")
      #expect(stop.output == "Stopped the daemon (process \(old)).\n")
      #expect(try runtime.run("status").output == "No daemon runs.\n")
      #expect(try runtime.run("stop").output == "No daemon runs.\n")
      #expect(try client.request("session/get", ["sessionId": "kept"]).result != nil)
      #expect(try client.request("session/get", ["sessionId": "mine"]).errorKind == "sessionNotFound")
      #expect(try runtime.daemon() != old)
      try runtime.leave(client)
    }

    @Test("a daemon killed under a request that has shown something: engineFailed, retryable; under others: sent again")
    func killedAtWork() throws {
      let client = try runtime.ready()
      let shown = try client.start(
        "assistant/generate",
        [
          "prompt": "Count.",
          "schema": ["type": "array", "items": ["type": "string", "minLength": 40], "minItems": 40],
          "partialResultToken": "p",
        ])
      while let message = try client.next(within: 60) { if message["method"] == "$/progress" { break } }
      let silent = try client.start("assistant/countTokens", ["text": "two words"])
      kill(try runtime.daemon(), SIGKILL)
      let outcomes = try client.outcomes([shown, silent])
      #expect(outcomes[shown]?.errorKind == "engineFailed")
      #expect(outcomes[shown]?.reply["error"]?["data"]?["retryable"] == true)
      #expect(outcomes[silent]?.result?["tokens"]?.intValue ?? 0 > 0)
      try runtime.leave(client)
    }

    @Test("an editor that is killed leaves no request running, and no process behind once the daemon is idle")
    func noOrphans() throws {
      let client = try runtime.connect(["--idle-exit", "1s"])
      try client.initialize()
      _ = try client.start(
        "assistant/generate",
        [
          "prompt": "Count.",
          "schema": ["type": "array", "minItems": 50, "items": ["type": "string", "minLength": 50]],
        ])
      _ = try client.request("model/status")
      let daemon = try runtime.daemon()
      let engine = try runtime.status()["model"]?["engine"]?["processId"]?.intValue
      client.process.send(signal: SIGKILL)
      #expect(Daemon.waitUntilGone(daemon, within: 20))
      if let engine { #expect(Daemon.waitUntilGone(pid_t(engine), within: 5)) }
      #expect(Files.list(runtime.path)?.contains { $0.hasSuffix(".sock") } == false)
    }

    @Test("the end of the editor's process ends its bridge and not the daemon")
    func parentEnds() throws {
      let parent = try SpawnedProcess("sleep", ["60"])
      let client = try runtime.connect()
      try client.initialize(["processId": .number(JSONNumber(Int(parent.processID)))])
      _ = try client.request("model/status")
      parent.send(signal: SIGKILL)
      _ = try parent.waitForExit()
      #expect(try client.process.waitForExit(within: 10) == .status(0))
      #expect(try runtime.status()["running"] == true)
    }

    @Test("line framing needs no handshake, and the end of input lets requests finish")
    func lines() throws {
      let client = try runtime.connect(framing: .line)
      let id = try runtime.rephrase(client)
      client.process.closeInput()
      #expect(try client.outcomes([id])[id]?.result?["text"]?.stringValue?.isEmpty == false)
      #expect(try client.process.waitForExit() == .status(0))
    }

    @Test("“initialize” is answered at once through a cold daemon; requests wait for the model")
    func coldStart() throws {
      let client = try runtime.connect()
      try client.initialize(within: 2)
      let id = try runtime.rephrase(client)
      #expect(try client.outcomes([id])[id]?.result != nil)
      try runtime.leave(client)
    }

    @Test("the log holds no text, and is turned over when it is full")
    func log() throws {
      let client = try runtime.ready()
      let id = try runtime.rephrase(client, "a secret walrus")
      _ = try client.outcomes([id])
      try runtime.leave(client)
      try runtime.run("stop")
      let path = runtime.folder.path("state/inkling/daemon.log")
      let log = try readText(path)
      #expect(log.contains("serving at"))
      #expect(!log.contains("walrus"))
      try writeFile(path, [UInt8](repeating: 0x61, count: (1 << 20) - 10))
      let second = try runtime.ready()
      _ = try second.request("model/status")
      try runtime.leave(second)
      #expect(try readFile(path + ".1").count <= 1 << 20)
      #expect(try readText(path).contains("serving at"))
    }

    @Test("a second daemon is not needed, and says so")
    func secondDaemon() throws {
      let client = try runtime.ready()
      _ = try client.request("model/status")
      let second = try runtime.run("serve", "--socket")
      #expect(second.status == 0)
      #expect(second.error.contains("is there already"))
      try runtime.leave(client)
    }

    @Test("a daemon whose socket, lock or folder was removed leaves, and another takes its place")
    func removedFiles() throws {
      for what in ["sock", "lock", "folder"] {
        let client = try runtime.ready()
        _ = try client.request("model/status")
        let old = try runtime.daemon()
        for name in try #require(Files.list(runtime.path)) where what == "folder" || name.hasSuffix(what) {
          unlink(runtime.path + "/" + name)
        }
        if what == "folder" { rmdir(runtime.path) }
        if what == "lock" { #expect(try runtime.daemon() == old, "the socket is enough to be found") }
        let second = try runtime.ready()
        #expect(try second.request("model/status", within: 30).result != nil, "\(what)")
        #expect(Daemon.waitUntilGone(old, within: 20), "\(what)")
        try runtime.leave(client)
        try runtime.leave(second)
        try runtime.run("stop")
      }
    }

    @Test("a log that cannot be written keeps no daemon from its work")
    func noLog() throws {
      try writeFile(runtime.folder.path("state"), [])
      let client = try runtime.ready()
      #expect(try client.request("model/status").result != nil)
      try runtime.leave(client)
    }

    @Test("a daemon that is stopped in its tracks keeps nobody who cancels")
    func suspended() throws {
      let client = try runtime.ready()
      _ = try client.request("model/status")
      let daemon = try runtime.daemon()
      kill(daemon, SIGSTOP)
      defer { kill(daemon, SIGCONT) }
      let id = try runtime.rephrase(client)
      try client.notify("$/cancelRequest", ["id": .number(JSONNumber(id))])
      #expect(try client.outcomes([id], within: 20)[id]?.errorCode == -32800)
      try runtime.leave(client)
    }

    @Test("what the service files start is understood")
    func services() throws {
      let unit = try readText(Repository.path("editor-configs/service/inkling.service"))
      let plist = try readText(Repository.path("editor-configs/service/inkling.plist"))
      let start = try #require(unit.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
      let arguments = start.split(separator: " ").dropFirst().map(String.init)
      #expect(
        plist.split(separator: "<string>").compactMap { $0.split(separator: "<").first.map(String.init) }
          .contains(arguments))
      let daemon = try SpawnedProcess(Daemon.executable, arguments, environment: runtime.environment)
      try runtime.wait("running") { $0["running"] == true }
      daemon.send(signal: SIGTERM)
      #expect(try daemon.waitForExit() == .status(0))
    }

    @Test("status for people, again and again, until Ctrl-C")
    func watching() throws {
      let client = try runtime.ready()
      _ = try client.request("model/status")
      let text = try runtime.run("status").output
      #expect(text.contains("clients   2\n  tester, for "))
      let watch = try SpawnedProcess(
        Daemon.executable, ["status", "--watch", "--json"], environment: runtime.environment)
      for _ in 1...2 {
        _ = try watch.read(within: 10, "for a line") { bytes in
          bytes.firstIndex(of: 10).map { $0 + 1 - bytes.startIndex }
        }
      }
      watch.send(signal: SIGINT)
      #expect(try watch.waitForExit() == .status(130))
      try runtime.leave(client)
    }
  }
}
