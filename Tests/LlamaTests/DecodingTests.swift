import Inference
import Llama
import Synchronization
import TestSupport
import Testing

/// The real model, by structure and invariants: what it writes is not a test's business.
@Suite(.serialized) struct DecodingTests {
  @Test func facts() throws {
    let model = try loadDefaultModel(context: 0)
    let facts = model.facts
    #expect(facts.architecture == "llama")
    #expect(facts.quantization == "Q4_1")
    #expect(facts.parameterCount == 134_515_008)
    #expect(facts.contextSize == 8192 && facts.trainedContext == 8192 && model.contextSize == 8192)
    #expect(facts.chatTemplate == "chatml" && facts.chatTemplateWarning == nil)
    #expect(facts.flashAttention == .on)
    #expect(!facts.libllama.isEmpty && !facts.devices.isEmpty && !facts.name.isEmpty)
    #expect(facts.threads.decode >= 1 && facts.threads.batch >= facts.threads.decode)
    #expect(model.batchSize == 512 && model.maxSequences == 64 && model.memoryKind == .sliceable)
    #expect(model.vocabularySize == 49_152)
  }

  @Test(arguments: [true, false]) func greedyTwiceGivesTheSame(_ reproducible: Bool) throws {
    let model = try loadDefaultModel(reproducible: reproducible)
    let prompt = try model.prompt("Name a colour.")
    let first = try model.greedy(prompt, count: 20, sequence: 0)
    let second = try model.greedy(prompt, count: 20, sequence: 1)
    #expect(first.map(\.token) == second.map(\.token))
    #expect(model.apply(.remove(sequence: 0, from: 0)))
    let third = try model.greedy(prompt, count: 20, sequence: 0)
    #expect(first.map(\.token) == third.map(\.token))
  }

  /// Two sequences in one batch against each alone: the same tokens where that is promised, and in the fast mode a
  /// first difference only where the two best logits were close.
  @Test(arguments: [true, false]) func batchedEqualsAlone(_ reproducible: Bool) throws {
    let prompts = ["Write about rain.", "Explain how a bicycle stays upright when it rolls."]
    let alone = try prompts.map { text in
      let model = try loadDefaultModel(reproducible: reproducible)
      return try model.greedy(model.prompt(text), count: 40)
    }
    let model = try loadDefaultModel(reproducible: reproducible)
    var positions: [Int] = []
    var tokens: [Token] = []
    for (index, text) in prompts.enumerated() {
      let prompt = try model.prompt(text)
      tokens.append(bestTwo(try model.prefill(prompt, sequence: SequenceID(index))).token)
      positions.append(prompt.count)
    }
    var together: [[Token]] = [[], []]
    for _ in 0..<40 {
      let rows = prompts.indices.map { index in
        BatchRow(
          token: tokens[index], position: Int32(positions[index]), sequence: SequenceID(index), wantsLogits: true)
      }
      try model.decode(rows)
      for index in prompts.indices {
        together[index].append(tokens[index])
        tokens[index] = bestTwo(model.logits(row: index)).token
        positions[index] += 1
      }
    }
    for index in prompts.indices {
      let difference = zip(alone[index], together[index]).first { $0.token != $1 }
      if reproducible {
        #expect(difference == nil)
      } else if let (expected, _) = difference {
        #expect(expected.margin < 0.5)
      }
    }
  }

  /// A prefix copied from another sequence gives bit for bit the logits of one that was read afresh.
  @Test func copiedPrefixEqualsFresh() throws {
    let model = try loadDefaultModel(reproducible: true)
    let prompt = try model.prompt("The quick brown fox jumps over the lazy dog, and then it sleeps.")
    let border = prompt.count - 7
    let fresh = try model.prefill(prompt, sequence: 0)
    #expect(model.apply(.copy(from: 0, to: 1, count: Int32(border))))
    let copied = try model.prefill(Array(prompt[border...]), sequence: 1, from: border)
    #expect(fresh == copied)

    // The donor may go; its tail may be cut and written anew.
    #expect(model.apply(.remove(sequence: 0, from: 0)))
    #expect(model.apply(.remove(sequence: 1, from: Int32(border))))
    #expect(try model.prefill(Array(prompt[border...]), sequence: 1, from: border) == fresh)

    // What cannot be done is refused.
    #expect(!model.apply(.copy(from: 1, to: 1, count: 3)))
    #expect(!model.apply(.copy(from: 1, to: 2, count: Int32(prompt.count) + 1)))
    #expect(!model.apply(.copy(from: 5, to: 2, count: 1)))
    #expect(!model.apply(.remove(sequence: 64, from: 0)))
    #expect(model.apply(.remove(sequence: 9, from: 0)))
  }

  @Test(arguments: [512, 513, 3 * 512 + 7]) func promptsAroundTheBatchSize(_ count: Int) throws {
    let model = try loadDefaultModel()
    let words = try model.vocabulary.tokenise(userText: String(repeating: "The sea was calm. ", count: 500))
    let logits = try model.prefill(Array(words.prefix(count)))
    #expect(logits.count == model.vocabularySize && logits.allSatisfy(\.isFinite))
  }

