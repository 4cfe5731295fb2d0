import JSON
import TestSupport
import Testing

extension EndToEnd {
  /// What an assistant for writers needs; see README.md beside this file.
  @Suite(.serialized) struct StoryAssistant {
    private static let critical: JSONValue = "critical"

    @Test("formal, exciting and simpler say the text in three ways")
    func tones() throws {
      let chat = try Conversation()
      for tone in ["formal", "exciting", "simpler"] {
        let made = try chat.result("assistant/rephrase", [("text", .string(Texts.short)), ("tone", .string(tone))])
        #expect(made["tone"] == .string(tone))
        #expect(made["text"]?.stringValue?.isEmpty == false)
        #expect(made["edits"]?.arrayValue != nil)
      }
      try chat.end()
    }

    @Test("a summary has exactly two sentences, and says how many characters it saves")
    func summary() throws {
      let chat = try Conversation()
      let made = try chat.result("assistant/summarize", [("text", .string(Texts.long))])
      let text = try #require(made["text"]?.stringValue)
      #expect(text.count { ".!?".contains($0) } == 2, "\(text)")
      let reduction = try #require(made["reduction"])
      let (original, summary) = (Texts.long.unicodeScalars.count, text.unicodeScalars.count)
      #expect(reduction["originalCharacters"]?.intValue == original)
      #expect(reduction["summaryCharacters"]?.intValue == summary)
      let percent = try #require(reduction["percent"]?.intValue)
      #expect(abs(Double(percent) - 100 * (1 - Double(summary) / Double(original))) <= 1)
      try chat.end()
    }

    @Test("three concepts that differ, with themes and a title")
    func concepts() throws {
      let chat = try Conversation()
      for kind in ["ideas", "sequel"] {
        let made = try chat.result(
          "assistant/brainstorm", [("topic", "a lamp that is afraid"), ("kind", .string(kind))])
        let concepts = try #require(made["value"]?["concepts"]?.arrayValue).compactMap(\.stringValue)
        #expect(concepts.count == 3 && Set(concepts).count == 3)
        #expect(made["value"]?["themes"]?.arrayValue?.isEmpty == false)
        #expect(made["value"]?["suggestedTitle"]?.stringValue?.isEmpty == false)
      }
      try chat.end()
    }

    @Test("four voices with descriptions; another one starts afresh, or replays what was said")
    func voices() throws {
      let client = try Daemon.start()
      let assistant = try client.initialize().result?["capabilities"]?["experimental"]?["assistant"]
      let voices = try #require(assistant?["personalities"]?.arrayValue)
      let ids = voices.compactMap { $0["id"]?.stringValue }
      #expect(Set(["neutral", "woody", "buzz", "dory"]).isSubset(of: ids))
      #expect(voices.allSatisfy { $0["description"]?.stringValue?.isEmpty == false })
      for id in ids {
        let created = try client.request("session/create", ["sessionId": .string(id), "personality": .string(id)])
        #expect(created.result?["session"]?["personality"] == .string(id))
        let said = try client.request("assistant/chat", Conversation.chat(id, "Who are you?"))
        #expect(said.result?["text"]?.stringValue?.isEmpty == false)
      }
      let kept = try client.request(
        "session/update", ["sessionId": "woody", "personality": "buzz", "keepHistory": true])
      #expect(kept.result?["session"]?["turns"] == 1)
      let fresh = try client.request("session/update", ["sessionId": "woody", "personality": "dory"])
      #expect(fresh.result?["session"]?["turns"] == 0)
      #expect(try Daemon.shutDown(client) == .status(0))
    }

