import JSON
import TestSupport
import Testing

extension EndToEnd {
  /// What the commands for one request have in common.
  @Suite(.serialized) struct OneShotOptions {
    private static func run(_ arguments: [String], input: String = "") throws -> CommandLineTool.Run {
      try CommandLineTool.run(arguments, input: input)
    }

    @Test(
      "a request that takes longer than --timeout ends with status 1, one line, and nothing on standard output",
      arguments: [["rephrase"], ["summarize"], ["brainstorm"]])
    func timeout(command: [String]) throws {
      let run = try Self.run(command + ["--timeout", "0.01s"], input: Texts.long)
      #expect(run.exit == .status(1) && run.output.isEmpty)
      #expect(run.error.contains("--timeout") && run.error.split(separator: "\n").count == 1, "\(run.error)")
    }

    @Test("a time that is long enough changes nothing, and 0 is no limit")
    func enoughTime() throws {
      for time in ["2h", "0"] {
        let run = try Self.run(["rephrase", "--max-tokens", "24", "--timeout", time, Texts.short])
        #expect(run.exit == .status(0) && !run.output.isEmpty, "\(run.error)")
      }
    }

    @Test("a personality is one that there is, and a wrong one is refused with the known ones")
    func personality() throws {
      let run = try Self.run(["rephrase", "--personality", "dory", "--max-tokens", "24", Texts.short])
      #expect(run.exit == .status(0) && !run.output.isEmpty, "\(run.error)")
      for command in ["rephrase", "summarize", "brainstorm"] {
        let wrong = try Self.run([command, "--personality", "dori"], input: "x")
        #expect(wrong.exit == .status(2) && wrong.output.isEmpty, "\(command)")
        #expect(wrong.error.contains("did you mean “dory”") && wrong.error.contains("“woody”"), "\(wrong.error)")
      }
    }

    @Test("the text may be in a file, which is as good as standard input")
    func file() throws {
      let folder = try TemporaryFolder()
      let file = try folder.file("text.txt", Array("  \(Texts.short)\n".utf8))
      let named = try Self.run(["rephrase", "--max-tokens", "24", "--language-id", "plaintext", "--file", file])
      #expect(named.exit == .status(0), "\(named.error)")
      #expect(named.output.hasPrefix("  ") && named.output.hasSuffix("\n") && !named.output.hasSuffix("\n\n"))
      let piped = try Self.run(["rephrase", "--max-tokens", "24", "--file", "-"], input: "  \(Texts.short)\n")
      #expect(piped.output == named.output)
      let summary = try Self.run(["summarize", "--count", "1", "--file", file])
      #expect(summary.output == (try Self.run(["summarize", "--count", "1", file]).output))
      let gone = try Self.run(["rephrase", "--file", folder.path("gone")])
      #expect(gone.exit == .status(4) && gone.output.isEmpty && gone.error.contains("cannot be read"))
    }

    @Test("alternatives are apart by a line, and are the same in --json")
    func alternatives() throws {
      let arguments = ["rephrase", "--alternatives", "2", "--seed", "7", "--max-tokens", "40"]
      let json = try Self.run(arguments + ["--json", Texts.short])
      #expect(json.exit == .status(0), "\(json.error)")
      let texts = try #require(try JSONParser.parse(json.output)["alternatives"]?.arrayValue).map {
        $0.stringValue ?? ""
      }
      let plain = try Self.run(arguments + [Texts.short])
      #expect(plain.output == texts.joined(separator: "\n---\n") + "\n", "\(plain.output)")
      #expect(texts.count == 2 || plain.error.contains("different"), "\(plain.error)")
    }

    @Test(
      "a wrong value is status 2",
      arguments: [
        ["rephrase", "--timeout", "soon", "x"], ["rephrase", "--timeout", "-1s", "x"],
        ["rephrase", "--alternatives", "6", "x"], ["rephrase", "--alternatives", "0", "x"],
        ["rephrase", "--file", "a", "x"], ["summarize", "--file", "a", "b"], ["rephrase", "--file", "", "x"],
        ["rephrase", "--language-id", "", "x"], ["summarize", "--alternatives", "2"],
      ])
    func usage(arguments: [String]) throws {
      let run = try Self.run(arguments)
      #expect(run.exit == .status(2) && run.output.isEmpty && run.error.split(separator: "\n").count == 1)
    }

    @Test(
      "on a terminal there is no colour, and on a dumb one no control sequence",
      arguments: [("xterm-256color", ""), ("xterm-256color", "1"), ("dumb", "")])
    func terminal(name: String, noColour: String) throws {
      let script = """
        import os, pty, sys
        child, terminal = pty.fork()
        if child == 0: os.execv(sys.argv[1], sys.argv[1:])
        while True:
            try: data = os.read(terminal, 4096)
            except OSError: break
            if not data: break
            os.write(1, data)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
      let process = try SpawnedProcess(
        "python3", ["-c", script, Daemon.executable, "rephrase", "--max-tokens", "24", Texts.long],
        environment: ["TERM": name, "NO_COLOR": noColour])
      process.closeInput()
      let output = String(decoding: try process.readToEnd(within: 120), as: UTF8.self)
      #expect(try process.waitForExit() == .status(0), "\(output)")
      #expect(output.firstMatch(of: #/\u{1B}\[[0-9;]*m/#) == nil, "\(output)")
      if name == "dumb" { #expect(!output.contains("\u{1B}"), "\(output)") }
    }
  }
}
