import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// What a careful on-device assistant needs; see README.md beside this file.
  @Suite(.serialized) struct OnDevice {
    @Test("a model that is missing is said with its remedy, and is used as soon as it is there")
    func availability() throws {
      let folder = try TemporaryFolder()
      let path = folder.path("later.gguf")
      let client = try Daemon.ready(["--model", path])
      let refused = try client.request("assistant/rephrase", ["text": .string(Texts.short)])
      #expect(refused.errorKind == "modelUnavailable")
      #expect(refused.reply["error"]?["data"]?["reason"] == "modelNotFound")
      let availability = try client.request("model/status").result?["availability"]
      #expect(availability?["state"] == "unavailable" && availability?["reason"] == "modelNotFound")
      #expect(availability?["remedy"]?.stringValue?.isEmpty == false)
      let model = try DefaultModel.path()
      #expect(symlink(model, path) == 0)
      let outcome = try client.request(
        "assistant/rephrase", ["text": .string(Texts.short), "options": ["maxTokens": 8]])
      #expect(outcome.result != nil, "\(JSONWriter.text(of: outcome.reply))")
      #expect(try client.request("model/status").result?["availability"]?["state"] == "available")
      #expect(try Daemon.shutDown(client) == .status(0))
    }

    @Test("tasks from a note: five at most, and a date only where one is given")
    func tasks() throws {
      let schema: JSONValue = [
        "type": "object",
        "properties": [
          "tasks": [
            "type": "array", "maxItems": 5,
            "items": [
              "type": "object",
              "properties": [
                "title": ["type": "string", "maxLength": 60], "due": ["type": "string", "format": "date"],
              ],
              "required": ["title"], "additionalProperties": false,
            ],
          ]
        ],
        "required": ["tasks"], "additionalProperties": false,
      ]
      let note =
        "Buy paint, call Ana, send the invoice by 2026-12-04, fix the gate, water the plants, book a room, thank Leo."
      let chat = try Conversation()
      let made = try chat.result(
        "assistant/generate", [("prompt", .string("List the tasks of this note: \(note)")), ("schema", schema)])
      let value = try #require(made["value"])
      #expect(try JSONSchema(schema).validate(value).isEmpty, "\(JSONWriter.text(of: value))")
      let given = try #require(value["tasks"]?.arrayValue)
      #expect(given.count <= 5 && given.allSatisfy { $0["due"] == nil || $0["due"] == "2026-12-04" })
      // Nothing is due when nobody said so.
      let plain = try chat.result(
        "assistant/generate",
        [("prompt", "List the tasks of this note: Call the plumber. Buy milk and bread."), ("schema", schema)])
      #expect(plain["value"]?["tasks"]?.arrayValue?.allSatisfy { $0["due"] == nil } == true)
      try chat.end()
    }

    @Test("a risky tool is asked for first, and a no is told to the model and to the caller")
    func declined() throws {
      let chat = try Conversation(
        [],
        [
          (
            "tools",
            [
              [
                "name": "deleteFile", "description": "Deletes the file.", "confirm": true,
                "parameters": ["type": "object", "properties": [:], "additionalProperties": false],
              ]
            ]
          )
        ])
      let (reply, calls) = try chat.client.request(
        "assistant/chat", Conversation.chat("a", "Delete the file.", [("toolChoice", "required")])
      ) { _ in .error(-32800) }
      #expect(calls.first?["confirm"] == true)
      let made = try #require(reply["result"]?["toolCalls"]?.arrayValue, "\(JSONWriter.text(of: reply))")
      #expect(made.first?["error"]?["data"]?["reason"] == "declined")
      #expect(reply["result"]?["text"]?.stringValue?.isEmpty == false)
      try chat.end()
    }

    @Test("a long text is split at sentence borders, and all of it is read")
    func splitting() throws {
      let chat = try Conversation(["--context", "512"])
      let text = String(repeating: Texts.long + " ", count: 6)
      let made = try chat.result("assistant/summarize", [("text", .string(text))])
      let parts = try #require(made["coverage"]?.arrayValue)
      #expect(parts.count > 1 && made["parts"] == .number(JSONNumber(parts.count)))
      let units = Array(text.utf16)
      var position = 0
      for part in parts {
        let (start, end) = (try #require(part["start"]?.intValue), try #require(part["end"]?.intValue))
        #expect(start == position)
        let words = String(decoding: units[start..<end], as: UTF16.self)
        #expect(".!?".contains(words.last { !$0.isWhitespace } ?? " "), "\(words.suffix(20))")
        position = end
      }
      #expect(position == units.count)
      try chat.end()
    }

    @Test("nothing to work on is an error for each method that needs a text")
    func empty() throws {
      let chat = try Conversation()
      for (method, field) in [
        ("assistant/rephrase", "text"), ("assistant/summarize", "text"), ("assistant/brainstorm", "topic"),
        ("assistant/chat", "message"),
      ] {
        let params: JSONValue = .object(JSONObject([(field, " \n\u{200B} "), ("sessionId", "a")]))
        #expect(try chat.client.request(method, params).errorKind == "emptyPrompt", "\(method)")
      }
      #expect(try chat.state()["turns"] == 0)
      try chat.end()
    }

    @Test("a rule of the user's stops what must not be sent, and what the model must not say is not shown")
    func guardrails() throws {
      let folder = try TemporaryFolder()
      let rules = #"""
        {"guardrails": [
          {"id": "project", "literal": "Aurora", "on": "input"},
          // Every answer has a vowel.
          {"id": "vowels", "pattern": "[aeiou]", "on": "output"},
        ]}
        """#
      let path = try folder.file("config.json", Array(rules.utf8))
      let chat = try Conversation(["--config", path])
      let sent = try chat.say("When is the AURORA due?")
      #expect(sent.errorKind == "guardrailViolation" && sent.reply["error"]?["data"]?["rule"] == "project")
      let answered = try chat.say("Say hello to the people of the village.", [("partialResultToken", "p")])
      #expect(answered.errorKind == "guardrailViolation", "\(JSONWriter.text(of: answered.reply))")
      let shown = answered.progress.textShown(token: "p") ?? ""
      #expect(!shown.contains { "aeiouAEIOU".contains($0) })
      #expect(try chat.state()["turns"] == 0)
      try chat.end()
    }

    @Test("one request at a time in a session; the other is told so at once, and the session can be ended")
    func busy() throws {
      let chat = try Conversation()
      let id = try chat.client.start(
        "assistant/chat",
        Conversation.chat("a", "Tell me of a lamp.", [("partialResultToken", "p"), ("options", ["maxTokens": 900])]))
      while let message = try chat.client.next(), message["params"]?["token"] != "p" {}
      #expect(try chat.say("And?").errorKind == "sessionBusy")
      #expect(try chat.state()["busy"] == true)
      // Either reply may come first.
      let deletion = try chat.client.start("session/delete", ["sessionId": "a"])
      let outcomes = try chat.client.outcomes([id, deletion])
      #expect(outcomes[id]?.errorCode == -32800 && outcomes[deletion]?.errorCode == nil)
      #expect(try chat.say("And?").errorKind == "sessionNotFound")
      try chat.end()
    }
  }
}
