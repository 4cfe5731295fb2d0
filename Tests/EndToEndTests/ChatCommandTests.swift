import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// `inkling chat` as a script uses it: a line is a message.
  @Suite(.serialized) struct ChatCommand {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func chat(
      _ lines: [String], _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> CommandLineTool.Run {
      try CommandLineTool.run(
        ["chat", "--max-tokens", "12"] + arguments, input: lines.map { $0 + "\n" }.joined(), environment: environment,
        within: 120)
    }

    /// The prompts and responses of a session that was saved as JSON.
    static func transcript(_ path: String) throws -> [(prompt: String, response: String)] {
      let session = try JSONParser.parse(try readFile(path))
      let texts = session["transcript"]?.arrayValue?.compactMap { $0["text"]?.stringValue } ?? []
      return stride(from: 0, to: texts.count - 1, by: 2).map { (texts[$0], texts[$0 + 1]) }
    }

    private func isPrivate(_ path: String) -> Bool {
      var status = stat()
      return stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600
    }

    @Test("answers go to standard output, each ended by a line feed, and nothing else does")
    func messages() throws {
      let path = folder.path("chat.json")
      let run = try chat(["Say hello.", "", "  ", "And goodbye?", "/save \(path)"])
      #expect(run.exit == .status(0), "\(run.error)")
      let turns = try Self.transcript(path)
      #expect(turns.map(\.prompt) == ["Say hello.", "And goodbye?"])
      #expect(run.output == turns.map { $0.response + "\n" }.joined())
      #expect(!run.output.contains("\u{1B}") && !run.error.contains("\u{1B}"))
      #expect(isPrivate(path))
    }

    @Test("/retry answers the last message again, /undo takes it back and shows what is last then")
    func retryAndUndo() throws {
      let paths = (0...2).map { folder.path("\($0).json") }
      let run = try chat([
        "Say hello.", "/retry", "/save \(paths[0])", "What is a walrus?", "/undo", "/save \(paths[1])", "/undo",
        "/save \(paths[2])",
      ])
      #expect(run.exit == .status(0), "\(run.error)")
      let turns = try paths.map(Self.transcript)
      #expect(turns.map { $0.map(\.prompt) } == [["Say hello."], ["Say hello."], []])
      let answer = try #require(turns[0].first?.response)
      #expect(turns[1].first?.response == answer)
      #expect(run.output.hasSuffix("> Say hello.\n\(answer)\n"), "\(run.output)")
      #expect(run.error.contains("the session is empty again"))
    }

    @Test("what cannot be done is said, the chat goes on, and the status is 1 at its end")
    func mistakes() throws {
      let run = try chat(["/retry", "/undo", "/vioce", "/voice dori", "/save", "/session a/b", "//help is what?"])
      #expect(run.exit == .status(1))
      let lines = run.error.split(separator: "\n").filter { !$0.contains("warning") }
      #expect(lines.count == 6, "\(run.error)")
      #expect(run.error.contains("“/vioce”; did you mean “/voice”?"))
      #expect(run.error.contains("“dori”; did you mean “dory”?"))
      #expect(!run.output.isEmpty, "the message after them is answered")
    }

    @Test("/save writes Markdown too, and a file that is there stays unless it is /save!")
    func save() throws {
      let run = try chat(
        ["/save ~/a.md", "Say hello.", "/save ~/a.md", "/save ~/none/a.md", "/save! ~/a.md"],
        environment: ["HOME": folder.root, "INKLING_MODEL": DefaultModel.path()])
      #expect(run.exit == .status(1))
      #expect(run.error.contains("is there already; “/save! ~/a.md” overwrites it"), "\(run.error)")
      let text = try readText(folder.path("a.md"))
      #expect(text.contains("**You**\n\n> Say hello.\n\n**Inkling**\n\n"), "\(text)")
      #expect(isPrivate(folder.path("a.md")))
      #expect(Files.list(folder.root)?.filter { $0.hasPrefix("a.md") } == ["a.md"])
    }

    @Test("voice and instructions change without what was said being forgotten")
    func voice() throws {
      let path = folder.path("chat.json")
      let run = try chat(
        ["Say hello.", "/voice", "/voice dory", "/instructions Be brief.", "/instructions", "/voice", "/save \(path)"],
        ["--personality", "woody"])
      #expect(run.exit == .status(0), "\(run.error)")
      #expect(run.output.contains("* woody") && run.output.contains("* dory") && run.output.contains("Be brief.\n"))
      let session = try JSONParser.parse(try readFile(path))
      #expect(session["personality"] == "dory" && session["instructions"] == "Be brief.")
      #expect(session["persist"] == false)
      #expect(session["transcript"]?.arrayValue?.contains { $0["text"] == "Say hello." } == true)
    }

    @Test("a session with a name goes on in the next chat; one without ends with its chat")
    func sessions() throws {
      let environment = ["XDG_STATE_HOME": folder.path("state")]
      let first = try chat(["Remember the walrus.", "/sessions"], ["--session", "kitchen"], environment: environment)
      #expect(first.exit == .status(0), "\(first.error)")
      #expect(first.error.contains("kitchen: a new session") && first.output.contains("*  kitchen  1 turn"))
      let second = try chat(
        ["/status", "/undo", "/new", "Hello.", "/sessions"], ["--session", "kitchen"], environment: environment)
      #expect(second.exit == .status(0), "\(second.error)")
      #expect(second.error.contains("kitchen: 1 turn, the last one: Remember the walrus."), "\(second.error)")
      #expect(second.output.contains("kitchen (kept)"))
      #expect(second.output.contains(#/\n   kitchen +0 turns +kept/#), "\(second.output)")
      let third = try chat(["/session kitchen", "/sessions"], environment: environment)
      #expect(third.error.contains("kitchen: nothing has been said yet"), "\(third.error)")
      #expect(third.output.split(separator: "\n").count == 1, "\(third.output)")
      #expect(Files.list(folder.path("state/inkling"))?.contains("chat-history") == false)
    }

    @Test("a session whose daemon was stopped is made again, and nothing is lost")
    func daemonStopped() throws {
      let environment = [
        "INKLING_PRIVATE": "", "XDG_RUNTIME_DIR": folder.root, "XDG_STATE_HOME": folder.path("state"),
      ]
      defer { _ = try? CommandLineTool.run(["stop", "--force"], environment: environment) }
      let path = folder.path("chat.json")
      let process = try SpawnedProcess(
        Daemon.executable, ["chat", "--max-tokens", "12", "--personality", "dory"], environment: environment)
      func exchange(_ message: String) throws {
        // The list of voices comes when the answer is whole.
        try process.write(Array("\(message)\n/voice\n".utf8))
        let end = Array("distracted.\n".utf8)
        let output = try process.read(within: 60, "for an answer") { bytes in
          bytes.firstRange(of: end).map { $0.upperBound - bytes.startIndex }
        }
        #expect(output != nil && !String(decoding: output ?? [], as: UTF8.self).hasPrefix("  neutral"))
      }
      try exchange("Say hello.")
      #expect(try CommandLineTool.run(["stop"], environment: environment).output.hasPrefix("Stopped the daemon"))
      try exchange("And goodbye?")
      try process.write(Array("/save \(path)\n".utf8))
      process.closeInput()
      #expect(try process.waitForExit(within: 30) == .status(0), "\(process.standardError())")
      #expect(process.standardError().contains("it is made again with its 1 turn"), "\(process.standardError())")
      #expect(try Self.transcript(path).map(\.prompt) == ["Say hello.", "And goodbye?"])
      #expect(try JSONParser.parse(try readFile(path))["personality"] == "dory")
    }

    @Test("SIGINT ends a chat of a script with 130; a model that is not there is told with what to do")
    func ends() throws {
      let process = try SpawnedProcess(Daemon.executable, ["chat"])
      try process.write(Array("Tell me a very long story.\n".utf8))
      try process.waitUntilItHandles(signal: SIGINT)
      process.send(signal: SIGINT)
      #expect(try process.waitForExit(within: 10) == .status(130))
      let run = try CommandLineTool.run(["chat", "--model", "/nonexistent.gguf"], input: "Hello.\n/voice\n")
      #expect(run.exit == .status(1) && run.error.contains("/nonexistent.gguf"), "\(run.error)")
      #expect(run.output.contains("* neutral"), "the chat goes on")
      let wrong = try CommandLineTool.run(["chat", "--ephemeral", "--session", "kitchen"])
      #expect(wrong.exit == .status(2) && wrong.output.isEmpty)
    }
  }
}
