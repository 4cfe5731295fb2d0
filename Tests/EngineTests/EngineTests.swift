import Engine
import EngineProtocol
import Inference
import JSON
import JSONRPC
import Llama
import TestSupport
import Testing

/// The whole engine on the real model, over a connection as the front end has it.
@Suite(.serialized) struct EngineTests {
  @Test func helloComesFirstAndNothingIsLoaded() async throws {
    let engine = EngineHarness()
    let error = await engine.failure(EngineGenerate.self, GenerateParams(1, "Hi"))
    #expect(error?.code == EngineErrorCode.notLoaded.rawValue)
    let count = await engine.failure(EngineCount.self, EngineCount.Params(text: "Hi"))
    #expect(count?.code == EngineErrorCode.notLoaded.rawValue)
    let status = try await engine.request(EngineStatus.self, Empty())
    #expect(status.json == EngineStatus.Result().json)
    guard case .hello(let hello)? = engine.seen.first else {
      Issue.record("the first message is not engine/hello")
      return
    }
    #expect(hello.buildID == "test-build" && hello.processID == 42)
  }

  @Test func loadTellsTheFactsOnce() async throws {
    let engine = EngineHarness()
    let facts = try await engine.load()
    #expect(facts.architecture == "llama" && facts.quantization == "Q4_1" && facts.chatTemplate == "chatml")
    #expect(facts.contextSize == 2048 && facts.trainedContext == 8192 && facts.threads == 1)
    #expect(facts.flashAttention == "on" && facts.chatTemplateWarning == nil && facts.license == "apache-2.0")
    let fractions = engine.seen.compactMap { if case .loadProgress(let fraction) = $0 { fraction } else { nil } }
    #expect(fractions.last == 1 && fractions == fractions.sorted())
    let path = try DefaultModel.path()
    #expect(await engine.failure(EngineLoad.self, EngineLoad.Params(path: path))?.code == -32600)
    let tokens = try await engine.request(EngineCount.self, EngineCount.Params(text: "<|im_end|> The end."))
    #expect(tokens.tokens > 5)
  }

  /// A load that failed says why, and another one may follow.
  @Test func loadFailuresHaveReasons() async throws {
    let engine = EngineHarness()
    let folder = try TemporaryFolder()
    let page = try folder.file("page.gguf", Array("<html></html>".utf8))
    for (path, reason) in [(folder.path("none.gguf"), "modelNotFound"), (page, "modelInvalid"), ("", "modelNotFound")] {
      let error = await engine.failure(EngineLoad.self, EngineLoad.Params(path: path))
      #expect(error?.code == EngineErrorCode.loadFailed.rawValue)
      #expect(error?.data?["reason"] == .string(reason))
      #expect(error?.message.isEmpty == false)
    }
    try await engine.load(context: 256)
  }

  /// What is streamed is what the model writes when it is asked token by token, without any of the machinery.
  @Test func streamEqualsTheModelAlone() async throws {
    let engine = EngineHarness()
    try await engine.load()
    let question = "Write one sentence about the sea."
    let result = try await engine.request(EngineGenerate.self, GenerateParams(7, question))
    let model = try LlamaModel.load(
      path: DefaultModel.path(), options: .init(contextSize: 2048, threads: 1, reproducible: true))
    let prompt = try model.vocabulary.tokenise(model.template.render([ChatMessage(.user, question)]).segments).tokens
    #expect(result.promptTokens == prompt.count)
    #expect(result.contextSize == 2048 && result.contextUsed >= prompt.count + result.completionTokens)

    var bytes: [UInt8] = []
    var rows = prompt.indices.map {
      BatchRow(token: prompt[$0], position: Int32($0), sequence: 0, wantsLogits: $0 == prompt.count - 1)
    }
    for step in 0..<result.completionTokens {
      try model.decode(rows)
      let token = model.withLogits(row: rows.count - 1) { logits in
        Token(logits.indices.max { logits[$0] < logits[$1] } ?? 0)
      }
      #expect(!model.isEndOfGeneration(token))
      model.appendBytes(of: token, to: &bytes)
      rows = [BatchRow(token: token, position: Int32(prompt.count + step), sequence: 0, wantsLogits: true)]
    }
    #expect(result.completionTokens > 0)
    #expect(engine.text(of: 7).utf8.elementsEqual(bytes))
  }

