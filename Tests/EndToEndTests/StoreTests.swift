import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// Persisted sessions of the real program.
  @Suite(.serialized) struct Store {
    private static let options: JSONValue = ["maxTokens": 2, "seed": 1]

    private static func chat(_ session: String, _ message: String) -> JSONValue {
      ["sessionId": .string(session), "message": .string(message), "options": options]
    }

    private static func environment(_ folder: TemporaryFolder) -> [String: String] {
      ["XDG_STATE_HOME": folder.path("state")]
    }

    private static func prompts(_ client: WireClient, _ session: String) throws -> [String] {
      let held = try client.request("session/get", ["sessionId": .string(session)])
      let entries = try #require(held.result?["transcript"]?.arrayValue, "\(JSONWriter.text(of: held.reply))")
      #expect(entries.map { $0["role"] } == entries.indices.map { $0.isMultiple(of: 2) ? "prompt" : "response" })
      return entries.filter { $0["role"] == "prompt" }.compactMap { $0["text"]?.stringValue }
    }

    private static func persist(_ client: WireClient, _ session: String) throws {
      let made = try client.request(
        "session/create", ["sessionId": .string(session), "persist": true, "contextPolicy": "slidingWindow"])
      #expect(made.result?["session"]?["persisted"] == true, "\(JSONWriter.text(of: made.reply))")
    }

    /// A short turn for which the model is not asked: nothing in it is prose.
    private static func note(_ session: String, _ message: String) -> JSONValue {
      ["sessionId": .string(session), "text": .string("```\n\(message)\n```")]
    }

    /// The messages of such turns, and of chats.
    private static func messages(_ client: WireClient, _ session: String) throws -> [String] {
      try prompts(client, session).map { prompt in
        let lines = prompt.split(separator: "\n")
        return String(lines.last == "```" ? lines[lines.count - 2] : lines.last ?? "")
      }
    }

    @Test("an acknowledged turn survives kill -9 of daemon and engine at random instants; none is half")
    func killed() throws {
      let folder = try TemporaryFolder()
      let environment = Self.environment(folder)
      var generator = SplitMix64(seed: 12)
      var acknowledged: [String] = []
      for round in 0..<(Environment.isSoak ? 100 : 20) {
        // A small window, since hundreds of turns are read for each of the model's own.
        let client = try Daemon.ready(["--context", "1024"], environment: environment)
        if round == 0 { try Self.persist(client, "s") }
        acknowledged = try Self.check(acknowledged, client)
        // Now and then a turn of the model's own, which waits until it is loaded.
        if round.isMultiple(of: 10) {
          let chat = try client.request("assistant/chat", Self.chat("s", "\(round) chat"))
          if chat.result != nil { acknowledged.append("\(round) chat") }
        }
        let instant = Deadline(Double(generator.int(in: 0..<600)) / 1000)
        var (underWay, number) = (0, 0)
        func take(_ message: JSONValue) {
          guard message["id"]?.intValue == underWay else { return }
          if message["result"] != nil { acknowledged.append("\(round) \(number)") }
          (underWay, number) = (0, number + 1)
        }
        while !instant.hasPassed {
          if underWay == 0 {
            underWay = try client.start("assistant/rephrase", Self.note("s", "\(round) \(number)"))
          } else if let message = try? client.next(within: max(0.001, instant.remaining)) {
            take(message)
          }
        }
        let engine = Daemon.child(of: client.process.processID)
        client.process.send(signal: SIGKILL)
        if let engine { kill(engine, SIGKILL) }
        #expect(try client.process.waitForExit(within: 10) == .signal(SIGKILL))
        // It may have been answered by then, and not yet read here.
        while let late = try client.next(within: 5) { take(late) }
      }
      let client = try Daemon.ready(environment: environment)
      _ = try Self.check(acknowledged, client)
      #expect(!(Files.list(folder.path("state/inkling")) ?? []).contains { $0.contains("corrupt") })
      #expect(try Daemon.shutDown(client) == .status(0))
    }

    /// Compares what is there with what was answered. The turn that was under way when the kill came may be there,
    /// whole, or not.
    /// - Returns: what is there, cut down when it is much.
    private static func check(_ acknowledged: [String], _ client: WireClient) throws -> [String] {
      var kept = try messages(client, "s")
      #expect(
        kept.starts(with: acknowledged) && kept.count <= acknowledged.count + 1,
        "\(acknowledged.suffix(3)) were acknowledged, \(kept.suffix(3)) are there")
      if kept.count > 500 {
        let cut = kept.count - 10
        let rewound = try client.request("session/rewind", ["sessionId": "s", "turns": .number(JSONNumber(cut))])
        #expect(rewound.result != nil)
        kept.removeLast(cut)
      }
      return kept
    }

    @Test("a session of 10,000 turns is open in under a second, and takes the next turn")
    func long() throws {
      let folder = try TemporaryFolder()
      let environment = Self.environment(folder)
      let arguments = ["--model", "/nonexistent.gguf"]
      var entries: [JSONValue] = []
      for number in 0..<10_000 {
        entries.append(["role": "prompt", "text": .string("\(number): " + String(repeating: "the pier ", count: 15))])
        entries.append(["role": "response", "text": .string(String(repeating: "the gulls ", count: 15))])
      }
      let first = try Daemon.ready(arguments, environment: environment)
      let made = try first.request(
        "session/create", ["sessionId": "s", "persist": true, "transcript": .array(entries)])
      #expect(made.result?["session"]?["persisted"] == true)
      #expect(try Daemon.shutDown(first) == .status(0))
      let second = try Daemon.ready(arguments, environment: environment)
      let clock = ContinuousClock()
      let begin = clock.now
      let held = try second.request("session/get", ["sessionId": "s"])
      let read = begin.duration(to: clock.now)
      #expect(held.result?["session"]?["turns"] == 10_000)
      #expect(read < .seconds(1), "it took \(read)")
      let next = try second.request("assistant/rephrase", Self.note("s", "on"))
      let all = begin.duration(to: clock.now)
      #expect(next.result?["warnings"]?.arrayValue?.contains { $0["code"] == "notPersisted" } == false)
      #expect(all - read < .seconds(1), "it took \(all - read)")
      #expect(try Self.messages(second, "s").count == 10_001)
      #expect(try Daemon.shutDown(second) == .status(0))
    }

    @Test("two daemons at once, in the same session and in others: every acknowledged turn is there, once")
    func twoDaemons() throws {
      let folder = try TemporaryFolder()
      let clients = try (0..<2).map { _ in try Daemon.ready(environment: Self.environment(folder)) }
      try Self.persist(clients[0], "both")
      for (index, client) in clients.enumerated() { try Self.persist(client, "own-\(index)") }
      var acknowledged: [String] = []
      for round in 0..<12 {
        var sent: [(client: WireClient, ids: [Int])] = []
        for (index, client) in clients.enumerated() {
          let own = try client.start("assistant/chat", Self.chat("own-\(index)", "\(round)"))
          sent.append((client, [try client.start("assistant/chat", Self.chat("both", "\(round) of \(index)")), own]))
        }
        for (index, one) in sent.enumerated() {
          let outcomes = try one.client.outcomes(one.ids)
          let both = try #require(outcomes[one.ids[0]])
          if both.result != nil {
            acknowledged.append("\(round) of \(index)")
          } else {
            #expect(both.errorCode == -32801, "\(JSONWriter.text(of: both.reply))")
          }
          let own = try #require(outcomes[one.ids[1]])
          let warnings = try #require(own.result?["warnings"]?.arrayValue, "\(JSONWriter.text(of: own.reply))")
          #expect(!warnings.contains { $0["code"] == "notPersisted" })
        }
      }
      for client in clients {
        // The two of a round may stand in either order.
        #expect(try Self.prompts(client, "both").sorted() == acknowledged.sorted())
        for index in 0..<2 { #expect(try Self.prompts(client, "own-\(index)") == (0..<12).map { "\($0)" }) }
        #expect(try Daemon.shutDown(client) == .status(0))
      }
    }

    @Test("a disk that is full: answers go on, and what was there before stays sound")
    func fullDisk() throws {
      let folder = try TemporaryFolder()
      let environment = Self.environment(folder)
      // No file of this process may grow beyond 256 KiB, and the signal that says so is ignored.
      let script = "trap '' XFSZ; ulimit -f 512; exec \"$0\" serve"
      let client = WireClient(
        try SpawnedProcess("sh", ["-c", script, Daemon.executable], environment: environment))
      try client.initialize()
      try Self.persist(client, "s")
      var failed = false
      var count = 0
      while !failed, count < 60 {
        let outcome = try client.request(
          "assistant/rephrase",
          ["sessionId": "s", "text": .string("```\n" + String(repeating: "x", count: 4_000) + "\n```")])
        let warnings = try #require(outcome.result?["warnings"]?.arrayValue, "\(JSONWriter.text(of: outcome.reply))")
        failed = warnings.contains { $0["code"] == "notPersisted" }
        count += 1
      }
      #expect(failed && count > 1)
      let held = try client.request("session/get", ["sessionId": "s"])
      #expect(held.result?["session"]?["persisted"] == false)
      #expect(held.result?["session"]?["turns"] == .number(JSONNumber(count)))
      _ = try Daemon.shutDown(client)
      let next = try Daemon.ready(environment: environment)
      #expect(try Self.prompts(next, "s").count == count - 1)
      #expect(try Daemon.shutDown(next) == .status(0))
      let doctor = try CommandLineTool.run(["doctor", "--json"], environment: environment)
      let found = try JSONParser.parse(doctor.output)["sessions"]
      #expect(found?["verdict"] == "good" && found?["sessions"] == 1 && found?["path"] != nil)
    }

    @Test("without a session nothing is kept, and with --ephemeral nothing at all")
    func nothingIsKept() throws {
      let folder = try TemporaryFolder()
      let client = try Daemon.ready(environment: Self.environment(folder))
      _ = try client.request("assistant/rephrase", ["text": "Fine.", "options": Self.options])
      _ = try client.request("session/list")
      #expect(try Daemon.shutDown(client) == .status(0))
      #expect(Files.list(folder.root) == [])
      let ephemeral = try Daemon.ready(["--ephemeral"], environment: Self.environment(folder))
      let made = try ephemeral.request("session/create", ["sessionId": "s", "persist": true])
      #expect(made.result?["session"]?["persisted"] == false)
      #expect(made.result?["warnings"]?.arrayValue?.first?["code"] == "notPersisted")
      #expect(try ephemeral.request("assistant/chat", Self.chat("s", "Hello.")).result != nil)
      #expect(try Daemon.shutDown(ephemeral) == .status(0))
      #expect(Files.list(folder.root) == [])
    }
  }
}
