import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// `inkling` as a person or a script calls it.
  @Suite(.serialized) struct CommandLineTool {
    struct Run {
      var exit: SpawnedProcess.Exit
      var output: String
      var error: String
    }

    static func run(
      _ arguments: [String], input: String = "", environment: [String: String] = [:], within seconds: Double = 60
    ) throws -> Run {
      let process = try SpawnedProcess(Daemon.executable, arguments, environment: environment)
      try process.write(Array(input.utf8))
      process.closeInput()
      let output = try process.readToEnd(within: seconds)
      let exit = try process.waitForExit()
      return Run(exit: exit, output: String(decoding: output, as: UTF8.self), error: process.standardError())
    }

    @Test("--version and --help, for each command")
    func help() throws {
      let version = try Self.run(["--version"])
      #expect(version.exit == .status(0))
      #expect(version.output.hasPrefix("inkling "))
      let commands = [
        "serve", "rephrase", "summarize", "brainstorm", "generate", "run", "chat", "config", "doctor", "prepare",
        "models",
        "completions", "man",
      ]
      for arguments in [["--help"], ["help"]] + commands.map({ [$0, "--help"] }) {
        let help = try Self.run(arguments)
        #expect(help.exit == .status(0), "\(arguments)")
        #expect(help.output.contains("inkling"), "\(arguments)")
        #expect(help.error.isEmpty, "\(arguments)")
        #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(arguments)")
      }
      let serve = try Self.run(["serve", "--help"]).output
      for option in ["--model", "--context", "--threads", "--framing", "--idle-unload", "--mirror", "--log-level"] {
        #expect(serve.contains(option))
      }
    }

    @Test(
      "a wrong call is status 2, says why on standard error, and prints nothing on standard output",
      arguments: [
        ["rephrase", "--tone"], ["rephrase", "--toen", "formal"], ["serve", "--framing", "morse"], ["frobnicate"], [],
        ["serve", "--context", "many"], ["rephrase", "--temperature", "hot", "x"],
        ["brainstorm", "--kind", "poem", "x"],
        ["brainstorm", "--count", "0", "x"], ["brainstorm", "--count", "51", "x"],
        ["brainstorm", "--format", "html", "x"],
        ["prepare", "--remove", "--force"], ["prepare", "x"],
        ["brainstorm", "--schema", "/nonexistent.json", "x"], ["brainstorm", "--seed", "-1", "x"], ["generate", "x"],
        ["generate", "--schema", "/dev/null", "x"], ["generate", "--schema", "/", "x"],
      ])
    func usage(arguments: [String]) throws {
      let run = try Self.run(arguments)
      #expect(run.exit == .status(2))
      #expect(run.output.isEmpty)
      #expect(!run.error.isEmpty)
    }

    @Test("a filter's standard output is exactly the result, with the source's edges")
    func filter() throws {
      let run = try Self.run(["rephrase", "--tone", "formal", "--max-tokens", "40"], input: "  \(Texts.short)\n")
      #expect(run.exit == .status(0), "\(run.error)")
      #expect(run.output.hasPrefix("  ") && run.output.hasSuffix("\n") && run.output.count > 6)
      // Two runs may choose other words where two are nearly equally likely; for a text without prose none is chosen.
      for (input, isKept) in [("  \(Texts.short)\n", false), ("\n```\nlet x = 1\n```\n", true)] {
        let json = try Self.run(["rephrase", "--json", "--tone", "formal", "--max-tokens", "40"], input: input)
        let text = try JSONParser.parse(json.output)["text"]?.stringValue ?? ""
        #expect(text.hasPrefix(String(input.prefix(1))) && text.hasSuffix("\n"), "\(json.output)\(json.error)")
        guard isKept else { continue }
        #expect(text == input)
        #expect(try Self.run(["rephrase"], input: input).output == input)
      }
    }

    @Test("a failed filter prints nothing on standard output and one line on standard error")
    func failure() throws {
      for (arguments, input) in [
        (["rephrase", "--model", "/nonexistent.gguf"], "Hello."), (["rephrase"], "  \n"),
        (["rephrase", "--tone", "angry"], "x"),
      ] {
        let run = try Self.run(arguments, input: input)
        #expect(run.exit != .status(0), "\(arguments)")
        #expect(run.output.isEmpty, "\(arguments)")
        #expect(run.error.split(separator: "\n").count == 1, "\(arguments): \(run.error)")
      }
    }

    @Test("output that cannot be written is an error that is said; an argument that is not UTF-8 is refused")
    func unwritable() throws {
      let rows = [
        (#""$0" rephrase --max-tokens 4 "hi mate" >/dev/full"#, 1), (#""$0" doctor >/dev/full"#, 1),
        (#""$0" rephrase "$(printf 'caf\351')""#, 2),
      ]
      for (script, status) in rows {
        let process = try SpawnedProcess("sh", ["-c", script, Daemon.executable])
        process.closeInput()
        #expect(try process.readToEnd(within: 60).isEmpty, "\(script)")
        #expect(try process.waitForExit() == .status(Int32(status)), "\(script)")
        if !script.contains("doctor") { #expect(!process.standardError().isEmpty, "\(script)") }
      }
    }

    @Test("doctor finds a working installation, and says what is wrong with a broken one")
    func doctor() throws {
      let well = try Self.run(["doctor"])
      #expect(well.exit == .status(0), "\(well.output)\(well.error)")
      let json = try Self.run(["doctor", "--json"])
      #expect(try JSONParser.parse(Array(json.output.utf8)).typeName == "object")
      let ill = try Self.run(["doctor", "--model", "/nonexistent.gguf"])
      #expect(ill.exit == .status(1))
      #expect(ill.output.contains("/nonexistent.gguf"))
    }

    @Test("Ctrl-C ends a one-shot rephrase with 130 and leaves no engine")
    func interrupt() throws {
      let process = try SpawnedProcess(Daemon.executable, ["rephrase", "--tone", "longer", Texts.long])
      try process.waitUntilItHandles(signal: SIGINT)
      process.send(signal: SIGINT)
      #expect(try process.waitForExit(within: 5) == .status(130))
      #expect(try process.readToEnd(within: 5).isEmpty)
    }
  }
}
