import AssistantProtocol
import JSON
import LanguageServer
import TestSupport
import Testing

/// Where summaries and ideas go.
@Suite struct PlacementTests {
  private let text = "# Plan\r\n\r\nWe build it.\r\nThen we ship.\r\n"
  private let range = DocumentRange(2, 0, 3, 13)

  private func editor(_ placement: String?, _ capabilities: JSONValue = ScriptedEditor.everything) throws
    -> ScriptedEditor
  {
    let setting: JSONValue = placement.map { ["placement": .string($0)] } ?? [:]
    let editor = try ScriptedEditor(capabilities, options: ["inkling": ["summarize": setting, "brainstorm": setting]])
    editor.open(text)
    return editor
  }

  @Test func summaries() async throws {
    for (placement, expected) in [
      (nil, "# Plan\r\n\r\nS.\r\n\r\nWe build it.\r\nThen we ship.\r\n"),
      ("above", "# Plan\r\n\r\nS.\r\n\r\nWe build it.\r\nThen we ship.\r\n"),
      ("below", "# Plan\r\n\r\nWe build it.\r\nThen we ship.\r\n\r\nS.\r\n"),
      ("replace", "# Plan\r\n\r\nS.\r\n"),
    ] {
      let editor = try editor(placement)
      try await editor.run("inkling.summarize", range, ScriptedEditor.uri, [("style", "bullets")])
      let call = try await editor.service.next()
      #expect(call.params["style"] == "bullets")
      call.reply("S.")
      #expect(try await editor.untilEnd() == ["edit Summarize: bullets"])
      #expect(editor.text() == expected)
    }
  }

  @Test func ideas() async throws {
    let editor = try editor(nil)
    try await editor.run("inkling.brainstorm", DocumentRange(0, 0, 0, 6), ScriptedEditor.uri, [("kind", "tags")])
    let call = try await editor.service.next()
    #expect(call.params["topic"] == "# Plan")
    #expect(call.params["kind"] == "tags")
    #expect(call.params["format"] == "markdown")
    call.reply("- a\n- b")
    #expect(try await editor.untilEnd() == ["edit Brainstorm: tags"])
    #expect(editor.text() == "# Plan\r\n\r\n- a\r\n- b\r\n\r\nWe build it.\r\nThen we ship.\r\n")
  }

  @Test("a new document where the client can make one, else a message")
  func newDocument() async throws {
    let editor = try editor("newDocument")
    try await editor.run("inkling.summarize", range)
    try await editor.service.next().reply("S.")
    #expect(try await editor.untilEnd() == ["edit Summarize", "show untitled:Inkling-1.md"])
    #expect(
      editor.edits == [
        [
          "documentChanges": [
            ["kind": "create", "uri": "untitled:Inkling-1.md"],
            [
              "textDocument": ["uri": "untitled:Inkling-1.md", "version": nil],
              "edits": [["range": DocumentRange(0, 0, 0, 0).json, "newText": "S."]],
            ],
          ]
        ]
      ])
    #expect(editor.text() == text)

    editor.behave(.answers(["applied": false]))
    try await editor.run("inkling.summarize", range)
    try await editor.service.next().reply("S.")
    #expect(try await editor.untilEnd(of: 2) == ["edit Summarize", "info Inkling: Summarize\nS."])

    let simple = try self.editor("newDocument", ["workspace": ["applyEdit": true]])
    try await simple.run("inkling.summarize", range)
    try await simple.service.next().reply("S.")
    #expect(try await simple.next() == "info Inkling: Summarize\nS.")
  }

  @Test("a message, and a setting that changes while the editor runs")
  func settings() async throws {
    let editor = try editor("message")
    try await editor.run("inkling.summarize", range)
    try await editor.service.next().reply("S.")
    #expect(try await editor.untilEnd() == ["info Inkling: Summarize\nS."])
    // Settings that say nothing change nothing.
    for settings: JSONValue in [nil, [:], ["inkling": nil], ["inkling": ["summarize": ["placement": "replace"]]]] {
      editor.connection.notify(ToFace.Settings.self, ["settings": settings])
    }
    try await editor.run("inkling.summarize", range)
    try await editor.service.next().reply("S.")
    #expect(try await editor.untilEnd(of: 2) == ["edit Summarize"])
    #expect(editor.text() == "# Plan\r\n\r\nS.\r\n")
    editor.connection.notify(ToFace.Settings.self, ["settings": ["summarize": ["placement": "left"]]])
    #expect(try await editor.next().hasPrefix("warning Inkling: The setting “summarize.placement” must be one of"))
  }
}
