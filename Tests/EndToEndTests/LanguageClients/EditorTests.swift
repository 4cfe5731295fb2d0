import JSON
import TestSupport
import Testing

extension EndToEnd.LanguageClients {
  /// Neovim's own client, set up by editor-configs/lsp/neovim.lua.
  @Suite(.serialized) struct Neovim {
    private let scenarios: EditorScenarios
    init() throws { scenarios = EditorScenarios(editor: .neovim, bench: try Workbench()) }

    @Test(
      "Neovim rephrases a part of a line, and undoes it in one step (not run where there is no Neovim)",
      .enabled(if: Programs.isTested("nvim")))
    func rephrase() throws { try scenarios.rephrase(lineEnd: "\r\n") }

    @Test(
      "Neovim: two commands in one document, texts typed before, another buffer (not run where there is no Neovim)",
      .enabled(if: Programs.isTested("nvim")))
    func together() throws { try scenarios.together() }

    @Test(
      "Neovim: what is typed inside, cancelled or closed is not edited (not run where there is no Neovim)",
      .enabled(if: Programs.isTested("nvim")))
    func unwanted() throws { try scenarios.unwanted() }

    @Test(
      "Neovim gets a summary above and ideas below (not run where there is no Neovim)",
      .enabled(if: Programs.isTested("nvim")))
    func blocks() throws { try scenarios.blocks(lineEnd: "\r\n") }
  }

  /// Eglot, set up by editor-configs/lsp/eglot.el.
  @Suite(.serialized) struct Eglot {
    private let scenarios: EditorScenarios
    init() throws { scenarios = EditorScenarios(editor: .eglot, bench: try Workbench()) }

    /// Emacs has it from version 29 on; before, it is a package.
    private static let isTested =
      Environment["CI"] != nil
      || (try? SpawnedProcess("emacs", ["--batch", "--no-init-file", "--eval", "(require 'eglot)"]).waitForExit())
        == .status(0)

    @Test(
      "Eglot rephrases a part of a line, and undoes it in one step (not run where there is no Emacs with Eglot)",
      .enabled(if: isTested))
    func rephrase() throws { try scenarios.rephrase(lineEnd: "\r\n") }

    @Test(
      "Eglot: two commands in one document, texts typed before, another buffer (not run where there is no Eglot)",
      .enabled(if: isTested))
    func together() throws { try scenarios.together() }

    @Test(
      "Eglot: what is typed inside or closed is not edited (not run where there is no Emacs with Eglot)",
      .enabled(if: isTested))
    func unwanted() throws { try scenarios.unwanted() }

    @Test(
      "Eglot refuses an edit of an earlier version, and makes the one that follows (not run where there is no Eglot)",
      .enabled(if: isTested))
    func refused() throws { try scenarios.refused() }

    @Test(
      "Eglot gets a summary above and ideas below (not run where there is no Emacs with Eglot)", .enabled(if: isTested))
    func blocks() throws { try scenarios.blocks(lineEnd: "\n") }
  }
}

/// What is tried with every editor, and what must be true afterwards, whatever the model writes.
private struct EditorScenarios {
  let editor: EditorDriver
  let bench: Workbench

  private func open(_ name: String) -> JSONValue { ["do": "open", "file": .string(bench.folder.path(name))] }
  private func save(_ name: String) -> JSONValue { ["do": "save", "file": .string(bench.folder.path(name))] }
  private func run(_ title: String, _ selected: String) -> JSONValue {
    ["do": "run", "title": .string(title), "select": .string(selected)]
  }

