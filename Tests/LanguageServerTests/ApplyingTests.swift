import AssistantProtocol
import JSON
import JSONRPC
import LanguageServer
import TestSupport
import Testing

/// Editors that refuse edits, answer late or never, and progress that is not wanted.
@Suite struct ApplyingTests {
  private let text = "one two three\n"
  private let two = DocumentRange(0, 4, 0, 7)

  private var impatience: LanguageServer.Patience {
    var patience = LanguageServer.Patience()
    patience.progress = .milliseconds(20)
    patience.applying = .milliseconds(20)
    patience.change = .milliseconds(20)
    patience.catchingUp = .milliseconds(20)
    return patience
  }

  @Test("an edit that comes too late for its version is made anew for the next")
  func retried() async throws {
    let editor = try ScriptedEditor(manner: .waits)
    editor.open(text)
    try await editor.run("inkling.rephrase", two)
    try await editor.service.next().reply("TWO")
    while try await editor.next() != "edit Rephrase" {}
    // The person was faster: the edit is for version 1, and the text has version 2.
    editor.behave(.checksVersion)
    editor.change(DocumentRange(0, 0, 0, 0), "zero ")
    editor.answer(["applied": false, "failureReason": "version"])
    #expect(try await editor.untilEnd() == ["edit Rephrase"])
    #expect(editor.text() == "zero one TWO three\n")
    #expect(editor.edits.count == 2)
  }

  @Test("an edit that the editor refuses is told, once")
  func refused() async throws {
    let editor = try ScriptedEditor(
      manner: .answers(["applied": false, "failureReason": "the buffer is read-only"]), patience: impatience)
    editor.open(text)
    try await editor.run("inkling.rephrase", two)
    try await editor.service.next().reply("TWO")
    #expect(
      try await editor.untilEnd() == [
        "edit Rephrase",
        "error Inkling: The editor did not apply “Rephrase”: the buffer is read-only. Run the command again.",
      ])
  }

  @Test("an edit that is never answered is not sent again")
  func unanswered() async throws {
    var patience = impatience
    patience.progress = .seconds(60)
    let editor = try ScriptedEditor(manner: .waits, patience: patience)
    editor.open(text)
    try await editor.run("inkling.rephrase", two)
    try await editor.service.next().reply("TWO")
    #expect(
      try await editor.untilEnd() == [
        "edit Rephrase",
        "error Inkling: The editor did not apply “Rephrase”: it did not answer in time. Run the command again.",
      ])
    editor.answer(["applied": true])
  }

  @Test("when the change of an edit does not come, the other ranges of the document are in doubt")
  func changeNeverComes() async throws {
    var patience = impatience
    patience.progress = .seconds(60)
    let editor = try ScriptedEditor(manner: .answers(["applied": true]), patience: patience)
    editor.open(text)
    try await editor.run("inkling.rephrase", two)
    try await editor.run("inkling.rephrase", DocumentRange(0, 8, 0, 13))
    let calls = [try await editor.service.next(), try await editor.service.next()]
    let second = try #require(calls.first { $0.text == "three" })
    try #require(calls.first { $0.text == "two" }).reply("TWO")
    #expect(try await editor.untilEnd(of: 1) == ["edit Rephrase"])
    second.reply("THREE")
    let messages = try await editor.untilEnd(of: 2)
    #expect(messages.count == 1)
    #expect(messages.first?.contains("nothing was replaced") == true)
  }

  @Test("cancelled while the editor has the edit: it is not sent again")
  func cancelledWhileApplying() async throws {
    let editor = try ScriptedEditor(manner: .waits)
    editor.open(text)
    try await editor.run("inkling.rephrase", two)
    try await editor.service.next().reply("TWO")
    while try await editor.next() != "edit Rephrase" {}
    editor.cancel("inkling/1")
    _ = try await editor.actions(two)
    editor.change(DocumentRange(0, 0, 0, 0), "x")
    editor.answer(["applied": false])
    #expect(try await editor.untilEnd().isEmpty)
    #expect(editor.edits.count == 1)
  }

  @Test("a client without progress is sent none")
  func noProgress() async throws {
    let editor = try ScriptedEditor(["workspace": ["applyEdit": true], "window": ["workDoneProgress": false]])
    editor.open(text)
    try await editor.run("inkling.rephrase", two)
    let call = try await editor.service.next()
    call.report("Loading the model", 10)
    call.reply("TWO")
    #expect(try await editor.next() == "edit Rephrase")
    _ = try await editor.actions(two)
    try await editor.run("inkling.rephrase", DocumentRange(0, 0, 0, 3))
    try await editor.service.next().reply("ONE")
    #expect(try await editor.next() == "edit Rephrase")
  }
}
