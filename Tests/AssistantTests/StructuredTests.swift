import Assistant
import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

/// `assistant/brainstorm` and `assistant/generate` through a connection, on a scripted engine.
@Suite(.timeLimit(.minutes(2))) struct StructuredTests {
  private static let token = ProgressToken(RequestID(1))

  /// What the model writes in one call: its text, and how it ends.
  struct Answer: Sendable {
    var text: String
    var snapshots: [JSONValue] = []
    var reason = EngineProtocol.FinishReason.stop

    init(_ text: String, snapshots: [JSONValue] = [], _ reason: EngineProtocol.FinishReason = .stop) {
      self.text = text
      self.snapshots = snapshots
      self.reason = reason
    }

    var steps: [ScriptedEngine.Step] {
      // In two pieces, since the text is what they are together.
      let half = text.unicodeScalars.index(text.startIndex, offsetBy: text.unicodeScalars.count / 2)
      let pieces = [String(text[..<half]), String(text[half...])]
      return snapshots.map { .event(.structured($0)) } + pieces.map { .event(.text($0)) }
        + [.event(.finished(.scripted(reason)))]
    }
  }

  /// What came of a request.
  struct Outcome {
    var result: Result<JSONValue, RPCError>
    var snapshots: [JSONValue]
    var prompts: [GenerateParams]

    var value: JSONValue? { (try? result.get())?["value"] }
    var error: RPCError? { if case .failure(let error) = result { error } else { nil } }
    var warnings: [JSONValue] {
      if case .array(let all)? = (try? result.get())?["warnings"] { all.compactMap { $0["code"] } } else { [] }
    }
  }

  /// The one door: sends the request to an engine that plays the scripts.
  private func ask<Method: RequestMethod>(
    _: Method.Type, _ params: Method.Params, _ scripts: [[ScriptedEngine.Step]]
  ) async throws -> Outcome where Method.Params: GenerationParams, Method.Result: GenerationResult {
    let engine = ScriptedEngine(scripts)
    let client = await TestClient(engine)
    try await client.initialize()
    var params = params
    params.common.partialResultToken = Self.token
    let result: Result<JSONValue, RPCError>
    do throws(RPCError) {
      result = .success(try await client.connection.request(Method.self, params, timeout: .seconds(10)).json)
    } catch {
      result = .failure(error)
    }
    let snapshots = client.partials(Self.token).compactMap { partial -> JSONValue? in
      if case .structured(let snapshot) = partial { snapshot.value } else { nil }
    }
    _ = await client.end()
    return Outcome(result: result, snapshots: snapshots, prompts: engine.prompts)
  }

  private func brainstorm(_ params: Brainstorm.Params, _ answers: Answer...) async throws -> Outcome {
    try await ask(Brainstorm.self, params, answers.map(\.steps))
  }

  private static let point: JSONValue = [
    "type": "object", "properties": ["x": ["type": "integer"], "note": ["type": "string", "maxLength": 9]],
    "required": ["x", "note"], "additionalProperties": false,
  ]

  private func generate(_ schema: JSONValue, _ steps: [ScriptedEngine.Step]) async throws -> Outcome {
    try await ask(Generate.self, Generate.Params(prompt: "a place", schema: schema), [steps])
  }

  @Test func theValueIsWhatTheModelWrote() async throws {
    let written = #"{"note":"é \u0041","x":1e2}"#
    let outcome = try await generate(Self.point, Answer(written).steps)
    #expect(outcome.value.map(JSONWriter.text) == #"{"note":"é A","x":1e2}"#)
    #expect(outcome.warnings.isEmpty)
    #expect(outcome.prompts.map(\.schema) == [Self.point])
  }

  @Test func snapshotsComeInOrderAndTheLastIsTheValue() async throws {
    let parts: [JSONValue] = [[:], [:], ["x": 1], ["x": 1, "note": "a"]]
    let outcome = try await generate(Self.point, Answer(#"{"x":1,"note":"ab"}"#, snapshots: parts).steps)
    // A slow reader may be sent fewer, but in this order.
    let all: [JSONValue] = [[:], ["x": 1], ["x": 1, "note": "a"], ["x": 1, "note": "ab"]]
    var rest = all[...]
    for snapshot in outcome.snapshots {
      let place = try #require(rest.firstIndex(of: snapshot), "\(snapshot) out of order")
      rest = rest[(place + 1)...]
    }
    #expect(outcome.snapshots.last == outcome.value)
  }

  @Test(
    arguments: [
      ("", EngineProtocol.FinishReason.stop, 1009, nil), (" \n", .stop, 1009, nil), ("", .length, 1015, "length"),
      (#"{"x":1,"no"#, .length, 1015, "length"), (#"{"x":1,"no"#, .contextFull, 1015, "contextFull"),
      (#"{"x":1,"note":"a"} extra"#, .stop, 1015, "stop"), (#"{"x":1.5,"note":"a"}"#, .stop, 1015, "stop"),
      (#"{"x":1}"#, .stop, 1015, "stop"), (#"{"x":1,"note":"0123456789"}"#, .stop, 1015, "stop"),
      (#"{"x":1,"note":"a","y":2}"#, .stop, 1015, "stop"), ("Sure! Here is it", .stop, 1015, "stop"),
    ] as [(String, EngineProtocol.FinishReason, Int, String?)])
  func whatIsNoValueIsAnError(
    _ text: String, _ reason: EngineProtocol.FinishReason, _ code: Int, _ finishReason: String?
  ) async throws {
    let outcome = try await generate(Self.point, Answer(text, reason).steps)
    #expect(outcome.error?.code == code)
    #expect(outcome.error?.data?["finishReason"] == finishReason.map(JSONValue.string))
  }

  @Test func aValueThatWasEndedByTheLimitIsGoodAndSaysSo() async throws {
    let outcome = try await generate(Self.point, Answer(#"{"x":1,"note":"a"}"#, .length).steps)
    #expect(outcome.value == ["x": 1, "note": "a"])
    #expect(outcome.warnings == ["truncatedByLimit"])
  }

  @Test(
    arguments: [
      (["not": [:]], "", "not"), (["properties": ["a": ["multipleOf": 2]]], "/properties/a", "multipleOf"),
      (["type": "strin"], "", "type"), (7, "", ""), (["pattern": "("], "", "pattern"),
    ] as [(JSONValue, String, String)])
  func aSchemaIsRefusedBeforeTheEngineIsAsked(
    _ schema: JSONValue, _ pointer: String, _ keyword: String
  ) async throws {
    let outcome = try await generate(schema, Answer("1").steps)
    #expect(outcome.error?.code == 1006)
    #expect(outcome.error?.data?["pointer"] == .string(pointer))
    #expect(outcome.error?.data?["keyword"] == .string(keyword))
    #expect(outcome.prompts.isEmpty)
    let params = Brainstorm.Params(topic: "t", schema: schema)
    #expect(try await brainstorm(params, Answer("1")).error?.code == 1006)
  }

  @Test func nothingToWorkOnIsAnError() async throws {
    let blank = try await brainstorm(Brainstorm.Params(topic: " \u{3000}\n"), Answer("{}"))
    #expect(blank.error?.code == 1005)
    #expect(blank.prompts.isEmpty)
    let prompt = Generate.Params(prompt: "\n", schema: true)
    #expect(try await ask(Generate.self, prompt, [Answer("1").steps]).error?.code == 1005)
    var params = Brainstorm.Params(topic: "t")
    params.common.sessionID = SessionID("s")
    #expect(try await brainstorm(params, Answer("{}")).error?.code == 1003)
    let empty =
      #"{"movieTitle":"   ","setting":"        ","incitingIncident":"        ","#
      + #""centralConflict":"        ","darkestMoment":"        ","resolution":"        ","theme":"   "}"#
    #expect(try await brainstorm(Brainstorm.Params(topic: "t", kind: .storyArc), Answer(empty)).error?.code == 1009)
  }

  @Test func engineFailuresAreTheRequests() async throws {
    for (failure, code) in [
      (EngineFailure.died(.crashed), 1013), (.overloaded(limit: 1), 1012),
      (.unsupportedSchema(pointer: "/a", keyword: "pattern", problem: "it is too large"), 1006),
      (.unavailable(.unloaded), 1001),
      (.contextWindowExceeded(promptTokens: 9, contextSize: 8, reservedForOutput: 1), 1002),
    ] {
      #expect(try await generate(Self.point, [.event(.failed(failure))]).error?.code == code)
    }
  }

  @Test func aRestartedEngineBeginsAnew() async throws {
    let steps: [ScriptedEngine.Step] =
      [.event(.text(#"{"x":7,"#)), .event(.restarted)] + Answer(#"{"x":1,"note":"a"}"#).steps
    let outcome = try await generate(Self.point, steps)
    #expect(outcome.value == ["x": 1, "note": "a"])
    #expect(outcome.warnings == ["retried"])
  }

  @Test func repeatedItemsAreAskedForAgain() async throws {
    let params = Brainstorm.Params(topic: "t", kind: .tags, count: 4, format: .plaintext)
    let outcome = try await brainstorm(
      params, Answer(#"{"tags":["red","Red","blue","b l u e."]}"#), Answer(#"{"tags":["blue","RED","blue","red"]}"#),
      Answer(#"{"tags":["gre"#, .length), Answer(#"{"tags":["green","red","grey","gold"]}"#))
    #expect(outcome.value == ["tags": ["red", "blue", "green", "grey"]])
    #expect(outcome.warnings == ["retried"])
    #expect(try outcome.result.get()["rendered"] == "red, blue, green, grey")
    #expect(outcome.prompts.count == 4)
    // Two are missing each time, and two more are asked for; each time hotter and with another seed.
    #expect(outcome.prompts.dropFirst().allSatisfy { $0.schema?["properties"]?["tags"]?["maxItems"] == 4 })
    #expect(Set(outcome.prompts.map(\.sampling.seed)).count == 4)
    let temperatures = outcome.prompts.map(\.sampling.temperature)
    #expect(temperatures == temperatures.sorted() && Set(temperatures).count == 4)
  }

  @Test func theOtherMembersStayWhenItemsAreAskedForAgain() async throws {
    let first = #"{"concepts":["A cat flies.","a cat  flies"],"themes":["x y","yyy"],"suggestedTitle":"Cats"}"#
    let part: JSONValue = ["concepts": ["A cat flies.", "A d"]]
    let outcome = try await brainstorm(
      Brainstorm.Params(topic: "t", count: 2), Answer(first),
      Answer(#"{"concepts":["A cat flies.","A dog swims.","A cow runs."]}"#, snapshots: [part]))
    let whole: JSONValue = [
      "concepts": ["A cat flies.", "A dog swims."], "themes": ["x y", "yyy"], "suggestedTitle": "Cats",
    ]
    #expect(outcome.value == whole)
    #expect(outcome.snapshots.last == whole)
    for snapshot in outcome.snapshots { #expect(snapshot["suggestedTitle"] == "Cats") }
    #expect(outcome.prompts.last?.schema?["properties"]?["themes"] == nil)
  }

  @Test func whenTheModelKnowsNoMoreItIsAnError() async throws {
    let outcome = try await brainstorm(
      Brainstorm.Params(topic: "t", kind: .tags, count: 2), Answer(#"{"tags":["red","red"]}"#))
    #expect(outcome.error?.code == 1015)
    #expect(outcome.error?.data?["finishReason"] == "stop")
    #expect(outcome.error?.data?["retryable"] == true)
    #expect(outcome.prompts.count == 5)
  }

  @Test func aSchemaOfTheCallersTakesTheKindsPlace() async throws {
    let params = Brainstorm.Params(topic: "t", kind: .tags, count: 3, schema: Self.point)
    let outcome = try await brainstorm(params, Answer(#"{"x":1,"note":"*a*"}"#))
    let result = try outcome.result.get()
    #expect(result["value"] == ["x": 1, "note": "*a*"])
    #expect(result["kind"] == "tags")
    #expect(result["rendered"] == .string("- **x:** 1\n- **note:** \\*a\\*"))
  }

  @Test func theSchemaIsShownUnlessNotWanted() async throws {
    for (isShown, text) in [
      (true, "Say it.\n\nAnswer in JSON of this schema:\n" + JSONWriter.text(of: Self.point)), (false, "Say it."),
    ] {
      let params = Generate.Params(prompt: " Say it.\n", schema: Self.point, includeSchemaInPrompt: isShown)
      let outcome = try await ask(Generate.self, params, [Answer(#"{"x":1,"note":"a"}"#).steps])
      #expect(outcome.prompts.first?.messages.last?.text == text)
    }
  }

  @Test func optionsAndInstructionsReachTheModel() async throws {
    var params = Brainstorm.Params(topic: "ships", kind: .tags, count: 1)
    params.common.instructions = "Say “you”."
    params.common.options = GenerationOptions()
    params.common.options?.seed = 7
    params.common.options?.maxTokens = 99
    let outcome = try await brainstorm(params, Answer(#"{"tags":["red"]}"#))
    let prompt = try #require(outcome.prompts.first)
    #expect(prompt.sampling.seed == 7)
    #expect(prompt.sampling.temperature == 0.8)
    #expect(prompt.maxTokens == 99)
    let text = prompt.messages.last?.text ?? ""
    #expect(text.hasPrefix("Give 1 different tags for: ships") && text.hasSuffix("Say “you”."))
    #expect(prompt.messages.count == 4 && prompt.pinnedMessages == 3)
  }

  /// A story whose values are all the given text, but for the title.
  /// - Parameter start: what the prompt ends with already.
  private func story(_ text: String, title: String? = nil, behind start: String = "") -> Answer {
    let whole =
      #"{"movieTitle":"\#(title ?? text)","setting":"\#(text)","incitingIncident":"\#(text)","centralConflict":"#
      + #""\#(text)","darkestMoment":"\#(text)","resolution":"\#(text)","theme":"\#(text)"}"#
    #expect(whole.hasPrefix(start))
    return Answer(String(whole.dropFirst(start.count)))
  }

  @Test func anExampleIsNoAnswer() async throws {
    let params = Brainstorm.Params(topic: "t", kind: .storyArc)
    let copied = story("Bread Before Dawn")
    let start = #"{"movieTitle":""#
    let once = try await brainstorm(params, copied, story("something else", behind: start))
    #expect(once.value?["theme"] == "something else")
    #expect(once.warnings == ["retried"])
    #expect(once.prompts.map(\.messages.count) == [4, 4])
    #expect(once.prompts.map(\.answerPrefix) == ["", start])
    // What stands before the copied text stays.
    let titled = #"{"movieTitle":"A title","setting":""#
    let later = try await brainstorm(
      params, story("Nobody bakes alone.", title: "A title"), story("something else", title: "A title", behind: titled))
    #expect(later.value?["movieTitle"] == "A title" && later.value?["theme"] == "something else")
    #expect(later.prompts.map(\.answerPrefix) == ["", titled])
    // Without the example the model is told the members instead.
    let twice = try await brainstorm(
      params, copied, story("Bread Before Dawn", behind: start), story("something else", behind: start))
    #expect(twice.prompts.map(\.messages.count) == [4, 4, 2])
    #expect(twice.prompts.last?.messages.last?.text.contains("\nsetting: where and when\n") ?? false)
    let tags = Brainstorm.Params(topic: "t", kind: .tags, count: 2)
    let list = try await brainstorm(tags, Answer(#"{"tags":["Magic","red"]}"#), Answer(#"{"tags":["blue","magic"]}"#))
    #expect(list.value == ["tags": ["red", "blue"]])
  }

  @Test func suspiciousCharactersAreNamed() async throws {
    let outcome = try await generate(Self.point, Answer("{\"x\":1,\"note\":\"a\u{202E}\u{202E}b\"}").steps)
    #expect(outcome.warnings == ["suspiciousCharacters"])
  }

  @Test func aCancelledRequestEndsAtTheEngine() async throws {
    let never = Gate<Void>()
    let engine = ScriptedEngine([[.event(.structured(["tags": ["re"]])), .wait(never)]])
    let client = await TestClient(engine)
    try await client.initialize()
    var params = Brainstorm.Params(topic: "t", kind: .tags)
    params.common.partialResultToken = Self.token
    let request = Task { [params] in try await client.connection.request(Brainstorm.self, params) }
    try await withDeadline(.seconds(5), "a partial result") {
      while client.partials(Self.token).isEmpty { await Task.yield() }
    }
    request.cancel()
    await #expect(throws: RPCError.cancelled) { try await request.value }
    try await withDeadline(.seconds(5), "the engine's cancel") { await engine.cancelled.wait() }
    never.open()
    _ = await client.end()
  }
}