    @Test("messages and tokens are counted, with a warning before the window is full")
    func counting() throws {
      // A turn takes less than the last tenth of the window.
      let chat = try Conversation(["--context", "1024"])
      let counted = try chat.result("assistant/countTokens", [("text", .string(Texts.long))])
      #expect(try #require(counted["tokens"]?.intValue) > 60)
      var levels: [JSONValue] = []
      for turn in 1...40 {
        guard let made = try chat.say(Texts.short).result else { break }
        let change = try #require(chat.client.others.last { $0["method"] == "session/didChange" }?["params"])
        #expect(change["session"]?["turns"] == .number(JSONNumber(turn)))
        #expect(change["session"]?["contextUsed"] == made["usage"]?["contextUsed"])
        levels.append(try #require(change["level"]))
      }
      #expect(levels.first == "ok" && levels.contains("warning") && levels.last == Self.critical, "\(levels)")
      try chat.end()
    }

    @Test("each kind of error that a user can meet is said in plain words, with what to do")
    func errors() throws {
      let chat = try Conversation(["--context", "512"])
      let long = String(repeating: Texts.long + "\n", count: 20)
      let object: JSONValue = [
        "type": "object", "properties": ["a": ["type": "string", "minLength": 90]], "required": ["a"],
      ]
      let rows: [(String, JSONValue, String)] = [
        ("assistant/chat", Conversation.chat("a", long), "contextWindowExceeded"),
        ("assistant/chat", Conversation.chat("none", "x"), "sessionNotFound"),
        ("assistant/chat", Conversation.chat("a", " \n "), "emptyPrompt"),
        ("assistant/generate", ["prompt": "x", "schema": ["type": "string", "not": [:]]], "unsupportedSchema"),
        ("assistant/generate", ["prompt": "x", "schema": object, "options": ["maxTokens": 3]], "decodingFailure"),
        ("session/create", ["sessionId": "a"], "sessionExists"),
        ("model/load", ["path": "/nonexistent.gguf"], "modelUnavailable"),
      ]
      for (method, params, kind) in rows {
        let outcome = try chat.client.request(method, params)
        #expect(outcome.errorKind == kind, "\(JSONWriter.text(of: outcome.reply))")
        let message = try #require(outcome.reply["error"]?["message"]?.stringValue)
        #expect(message.hasSuffix(".") && message.count > 20, "\(message)")
        #expect(outcome.reply["error"]?["data"]?["retryable"] != nil)
      }
      // After all of them it still works.
      #expect(try chat.say("Hello.").result != nil)
      try chat.end()
    }

    @Test("long work waits while the machine is too hot, short work does not")
    func heat() throws {
      let folder = try TemporaryFolder()
      func write(_ temperature: String) throws {
        _ = try folder.file("thermal_zone0/temp", Array(temperature.utf8))
        _ = try folder.file("thermal_zone0/trip_point_0_type", Array("critical".utf8))
        _ = try folder.file("thermal_zone0/trip_point_0_temp", Array("100000".utf8))
      }
      try write("101000")
      let chat = try Conversation(["--context", "512", "--thermal-root", folder.root])
      #expect(try chat.result("model/status")["thermalState"] == Self.critical)
      let long: JSONValue = .string(String(repeating: Texts.long + "\n\n", count: 6))
      let refused = try chat.client.request("assistant/summarize", ["text": long])
      #expect(refused.errorKind == "tooHot")
      #expect(refused.reply["error"]?["data"]?["thermalState"] == Self.critical)
      #expect(refused.reply["error"]?["data"]?["retryable"] == true)
      #expect(try chat.say("Hello.").result != nil)
      try write("40000")
      #expect(try chat.result("model/status")["thermalState"] == "nominal")
      #expect(try chat.result("assistant/summarize", [("text", long)])["parts"]?.intValue.map { $0 > 1 } == true)
      try chat.end()
    }

    @Test("while the model loads, it is said: in the status, in a notification, in the progress of a request")
    func loading() throws {
      let client = try Daemon.ready()
      let outcome = try client.request(
        "assistant/rephrase", ["text": .string(Texts.short), "workDoneToken": "w", "options": ["maxTokens": 8]])
      #expect(outcome.result != nil)
      let states = client.others.filter { $0["method"] == "model/didChangeAvailability" }.compactMap {
        $0["params"]?["availability"]?["state"]
      }
      #expect(states.contains("loading") && states.last == "available", "\(states)")
      #expect(try client.request("model/status").result?["availability"]?["state"] == "available")
      #expect(try Daemon.shutDown(client) == .status(0))
    }
  }
}
