import AssistantProtocol
import JSON
import JSONRPC
import LanguageServer
import TestSupport
import Testing

/// The text changes, closes or is left while a command is at work. An answer goes where it belongs or nowhere.
@Suite struct ChangingTextTests {
  private let text = "one two three\nfour five\n"
  private let two = DocumentRange(0, 4, 0, 7)

  private func start(_ editor: ScriptedEditor) async throws -> ScriptedCall {
    editor.open(text)
    try await editor.run("inkling.rephrase", two)
    return try await editor.service.next()
  }

  @Test("edits elsewhere move the answer along")
  func elsewhere() async throws {
    for (range, new, expected) in [
      (DocumentRange(0, 0, 0, 0), "zero\n", "zero\none TWO three\nfour five\n"),
      (DocumentRange(0, 0, 0, 4), "", "TWO three\nfour five\n"),
      (DocumentRange(0, 4, 0, 4), "x", "one xTWO three\nfour five\n"),
      (DocumentRange(0, 7, 0, 7), "x", "one TWOx three\nfour five\n"),
      (DocumentRange(1, 0, 2, 0), "", "one TWO three\n"),
    ] {
      let editor = try ScriptedEditor(manner: .checksVersion)
      let call = try await start(editor)
      editor.change(range, new)
      #expect(try await editor.actions(two).count > 0)
      call.reply("TWO")
      #expect(try await editor.untilEnd() == ["edit Rephrase"])
      #expect(editor.text() == expected)
    }
  }