  @Test func theWindowCanBeFilledAndNoMore() throws {
    let model = try loadDefaultModel(context: 256)
    let words = try model.vocabulary.tokenise(userText: String(repeating: "The sea was calm. ", count: 100))
    #expect(model.contextSize == 256)
    _ = try model.prefill(Array(words.prefix(256)), chunk: 64)
    let next = [BatchRow(token: words[0], position: 256, sequence: 0, wantsLogits: true)]
    #expect(throws: DecodeFailure.noSpace) { try model.decode(next) }
    // Nothing was changed: a cell that is given back is enough to go on.
    #expect(model.apply(.remove(sequence: 0, from: 255)))
    try model.decode([BatchRow(token: words[0], position: 255, sequence: 0, wantsLogits: true)])
    #expect(model.apply(.remove(sequence: 0, from: 0)))
    _ = try model.prefill(Array(words.prefix(200)), sequence: 3)
  }

  /// Rows that would end the process inside libllama are refused before.
  @Test func impossibleRowsAreRefused() throws {
    let model = try loadDefaultModel(context: 1024)
    let good = BatchRow(token: 1, position: 0, sequence: 0, wantsLogits: true)
    func refused(_ rows: [BatchRow], sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(sourceLocation: sourceLocation) { try model.decode(rows) } throws: {
        if case .failed? = $0 as? DecodeFailure { true } else { false }
      }
    }
    refused([])
    refused([BatchRow](repeating: good, count: 513))
    for change in [\BatchRow.position: Int32(-1), \BatchRow.token: 49_152, \BatchRow.sequence: 64] {
      var bad = good
      bad[keyPath: change.key] = change.value
      refused([bad])
    }
    // A hole in the positions is libllama's own refusal.
    refused([BatchRow(token: 1, position: 7, sequence: 0, wantsLogits: true), good])
    try model.decode([good])
  }

  /// A signal given by another thread ends a step that is running, and the progress counter moves inside it.
  @Test func stopEndsAStep() throws {
    let signal = ComputeSignal()
    let model = try loadDefaultModel(signal: signal)
    let words = try model.vocabulary.tokenise(userText: String(repeating: "The sea was calm. ", count: 200))
    let rows = words.prefix(512).enumerated().map {
      BatchRow(token: $1, position: Int32($0), sequence: 0, wantsLogits: false)
    }
    let before = signal.progress
    startThread {
      let deadline = Deadline(10)
      while signal.progress < before + 50, !deadline.hasPassed {}
      signal.requestStop()
    }
    #expect(throws: DecodeFailure.aborted) { try model.decode(rows) }
    #expect(signal.progress >= before + 50)
    #expect(throws: DecodeFailure.aborted) { try model.decode(rows) }
  }

  @Test func loadReportsProgressAndCanBeEnded() throws {
    let signal = ComputeSignal()
    var fractions: [Double] = []
    let path = try DefaultModel.path()
    _ = try LlamaModel.load(path: path, options: .init(contextSize: 256), signal: signal) { fractions.append($0) }
    #expect(fractions == fractions.sorted() && fractions.last == 1)
    #expect(signal.progress >= fractions.count)

    let other = ComputeSignal()
    #expect {
      try LlamaModel.load(path: path, options: .init(contextSize: 256), signal: other) { _ in other.requestStop() }
    } throws: {
      ($0 as? ModelLoadError)?.reason == .stopped
    }
  }

  /// A file whose weights are damaged computes numbers that are none: that is an error, not a text.
  @Test func damagedWeightsAreNoticed() throws {
    let path = try DefaultModel.path()
    let header = try ModelFileCheck.check(path)
    let tensor = try #require(header.tensors.first { $0.name.utf8.elementsEqual("token_embd.weight".utf8) })
    // Q8_0: a block begins with its scale in half precision, which becomes NaN. The output weights are the same tensor,
    // and the first block is the first token's.
    try #require(tensor.type == 8)
    var bytes = try readFile(path)
    bytes[Int(tensor.offset)] = 0xFF
    bytes[Int(tensor.offset) + 1] = 0xFF
    let folder = try TemporaryFolder()
    let copy = try folder.file("damaged.gguf", bytes)
    let model = try LlamaModel.load(path: copy, options: .init(contextSize: 256, threads: 1))
    #expect { try model.decode([BatchRow(token: 100, position: 0, sequence: 0, wantsLogits: true)]) } throws: {
      if case .failed(let text)? = $0 as? DecodeFailure { text.contains("not finite") } else { false }
    }
  }

  @Test func logitsAreCheckedOneByOne() {
    func problem(_ change: (inout [Float]) -> Void) -> String? {
      var logits = (0..<37).map { Float($0) - 18 }
      change(&logits)
      return logits.withUnsafeBufferPointer { LogitCheck.problem(in: $0) }
    }
    #expect(problem { _ in } == nil)
    #expect(problem { $0[5] = -.infinity } == nil)
    for index in 0..<37 {
      #expect(problem { $0[index] = .nan } != nil)
      #expect(problem { $0[index] = .infinity } != nil)
    }
    #expect(problem { $0 = $0.map { _ in -.infinity } } != nil)
  }
}