  func rephrase(lineEnd: String) throws {
    let path = try bench.document("notes.txt", lineEnd: lineEnd)
    let seen = try editor.play(
      [
        open("notes.txt"), run("Rephrase: Formal", Sample.sentence), ["do": "wait", "edits": 1, "ends": 1],
        save("edited.txt"), ["do": "undo"], save("undone.txt"),
      ], at: bench)
    // The daemon and its model were started by this very editor: none of this waits for them.
    for (method, most) in [
      ("initialize", 2.0), ("textDocument/codeAction", 1.0), ("workspace/executeCommand", 1.0),
    ] {
      #expect(try #require(seen.seconds(method)) < most, "\(method)")
    }
    try expectMenu(try #require(seen.menus.first))
    #expect(seen.answers == [true])
    try expectReplaced(Sample.sentence, in: try readFile(path), by: try readFile(bench.folder.path("edited.txt")))
    #expect(try readFile(bench.folder.path("undone.txt")) == readFile(path))
    if editor == .neovim {
      #expect(seen.progress.first?.hasSuffix(" begin") == true)
      #expect(seen.progress.last?.hasSuffix(" end") == true)
      #expect(seen.progress.dropFirst().dropLast().allSatisfy { $0.hasSuffix(" report") }, "\(seen.progress)")
      #expect(Set(seen.progress.compactMap { $0.split(separator: " ").first }).count == 1)
    }
  }

  func together() throws {
    _ = try bench.document("notes.txt")
    _ = try bench.document("other.txt", "Another text.\n")
    let seen = try editor.play(
      [
        open("notes.txt"), run("Swap", "second line"), run("Swap", "the last line"),
        ["do": "type", "before": "Notes", "text": "A new line 🎈\nand "],
        ["do": "type", "before": "  - a", "text": "😀"],
        open("other.txt"), ["do": "type", "before": "Another", "text": "Not "],
        ["do": "wait", "edits": 2, "ends": 2], save("other-edited.txt"), open("notes.txt"), save("edited.txt"),
      ], at: bench)
    #expect(seen.answers.filter { $0 == true }.count == 2)
    #expect(
      try bench.text("edited.txt")
        == "A new line 🎈\nand "
        + Sample.text.replacing("  - a second line", with: "😀  - a \(Workbench.known)")
        .replacing("the last line", with: Workbench.known))
    #expect(try bench.text("other-edited.txt") == "Not Another text.\n")
  }

  func unwanted() throws {
    _ = try bench.document("notes.txt")
    _ = try bench.document("closed.txt")
    var steps: [JSONValue] = [
      open("closed.txt"), run("Endless", "second line"), ["do": "close"], open("notes.txt"),
      run("Slow", "the last line"), ["do": "type", "after": "the last", "text": "X"], ["do": "wait", "messages": 1],
      save("inside.txt"),
    ]
    if editor == .neovim { steps += [run("Endless", "a second line"), ["do": "cancel"], ["do": "wait", "ends": 3]] }
    // By the time that this one is there, any other would have come.
    steps += [
      run("Swap", "second line"), ["do": "wait", "edits": 1], save("edited.txt"), open("closed.txt"),
      save("closed-edited.txt"),
    ]
    let seen = try editor.play(steps, at: bench)
    #expect(seen.answers == [true])
    #expect(seen.messages.count == 1, "\(seen.messages)")
    #expect(seen.messages.first?.contains("changed") == true)
    let typed = Sample.text.replacing("the last line", with: "the lastX line")
    #expect(try bench.text("inside.txt") == typed)
    #expect(try bench.text("edited.txt") == typed.replacing("second line", with: Workbench.known))
    #expect(try bench.text("closed-edited.txt") == Sample.text)
  }

  func refused() throws {
    _ = try bench.document("notes.txt")
    let seen = try editor.play(
      [
        open("notes.txt"), run("Slow", "second line"),
        ["do": "type", "before": "second", "text": "😀 ", "on": true], ["do": "wait", "answers": 1], ["do": "pause"],
        ["do": "wait", "edits": 1], save("edited.txt"),
      ], at: bench)
    #expect(seen.answers == [false, true])
    let typed = Sample.text.replacing("second line", with: "😀 second line")
    try expectReplaced(
      "second line", in: Array(typed.utf8), by: try readFile(bench.folder.path("edited.txt")), isLine: false)
  }

