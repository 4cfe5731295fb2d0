import JSON
import TestSupport
import Testing

extension EndToEnd {
  /// Sessions of the real program, on the real model.
  @Suite(.serialized) struct Sessions {
    private static let short: JSONValue = ["maxTokens": 24, "seed": 1]

    private static func chat(_ session: String, _ message: String, options: JSONValue = short) -> JSONValue {
      ["sessionId": .string(session), "message": .string(message), "options": options]
    }

    private static func usage(_ outcome: WireClient.Outcome, _ field: String) throws -> Int {
      try #require(outcome.result?["usage"]?[field]?.intValue, "\(JSONWriter.text(of: outcome.reply))")
    }

    @Test("a session and what is said in it can be sent in one go")
    func inOneGo() throws {
      let client = try Daemon.ready()
      let ids = [
        try client.start("session/create", ["sessionId": "a"]),
        try client.start("assistant/chat", Self.chat("a", "Say hello.")),
        try client.start("session/get", ["sessionId": "a"]),
        try client.start("assistant/chat", Self.chat("a", "Once more.")),
      ]
      let outcomes = try client.outcomes(ids)
      #expect(outcomes[ids[1]]?.result?["text"]?.stringValue?.isEmpty == false)
      #expect(outcomes[ids[2]]?.result?["session"]?["busy"] == true)
      #expect(outcomes[ids[3]]?.errorKind == "sessionBusy")
      #expect(try Daemon.shutDown(client) == .status(0))
    }

    @Test("a follow-up reads only the new turn; a fork finds what its parent has read")
    func followUp() throws {
      let client = try Daemon.ready()
      _ = try client.request("session/create", ["sessionId": "a", "instructions": "You talk about the sea."])
      let first = try client.request("assistant/chat", Self.chat("a", Texts.long))
      let second = try client.request("assistant/chat", Self.chat("a", "And the harbour?"))
      // All of the first turn: its prompt and, token for token, its answer.
      #expect(try Self.usage(second, "cachedTokens") >= Self.usage(first, "contextUsed") - 1)
      let fork = try client.request("session/fork", ["sessionId": "a", "turns": 1])
      let name = try #require(fork.result?["session"]?["sessionId"]?.stringValue)
      let third = try client.request("assistant/chat", Self.chat(name, "And the lighthouse?"))
      #expect(try Self.usage(third, "cachedTokens") >= Self.usage(first, "promptTokens"))
      let held = try client.request("session/get", ["sessionId": "a"])
      let used = try #require(held.result?["session"]?["contextUsed"]?.intValue)
      #expect(used == (try Self.usage(second, "contextUsed")))
      #expect(try Daemon.shutDown(client) == .status(0))
    }

    @Test("16 sessions at once, four turns each (64 and 20 in a soak): no errors, each in its order")
    func sideBySide() throws {
      let client = try Daemon.ready()
      let (sessions, turns) = Environment.isSoak ? (64, 20) : (16, 4)
      let names = (0..<sessions).map { "s\($0)" }
      for name in names { _ = try client.request("session/create", ["sessionId": .string(name)]) }
      for turn in 0..<turns {
        let ids = try names.map { try client.start("assistant/chat", Self.chat($0, "\($0) says \(turn).")) }
        for (id, outcome) in try client.outcomes(ids, within: Environment.isSoak ? 1_200 : 240) {
          #expect(outcome.result?["text"]?.stringValue?.isEmpty == false, "\(id): \(outcome.reply)")
        }
      }
      for name in names {
        let held = try client.request("session/get", ["sessionId": .string(name)])
        let prompts = held.result?["transcript"]?.arrayValue?.filter { $0["role"] == "prompt" }.map { $0["text"] }
        #expect(prompts == (0..<turns).map { .string("\(name) says \($0).") })
      }
      #expect(try Daemon.shutDown(client) == .status(0))
    }

