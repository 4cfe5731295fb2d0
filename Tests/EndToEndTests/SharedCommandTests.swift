import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// The commands for one request as clients of the shared daemon.
  @Suite final class SharedCommand {
    private let runtime: SharedRuntime

    init() throws { runtime = try SharedRuntime() }

    @Test("commands share one daemon; the second finds the model loaded")
    func sharing() throws {
      let first = try runtime.run("rephrase", input: "  gonna be late, sorry\n")
      #expect(first.status == 0)
      #expect(first.output.hasPrefix("  ") && first.output.hasSuffix("\n"), "the edges are kept")
      let engine = try runtime.status()["model"]?["engine"]?["processId"]
      #expect(try runtime.run("summarize", "--style", "headline", input: "The ferry left at nine.").status == 0)
      let status = try runtime.status()
      #expect(status["model"]?["engine"]?["processId"] == engine)
      #expect(status["totals"]?["requests"] == 2)
      #expect(status["clients"]?.arrayValue?.count == 1, "a command leaves when it is done")
    }

    @Test("a filter writes exactly the replacement; on an error nothing, one line, a status: no selection is eaten")
    func filter() throws {
      let good = try runtime.run("rephrase", "--json", input: "a text about trains")
      let json = try JSONParser.parse(Array(good.output.utf8))
      #expect(json["text"]?.stringValue?.isEmpty == false)
      #expect(good.output.hasSuffix("}\n"))
      for (arguments, input, status) in [
        (["rephrase"], " \n\t", Int32(4)), (["rephrase", "--personality", "nobody"], "x", 2),
        (["generate", "--schema", "/dev/null"], "x", 2),
      ] {
        let process = try SpawnedProcess(Daemon.executable, arguments, environment: runtime.environment)
        try process.write(Array(input.utf8))
        process.closeInput()
        let output = try process.readToEnd()
        #expect(try process.waitForExit() == .status(status), "\(arguments)")
        #expect(output == [])
        #expect(process.standardError().split(separator: "\n").count == 1)
        #expect(process.standardError().hasPrefix("inkling: "))
      }
    }

    @Test("Ctrl-C ends the request in the daemon too, and the command with 130")
    func interrupted() throws {
      _ = try runtime.run("rephrase", "x")
      let command = try runtime.start(
        "generate", "--schema", try schemaOfManyWords(), "Write a very long list of very long words.")
      try runtime.wait("at work") { $0["model"]?["activeRequests"]?.intValue ?? 0 > 0 }
      command.send(signal: SIGINT)
      #expect(try command.waitForExit(within: 10) == .status(130))
      #expect(try command.readToEnd() == [])
      try runtime.wait("at rest") { $0["model"]?["activeRequests"] == 0 }
    }

    @Test("--timeout ends the request in the daemon too")
    func timeout() throws {
      _ = try runtime.run("rephrase", "x")
      let result = try runtime.run(
        "generate", "--timeout", "0.3s", "--schema", try schemaOfManyWords(), "A long list of long words.")
      #expect(result.status == 1)
      #expect(result.output == "")
      #expect(result.error == "inkling: there was no result within the time of --timeout\n")
      try runtime.wait("at rest") { $0["model"]?["activeRequests"] == 0 }
    }

    @Test("a daemon that is killed under a command is started again, and the command has its result")
    func killed() throws {
      _ = try runtime.run("rephrase", "x")
      let command = try runtime.start("rephrase", "--alternatives", "3", "The train is late again, and so am I.")
      try runtime.wait("at work") { $0["model"]?["activeRequests"]?.intValue ?? 0 > 0 }
      kill(try runtime.daemon(), SIGKILL)
      #expect(try command.readToEnd(within: 60).isEmpty == false)
      #expect(try command.waitForExit() == .status(0))
    }

    @Test("--session keeps what was said, also beyond the daemon")
    func session() throws {
      #expect(try runtime.run("rephrase", "--session", "kitchen", "The soup is too salty.").status == 0)
      #expect(try runtime.run("stop").status == 0)
      #expect(try runtime.run("brainstorm", "--session", "kitchen", "--kind", "tags", "soup").status == 0)
      let client = try runtime.ready()
      let session = try client.request("session/get", ["sessionId": "kitchen"]).result
      #expect(session?["session"]?["turns"] == 2)
      #expect(session?["session"]?["persisted"] == true)
      try runtime.leave(client)
    }

    @Test("a program of another version has a daemon of its own; “stop” ends both")
    func otherVersion() throws {
      let other = runtime.folder.path("inkling-other")
      try writeFile(other, try readFile(Daemon.executable))
      chmod(other, 0o755)
      let (ours, theirs) = (try runtime.ready(), try runtime.ready(program: other))
      #expect(try ours.request("model/status").result != nil)
      #expect(try theirs.request("model/status").result != nil)
      #expect(Files.list(runtime.path)?.filter { $0.hasSuffix(".sock") }.count == 2)
      #expect(try runtime.status()["clients"]?.arrayValue?.count == 2, "ours and the one that asks")
      #expect(try runtime.run("stop").output.split(separator: "\n").count == 2)
      try runtime.leave(ours)
      try runtime.leave(theirs)
    }

    @Test("--private leaves no daemon behind, and needs no place for one")
    func alone() throws {
      #expect(try runtime.run("rephrase", "--private", "The train is late.").status == 0)
      #expect(Files.list(runtime.path) == nil)
      try writeFile(runtime.path, [])
      let refused = try runtime.run("rephrase", "The train is late.")
      #expect(refused.status == 3)
      #expect(refused.error.contains("is not a folder"))
      #expect(try runtime.run("rephrase", "--private", "The train is late.").status == 0)
      unlink(runtime.path)
    }

    private func schemaOfManyWords() throws -> String {
      let schema = #"{"type":"array","items":{"type":"string","minLength":60},"minItems":60}"#
      return try runtime.folder.file("schema.json", Array(schema.utf8))
    }
  }
}
