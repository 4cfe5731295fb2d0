import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// The configuration, as the real program reads it.
  @Suite(.serialized) struct ConfigurationFile {
    private static let good = """
      {
        "tones": [{"id": "plain", "instructions": "Rewrite the input text in plain words."}],
        // A value of which the model can write nothing wrong.
        "commands": [
          {"id": "pick", "instructions": "Pick one.", "input": "none", "schema": {"enum": ["left"]}},
          {"id": "plainly", "instructions": "Rewrite the input text in plain words.", "output": "replace"},
        ],
      }
      """
    private static let bad = "{\n  \"tonnes\": [],\n  \"context\": 12,\n  \"tone\": \"simpler\"\n}\n"

    /// A folder as `XDG_CONFIG_HOME`, with the file.
    private struct Home {
      let folder: TemporaryFolder
      var path: String { folder.path("inkling/config.json") }
      var environment: [String: String] { ["XDG_CONFIG_HOME": folder.root] }

      init(_ text: String) throws {
        folder = try TemporaryFolder()
        mkdir(folder.path("inkling"), 0o700)
        try write(text)
      }

      func write(_ text: String) throws { try writeFile(path, Array(text.utf8)) }

      func run(_ arguments: [String], input: String = "") throws -> CommandLineTool.Run {
        try CommandLineTool.run(arguments, input: input, environment: environment)
      }
    }

    @Test("config check, path, schema and show")
    func config() throws {
      let home = try Home(Self.bad)
      let check = try home.run(["config", "check"])
      #expect(check.exit == .status(1) && check.error.isEmpty)
      #expect(
        check.output == """
          \(home.path):2:3: /tonnes: there is no such field here; did you mean “tones”?
          \(home.path):3:14: /context: must be between 256 and 1048576

          """)
      #expect(try home.run(["config", "path"]).output == home.path + "\n")
      let show = try home.run(["config", "show"])
      #expect(show.exit == .status(0))
      #expect(try JSONParser.parse(show.output)["tone"] == "simpler")
      let schema = try JSONSchema(try JSONParser.parse(try home.run(["config", "schema"]).output))
      #expect(schema.validate(try JSONDocument(Array(Self.good.utf8)).value) == [])
      #expect(!schema.validate(try JSONParser.parse(Self.bad)).isEmpty)
      try home.write(Self.good)
      #expect(try home.run(["config", "check"]).exit == .status(0))
    }

    @Test("rules hold on the command line too: nothing of what is blocked is written")
    func guardrails() throws {
      let home = try Home(
        #"{"guardrails": [{"id": "fruit", "literal": "banana"}, {"id": "b", "literal": "box", "action": "warn"}]}"#)
      let schema = try home.folder.file("fruit.json", Array(#"{"const": "banana"}"#.utf8))
      let made = try home.run(["generate", "--schema", schema, "a fruit"])
      #expect(made.exit == .status(1) && made.output.isEmpty && made.error.contains("the rule “fruit”"))
      for command in ["rephrase", "summarize", "brainstorm"] {
        let sent = try home.run([command], input: "A Banana is what I like most of all.")
        #expect(sent.exit == .status(1) && sent.output.isEmpty && sent.error.contains("the rule “fruit”"), "\(command)")
      }
      let warned = try home.run(["rephrase", "--max-tokens", "16", "the box is here, and it is large"])
      #expect(warned.exit == .status(0) && warned.error.contains("meets the rule “b”"))
    }

    @Test("another file, none, and a wrong call")
    func choice() throws {
      let home = try Home(Self.good)
      let other = try home.folder.file("other.json", Array(Self.bad.utf8))
      #expect(try home.run(["config", "path", "--config", other]).output == other + "\n")
      let named = try CommandLineTool.run(["config", "path"], environment: ["INKLING_CONFIG": other])
      #expect(named.output == other + "\n")
      let none = try home.run(["config", "show", "--no-config"])
      #expect(try JSONParser.parse(none.output)["commands"] == [])
      let gone = try home.run(["config", "check", "--config", home.folder.path("gone")])
      #expect(gone.exit == .status(1) && gone.output.hasSuffix("gone:1:1: the file cannot be found\n"))
      for arguments in [["config"], ["config", "chekc"], ["config", "show", "path"], ["config", "--config"]] {
        let run = try home.run(arguments)
        #expect(run.exit == .status(2) && run.output.isEmpty && !run.error.isEmpty, "\(arguments)")
      }
    }

    @Test("doctor shows what is wrong with line and column")
    func doctor() throws {
      let home = try Home(Self.bad)
      let run = try home.run(["doctor", "--model", "/nonexistent.gguf"])
      #expect(run.exit == .status(1))
      #expect(run.output.contains("BAD   config    \(home.path):2:3: /tonnes"), "\(run.output)")
      #expect(run.output.contains("\n                \(home.path):3:14: /context"))
      let json = try JSONParser.parse(try home.run(["doctor", "--json", "--model", "/nonexistent.gguf"]).output)
      let problems = try #require(json["config"]?["problems"])
      guard case .array(let list) = problems else { return #expect(Bool(false)) }
      #expect(list.map { $0["line"] } == [2, 3] && list.map { $0["column"] } == [3, 14])
      #expect(list.first?["suggestion"] == "tones")
    }

    @Test("serve starts with a bad file, warns a line for each problem, and keeps the rest")
    func badFile() throws {
      let home = try Home(Self.bad)
      let client = try Daemon.ready(environment: home.environment)
      let result = try client.request(
        "assistant/rephrase", ["text": .string(Texts.short), "options": ["maxTokens": 8]])
      #expect(result.result?["tone"] == "simpler", "\(result.reply)")
      #expect(try Daemon.shutDown(client) == .status(0))
      let warnings = client.process.standardError().split(separator: "\n").filter { $0.contains("config.json:") }
      #expect(warnings.count == 2)
      #expect(warnings.first?.hasPrefix("inkling: warning: \(home.path):2:3: ") == true, "\(warnings)")
      // No JSON at all: the defaults.
      try home.write("{")
      let other = try Daemon.ready(environment: home.environment)
      #expect(try Daemon.shutDown(other) == .status(0))
      #expect(other.process.standardError().contains("config.json:1:2: the file is not JSON"))
    }

    @Test("an own command runs through the model, and a change is taken up without a restart")
    func reload() throws {
      let home = try Home(Self.good)
      let client = try Daemon.start(environment: home.environment, framing: .line)
      let picked = try client.request("assistant/command", ["id": "pick"])
      #expect(picked.result?["value"] == "left" && picked.result?["text"] == "left", "\(picked.reply)")
      let rewritten = try client.request(
        "assistant/command", ["id": "plainly", "text": .string("  // \(Texts.short)\n"), "options": ["maxTokens": 40]])
      let text = try #require(rewritten.result?["text"]?.stringValue, "\(rewritten.reply)")
      #expect(text.hasPrefix("  // ") && text.hasSuffix("\n"))
      try home.write(
        Self.good.replacing("\"left\"", with: "\"right\"").replacing("\"plain\"", with: "\"plainer\"")
          .replacing("{\n  \"tones\"", with: "{\n  \"context\": 512,\n  \"tones\""))
      // The file is looked at once a second.
      let deadline = Deadline(20)
      var now = picked
      while now.result?["value"] != "right", !deadline.hasPassed {
        now = try client.request("assistant/command", ["id": "pick"])
      }
      #expect(now.result?["value"] == "right", "\(now.reply)")
      let news = client.others.first { $0["method"] == "assistant/didChangeConfiguration" }
      guard case .array(let tones)? = news?["params"]?["tones"] else { return #expect(Bool(false), "no news") }
      #expect(tones.last?["id"] == "plainer")
      client.process.closeInput()
      #expect(try client.process.waitForExit(within: 20) == .status(0))
      #expect(client.process.standardError().contains("“context” are taken up at the next start"))
    }

    @Test("inkling run, and an own tone on the command line")
    func commandLine() throws {
      let home = try Home(Self.good)
      let picked = try home.run(["run", "pick"])
      #expect(picked.exit == .status(0) && picked.output == "left\n", "\(picked.error)")
      let json = try home.run(["run", "pick", "--json"])
      #expect(try JSONParser.parse(json.output)["value"] == "left")
      let rewritten = try home.run(["run", "plainly", "--max-tokens", "40"], input: "  \(Texts.short)\n")
      #expect(rewritten.exit == .status(0), "\(rewritten.error)")
      #expect(rewritten.output.hasPrefix("  ") && rewritten.output.hasSuffix("\n"))
      let tone = try home.run(["rephrase", "--json", "--tone", "plain", "--max-tokens", "40", Texts.short])
      #expect(try JSONParser.parse(tone.output)["tone"] == "plain", "\(tone.error)")
      for arguments in [["run", "pik"], ["run"], ["rephrase", "--tone", "plian", "x"]] {
        let run = try home.run(arguments)
        #expect(run.exit == .status(2) && run.output.isEmpty, "\(arguments)")
      }
      let empty = try home.run(["run", "plainly"], input: " \n")
      #expect(empty.exit == .status(4) && empty.output.isEmpty)
    }
  }
}
