import AssistantProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

/// The one door: what a message refuses, and the sentence it is refused with.
private func check<Message: JSONConvertible>(
  _: Message.Type, _ json: JSONValue, refused sentence: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  do throws(JSONMismatch) {
    _ = try Message(json: json)
    Issue.record("accepted", sourceLocation: sourceLocation)
  } catch {
    #expect(error.message == sentence, sourceLocation: sourceLocation)
  }
}

@Suite struct RefusalTests {
  @Test(
    arguments: [
      ("temperature", -1, "between 0 and 2"), ("temperature", 1e9, "between 0 and 2"),
      ("temperature", 2.01, "between 0 and 2"),
      ("topP", 1.5, "between 0 and 1"), ("minP", -0.1, "between 0 and 1"), ("topK", -5, "between 0 and 2147483647"),
      ("seed", -1, "between 0 and 4294967295"), ("seed", 4_294_967_296, "between 0 and 4294967295"),
      ("seed", 1_099_511_627_776, "between 0 and 4294967295"), ("maxTokens", 0, "between 1 and 2147483647"),
      ("maxTokens", 1.5, "an integer, not a fraction"), ("maxTokens", "9", "an integer, not string"),
      ("temperature", "hot", "a number, not string"), ("reasoning", 1, "true or false, not number"),
      ("sampling", "beam", "one of “greedy”, “random”"),
    ] as [(String, JSONValue, String)])
  func options(_ name: String, _ value: JSONValue, _ ending: String) {
    let options = JSONObject([(name, value)])
    check(
      Rephrase.Params.self, ["text": "t", "options": .object(options)],
      refused: "options.\(name) must be \(ending)")
  }

  @Test(
    arguments: [
      ([:], "text is missing"), (["text": nil], "text must be a string, not null"),
      (["text": "t", "tone": 1], "tone must be a string, not number"),
      (["text": "t", "personality": ["neutral"]], "personality must be a string, not array"),
      (["text": "t", "stream": "all"], "stream must be one of “delta”, “snapshot”"),
      (["text": "t", "partialResultToken": 1.5], "partialResultToken must be a string or an integer"),
      (["text": "t", "workDoneToken": true], "workDoneToken must be a string or an integer"),
      (["text": "t", "options": 1], "options must be an object, not number"),
      (["text": "t", "alternatives": 0], "alternatives must be between 1 and 5"),
      (["text": "t", "alternatives": 6], "alternatives must be between 1 and 5"),
      (["text": "t", "protect": "x"], "protect must be an array, not string"),
      (["text": "t", "context": ["before": 1]], "context.before must be a string, not number"),
    ] as [(JSONValue, String)])
  func rephrase(_ params: JSONValue, _ sentence: String) { check(Rephrase.Params.self, params, refused: sentence) }

