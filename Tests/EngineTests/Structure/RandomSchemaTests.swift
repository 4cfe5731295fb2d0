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
}
