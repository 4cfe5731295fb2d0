import Inference
import Testing

/// Constraints that want much work of the engine's thread.
@Suite struct ConstraintWorkTests {
  /// With a token of many bytes of the kind that the shortest end consists of.
  private static let pieces = Pieces.all + [Array(repeating: 0x21, count: 16)]
  private static let trie = TokenTrie(
    tokenCount: pieces.count, bytes: { pieces[Int($0)] }, isUsable: { $0 != ScriptedModel.end })

  private func text(_ minimum: Int) -> Grammar {
    var grammar = Grammar()
    let text = grammar.characters(minimum, nil)
    grammar.root = grammar.add(.sequence([grammar.text("\""), text, grammar.text("\"")]))
    return grammar
  }

  private func output(
    _ grammar: Grammar, maxTokens: Int, _ behaviour: ScriptedModel.Behaviour = .random
  ) throws -> Output {
    let harness = Harness(ScriptedModel(pieces: Self.pieces, behaviour: behaviour))
    harness.model.keepsBatches = false
    let constraint = try Constraint(grammar, vocabulary: Self.trie)
    harness.generator.submit(GenerationRequest(id: 1, prompt: [5], maxTokens: maxTokens, constraint: constraint))
    harness.run()
    return harness.outputs[1] ?? Output()
  }

  /// An end that fits only in long tokens is kept in reach. One that does not fit at all, or that has more bytes than
  /// are spelled for each token, is given up.
  @Test(arguments: [(1_000, 80, true), (1_000, 60, false), (15_000, 1_200, false), (100_000, 1_200, false)])
  func farEnds(minimum: Int, maxTokens: Int, isWhole: Bool) throws {
    let grammar = text(minimum)
    let output = try output(grammar, maxTokens: maxTokens)
    #expect(output.end == .finished(isWhole ? .stop : .length))
    #expect(try isAccepted(output.text, by: grammar) == isWhole)
    if !isWhole { #expect(output.tokens == maxTokens) }
  }

  /// A loop before an end that no window holds: as much of the end comes as may.
  @Test func aLoopBeforeAFarEnd() throws {
    let output = try output(
      text(1_000_000), maxTokens: 1_000, .logits { _ in (0..<Self.pieces.count).map { $0 == 1 + 97 ? 1000 : 0 } })
    #expect(output.end == .finished(.length) && output.tokens == 1_000 && output.repeated)
    #expect(output.text.suffix(1_000).allSatisfy { $0 == 0x21 })
  }

  @Test func answersThatNoWindowHoldsAreRefused() {
    #expect(throws: ConstraintError.tooComplex("a text of at least 2000000 characters")) {
      _ = try Constraint(text(2_000_000), vocabulary: Self.trie)
    }
    #expect(throws: ConstraintError.tooComplex("an answer of at least 2001999 bytes")) {
      var grammar = Grammar()
      let item = grammar.characters(1_000, nil)
      grammar.root = grammar.add(.list(item: item, separator: [44], minimum: 2_000, maximum: nil))
      _ = try Constraint(grammar, vocabulary: Self.trie)
    }
  }

  /// Of an end only as many bytes are made as are wanted.
  @Test(arguments: [1, 100, 999_999, 2_000_000]) func endsAreMadeUpToALimit(limit: Int) throws {
    let follower = try GrammarFollower(text(1_000_000))
    let end = follower.shortestCompletion(limit: limit)
    #expect(end.count == min(limit, 1_000_002))
    #expect(end.dropFirst().prefix(999_998).allSatisfy { $0 == 0x21 })
  }

  /// 200 texts that are followed side by side through a large vocabulary: the mask is made of what was found within
  /// the bound of work, and is the same each time.
  @Test func wideMasks() throws {
    var random = RandomGenerator(seed: 1)
    let words = (0..<20_000).map { _ in
      (0..<Int.random(in: 2...9, using: &random)).map { _ in UInt8.random(in: 97...122, using: &random) }
    }
    let pieces = (0...255).map { [UInt8($0)] } + words
    let trie = TokenTrie(tokenCount: pieces.count, bytes: { pieces[Int($0)] }, isUsable: { _ in true })
    var grammar = Grammar()
    let parts = (0..<200).map { grammar.add(.sequence([grammar.characters(1, nil), grammar.text(" \($0)")])) }
    grammar.root = grammar.add(.choice(parts))
    let constraint = try Constraint(grammar, vocabulary: trie)
    let count = try #require(constraint.countTokens(after: [97]))
    #expect((70..<20_000).contains(count))
    #expect(constraint.countTokens(after: [97]) == count)
  }

  /// A finished request's task makes no masks any more.
  @Test func preparingEndsWithItsTask() async throws {
    let constraint = try Constraint(.document(), vocabulary: Self.trie)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      constraint.prepareMasks()
    }
    await task.value
    #expect(constraint.cachedMasks == 0)
    constraint.prepareMasks()
    #expect(constraint.cachedMasks > 0)
  }
}