  @Test("an edit of the text itself: nothing is changed, and the person is told")
  func inside() async throws {
    for (range, new) in [
      (DocumentRange(0, 5, 0, 5), "x"), (DocumentRange(0, 2, 0, 5), ""), (DocumentRange(0, 0, 2, 0), ""),
    ] {
      let editor = try ScriptedEditor()
      let call = try await start(editor)
      editor.change(range, new)
      let after = editor.text()
      #expect(try await editor.actions(two).count >= 0)
      call.reply("TWO")
      let messages = try await editor.untilEnd()
      #expect(messages.count == 1)
      #expect(
        messages.first?.hasPrefix("warning Inkling: The text has changed meanwhile; nothing was replaced.") == true)
      #expect(editor.text() == after)
      #expect(editor.edits.isEmpty)
    }
  }

  @Test("a summary whose text has changed is not inserted, and not lost")
  func summaryKept() async throws {
    let editor = try ScriptedEditor()
    editor.open(text)
    try await editor.run("inkling.summarize", two)
    let call = try await editor.service.next()
    editor.change(DocumentRange(0, 5, 0, 6), "")
    _ = try await editor.actions(two)
    call.reply("A summary.")
    let messages = try await editor.untilEnd()
    #expect(messages.count == 1)
    #expect(messages.first?.contains("nothing was inserted") == true)
    #expect(messages.first?.hasSuffix("A summary.") == true)
  }

  @Test("an action of an earlier version is run where its text is now")
  func earlierVersion() async throws {
    let editor = try ScriptedEditor()
    editor.open(text)
    let action = try #require(try await editor.actions(two).first)
    editor.change(DocumentRange(0, 0, 0, 0), "zero\n\n")
    try await editor.run(try #require(action["command"]))
    let call = try await editor.service.next()
    #expect(call.text == "two")
    call.reply("TWO")
    #expect(try await editor.untilEnd() == ["edit Rephrase: Formal"])
    #expect(editor.text() == "zero\n\none TWO three\nfour five\n")
    // The text that the action was offered for is another now.
    try await editor.run(try #require(action["command"]))
    #expect(try await editor.next().hasPrefix("warning Inkling: The text has changed meanwhile"))
  }

  @Test("several commands in one document compose, in whatever order the answers come", arguments: [false, true])
  func composing(_ isReversed: Bool) async throws {
    for manner in [ScriptedEditor.Manner.checksVersion, .appliesLate] {
      let editor = try ScriptedEditor(manner: manner)
      editor.open(text)
      try await editor.run("inkling.rephrase", DocumentRange(0, 0, 0, 3))
      try await editor.run("inkling.rephrase", two)
      try await editor.run("inkling.summarize", DocumentRange(1, 0, 1, 9))
      var calls = [try await editor.service.next(), try await editor.service.next(), try await editor.service.next()]
      if isReversed { calls.reverse() }
      for call in calls {
        switch call.text {
        case "one": call.reply("the first")
        case "two": call.reply("the second")
        case _: call.reply("Numbers.")
        }
      }
      var ends = 0
      var edits = 0
      while ends < 3 {
        let message = try await editor.next()
        if message.hasPrefix("end") { ends += 1 }
        if message.hasPrefix("edit") { edits += 1 }
      }
      #expect(edits == 3)
      #expect(editor.text() == "the first the second three\n\nNumbers.\n\nfour five\n")
    }
  }

  @Test("an answer goes to its own document, whatever is looked at meanwhile")
  func otherDocument() async throws {
    let editor = try ScriptedEditor()
    let call = try await start(editor)
    let other = "file:///other.md"
    editor.open(text, other)
    editor.change(DocumentRange(0, 0, 0, 0), "x", in: other)
    try await editor.run("inkling.rephrase", DocumentRange(0, 1, 0, 4), other)
    let second = try await editor.service.next()
    second.reply("ONE")
    #expect(try await editor.untilEnd(of: 2) == ["edit Rephrase"])
    call.reply("TWO")
    #expect(try await editor.untilEnd(of: 1) == ["edit Rephrase"])
    #expect(editor.text() == "one TWO three\nfour five\n")
    #expect(editor.text(of: other) == "xONE two three\nfour five\n")
  }

  @Test("after its cancellation a job edits nothing, even when the assistant answers all the same")
  func cancelled() async throws {
    let editor = try ScriptedEditor()
    let call = try await start(editor)
    #expect(try await editor.next() == "create \"inkling/1\"")
    editor.cancel("inkling/7")
    editor.cancel("something else")
    editor.cancel("inkling/1")
    try await withDeadline(patience) { await call.cancelled.wait() }
    call.reply("TWO")
    #expect(try await editor.untilEnd().isEmpty)
    #expect(editor.edits.isEmpty)
    // Nor does it say that it failed.
    try await editor.run("inkling.rephrase", two)
    let second = try await editor.service.next()
    editor.cancel("inkling/2")
    try await withDeadline(patience) { await second.cancelled.wait() }
    second.fail(.cancelled)
    #expect(try await editor.untilEnd(of: 2).isEmpty)
    #expect(editor.face.jobCount == 0)
  }

  @Test("closed while at work: nothing is edited, also when it is opened again")
  func closed() async throws {
    let editor = try ScriptedEditor()
    let call = try await start(editor)
    editor.close()
    editor.open(text)
    try await withDeadline(patience) { await call.cancelled.wait() }
    call.reply("TWO")
    #expect(try await editor.untilEnd().isEmpty)
    #expect(editor.edits.isEmpty)
    #expect(editor.text() == text)
    editor.close()
    _ = try await editor.actions(two)
    #expect(editor.face.documentCount == 0)
  }

  @Test("opened twice: the new text counts, and the range in the old one is void")
  func openedTwice() async throws {
    let editor = try ScriptedEditor()
    let call = try await start(editor)
    editor.open("one two three")
    _ = try await editor.actions(two)
    call.reply("TWO")
    #expect(try await editor.untilEnd().count == 1)
    #expect(editor.text() == "one two three")
  }

  @Test("the editor’s end frees everything and ends all work")
  func end() async throws {
    let editor = try ScriptedEditor(["workspace": ["applyEdit": true]])
    let call = try await start(editor)
    editor.face.close()
    try await withDeadline(patience) { await call.cancelled.wait() }
    #expect(editor.face.documentCount == 0)
    #expect(editor.face.jobCount == 0)
    editor.open(text)
    #expect(try await editor.actions(two).isEmpty)
    call.reply("TWO")
  }

  @Test("changes that cannot be read: the document is not held any longer")
  func unreadableChange() async throws {
    let editor = try ScriptedEditor()
    editor.open(text)
    for params: JSONValue in [
      nil, [:], ["textDocument": ["uri": "file:///unknown", "version": 2], "contentChanges": [["text": ""]]],
      ["textDocument": ["uri": .string(ScriptedEditor.uri), "version": 2], "contentChanges": []],
    ] {
      editor.connection.notify(ToFace.Change.self, params)
    }
    _ = try await editor.actions(two)
    #expect(editor.face.documentCount == 1)
    editor.connection.notify(
      ToFace.Change.self,
      ["textDocument": ["uri": .string(ScriptedEditor.uri), "version": 3], "contentChanges": [["range": 1]]])
    #expect(try await editor.actions(two).isEmpty)
    #expect(editor.face.documentCount == 0)
  }
}
