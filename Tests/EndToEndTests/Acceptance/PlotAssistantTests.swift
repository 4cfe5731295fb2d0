import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// What a chat with a story assistant needs; see README.md beside this file.
  @Suite(.serialized) struct PlotAssistant {
    @Test("a chat has instructions and remembers: the second turn is read behind the first")
    func memory() throws {
      let chat = try Conversation([], [("instructions", "You help to plot films.")])
      let first = try #require(try chat.say("My film is about a lamp named Otto.").result)
      let second = try #require(try chat.say("What is the name of the lamp?").result)
      let (used, prompt) = (first["usage"]?["contextUsed"]?.intValue, second["usage"]?["promptTokens"]?.intValue)
      #expect(try #require(prompt) > #require(used))
      let roles = try chat.held()["transcript"]?.arrayValue?.map { $0["role"]?.stringValue }
      #expect(roles == ["instructions", "prompt", "response", "prompt", "response"])
      try chat.end()
    }

    @Test("an answer streams as it is written, with progress for the wait")
    func streaming() throws {
      let chat = try Conversation()
      let outcome = try chat.say(
        "Tell me of a lamp.", [("partialResultToken", "p"), ("workDoneToken", "w"), ("options", ["maxTokens": 60])])
      let text = try #require(outcome.result?["text"]?.stringValue)
      #expect(outcome.progress.textShown(token: "p") == text)
      #expect(outcome.progress.count { $0["token"] == "p" } >= 5)
      let work = outcome.progress.filter { $0["token"] == "w" }.compactMap { $0["value"] }
      #expect(work.first?["kind"] == "begin" && work.first?["title"]?.stringValue?.isEmpty == false)
      #expect(work.dropFirst().first?["message"]?.stringValue?.isEmpty == false)
      #expect(work.last?["kind"] == "end")
      try chat.end()
    }

    @Test("a character has its six fields, a story arc its seven")
    func kinds() throws {
      let chat = try Conversation()
      for (kind, fields) in [
        ("character", ["name", "species", "personality", "motivation", "flaw", "catchphrase"]),
        (
          "storyArc",
          ["movieTitle", "setting", "incitingIncident", "centralConflict", "darkestMoment", "resolution", "theme"]
        ),
      ] {
        let made = try chat.result(
          "assistant/brainstorm", [("topic", "a lamp that is afraid"), ("kind", .string(kind))])
        let value = try #require(made["value"])
        for field in fields { #expect(value[field]?.stringValue?.isEmpty == false, "\(kind) \(field)") }
        #expect(made["rendered"]?.stringValue?.isEmpty == false)
      }
      try chat.end()
    }

    @Test("the catalog is searched: films that match, or some that are said not to")
    func catalog() throws {
      let chat = try Conversation([], [("tools", [["builtin": "catalogSearch"]])])
      let said = try #require(
        try chat.say("Which film has toys that come to life?", [("toolChoice", "required")]).result)
      let calls = try #require(said["toolCalls"]?.arrayValue)
      let call = try #require(calls.first)
      #expect(call["arguments"]?["query"]?.stringValue?.isEmpty == false)
      #expect(call["result"]?.stringValue?.contains("title: ") == true)
      try chat.end()
    }

    @Test("when nothing in the catalog matches, that is said, and something is offered all the same")
    func catalogFallback() throws {
      let folder = try TemporaryFolder()
      _ = try folder.file("catalog.json", Array(#"[{"title": "Zzyzx Qwrtp"}]"#.utf8))
      let config = try folder.file("config.json", Array(#"{"catalog": {"path": "catalog.json"}}"#.utf8))
      let chat = try Conversation(["--config", config], [("tools", [["builtin": "catalogSearch"]])])
      let said = try #require(
        try chat.say("Which film has toys that come to life?", [("toolChoice", "required")]).result)
      let result = try #require(said["toolCalls"]?.arrayValue?.first?["result"]?.stringValue)
      #expect(result.hasPrefix("Nothing matches “") && result.hasSuffix("title: Zzyzx Qwrtp"))
      #expect(said["text"]?.stringValue?.isEmpty == false)
      try chat.end()
    }

    @Test("reset forgets what was said and keeps the instructions")
    func reset() throws {
      let chat = try Conversation([], [("instructions", "You help to plot films.")])
      _ = try chat.say("My film is about a lamp.")
      let session = try chat.result("session/reset", [("sessionId", "a")])["session"]
      #expect(session?["turns"] == 0 && session?["contextUsed"] == 0)
      #expect(session?["instructions"] == "You help to plot films.")
      #expect(try chat.held()["transcript"]?.arrayValue?.count == 1)
      try chat.end()
    }

    @Test("an error says what happened and that it can be tried again; the session is as it was, and it works then")
    func retry() throws {
      let chat = try Conversation()
      let engine = try Daemon.engineProcess(of: chat.client)
      let id = try chat.client.start(
        "assistant/chat",
        Conversation.chat("a", "Tell me of a lamp.", [("partialResultToken", "p"), ("options", ["maxTokens": 900])]))
      while let message = try chat.client.next(), message["params"]?["token"] != "p" {}
      kill(engine, SIGKILL)
      let failure = try #require(try chat.client.outcomes([id])[id]?.reply["error"])
      #expect(failure["data"]?["kind"] == "engineFailed" && failure["data"]?["retryable"] == true)
      #expect(failure["message"]?.stringValue?.hasSuffix("Try again.") == true)
      #expect(try chat.state()["turns"] == 0)
      #expect(try chat.say("Tell me of a lamp.").result?["text"]?.stringValue?.isEmpty == false)
      // Once more, otherwise.
      let again = try chat.result(
        "assistant/chat", [("sessionId", "a"), ("retry", true), ("options", ["maxTokens": 24])])
      #expect(again["text"]?.stringValue?.isEmpty == false)
      #expect(try chat.state()["turns"] == 1)
      try chat.end()
    }

    @Test("suggestions come with the features, and one of them can be sent as it is")
    func suggestions() throws {
      let client = try Daemon.start()
      let assistant = try client.initialize().result?["capabilities"]?["experimental"]?["assistant"]
      let features = try #require(assistant?["features"]?.arrayValue)
      let suggested = features.filter { $0["suggestions"]?.arrayValue?.isEmpty == false }.compactMap {
        $0["id"]?.stringValue
      }
      #expect(suggested.contains("chat") && suggested.contains("brainstorm"))
      let brainstorm = try #require(features.first { $0["id"] == "brainstorm" })
      let topic = try #require(brainstorm["suggestions"]?.arrayValue?.first)
      let made = try client.request("assistant/brainstorm", ["topic": topic], within: 120)
      #expect(made.result?["value"]?["concepts"]?.arrayValue?.count == 3, "\(made.reply)")
      #expect(try Daemon.shutDown(client) == .status(0))
    }

    @Test("what was said is there in the next daemon, and the conversation goes on")
    func persistence() throws {
      let folder = try TemporaryFolder()
      let environment = ["XDG_STATE_HOME": folder.root]
      let before = try Conversation([], environment: environment, [("persist", true), ("title", "Lamp")])
      #expect(try before.state()["persisted"] == true)
      _ = try before.say("My film is about a lamp.")
      let said = try before.held()["transcript"]
      try before.end()
      let after = try Daemon.ready(environment: environment)
      let listed = try result(after, "session/list")["sessions"]?.arrayValue
      #expect(listed?.map { $0["title"] } == ["Lamp"] && listed?.first?["turns"] == 1)
      #expect(try result(after, "session/get", ["sessionId": "a"])["transcript"] == said)
      #expect(try result(after, "assistant/chat", Conversation.chat("a", "It is afraid."))["text"] != nil)
      #expect(try Daemon.shutDown(after) == .status(0))
    }

    private func result(_ client: WireClient, _ method: String, _ params: JSONValue = [:]) throws -> JSONValue {
      let outcome = try client.request(method, params, within: 120)
      return try #require(outcome.result, "\(JSONWriter.text(of: outcome.reply))")
    }

    @Test("a branch goes its own way from the turn it was made at")
    func branch() throws {
      let chat = try Conversation()
      _ = try chat.say("My film is about a lamp.")
      _ = try chat.say("It is afraid of the dark.")
      let fork = try chat.result("session/fork", [("sessionId", "a"), ("turns", 1)])["session"]
      let name = try #require(fork?["sessionId"]?.stringValue)
      #expect(fork?["turns"] == 1)
      #expect(try chat.client.request("assistant/chat", Conversation.chat(name, "It loves the dark.")).result != nil)
      #expect(try chat.state()["turns"] == 2)
      let prompts = try chat.result("session/get", [("sessionId", .string(name))])["transcript"]?.arrayValue?
        .filter { $0["role"] == "prompt" }.map { $0["text"] }
      #expect(prompts == ["My film is about a lamp.", "It loves the dark."])
      try chat.end()
    }
  }
}
