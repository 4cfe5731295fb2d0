import AssistantProtocol
import JSON
import JSONRPC
import LanguageServer
import TestSupport
import Testing

/// Commands as an editor sees them, from the action to the edit.
@Suite struct CommandTests {
  private let text = "Dear all,\n\nwe are gonna meet 😀 tommorow, ok?  \nBye\n"
  /// `gonna meet 😀 tommorow` in UTF-16.
  private let range = DocumentRange(2, 7, 2, 29)
  private let source = "gonna meet 😀 tommorow"
  private let rewritten = "going to meet 😀 tomorrow"
  private let result = "Dear all,\n\nwe are going to meet 😀 tomorrow, ok?  \nBye\n"
  private let edits = [
    TextEdit(start: 0, end: 5, newText: "going to"), TextEdit(start: 16, end: 24, newText: "tomorrow"),
  ]

  @Test("an action is offered and run: progress, smallest edits with the version, and nothing else of the line")
  func rephrase() async throws {
    let editor = try ScriptedEditor()
    editor.open(text)
    let actions = try await editor.actions(range)
    let action = try #require(actions.first)
    #expect(action["kind"] == "refactor.rewrite.inkling.formal")
    #expect(action["command"]?["command"] == "inkling.rephrase")
    try await editor.run(try #require(action["command"]))
    #expect(try await editor.next() == "create \"inkling/1\"")
    #expect(try await editor.next() == "begin \"inkling/1\" Rephrase: Formal true")
    let call = try await editor.service.next()
    #expect(call.method == "assistant/rephrase")
    #expect(call.params["text"] == .string(source))
    #expect(call.params["tone"] == "formal")
    #expect(call.params["context"] == ["languageId": "markdown", "uri": .string(ScriptedEditor.uri)])
    #expect(call.wanted == [.workDone])
    call.report("Loading the model", 40)
    #expect(try await editor.next() == "report \"inkling/1\" Loading the model 40")
    call.reply(rewritten, edits: edits)
    #expect(try await editor.untilEnd() == ["edit Rephrase: Formal"])
    #expect(editor.text() == result)
    #expect(
      editor.edits == [
        [
          "documentChanges": [
            [
              "textDocument": ["uri": .string(ScriptedEditor.uri), "version": 1],
              "edits": [
                ["range": DocumentRange(2, 7, 2, 12).json, "newText": "going to"],
                ["range": DocumentRange(2, 21, 2, 29).json, "newText": "tomorrow"],
              ],
            ]
          ]
        ]
      ])
  }

  @Test("the units are those that were settled on", arguments: PositionEncoding.allCases)
  func encodings(_ encoding: PositionEncoding) async throws {
    let editor = try ScriptedEditor(encoding: encoding)
    editor.open("😀é gonna\r\n😀")
    let end = ["utf-8": 12, "utf-16": 9, "utf-32": 8][encoding.rawValue] ?? 0
    try await editor.run("inkling.rephrase", DocumentRange(0, end - 5, 0, end))
    let call = try await editor.service.next()
    #expect(call.text == "gonna")
    call.reply("going to")
    #expect(try await editor.untilEnd() == ["edit Rephrase"])
    #expect(editor.text() == "😀é going to\r\n😀")
  }

  @Test("clients that know neither code actions, document changes nor progress")
  func simpleClient() async throws {
    let editor = try ScriptedEditor(["workspace": ["applyEdit": true]])
    editor.open(text)
    let actions = try await editor.actions(range)
    let command = try #require(actions.first)
    #expect(command["command"] == "inkling.rephrase")
    #expect(command["kind"] == nil)
    try await editor.run(command)
    try await editor.service.next().reply(rewritten, edits: edits)
    #expect(try await editor.next() == "edit Rephrase: Formal")
    #expect(editor.text() == result)
    #expect(editor.edits.first?["changes"]?[ScriptedEditor.uri]?.arrayValue?.count == 2)
  }

  @Test("a client that takes no edits is shown the text")
  func noEdits() async throws {
    let editor = try ScriptedEditor([:])
    editor.open(text)
    try await editor.run("inkling.rephrase", range)
    try await editor.service.next().reply(rewritten)
    let message = try await editor.next()
    #expect(message.hasPrefix("warning Inkling: This editor takes no edits"))
    #expect(message.hasSuffix(rewritten))
    #expect(editor.edits.isEmpty)
  }

  @Test("commands are answered at once, whatever the assistant does, and so are actions")
  func hangingAssistant() async throws {
    let editor = try ScriptedEditor()
    editor.open(text)
    for _ in 0..<10 { try await editor.run("inkling.summarize", range) }
    #expect(try await editor.actions(range).count == 9)
    #expect(editor.face.jobCount == 10)
    editor.close()
    #expect(try await editor.actions(range).isEmpty)
    #expect(editor.face.jobCount == 0)
  }