  /// Names that only the configuration knows are refused where it is known, with those that there are.
  @Test func namesThatThereAreNot() throws {
    var known = Customization()
    known.tones = [CustomVoice(id: "pirate")]
    known.personalities = [CustomVoice(id: "chewie")]
    func refusal(_ json: JSONValue) throws -> String {
      var params = try Rephrase.Params(json: json)
      do throws(JSONMismatch) { try params.complete(with: known) } catch { return error.message }
      return "accepted"
    }
    #expect(
      try refusal(["text": "t", "tone": "rude"])
        == "tone must be one of “formal”, “exciting”, “simpler”, “shorter”, “longer”, “friendly”, “proofread”, “pirate”"
    )
    #expect(
      try refusal(["text": "t", "personality": "yoda"])
        == "personality must be one of “neutral”, “woody”, “buzz”, “dory”, “chewie”")
    #expect(try refusal(["text": "t", "tone": "pirate", "personality": "chewie"]) == "accepted")
    known.textBytes = 3
    #expect(try refusal(["text": "four"]) == "text and all other texts of a request must be at most 3 bytes together")
    var command = CustomCommand.Params(id: "x")
    #expect(throws: JSONMismatch(path: "id", "names no command: none is configured")) {
      try command.complete(with: known)
    }
    known.commands = [CommandDefinition(), CommandDefinition()]
    (known.commands[0].id, known.commands[1].id) = ("a", "b")
    #expect(throws: JSONMismatch(path: "id", "must be one of “a”, “b”")) { try command.complete(with: known) }
  }

  @Test(
    arguments: [
      ([:], "topic is missing"),
      (
        ["topic": "t", "kind": "poem"],
        "kind must be one of “ideas”, “sequel”, “character”, “storyArc”, “tags”"
      ),
      (["topic": "t", "count": 0], "count must be between 1 and 50"),
      (["topic": "t", "count": 51], "count must be between 1 and 50"),
      (["topic": "t", "count": 2.5], "count must be an integer, not a fraction"),
      (["topic": "t", "format": "html"], "format must be one of “markdown”, “plaintext”, “org”, “latex”"),
    ] as [(JSONValue, String)])
  func brainstorm(_ params: JSONValue, _ sentence: String) {
    check(Brainstorm.Params.self, params, refused: sentence)
  }

  @Test(
    arguments: [
      (["schema": [:]], "prompt is missing"), (["prompt": "p"], "schema is missing"),
      (
        ["prompt": "p", "schema": [:], "includeSchemaInPrompt": "no"],
        "includeSchemaInPrompt must be true or false, not string"
      ),
    ] as [(JSONValue, String)])
  func generate(_ params: JSONValue, _ sentence: String) {
    check(Generate.Params.self, params, refused: sentence)
  }

  @Test(
    arguments: [
      (["message": "m"], "sessionId is missing"), (["sessionId": "s"], "message is missing"),
      (["sessionId": "s", "message": "m", "retry": true], "message must be absent with retry"),
      (
        ["sessionId": "a b", "message": "m"], "sessionId must be 1 to 128 letters, digits, dots, hyphens or underscores"
      ),
      (["sessionId": "s", "message": 1], "message must be a string, not number"),
      (["sessionId": "s", "message": "m", "protect": [""]], "protect must not hold an empty string"),
    ] as [(JSONValue, String)])
  func chat(_ params: JSONValue, _ sentence: String) { check(Chat.Params.self, params, refused: sentence) }

  @Test(
    arguments: [
      (["contextPolicy": "drop"], "contextPolicy must be one of “error”, “slidingWindow”, “summarize”"),
      (["maxTurns": 0], "maxTurns must be between 1 and 1000000"),
      (
        ["transcript": [["role": "response", "text": "a"]]],
        "transcript[0].role must not be “response” here: after the instructions, prompts and responses take turns, and "
          + "between them stand calls, each with its output"
      ),
      (
        ["transcript": [["role": "prompt", "text": "a"]]], "transcript must not end with a prompt that has no response"
      ),
      (["tools": [["name": "a", "description": "d"]]], "tools[0].parameters is missing"),
      (
        ["tools": [["name": "a", "description": "d", "parameters": ["type": "string"]]]],
        "tools[0].parameters must be the schema of an object"
      ),
      (
        ["tools": [["name": "none", "description": "d", "parameters": true]]],
        "tools[0].name must not be “none”, which stands for no tool"
      ),
      (
        ["tools": [["name": "a b", "description": "d", "parameters": true]]],
        "tools[0].name must be 1 to 64 letters, digits, hyphens or underscores"
      ),
      (["tools": [["builtin": "randomInteger", "confirm": true]]], "tools[0].builtin must stand alone"),
      (
        ["tools": [["builtin": "randomInteger"], ["builtin": "randomInteger"]]],
        "tools[1].name must not be that of another tool"
      ),
      (
        ["tools": .array(Array(repeating: ["builtin": "randomInteger"], count: 17))], "tools must hold at most 16 tools"
      ),
    ] as [(JSONValue, String)])
  func createSession(_ params: JSONValue, _ sentence: String) {
    check(SessionCreate.Params.self, params, refused: sentence)
  }

  @Test(
    arguments: [
      ([:], "text is missing"),
      (["text": "t", "style": "poem"], "style must be one of “sentences”, “bullets”, “headline”"),
      (["text": "t", "count": 0], "count must be between 1 and 20"),
      (["text": "t", "count": 21], "count must be between 1 and 20"),
      (["text": "t", "count": 1.5], "count must be an integer, not a fraction"),
      (["text": "t", "style": "headline", "count": 2], "count must be 1 when style is “headline”"),
    ] as [(JSONValue, String)])
  func summarize(_ params: JSONValue, _ sentence: String) { check(Summarize.Params.self, params, refused: sentence) }

  @Test(
    arguments: [
      (["method": 1], "method must be a string, not number"), (["params": ["text": "t"]], "method is missing"),
      (["method": "assistant/rephrase", "params": true], "params must be an object, not boolean"),
      (["method": "assistant/rephrase", "params": ["text": 1]], "params.text must be a string, not number"),
      (
        ["method": "assistant/summarize", "params": ["style": "x"]],
        "params.style must be one of “sentences”, “bullets”, “headline”"
      ),
    ] as [(JSONValue, String)])
  func prewarm(_ params: JSONValue, _ sentence: String) { check(Prewarm.Params.self, params, refused: sentence) }

  @Test(arguments: ["", "a b", "ü", "a/b", "a\u{0}", "e\u{301}", String(repeating: "a", count: 129)])
  func sessionIDs(_ id: String) {
    check(
      Rephrase.Params.self, ["text": "t", "sessionId": .string(id)],
      refused: "sessionId must be 1 to 128 letters, digits, dots, hyphens or underscores")
  }

  @Test(arguments: ["a", "A.b_c-9", String(repeating: "a", count: 128)])
  func sessionIDsAccepted(_ id: String) throws {
    #expect(try Rephrase.Params(json: ["text": "t", "sessionId": .string(id)]).common.sessionID?.text == id)
  }

  @Test(arguments: ["", "a\u{0}b"])
  func paths(_ path: String) {
    check(
      ModelLoad.Params.self, ["path": .string(path)], refused: "path must not be empty and must not hold U+0000")
    check(ModelLoad.Params.self, [:], refused: "path is missing")
  }

  @Test func textsAreLimitedTogether() throws {
    let most = String(repeating: "a", count: Limits.textBytes)
    _ = try Rephrase.Params(json: ["text": .string(most)])
    _ = try CountTokens.Params(json: ["text": .string(most)])
    let sentence = "text and all other texts of a request must be at most 4194304 bytes together"
    check(Rephrase.Params.self, ["text": .string(most + "a")], refused: sentence)
    check(Rephrase.Params.self, ["text": .string(most), "instructions": "b"], refused: sentence)
    check(Brainstorm.Params.self, ["topic": .string(most), "instructions": "b"], refused: sentence)
    check(Generate.Params.self, ["prompt": .string(most + "a"), "schema": [:]], refused: sentence)
    check(CountTokens.Params.self, ["text": .string(most + "a")], refused: sentence)
  }

  /// What all requests that generate text have in common is refused by each of them.
  @Test func commonParametersAreCheckedByAll() throws {
    let half = String(repeating: "a", count: Limits.textBytes / 2)
    let many = JSONValue.array((0...Limits.protectedStrings).map { .string("\($0)") })
    let together = "text and all other texts of a request must be at most 4194304 bytes together"
    let rows: [(JSONObject, String)] = [
      (JSONObject([("protect", many)]), "protect must hold at most 1000 strings"),
      (JSONObject([("protect", ["a", ""])]), "protect must not hold an empty string"),
      (JSONObject([("protect", [.string(half), .string(half + "a")])]), together),
      (JSONObject([("instructions", .string(half)), ("protect", [.string(half + "a")])]), together),
      (JSONObject([("context", ["before": .string(half), "after": .string(half + "a")])]), together),
      (JSONObject([("context", ["before": .string(half + half), "uri": "a"])]), together),
    ]
    func with(_ own: [(String, JSONValue)], _ common: JSONObject) -> JSONValue {
      .object(JSONObject(own + common.members.map { ($0.name, $0.value) }))
    }
    for (common, sentence) in rows {
      check(Rephrase.Params.self, with([("text", "t")], common), refused: sentence)
      check(Summarize.Params.self, with([("text", "t")], common), refused: sentence)
      check(Brainstorm.Params.self, with([("topic", "t")], common), refused: sentence)
      check(Generate.Params.self, with([("prompt", "t"), ("schema", true)], common), refused: sentence)
    }
    let most = JSONValue.array((0..<Limits.protectedStrings).map { .string("\($0)") })
    _ = try Summarize.Params(json: ["text": "t", "protect": most])
  }

  @Test(
    arguments: [
      (["kind": "text"], "value.text is missing"), (["kind": "text", "offset": 0], "value.delta is missing"),
      (["kind": "middle"], "value.kind must be one of “begin”, “report”, “end”"),
      ([:], "value.kind must be one of “begin”, “report”, “end”"),
      (["kind": "report", "percentage": 101], "value.percentage must be between 0 and 100"),
    ] as [(JSONValue, String)])
  func progress(_ value: JSONValue, _ sentence: String) {
    check(Progress.Params.self, ["token": 1, "value": value], refused: sentence)
  }
}