  @Test func eightAtOnceEqualEachAlone() async throws {
    let engine = EngineHarness()
    try await engine.load()
    let questions = (0..<8).map { "Name \($0 + 2) animals that live in water." }
    for (index, question) in questions.enumerated() {
      _ = try await engine.request(EngineGenerate.self, GenerateParams(index, question, maxTokens: 12))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, question) in questions.enumerated() {
        group.addTask {
          _ = try await engine.request(EngineGenerate.self, GenerateParams(100 + index, question, maxTokens: 12))
        }
      }
      try await group.waitForAll()
    }
    for index in questions.indices {
      #expect(!engine.text(of: index).isEmpty)
      #expect(engine.text(of: index).utf8.elementsEqual(engine.text(of: 100 + index).utf8))
    }
    let status = try await engine.request(EngineStatus.self, Empty())
    #expect(status.active == 0 && status.waiting == 0)
  }

  /// A cancelled request is answered at once, sends nothing more, and leaves the others alone.
  @Test func cancelEndsOneRequest() async throws {
    let engine = EngineHarness()
    try await engine.load()
    let other = Task {
      try await engine.request(EngineGenerate.self, GenerateParams(2, "Count to ten.", maxTokens: 30))
    }
    let long = Task {
      try await engine.connection.request(EngineGenerate.self, GenerateParams(1, "Tell a long story.", maxTokens: 1500))
    }
    try await engine.wait("text") { $0.contains { if case .text(1, _) = $0 { true } else { false } } }
    long.cancel()
    await #expect(throws: RPCError.cancelled) { try await long.value }
    #expect(try await other.value.completionTokens > 0)
    let sent = engine.text(of: 1)
    // A later request is looked at after the cancellation.
    let again = try await engine.request(EngineGenerate.self, GenerateParams(3, "Say yes.", maxTokens: 3))
    #expect(again.completionTokens <= 3)
    #expect(engine.text(of: 1).utf8.elementsEqual(sent.utf8))
    // The cells are free again, but for what is kept for later requests.
    let status = try await engine.request(EngineStatus.self, Empty())
    #expect(status.active == 0 && status.waiting == 0)
  }

  @Test func pauseHoldsAndGoesOn() async throws {
    let engine = EngineHarness()
    try await engine.load()
    let task = Task { try await engine.request(EngineGenerate.self, GenerateParams(1, "Tell a story.", maxTokens: 60)) }
    try await engine.wait("text") { $0.contains { if case .text(1, _) = $0 { true } else { false } } }
    engine.connection.notify(EnginePause.self, EnginePause.Params(request: 1, paused: true))
    // Another request is served while this one rests; when it is done, two steps of the first would have come too.
    let status = try await engine.request(EngineStatus.self, Empty())
    #expect(status.active <= 1)
    _ = try await engine.request(EngineGenerate.self, GenerateParams(2, "Say yes.", maxTokens: 4))
    let held = engine.text(of: 1)
    _ = try await engine.request(EngineGenerate.self, GenerateParams(3, "Say no.", maxTokens: 4))
    #expect(engine.text(of: 1).utf8.elementsEqual(held.utf8))
    engine.connection.notify(EnginePause.self, EnginePause.Params(request: 1, paused: false))
    #expect(try await task.value.completionTokens > 0)
    #expect(engine.text(of: 1).utf8.count > held.utf8.count)
  }

  /// An answer that is ended from outside has a result as if the model had ended it, and its prompt stays in the cache.
  @Test func finishEndsAnAnswerWhereItStands() async throws {
    let engine = EngineHarness()
    try await engine.load()
    let prompt = "Tell a long story."
    let task = Task { try await engine.request(EngineGenerate.self, GenerateParams(1, prompt, maxTokens: 1500)) }
    try await engine.wait("text") { $0.contains { if case .text(1, _) = $0 { true } else { false } } }
    engine.connection.notify(EngineFinish.self, EngineFinish.Params(request: 1))
    // One that is not there is left alone.
    engine.connection.notify(EngineFinish.self, EngineFinish.Params(request: 77))
    let result = try await task.value
    #expect(result.finishReason == .stop && (1..<1500).contains(result.completionTokens))
    #expect(!engine.text(of: 1).isEmpty)
    let again = try await engine.request(EngineGenerate.self, GenerateParams(2, prompt, maxTokens: 1))
    #expect(again.cachedTokens == again.promptTokens - 1)
  }

  /// A value goes on behind its start, which the text does not repeat. A start of no value is refused.
  @Test func aValueGoesOnBehindItsStart() async throws {
    let engine = EngineHarness()
    try await engine.load()
    var params = GenerateParams(1, "Invent a name.", maxTokens: 60)
    params.schema = [
      "type": "object", "required": ["kind", "name"], "additionalProperties": false,
      "properties": ["kind": ["enum": ["cat", "dog"]], "name": ["type": "string", "maxLength": 12]],
    ]
    params.answerPrefix = #"{"kind":"dog","name":"Re"#
    _ = try await engine.request(EngineGenerate.self, params)
    let text = engine.text(of: 1)
    let value = try JSONParser.parse(params.answerPrefix + text)
    #expect(value["kind"] == "dog" && !text.contains("kind"))
    let name: String? = if case .string(let name)? = value["name"] { name } else { nil }
    #expect(name?.hasPrefix("Re") ?? false, "\(text)")
    params.request = 2
    params.answerPrefix = #"{"kind":"cow"#
    await #expect(throws: RPCError.invalidParams("answerPrefix is the start of no answer that the schema allows")) {
      try await engine.request(EngineGenerate.self, params)
    }
  }

  /// The instructions are found again in the cache.
  @Test func pinnedMessagesAreReused() async throws {
    let engine = EngineHarness()
    try await engine.load()
    let system = "You rewrite texts. Keep every fact, every name and every number. Answer with the new text only."
    let first = try await engine.request(EngineGenerate.self, GenerateParams(1, "One.", maxTokens: 2, system: system))
    let second = try await engine.request(EngineGenerate.self, GenerateParams(2, "Two?", maxTokens: 2, system: system))
    #expect(first.cachedTokens == 0)
    #expect(second.cachedTokens >= 20)
  }

  /// About 420 tokens leave more than 64 of 512 free, and less than 100.
  @Test(arguments: [(0, nil), (64, nil), (100, 100), (10_000, 128)] as [(Int, Int?)])
  func aPromptLeavesTheRoomThatIsAskedFor(room: Int, refusedWith reserved: Int?) async throws {
    let engine = EngineHarness()
    try await engine.load(context: 512)
    var params = GenerateParams(1, String(repeating: "word ", count: 415), maxTokens: 64)
    params.leastRoom = room
    guard let reserved else {
      _ = try await engine.request(EngineGenerate.self, params)
      return
    }
    let error = await engine.failure(EngineGenerate.self, params)
    #expect(error?.code == EngineErrorCode.contextWindowExceeded.rawValue)
    #expect(error?.data?["reservedForOutput"] == .number(JSONNumber(reserved)))
  }

  @Test func tooLongPromptIsRefusedWithNumbers() async throws {
    let engine = EngineHarness()
    try await engine.load(context: 256)
    let text = String(repeating: "word ", count: 400)
    let error = await engine.failure(EngineGenerate.self, GenerateParams(1, text, maxTokens: 1000))
    let count = try await engine.request(EngineCount.self, EngineCount.Params(text: text)).tokens
    #expect(error?.code == EngineErrorCode.contextWindowExceeded.rawValue)
    #expect(error?.data?["contextSize"] == 256)
    #expect(error?.data?["reservedForOutput"] == 64)
    guard case .number(let tokens)? = error?.data?["promptTokens"], let tokens = tokens.int else {
      Issue.record("no promptTokens")
      return
    }
    #expect((count...count + 20).contains(tokens))
  }

  /// No step is computed while a text is made tokens, and the engine lives all the same.
  @Test func tokenisingIsWorkThatIsTold() async throws {
    let engine = EngineHarness()
    try await engine.load(context: 256)
    let before = engine.beats.count
    _ = try await engine.request(EngineCount.self, EngineCount.Params(text: String(repeating: "a", count: 4 << 20)))
    #expect(Set(engine.beats.dropFirst(before).map(\.steps)).count > 1)
  }

  /// A long prompt reports how far it is, and the heartbeat moves meanwhile.
  @Test func longPromptsReportAndBeat() async throws {
    let engine = EngineHarness()
    try await engine.load(context: 4096)
    let text = String(repeating: "The sea was calm that day. ", count: 170)
    let result = try await engine.request(EngineGenerate.self, GenerateParams(1, text, maxTokens: 2))
    let steps = engine.seen.compactMap { if case .prefill(1, let done, let total) = $0 { [done, total] } else { nil } }
    #expect(steps.count > 2 && steps.allSatisfy { $0[0] <= $0[1] && $0[1] == result.promptTokens })
    #expect(steps.map { $0[0] } == steps.map { $0[0] }.sorted())
    let beats = engine.beats
    #expect(!beats.isEmpty)
    #expect(zip(beats, beats.dropFirst()).allSatisfy { $0.steps < $1.steps })
    #expect(beats.contains { $0.stepMilliseconds > 0 })
  }

  @Test func oneNumberForOneRequest() async throws {
    let engine = EngineHarness()
    try await engine.load()
    let first = Task {
      try await engine.request(EngineGenerate.self, GenerateParams(5, "Tell a story.", maxTokens: 40))
    }
    try await engine.wait("text") { $0.contains { if case .text(5, _) = $0 { true } else { false } } }
    #expect(await engine.failure(EngineGenerate.self, GenerateParams(5, "Hi"))?.code == -32600)
    #expect(try await first.value.completionTokens > 0)
  }

  /// When the front end is gone, the engine's thread ends in the middle of what it does.
  @Test func endsWithItsPeer() async throws {
    let engine = EngineHarness()
    try await engine.load(context: 8192)
    let text = String(repeating: "The sea was calm that day. ", count: 900)
    let task = Task { try? await engine.connection.request(EngineGenerate.self, GenerateParams(1, text)) }
    try await engine.wait("prefill") { $0.contains { if case .prefill = $0 { true } else { false } } }
    let start = ContinuousClock.now
    engine.connection.close()
    _ = try await engine.ending()
    let server = engine.server
    let isOver = try await onThread {
      let deadline = Deadline(5)
      while !server.isOver, !deadline.hasPassed {}
      return server.isOver
    }
    #expect(isOver)
    #expect(ContinuousClock.now - start < .seconds(3))
    _ = await task.value
  }
}