  func blocks(lineEnd: String) throws {
    _ = try bench.document("notes.txt", lineEnd: lineEnd)
    _ = try editor.play(
      [
        open("notes.txt"), run("Summarize: Headline", Sample.sentence), ["do": "wait", "edits": 1], save("above.txt"),
        run("Brainstorm: Tags", "a second line"), ["do": "wait", "edits": 2], save("below.txt"), ["do": "undo"],
        save("undone.txt"),
      ], at: bench)
    let lines = try contents("notes.txt", lineEnd)
    let above = try contents("above.txt", lineEnd)
    let added = above.count - lines.count
    #expect(added >= 2)
    #expect(Array(above.prefix(2)) == Array(lines.prefix(2)) && Array(above.dropFirst(2 + added)) == Array(lines[2...]))
    #expect(above[2].isEmpty == false && above[1 + added].isEmpty)
    let below = try contents("below.txt", lineEnd)
    let place = above.count - 1
    #expect(Array(below.prefix(place)) == Array(above.prefix(place)) && below.last == lines.last)
    #expect(below.count >= above.count + 2 && below[place].isEmpty && !below[place + 1].isEmpty)
    #expect(try bench.text("undone.txt") == bench.text("above.txt"))
  }

  /// The lines of a file, all of which end as they should.
  private func contents(_ name: String, _ lineEnd: String) throws -> [String] {
    let text = try bench.text(name)
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lineEnd == "\r\n" else {
      #expect(!text.utf8.contains(UInt8(ascii: "\r")))
      return lines
    }
    #expect(lines.dropLast().allSatisfy { $0.unicodeScalars.last == "\r" })
    return lines.dropLast().map { String($0.unicodeScalars.dropLast()) } + lines.suffix(1)
  }
}

/// The actions that are offered for a selection, in their order.
func expectMenu(_ actions: [JSONValue]) throws {
  let titles = actions.compactMap { $0["title"]?.stringValue }
  #expect(
    titles == [
      "Rephrase: Formal", "Rephrase: Exciting", "Rephrase: Simpler", "Rephrase: Shorter", "Rephrase: Longer",
      "Rephrase: Friendly", "Rephrase: Proofread", "Summarize: Sentences", "Summarize: Bullets", "Summarize: Headline",
      "Brainstorm: Ideas", "Brainstorm: Sequel", "Brainstorm: Character", "Brainstorm: Story arc", "Brainstorm: Tags",
      "Swap", "Slow", "Endless",
    ])
  let kinds = actions.compactMap { $0["kind"]?.stringValue }
  #expect(kinds.prefix(7).allSatisfy { $0.hasPrefix("refactor.rewrite.inkling.") })
  #expect(kinds.dropFirst(7).prefix(3).allSatisfy { $0.hasPrefix("inkling.summarize.") })
  #expect(kinds.dropFirst(10).prefix(5).allSatisfy { $0.hasPrefix("inkling.brainstorm.") })
  #expect(kinds.suffix(3) == ["swap", "slow", "endless"].map { "refactor.rewrite.inkling.\($0)" })
}

/// Nothing but the selected text has changed, to the byte.
func expectReplaced(_ selected: String, in before: [UInt8], by after: [UInt8], isLine: Bool = true) throws {
  let whole = String(decoding: before, as: UTF8.self)
  let range = try #require(whole.firstRange(of: selected))
  let (head, tail) = (Array(whole[..<range.lowerBound].utf8), Array(whole[range.upperBound...].utf8))
  let text = String(decoding: after, as: UTF8.self)
  #expect(after.starts(with: head) && after.suffix(tail.count).elementsEqual(tail), "\(text)")
  try #require(after.count > head.count + tail.count, "\(text)")
  let new = after[head.count..<after.count - tail.count]
  #expect(!new.elementsEqual(selected.utf8), "\(text)")
  #expect(!isLine || !new.contains(UInt8(ascii: "\n")), "one line became several: \(text)")
}
