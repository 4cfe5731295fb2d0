import Inference
import Llama
import TestSupport
import Testing

/// Models whose memory cannot be cut: recurrent ones, hybrids, and those with a sliding window; and one whose memory
/// can, for comparison.
@Suite(.serialized) struct ArchitectureTests {
  private typealias Bench = ArchitectureBench

  @Test(arguments: TinyModel.allCases) func memoryIsOfItsKind(_ tiny: TinyModel) throws {
    let model = try Bench(tiny).model
    #expect(model.facts.architecture == tiny.rawValue && model.facts.chatTemplate == "chatml")
    #expect(model.facts.chatTemplateWarning == nil && model.facts.stateKey != nil)
    #expect(model.memoryKind == (tiny == .llama ? .sliceable : .wholeOnly))
    #expect(model.maxSequences == (tiny == .mamba || tiny == .lfm2 ? 8 : 64))
  }

  /// What was read hundreds of tokens ago decides what is written, or the other tests would show nothing.
  @Test(arguments: TinyModel.allCases) func everythingReadCounts(_ tiny: TinyModel) throws {
    let bench = try Bench(tiny)
    let alone = try bench.alone()
    #expect(alone.count == bench.requests.count && alone.values.allSatisfy { $0.count >= 8 }, "\(alone)")
    #expect(Set(alone.values).count == alone.count)
    let tokens = try bench.model.vocabulary.tokenise(userText: String(repeating: "Rain fell on the sea. ", count: 60))
    var changed = tokens
    changed[3] += 1
    let logits = try [tokens, changed].map { tokens in
      bench.clear()
      return try bench.model.prefill(tokens)
    }
    #expect(tokens.count > 700 && logits[0] != logits[1])
  }
}
