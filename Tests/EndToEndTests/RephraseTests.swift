import JSON
import TestSupport
import Testing

extension EndToEnd {
  /// `assistant/rephrase` and its neighbours on the real model: structure and invariants, not prose.
  @Suite(.serialized) struct RealModel {
    @Test("deltas put together equal the result's text, for 20 random requests; the edges are the source's")
    func deltas() throws {
      let client = try Daemon.ready()
      var generator = SplitMix64(seed: 20)
      let tones = ["formal", "exciting", "simpler", "shorter", "longer", "friendly", "proofread"]
      for index in 0..<20 {
        let text = Texts.random(&generator)
        let token: JSONValue = index.isMultiple(of: 2) ? .string("p\(index)") : .number(JSONNumber(index))
        var params = JSONObject([
          ("text", .string(text)), ("tone", .string(tones[index % tones.count])), ("partialResultToken", token),
          ("options", ["maxTokens": 60]),
        ])
        if index % 5 == 4 { params.append("stream", "snapshot") }
        let outcome = try client.request("assistant/rephrase", .object(params))
        if outcome.errorKind == "emptyOutput" { continue }
        let result = try #require(outcome.result, "\(JSONWriter.text(of: outcome.reply))")
        let answer = try #require(result["text"]?.stringValue)
        #expect(outcome.progress.textShown(token: token)?.hasSameBytes(as: answer) == true)
        let (before, after) = Texts.edges(text)
        #expect(answer.utf8.starts(with: before.utf8))
        #expect(answer.utf8.reversed().starts(with: after.utf8.reversed()))
        #expect(!answer.unicodeScalars.contains("\u{FFFD}"))
        let usage = try #require(result["usage"])
        for field in ["promptTokens", "cachedTokens", "completionTokens", "contextUsed", "contextSize"] {
          #expect(usage[field]?.intValue != nil, "\(field)")
        }
        #expect(["stop", "length", "contextFull"].contains(result["finishReason"]?.stringValue))
      }
      #expect(try Daemon.shutDown(client) == .status(0))
    }

    @Test("the second request finds the instructions in the prefix cache")
    func cachedInstructions() throws {
      let client = try Daemon.ready()
      let options: JSONValue = ["maxTokens": 8]
      _ = try client.request("assistant/rephrase", ["text": "The rain came.", "options": options])
      let second = try client.request("assistant/rephrase", ["text": "She sings at dawn.", "options": options])
      let cached = try #require(second.result?["usage"]?["cachedTokens"]?.intValue)
      #expect(cached > 10)
    }

    @Test("cancel while decoding is answered with -32800 and nothing follows it; others go on")
    func cancel() throws {
      let client = try Daemon.ready()
      _ = try Daemon.engineProcess(of: client)
      let bystander = try client.start("assistant/rephrase", ["text": .string(Texts.short), "partialResultToken": "b"])
      let victim = try client.start(
        "assistant/rephrase", ["text": .string(Texts.long), "tone": "longer", "partialResultToken": "v"])
      var seen = 0
      while seen < 3, let message = try client.next() {
        if message["params"]?["token"] == "v" { seen += 1 }
      }
      try client.notify("$/cancelRequest", ["id": .number(JSONNumber(victim))])
      let outcomes = try client.outcomes([bystander, victim])
      #expect(outcomes[victim]?.errorCode == -32800)
      #expect(outcomes[bystander]?.result != nil)
      let after = try client.request("assistant/countTokens", ["text": "a b c"])
      #expect(after.progress.allSatisfy { $0["token"] != "v" })
      #expect(after.result?["tokens"]?.intValue.map { $0 >= 3 } == true)
    }

    @Test(
      "options out of range name the field",
      arguments: [
        ("temperature", "-1"), ("temperature", "1e9"), ("topK", "-5"), ("seed", "1099511627776"), ("maxTokens", "0"),
        ("topP", "2"), ("minP", "-0.5"), ("sampling", "\"wild\""),
      ])
    func options(field: String, value: String) throws {
      let client = try Daemon.ready()
      let options = JSONObject([(field, try JSONParser.parse(value))])
      let outcome = try client.request("assistant/rephrase", ["text": "x", "options": .object(options)])
      #expect(outcome.errorCode == -32602)
      #expect(outcome.reply["error"]?["message"]?.stringValue?.contains("options.\(field)") == true)
    }

    @Test("a prompt that cannot fit is refused with true numbers while other requests go on")
    func tooLong() throws {
      let client = try Daemon.ready(["--context", "1024"])
      for filler in ["a", " ", "🙂"] {
        let huge = String(repeating: filler, count: (4 << 20) / filler.utf8.count - 64)
        let big = try client.start("assistant/rephrase", ["text": .string("x" + huge + "x")])
        let small = try client.start("assistant/rephrase", ["text": "A short one.", "options": ["maxTokens": 8]])
        let outcomes = try client.outcomes([big, small])
        #expect(outcomes[big]?.errorKind == "contextWindowExceeded")
        let data = try #require(outcomes[big]?.reply["error"]?["data"])
        let prompt = try #require(data["promptTokens"]?.intValue)
        #expect(prompt > 1024 && data["contextSize"] == 1024)
        #expect(outcomes[small]?.result != nil)
      }
      let over = String(repeating: "a", count: (4 << 20) + 1)
      #expect(try client.request("assistant/rephrase", ["text": .string(over)]).errorCode == -32602)
    }

    @Test("output stopped at every token of an emoji family is never half a character")
    func emojiAtEveryToken() throws {
      let client = try Daemon.ready()
      for limit in 1...12 {
        let outcome = try client.request(
          "assistant/rephrase",
          ["text": "👩‍👩‍👧‍👦🏳️‍🌈👩‍👩‍👧‍👦🏳️‍🌈", "tone": "proofread", "options": ["maxTokens": .number(JSONNumber(limit))]])
        guard let text = outcome.result?["text"]?.stringValue else {
          #expect(outcome.errorKind == "emptyOutput")
          continue
        }
        #expect(!text.unicodeScalars.contains("\u{FFFD}"))
        #expect(text.unicodeScalars.last != "\u{200D}")
      }
    }

    @Test("empty text is an error, an unknown tone or personality lists the known ones, a session is not found")
    func refusals() throws {
      let client = try Daemon.ready()
      #expect(try client.request("assistant/rephrase", ["text": " \n\t "]).errorKind == "emptyPrompt")
      let tone = try client.request("assistant/rephrase", ["text": "x", "tone": "angry"])
      #expect(tone.errorCode == -32602)
      #expect(tone.reply["error"]?["message"]?.stringValue?.contains("formal") == true)
      let voice = try client.request("assistant/rephrase", ["text": "x", "personality": "nobody"])
      #expect(voice.errorCode == -32602)
      #expect(try client.request("assistant/rephrase", ["text": "x", "sessionId": "s"]).errorKind == "sessionNotFound")
    }
  }
}
