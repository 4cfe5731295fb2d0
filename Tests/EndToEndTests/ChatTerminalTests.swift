import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// `inkling chat` as a person uses it, on a real terminal.
  @Suite(.serialized) struct ChatTerminal {
    /// The terminal is asked to mark what is pasted whenever a message can be typed, and no longer when it was sent.
    private static let ready = "\u{1B}[?2004h"
    private static let sent = "\u{1B}[?2004l"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func start(
      _ arguments: [String] = ["--max-tokens", "8"], environment: [String: String] = [:], columns: UInt16 = 80
    ) throws -> PseudoTerminal {
      let terminal = try PseudoTerminal(
        Daemon.executable, ["chat"] + arguments,
        environment: ["TERM": "xterm-256color", "NO_COLOR": "", "XDG_STATE_HOME": folder.path("state")].merging(
          environment
        ) { $1 }, columns: columns)
      try terminal.wait(for: "/help lists the commands")
      if environment["TERM"] == nil { try terminal.wait(for: Self.ready) }
      return terminal
    }

    /// Types a message and waits for what comes of it.
    @discardableResult
    private func say(_ terminal: PseudoTerminal, _ keys: String) throws -> String {
      try terminal.type(keys + "\r")
      try terminal.wait(for: Self.sent)
      return try terminal.wait(for: Self.ready, within: 60)
    }

    private func prompts(_ terminal: PseudoTerminal) throws -> [String] {
      let path = folder.path("saved.json")
      try say(terminal, "/save! \(path)")
      return try ChatCommand.transcript(path).map(\.prompt)
    }

    @Test("a message is edited, pasted, completed and recalled; Ctrl-D ends; the terminal is as it was")
    func editing() throws {
      let terminal = try start(columns: 24)
      let changed = terminal.settings
      #expect(!changed.isUsual)
      let left = "\u{1B}[D"
      try say(terminal, "helo wrld\(left)\(left)\(left)o\u{1}\u{1B}f\(left)l!\u{8} there\u{17}\u{8}\u{5}?")
      try say(terminal, "\u{1B}[200~two lines,\rpasted: /quit\u{1B}[201~ 日本👩‍👧x\u{8}")
      try say(terminal, "first\u{A}second\\\rthird")
      #expect(
        try prompts(terminal) == ["hello world?", "two lines,\npasted: /quit 日本👩‍👧", "first\nsecond\nthird"])
      #expect(try say(terminal, "/vo\tdo\t").contains("voice “dory”"))
      // Before the last message are two commands.
      try say(terminal, "\u{10}\u{10}\u{10}\u{1B}[F!")
      #expect(try prompts(terminal).last == "first\nsecond\nthird!")
      try terminal.type("\u{4}")
      #expect(try terminal.waitForExit() == .status(0))
      try terminal.wait(for: Self.sent)
      #expect(terminal.settings.isUsual && terminal.settings != changed)
    }

    /// Whether there is text where the spinner was.
    private func holdsAnswer(_ output: String) -> Bool {
      output.split(separator: "\u{1B}[K").last?.first?.isLetter == true
    }

    @Test("Ctrl-C stops an answer, clears a line, and at an empty one says how to leave")
    func interrupting() throws {
      let terminal = try start([])
      let before = terminal.settings
      for isBegun in [false, true] {
        try terminal.type("Tell me a very long story about a long road.\r")
        try terminal.wait(for: Self.sent)
        let deadline = Deadline(60)
        while isBegun, !holdsAnswer(terminal.rest()), !deadline.hasPassed { _ = poll(nil, 0, 10) }
        try terminal.type("\u{3}")
        try terminal.wait(for: "stopped", within: 10)
        try terminal.wait(for: Self.ready)
      }
      #expect(try prompts(terminal) == [])
      try terminal.type("a draft\u{3}")
      try terminal.wait(for: Self.ready)
      try terminal.type("\u{3}")
      try terminal.wait(for: "Ctrl-D or /quit ends the chat")
      try terminal.wait(for: Self.ready)
      #expect(terminal.settings == before)
      #expect(try say(terminal, "/sttus").contains("did you mean “/status”?"))
      try terminal.type("/quit\r")
      #expect(try terminal.waitForExit() == .status(0), "a mistake that a person has seen is no failure")
    }

    @Test("a signal ends it with the terminal as it was", arguments: [SIGTERM, SIGHUP])
    func signals(signal: Int32) throws {
      let terminal = try start()
      #expect(!terminal.settings.isUsual)
      terminal.send(signal: signal)
      #expect(try terminal.waitForExit() == .status(128 + signal))
      #expect(terminal.settings.isUsual)
    }

    @Test("Ctrl-Z hands the terminal back, and the draft is there when it goes on")
    func stopping() throws {
      let terminal = try start()
      let changed = terminal.settings
      try terminal.type("a draft\u{1A}")
      try terminal.waitUntilStopped()
      #expect(terminal.settings.isUsual)
      terminal.send(signal: SIGCONT)
      try terminal.wait(for: Self.ready)
      try terminal.wait(for: "a draft")
      #expect(terminal.settings == changed)
      terminal.resize(columns: 8, rows: 24)
      try terminal.wait(for: "a draf")
      try terminal.type("\u{15}\u{4}")
      #expect(try terminal.waitForExit() == .status(0))
    }

    @Test("messages are there in the next chat, and nothing is kept with --ephemeral")
    func history() throws {
      let path = folder.path("state/inkling/chat-history")
      for arguments in [[], ["--ephemeral"]] {
        let terminal = try start(arguments)
        try say(terminal, "/instructions \(arguments.count)")
        try terminal.type("/quit\r")
        #expect(try terminal.waitForExit() == .status(0))
        #expect(try readText(path) == "\"/instructions 0\"\n\"/quit\"\n")
      }
      let terminal = try start()
      #expect(try say(terminal, "\u{10}\u{10}").contains("instructions hold"))
      try terminal.type("\u{4}")
      #expect(try terminal.waitForExit() == .status(0))
    }

    @Test(
      "colours are for terminals that know them, and not with NO_COLOR; a dumb one edits for itself",
      arguments: [("xterm", ""), ("xterm", "1"), ("dumb", "")])
    func colours(name: String, noColour: String) throws {
      var environment = ["NO_COLOR": noColour]
      if name == "dumb" { environment["TERM"] = name }
      let terminal = try start(["--max-tokens", "8"], environment: environment)
      if name == "dumb" {
        #expect(terminal.settings.isUsual)
        try terminal.type("/voice\n")
        try terminal.wait(for: "* neutral")
        // Before the prompt, Ctrl-C is for what is at work.
        try terminal.wait(for: "\r\n> ")
        try terminal.type("\u{3}")
        try terminal.wait(for: "Ctrl-D or /quit ends the chat\r\n> ")
      } else {
        try terminal.type("word")
        try terminal.wait(for: "word")
        try terminal.type("\u{3}")
        try terminal.wait(for: Self.ready)
        try terminal.type("\u{3}")
        try terminal.wait(for: Self.sent)
        let shown = try terminal.wait(for: Self.ready)
        #expect(shown.contains("\u{1B}[2m") == noColour.isEmpty, "\(shown.debugDescription)")
      }
      try terminal.type("\u{4}")
      #expect(try terminal.waitForExit() == .status(0))
      if name == "dumb" { #expect(!terminal.rest().contains("\u{1B}")) }
    }
  }
}
