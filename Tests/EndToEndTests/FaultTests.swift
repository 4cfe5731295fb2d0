import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// What is done to the daemon from outside, and what must come of it.
  @Suite(.serialized) struct Faults {
    static let isSoak = getenv("INKLING_SOAK") != nil

    @Test("the engine killed with -9 at random instants while 8 requests run: one reply each, the next one works")
    func killedEngine() throws {
      var generator = SplitMix64(seed: 9)
      let client = try Daemon.ready()
      var retriable = 0
      for round in 0..<(Self.isSoak ? 200 : 20) {
        let engine = try Daemon.engineProcess(of: client)
        let ids = try (0..<8).map { index in
          var params = JSONObject([
            ("text", .string("Round \(round), text \(index). " + Texts.short)), ("options", ["maxTokens": 40]),
          ])
          if index.isMultiple(of: 2) { params.append("partialResultToken", .string("t\(round)-\(index)")) }
          return try client.start("assistant/rephrase", .object(params))
        }
        _ = poll(nil, 0, Int32(generator.int(in: 0..<900)))
        kill(engine, SIGKILL)
        let outcomes = try client.outcomes(ids)
        for id in ids {
          let outcome = try #require(outcomes[id])
          if outcome.result != nil || outcome.errorKind == "emptyOutput" { continue }
          #expect(outcome.errorKind == "engineFailed", "\(JSONWriter.text(of: outcome.reply))")
          #expect(outcome.reply["error"]?["data"]?["retryable"] == true)
          retriable += 1
        }
        let next = try client.request("assistant/rephrase", ["text": "And on it goes.", "options": ["maxTokens": 8]])
        #expect(next.result != nil, "\(JSONWriter.text(of: next.reply))")
      }
      #expect(retriable > 0, "no kill hit a request that had shown anything")
      #expect(try Daemon.shutDown(client) == .status(0))
    }

    @Test("an engine that is stopped (SIGSTOP) is found, replaced, and the request answered")
    func stoppedEngine() throws {
      let client = try Daemon.ready()
      let engine = try Daemon.engineProcess(of: client)
      kill(engine, SIGSTOP)
      let outcome = try client.request("assistant/rephrase", ["text": .string(Texts.short)], within: 60)
      #expect(outcome.result != nil || outcome.errorKind == "engineFailed", "\(JSONWriter.text(of: outcome.reply))")
      #expect(Daemon.waitUntilGone(engine, within: 5))
    }

    @Test("a bad model path gives modelUnavailable with reason and remedy within 5 s, and the daemon lives")
    func badModels() throws {
      let folder = try TemporaryFolder()
      let empty = try folder.file("empty.gguf", [])
      let html = try folder.file("page.gguf", Array("<!DOCTYPE html><html><body>404</body></html>".utf8))
      let random = try folder.file("random.gguf", Array("GGUF".utf8) + [3, 0, 0, 0] + Self.noise(4_000))
      let truncated = try folder.file("truncated.gguf", Array(try readFile(try DefaultModel.path()).prefix(5_000_000)))
      let fifo = folder.path("fifo.gguf")
      #expect(mkfifo(fifo, 0o600) == 0)
      let loop = folder.path("loop.gguf")
      #expect(symlink(loop, loop) == 0)
      let rows = [
        (folder.path("missing.gguf"), "modelNotFound"), (folder.path(""), "modelInvalid"), (empty, "modelInvalid"),
        (html, "modelInvalid"), (random, "modelInvalid"), (truncated, "modelInvalid"), (fifo, "modelInvalid"),
        (loop, "modelNotFound"),
      ]
      for (path, reason) in rows {
        let client = try Daemon.start(["--model", path])
        try client.initialize()
        let outcome = try client.request("assistant/rephrase", ["text": "Hello."], within: 5)
        #expect(outcome.errorKind == "modelUnavailable", "\(path): \(JSONWriter.text(of: outcome.reply))")
        #expect(outcome.reply["error"]?["data"]?["reason"] == .string(reason), "\(path)")
        #expect(outcome.reply["error"]?["data"]?["remedy"]?.stringValue?.isEmpty == false, "\(path)")
        let status = try client.request("model/status", within: 2)
        #expect(status.result?["availability"]?["state"] == "unavailable", "\(path)")
        #expect(try Daemon.shutDown(client) == .status(0))
      }
    }

    @Test("model/load of a bad file leaves the old model at work; a good one replaces it")
    func loadAnother() throws {
      let client = try Daemon.ready()
      _ = try Daemon.engineProcess(of: client)
      let bad = try client.request("model/load", ["path": "/nonexistent/model.gguf"], within: 30)
      #expect(bad.errorKind == "modelUnavailable")
      let still = try client.request("assistant/rephrase", ["text": "Still here.", "options": ["maxTokens": 8]])
      #expect(still.result != nil, "\(JSONWriter.text(of: still.reply))")
      let folder = try TemporaryFolder()
      let link = folder.path("other.gguf")
      let model = try DefaultModel.path()
      #expect(symlink(model, link) == 0)
      let good = try client.request("model/load", ["path": .string(link)], within: 30)
      #expect(good.result != nil, "\(JSONWriter.text(of: good.reply))")
      let status = try client.request("model/status")
      #expect(status.result?["model"]?["path"] == .string(link))
      _ = try client.request("model/unload")
      let unloaded = try client.request("model/status")
      #expect(unloaded.result?["availability"]?["reason"] == "unloaded")
      let again = try client.request("assistant/rephrase", ["text": "On demand.", "options": ["maxTokens": 8]])
      #expect(again.result != nil, "\(JSONWriter.text(of: again.reply))")
    }

    @Test("a cancelled model/load is answered with -32800, and the model that was there still works")
    func cancelledLoad() throws {
      let client = try Daemon.ready()
      _ = try Daemon.engineProcess(of: client)
      let folder = try TemporaryFolder()
      let link = folder.path("other.gguf")
      let model = try DefaultModel.path()
      #expect(symlink(model, link) == 0)
      let id = try client.start("model/load", ["path": .string(link)])
      try client.notify("$/cancelRequest", ["id": .number(JSONNumber(id))])
      #expect(try client.outcomes([id])[id]?.errorCode == -32800)
      let still = try client.request("assistant/rephrase", ["text": "Still here.", "options": ["maxTokens": 8]])
      #expect(still.result != nil, "\(JSONWriter.text(of: still.reply))")
      #expect(try client.request("model/status").result?["model"]?["path"] == .string(model))
    }

    @Test("64 requests at once are all answered; 10,000 written before any reply is read lose none")
    func many() throws {
      let client = try Daemon.ready()
      let ids = try (0..<64).map {
        try client.start("assistant/rephrase", ["text": .string("Text number \($0)."), "options": ["maxTokens": 4]])
      }
      let outcomes = try client.outcomes(ids, within: 180)
      for id in ids {
        let outcome = try #require(outcomes[id])
        #expect(outcome.result != nil || ["emptyOutput", "overloaded"].contains(outcome.errorKind))
      }
      let flood = try (0..<10_000).map { _ in try client.start("model/status") }
      let answers = try client.outcomes(flood, within: 120)
      #expect(answers.count == 10_000)
      #expect(answers.values.allSatisfy { $0.result != nil || $0.errorKind == "overloaded" })
    }

    @Test("a marker in a prompt appears nowhere on standard error, even when the engine dies under it")
    func privacy() throws {
      let marker = "zanzibarquux"
      let folder = try TemporaryFolder()
      let rules = try folder.file(
        "c.json", Array(#"{"guardrails": [{"id": "r", "literal": "\#(marker) stop", "message": "no"}]}"#.utf8))
      let client = try Daemon.ready(
        ["--log-level", "debug", "--config", rules], environment: ["XDG_STATE_HOME": folder.root])
      let engine = try Daemon.engineProcess(of: client)
      let text: JSONValue = .string(marker)
      _ = try client.request(
        "session/create", ["sessionId": "a", "persist": true, "title": text, "instructions": text])
      for message in [marker, marker + " stop"] {
        _ = try client.request("assistant/chat", Conversation.chat("a", message))
      }
      _ = try client.request(
        "assistant/generate", ["prompt": text, "schema": ["enum": [text]], "options": ["maxTokens": 8]])
      _ = try client.request("assistant/generate", ["prompt": text, "schema": ["not": text]])
      _ = try client.request("session/export", ["sessionId": "a", "format": "markdown"])
      _ = try client.request("assistant/command", ["id": text, "text": text])
      let id = try client.start(
        "assistant/rephrase", ["text": .string("\(marker) \(marker) " + Texts.long), "partialResultToken": 1])
      _ = try client.next()
      kill(engine, SIGABRT)
      _ = try client.outcomes([id])
      _ = try client.request("assistant/rephrase", ["text": .string(marker), "tone": .string(marker)])
      _ = try client.request(marker)
      #expect(try Daemon.shutDown(client) == .status(0))
      #expect(!client.process.standardError().contains(marker))
    }

    @Test("with an open-file limit too low for an engine it refuses cleanly")
    func fewDescriptors() throws {
      let shell = "ulimit -n 64; exec \"$0\" serve"
      let client = WireClient(try SpawnedProcess("sh", ["-c", shell, Daemon.executable]))
      try client.initialize()
      let outcome = try client.request("assistant/rephrase", ["text": "Fine.", "options": ["maxTokens": 4]])
      #expect(outcome.result != nil || outcome.errorKind == "modelUnavailable" || outcome.errorKind == "emptyOutput")
      #expect(try Daemon.shutDown(client) == .status(0))
    }

    private static func noise(_ count: Int) -> [UInt8] {
      var generator = SplitMix64(seed: 4)
      return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
  }
}