  @Test("what is wrong with a command")
  func refusals() async throws {
    let editor = try ScriptedEditor()
    editor.open(text)
    do {
      _ = try await editor.request("workspace/executeCommand", ["command": "inkling.rephrse"])
      Issue.record("the command is not known")
    } catch let error as RPCError {
      #expect(error.code == -32602)
      #expect(error.message.contains("did you mean “inkling.rephrase”?"))
    }
    func check(_ params: JSONValue, _ part: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
      try await editor.run(params)
      #expect(editor.hasMessage, "the person is told before the answer", sourceLocation: sourceLocation)
      let message = try await editor.next()
      #expect(message.contains(part), "\(message)", sourceLocation: sourceLocation)
    }
    let (uri, place) = (JSONValue.string(ScriptedEditor.uri), range.json)
    try await check(["command": "inkling.rephrase"], "needs one argument")
    try await check(["command": "inkling.rephrase", "arguments": []], "needs one argument")
    try await check(["command": "inkling.rephrase", "arguments": ["x"]], "needs one argument")
    try await check(["command": "inkling.rephrase", "arguments": [["range": place]]], "as “uri”")
    try await check(["command": "inkling.rephrase", "arguments": [["uri": uri]]], "as “range”")
    try await check(
      ["command": "inkling.summarize", "arguments": [["uri": uri, "range": place, "style": "long"]]],
      "style must be one of")
    try await check(
      ["command": "inkling.rephrase", "arguments": [["uri": "file:///other", "range": place]]], "not open here")
    try await check(
      ["command": "inkling.rephrase", "arguments": [["uri": uri, "range": DocumentRange(1, 0, 1, 0).json]]],
      "There is no text to work on")
    try await check(
      ["command": "inkling.rephrase", "arguments": [["uri": uri, "range": place, "version": 77]]],
      "changed too much")
    try await check(["command": "inkling.command", "arguments": [["uri": uri, "range": place]]], "“id”")
    try await check(
      ["command": "inkling.command", "arguments": [["uri": uri, "range": place, "id": "gret"]]],
      "Did you mean “greet”?")
    editor.open(String(repeating: "a", count: Limits.textBytes + 1))
    try await check(
      ["command": "inkling.rephrase", "arguments": [["uri": uri, "range": DocumentRange(0, 0, 1, 0).json]]],
      "too long")
    #expect(editor.face.jobCount == 0)
  }

  @Test("no more jobs at once than are good")
  func tooManyJobs() async throws {
    let editor = try ScriptedEditor(["workspace": ["applyEdit": true]])
    editor.open(text)
    for _ in 0..<32 { try await editor.run("inkling.rephrase", range) }
    try await editor.run("inkling.rephrase", range)
    #expect(try await editor.next() == "error Inkling: 32 commands are at work. Wait for one of them, or cancel it.")
    #expect(editor.face.jobCount == 32)
  }

  @Test("an empty answer deletes nothing", arguments: ["", " \n\t"])
  func emptyAnswer(_ answer: String) async throws {
    let editor = try ScriptedEditor()
    editor.open(text)
    try await editor.run("inkling.rephrase", range)
    try await editor.service.next().reply(answer)
    #expect(
      try await editor.untilEnd() == ["warning Inkling: The answer was empty; nothing was changed. Try again."])
    #expect(editor.text() == text)
  }

  @Test("an answer that changes nothing, and what the reader should know of one")
  func warnings() async throws {
    let editor = try ScriptedEditor()
    editor.open(text)
    try await editor.run("inkling.rephrase", range)
    try await editor.service.next().reply(source)
    #expect(try await editor.untilEnd() == ["info Inkling: “Rephrase”: there is nothing to change."])
    try await editor.run("inkling.rephrase", range)
    try await editor.service.next().reply(
      rewritten, warnings: [Warning(.protectedTextLost, "A is lost."), Warning(.languageChanged, "It is French.")])
    #expect(
      try await editor.untilEnd(of: 2) == ["edit Rephrase", "warning Inkling: A is lost. It is French."])
  }

  @Test("errors are told once, with what to do")
  func errors() async throws {
    let editor = try ScriptedEditor(["workspace": ["applyEdit": true]])
    editor.open(text)
    let error = RPCError(
      code: 1001, message: "the model’s file is missing", data: ["kind": "modelUnavailable", "remedy": "Run X."])
    for _ in 0..<3 { try await editor.run("inkling.rephrase", range) }
    let calls = [try await editor.service.next(), try await editor.service.next(), try await editor.service.next()]
    calls[0].fail(error)
    calls[1].fail(error)
    #expect(try await editor.next() == "error Inkling: The model’s file is missing. Run X.")
    calls[2].fail(.connectionClosed)
    #expect(
      try await editor.next() == "error Inkling: The assistant has ended under the request. Run the command again.")
  }

  @Test("a command of the configuration: replaced, inserted, or without a text")
  func ownCommands() async throws {
    let editor = try ScriptedEditor()
    editor.open("one two\n\nthree")
    try await editor.run(
      "inkling.command", DocumentRange(0, 4, 0, 7), ScriptedEditor.uri, [("id", "fix"), ("title", "Fix it")])
    var call = try await editor.service.next()
    #expect(call.method == "assistant/command")
    #expect(call.params["text"] == "two")
    #expect(call.params["format"] == "markdown")
    call.reply("TWO")
    #expect(try await editor.untilEnd() == ["edit Fix it"])
    #expect(editor.text() == "one TWO\n\nthree")
    try await editor.run("inkling.command", DocumentRange(1, 0, 1, 0), ScriptedEditor.uri, [("id", "greet")])
    call = try await editor.service.next()
    #expect(call.params["text"] == nil)
    call.reply("Hello!")
    #expect(try await editor.untilEnd(of: 2) == ["edit Greet"])
    #expect(editor.text() == "one TWO\n\nHello!\n\nthree")
  }
}
