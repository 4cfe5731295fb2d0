import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// How the process ends: the rows of the checklist's section on the life cycle that need a process.
  @Suite(.serialized) struct LifeCycle {
    @Test("exit after shutdown is 0, without it 1")
    func exitStatus() throws {
      let polite = try Daemon.ready()
      #expect(try Daemon.shutDown(polite) == .status(0))

      let abrupt = try Daemon.ready()
      try abrupt.notify("exit", nil)
      #expect(try abrupt.process.waitForExit(within: 5) == .status(1))
    }

    @Test("initialize is answered before any model is loaded, and states what there is")
    func initialize() throws {
      let client = try Daemon.start(["--model", "/nonexistent/model.gguf"])
      let outcome = try client.initialize(within: 5)
      let result = try #require(outcome.result)
      #expect(result["serverInfo"]?["name"] == "inkling")
      #expect(result["capabilities"]?["positionEncoding"] == "utf-16")
      let assistant = try #require(result["capabilities"]?["experimental"]?["assistant"])
      let methods = try #require(assistant["methods"]?.arrayValue)
      #expect(methods.contains("assistant/rephrase"))
      #expect(assistant["tones"]?.arrayValue?.count == 7)
      #expect(try Daemon.shutDown(client) == .status(0))
    }

    @Test(
      "a broken header ends the connection with a message and status 1",
      arguments: [
        "Content-Length: abc\r\n\r\n{}", "Content-Length: -5\r\n\r\n{}", "Content-Length 5\r\n\r\n{}",
        "Content-Length: 2\nContent-Type: x\n\n{}", "X: y\r\n\r\n{}",
        "Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
        "Content-Length: 99999999999999999999999\r\n\r\n{}",
      ])
    func brokenHeader(input: String) throws {
      let client = try Daemon.start()
      try client.process.write(Array(input.utf8))
      #expect(try client.process.waitForExit(within: 5) == .status(1))
      #expect(!client.process.standardError().isEmpty)
    }

    @Test("end of input inside a frame is status 1; between frames the process leaves within 2 s")
    func endOfInput() throws {
      let torn = try Daemon.start()
      try torn.process.write(Array("Content-Length: 100\r\n\r\n{".utf8))
      torn.process.closeInput()
      #expect(try torn.process.waitForExit(within: 4) == .status(1))

      let running = try Daemon.ready()
      let engine = try Daemon.engineProcess(of: running)
      try running.start("assistant/rephrase", ["text": .string(Texts.long), "tone": "longer"])
      running.process.closeInput()
      _ = try running.process.waitForExit(within: 4)
      #expect(Daemon.waitUntilGone(engine, within: 3))
    }

    @Test("line framing: end of input means no more requests; those received are finished, then status 0")
    func lineEndOfInput() throws {
      let client = try Daemon.start(framing: .line)
      let first = try client.start("assistant/rephrase", ["text": .string(Texts.short)])
      let second = try client.start("assistant/countTokens", ["text": "one two three"])
      client.process.closeInput()
      let outcomes = try client.outcomes([first, second])
      #expect(outcomes[first]?.result?["text"]?.stringValue?.isEmpty == false)
      #expect(outcomes[second]?.result?["tokens"]?.intValue.map { $0 > 0 } == true)
      #expect(try client.process.waitForExit(within: 5) == .status(0))
    }

    @Test("exit during a generation ends everything within a second or so")
    func exitWhileGenerating() throws {
      let client = try Daemon.ready()
      let engine = try Daemon.engineProcess(of: client)
      try client.start("assistant/rephrase", ["text": .string(Texts.long), "tone": "longer"])
      try client.notify("exit", nil)
      #expect(try client.process.waitForExit(within: 4) == .status(1))
      #expect(Daemon.waitUntilGone(engine, within: 3))
    }

    @Test("killed with -9 mid-generation, the front end leaves no orphan")
    func killedFrontEnd() throws {
      let client = try Daemon.ready()
      let engine = try Daemon.engineProcess(of: client)
      try client.start("assistant/rephrase", ["text": .string(Texts.long), "tone": "longer"])
      client.process.send(signal: SIGKILL)
      #expect(try client.process.waitForExit() == .signal(SIGKILL))
      #expect(Daemon.waitUntilGone(engine, within: 5))
    }

    @Test("SIGTERM ends it cleanly, with its child")
    func terminated() throws {
      let client = try Daemon.ready()
      let engine = try Daemon.engineProcess(of: client)
      client.process.send(signal: SIGTERM)
      _ = try client.process.waitForExit(within: 5)
      #expect(Daemon.waitUntilGone(engine, within: 3))
    }

    @Test("a dead processId parent ends it")
    func deadParent() throws {
      let parent = try SpawnedProcess("sleep", ["60"])
      let client = try Daemon.start()
      try client.initialize(["processId": .number(JSONNumber(Int(parent.processID)))])
      parent.send(signal: SIGKILL)
      #expect(try parent.waitForExit() == .signal(SIGKILL))
      _ = try client.process.waitForExit(within: 10)
    }

    @Test("a processId that never was: initialize is answered, then the daemon ends and says why")
    func unknownParent() throws {
      let gone = try SpawnedProcess("true", [])
      #expect(try gone.waitForExit() == .status(0))
      let client = try Daemon.start()
      let outcome = try client.initialize(["processId": .number(JSONNumber(Int(gone.processID)))])
      #expect(outcome.result != nil)
      #expect(try client.process.waitForExit(within: 10) == .status(0))
      #expect(client.process.standardError().contains("\(gone.processID)"))
    }

    @Test("standard input, output and error closed from the start: the process ends, whichever are")
    func closedStreams() throws {
      for closed in ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"] {
        let script = "exec \"$0\" serve --framing header \(closed)"
        let process = try SpawnedProcess("sh", ["-c", script, Daemon.executable])
        process.closeInput()
        #expect(throws: Never.self, "\(closed)") { try process.waitForExit(within: 5) }
      }
    }

    @Test("every byte on standard output is a frame, whatever libllama prints")
    func onlyFrames() throws {
      let client = try Daemon.ready()
      _ = try client.request("assistant/rephrase", ["text": .string(Texts.short)])
      _ = try client.request("shutdown")
      try client.notify("exit", nil)
      #expect(try client.next(within: 5) == nil)
      #expect(try client.process.readToEnd(within: 5) == [])
    }
  }
}