    @Test("a full window: an error with true numbers, or older turns make way, or become a summary")
    func window() throws {
      let client = try Daemon.ready(["--context", "512"])
      for policy in ["error", "slidingWindow", "summarize"] {
        _ = try client.request("session/create", ["sessionId": .string(policy), "contextPolicy": .string(policy)])
      }
      let text = String(repeating: "The boat lay at the pier and the gulls were loud. ", count: 6)
      var failure: WireClient.Outcome?
      for _ in 0..<8 where failure == nil {
        let outcome = try client.request("assistant/chat", Self.chat("error", text))
        if outcome.errorCode != nil { failure = outcome }
      }
      let data = try #require(failure?.reply["error"]?["data"])
      #expect(data["kind"] == "contextWindowExceeded" && data["contextSize"] == 512)
      let needed = try #require(data["promptTokens"]?.intValue) + (try #require(data["reservedForOutput"]?.intValue))
      #expect(needed > 512)
      _ = try client.request("session/rewind", ["sessionId": "error", "turns": 2])
      #expect(try client.request("assistant/chat", Self.chat("error", "Hello.")).result != nil)
      for policy in ["slidingWindow", "summarize"] {
        var shortened = 0
        for _ in 0..<5 {
          let outcome = try client.request("assistant/chat", Self.chat(policy, text), within: 120)
          let warnings = try #require(outcome.result?["warnings"]?.arrayValue, "\(policy): \(outcome.reply)")
          if warnings.contains(where: { $0["code"] == "historyShortened" }) { shortened += 1 }
        }
        #expect(shortened > 0, "\(policy)")
        let entries = try client.request("session/get", ["sessionId": .string(policy)]).result?["transcript"]?
          .arrayValue
        let prompts = try #require(entries).filter { $0["role"] == "prompt" }
        #expect(policy == "slidingWindow" ? prompts.count == 5 : prompts.count < 5)
      }
      #expect(try Daemon.shutDown(client) == .status(0))
    }

    @Test("rephrase, then “shorter, please”; a character stays in the transcript and is exported")
    func features() throws {
      let client = try Daemon.ready()
      _ = try client.request("session/create", ["sessionId": "a", "title": "Deck", "personality": "woody"])
      let rephrase = try client.request(
        "assistant/rephrase", ["sessionId": "a", "text": "gonna be late, sorry", "options": Self.short])
      let said = try #require(rephrase.result?["text"]?.stringValue)
      #expect(try client.request("assistant/chat", Self.chat("a", "shorter, please")).result != nil)
      let character = try client.request(
        "assistant/brainstorm", ["sessionId": "a", "topic": "a lighthouse", "kind": "character"], within: 120)
      let name = try #require(character.result?["value"]?["name"]?.stringValue, "\(character.reply)")
      let entries = try #require(
        try client.request("session/get", ["sessionId": "a"]).result?["transcript"]?.arrayValue)
      #expect(entries.filter { $0["role"] == "response" }.first?["text"] == .string(said))
      #expect(entries.last?["value"]?["name"] == .string(name))
      let deck = try client.request("session/export", ["sessionId": "a", "format": "markdown"]).result?["text"]
      #expect(deck?.stringValue?.hasPrefix("# Deck\n") == true)
      #expect(deck?.stringValue?.contains("\n## Character: ") == true)
      let json = try #require(
        try client.request("session/export", ["sessionId": "a", "format": "json"]).result?["text"]?.stringValue)
      let copy = try client.request("session/create", JSONParser.parse(json))
      #expect(copy.result?["session"]?["turns"] == 3 && copy.result?["session"]?["personality"] == "woody")
      #expect(try Daemon.shutDown(client) == .status(0))
    }

    @Test("a turn that is cancelled leaves its session as it was")
    func cancelled() throws {
      let client = try Daemon.ready()
      _ = try client.request("session/create", ["sessionId": "a"])
      let id = try client.start(
        "assistant/chat",
        [
          "sessionId": "a", "message": "Tell me a long story.", "partialResultToken": "p",
          "options": ["maxTokens": 900],
        ])
      while let message = try client.next(), message["params"]?["token"] != "p" {}
      try client.notify("$/cancelRequest", ["id": .number(JSONNumber(id))])
      #expect(try client.outcomes([id])[id]?.errorCode == -32800)
      let held = try client.request("session/get", ["sessionId": "a"])
      #expect(held.result?["session"]?["turns"] == 0 && held.result?["session"]?["busy"] == false)
      #expect(try client.request("assistant/chat", Self.chat("a", "Hello.")).result != nil)
      #expect(try Daemon.shutDown(client) == .status(0))
    }
  }
}
