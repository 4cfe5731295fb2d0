import EngineProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

import struct TestSupport.SplitMix64

/// Answers with a form, by the real model.
@Suite(.serialized) struct StructureTests {
  /// 40 random schemas: every finished value is valid to our validator and to Python's jsonschema, its snapshots lead
  /// up to it, and nearly all finish.
  @Test func finishedValuesAreValid() async throws {
    let engine = EngineHarness()
    try await engine.load(context: 8_192, reproducible: false)
    var finished: [SecondOpinion.Case] = []
    for group in 0..<10 {
      let sources = (0..<4).map { index in
        var random = SplitMix64(seed: UInt64(5_000 + 4 * group + index))
        return random.jsonSchema()
      }
      let reasons = try await withThrowingTaskGroup(of: (Int, FinishReason).self) { tasks in
        for (index, source) in sources.enumerated() {
          let number = 4 * group + index + 1
          var params = GenerateParams(number, "Write a JSON record about the sea.", maxTokens: 120)
          params.schema = source
          params.sampling.temperature = index % 2 == 0 ? 0 : 1
          params.sampling.seed = number
          let request = params
          tasks.addTask { (index, try await engine.request(EngineGenerate.self, request).finishReason) }
        }
        return try await tasks.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      for (index, source) in sources.enumerated() where reasons[index] == .stop {
        let number = 4 * group + index + 1
        let text = engine.text(of: number)
        let value = try JSONParser.parse(text)
        let findings = try JSONSchema(source).validate(value)
        #expect(findings.isEmpty, "\(findings) \(text) \(JSONWriter.text(of: source))")
        let snapshots = engine.values(of: number)
        #expect(snapshots.last == value, "\(text)")
        #expect(zip(snapshots, snapshots.dropFirst()).allSatisfy { $0.isPart(of: $1) }, "\(text)")
        finished.append(SecondOpinion.Case(schema: source, text: text))
      }
    }
    #expect(finished.count >= 36, "\(finished.count) finished")
    let objections = try SecondOpinion.objections(to: finished)
    #expect(objections.isEmpty, "\(objections.prefix(5))")
  }

  @Test(arguments: [
    (#"{"not":{}}"#, "", "not"), (#"{"properties":{"a":{"minLength":-1}}}"#, "/properties/a", "minLength"),
    (#"{"items":{"pattern":"a","format":"date"}}"#, "/items", "format"),
    (#"{"pattern":"^(aa)*$","minLength":3,"maxLength":3}"#, "", ""),
  ])
  func unsupportedSchemas(_ schema: String, _ pointer: String, _ keyword: String) async throws {
    let engine = EngineHarness()
    try await engine.load(context: 512)
    var params = GenerateParams(1, "Hi", maxTokens: 5)
    params.schema = try JSONParser.parse(schema)
    let error = await engine.failure(EngineGenerate.self, params)
    #expect(error?.code == EngineErrorCode.unsupportedSchema.rawValue)
    #expect(error?.data?["pointer"] == .string(pointer) && error?.data?["keyword"] == .string(keyword))
    params.schema = nil
    #expect(try await engine.request(EngineGenerate.self, params).completionTokens > 0)
  }

  @Test(arguments: [
    (TextShape.Unit.sentence, 1), (.sentence, 3), (.bullet, 4), (.headline, 1),
  ])
  func shapes(_ unit: TextShape.Unit, _ count: Int) async throws {
    let engine = EngineHarness()
    try await engine.load(context: 2_048)
    let story =
      "The sea was calm. A boat left the harbour at dawn with three fishers. They came home late, with no fish."
    var params = GenerateParams(1, "Sum this up: " + story, maxTokens: 400)
    params.shape = TextShape(unit, count: count)
    let result = try await engine.request(EngineGenerate.self, params)
    let text = engine.text(of: 1)
    #expect(result.finishReason == .stop, "\(text)")
    #expect(result.logProbability < 0)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    switch unit {
    case .sentence:
      #expect(lines.count == 1)
      #expect((text + " ").matches(of: #/[.!?…]["')\]}»”’›]* /#).count == count, "\(text)")
    case .bullet: #expect(lines.count == count && lines.allSatisfy { $0.hasPrefix("- ") && $0.count > 2 }, "\(text)")
    case .headline: #expect(lines.count == 1 && !text.isEmpty && !text.hasSuffix("."), "\(text)")
    }
    #expect(engine.values(of: 1).isEmpty)
  }

  @Test func prefillAloneGeneratesNothing() async throws {
    let engine = EngineHarness()
    try await engine.load(context: 2_048)
    var params = GenerateParams(1, String(repeating: "The sea was calm that day. ", count: 20), maxTokens: 8)
    params.prefillOnly = true
    let first = try await engine.request(EngineGenerate.self, params)
    #expect(first.completionTokens == 0 && engine.text(of: 1).isEmpty)
    (params.request, params.prefillOnly) = (2, false)
    let second = try await engine.request(EngineGenerate.self, params)
    #expect(second.cachedTokens >= first.promptTokens - 1 && second.logProbability < 0)
  }
}
