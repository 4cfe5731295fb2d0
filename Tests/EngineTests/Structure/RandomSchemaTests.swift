import Engine
import Inference
import JSON
import TestSupport
import Testing

import struct TestSupport.SplitMix64

@Suite struct RandomSchemaTests {
  /// Whatever a grammar lets through is valid to the validator, which knows nothing of grammars.
  @Test(arguments: 0..<10) func everythingWrittenIsValid(_ part: Int) throws {
    for seed in part * 40..<(part + 1) * 40 {
      var random = SplitMix64(seed: UInt64(seed))
      let source = random.jsonSchema()
      let schema = try JSONSchema(source)
      for _ in 0..<3 {
        let written = try randomText(of: schema, &random)
        let text = try #require(written, "no UTF-8 for \(JSONWriter.text(of: source))")
        let value = try JSONParser.parse(text)
        let findings = schema.validate(value)
        #expect(findings.isEmpty, "\(findings) \(text) \(JSONWriter.text(of: source))")
        #expect(JSONWriter.text(of: value) == text, "not the writer's form")
      }
    }
  }

  /// 500 schemas on logits that are random or against all reason: every finished value is valid to our validator and to
  /// Python's jsonschema, and nearly all finish.
  @Test func everyFinishedValueIsValid() throws {
    var finished: [SecondOpinion.Case] = []
    for seed in 0..<500 {
      var random = SplitMix64(seed: UInt64(10_000 + seed))
      let source = random.jsonSchema()
      let schema = try JSONSchema(source)
      let mood = ContraryModel.Mood.allCases[seed % ContraryModel.Mood.allCases.count]
      let constraint = try Constraint(SchemaGrammar(schema).grammar, vocabulary: ContraryModel.trie)
      let answer = ContraryModel(mood, seed: UInt64(seed)).answer(to: constraint, maxTokens: random.int(in: 40..<400))
      let text = String(decoding: answer.text, as: UTF8.self)
      switch answer.reason {
      case .stop:
        let findings = schema.validate(try JSONParser.parse(text))
        #expect(findings.isEmpty, "\(findings) \(text) \(JSONWriter.text(of: source))")
        finished.append(SecondOpinion.Case(schema: source, text: text))
      case .length: break
      case .contextFull, nil: Issue.record("\(seed): \(String(describing: answer.reason)) \(text)")
      }
    }
    #expect(finished.count >= 450, "\(finished.count) finished")
    let objections = try SecondOpinion.objections(to: finished)
    #expect(objections.isEmpty, "\(objections.prefix(5))")
  }

  /// The second opinion does object.
  @Test func theSecondOpinionObjects() throws {
    let cases = [
      SecondOpinion.Case(schema: ["type": "integer"], text: "1"),
      SecondOpinion.Case(schema: ["type": "integer"], text: "1.5"),
      SecondOpinion.Case(schema: ["format": "date"], text: "\"2025-02-30\""),
      SecondOpinion.Case(schema: ["format": "time"], text: "\"25:00:00Z\""),
    ]
    #expect(try SecondOpinion.objections(to: cases).map { $0.prefix(1) } == ["1", "2", "3"])
  }
}
