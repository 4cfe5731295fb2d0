import Inference
import TestSupport
import Testing

@Suite struct ConstraintTests {
  /// Logits that want what is wrong: by the text so far, whatever the follower does not take.
  private static func adversarial(_ grammar: Grammar, promptCount: Int) throws -> ScriptedModel.Behaviour {
    let start = try GrammarFollower(grammar)
    return .logits { tokens in
      var follower = start
      for token in tokens.dropFirst(promptCount) { _ = follower.advance(Pieces.all[Int(token)]) }
      var logits = ScriptedModel.randomLogits(state: ScriptedModel.state(after: tokens), count: Pieces.all.count)
      for token in 1..<Pieces.all.count {
        var copy = follower
        if copy.advance(Pieces.all[token]) < Pieces.all[token].count { logits[token] += 30 }
      }
      if !follower.isComplete { logits[0] += 60 }
      return logits
    }
  }

  private func run(
    _ request: GenerationRequest, _ behaviour: ScriptedModel.Behaviour,
    configure: (inout GeneratorConfiguration) -> Void = { _ in }
  ) -> (output: Output, model: ScriptedModel) {
    let harness = Harness(Pieces.model(behaviour), configure: configure)
    harness.generator.submit(request)
    harness.run()
    return (harness.outputs[request.id] ?? Output(), harness.model)
  }

  /// 400 grammars, or 10,000 in a soak: random logits, and those that always prefer a wrong token.
  @Test(arguments: 0..<8) func randomGrammars(block: Int) throws {
    let count = Environment["INKLING_SOAK"] == nil ? 25 : 625
    for index in 0..<count {
      let seed = UInt64(block * count + index)
      let grammar = RandomGrammar(seed: seed).grammar
      let constraint = try Constraint(grammar, vocabulary: Pieces.trie)
      for isAdversarial in [false, true] {
        let request = GenerationRequest(
          id: 1, prompt: [5, 6],
          sampling: seed % 2 == 0
            ? SamplingParameters() : SamplingParameters(temperature: 1, topK: 20, topP: 0.9, seed: seed),
          maxTokens: 120, constraint: constraint)
        let behaviour = isAdversarial ? try Self.adversarial(grammar, promptCount: 2) : .random
        let jumping = run(request, behaviour).output
        let length = try GrammarFollower(grammar).shortestCompletion().count
        if length <= 120 {
          #expect(jumping.end == .finished(.stop), "seed \(seed)")
          #expect(try isAccepted(jumping.text, by: grammar), "seed \(seed): \(jumping.string)")
        }
        let stepping = run(request, behaviour) { $0.jumpsForward = false }.output
        #expect(stepping.essence == jumping.essence, "seed \(seed)")
      }
    }
  }

  @Test func jumpingForwardTakesFewerSteps() throws {
    let grammar = Grammar.document()
    let constraint = try Constraint(grammar, vocabulary: Pieces.trie)
    let request = GenerationRequest(id: 1, prompt: [5], maxTokens: 200, constraint: constraint)
    let jumping = run(request, .random)
    let stepping = run(request, .random) { $0.jumpsForward = false }
    #expect(jumping.output.essence == stepping.output.essence)
    #expect(jumping.output.logProbability == stepping.output.logProbability)
    #expect(jumping.model.batches.count + 8 < stepping.model.batches.count)
    #expect(jumping.output.tokens > jumping.model.batches.count)
  }

  /// With every number of tokens the text is complete, or the shortest one did not fit.
  @Test func everyLimit() throws {
    let grammar = Grammar.document()
    let constraint = try Constraint(grammar, vocabulary: Pieces.trie)
    func output(_ maxTokens: Int, contextSize: Int = 8192) -> Output {
      let harness = Harness(Pieces.model(.random, contextSize: contextSize))
      harness.generator.submit(
        GenerationRequest(id: 1, prompt: [5, 6, 7], maxTokens: maxTokens, constraint: constraint))
      harness.run()
      return harness.outputs[1] ?? Output()
    }
    let whole = output(1000)
    #expect(whole.end == .finished(.stop))
    var firstComplete: Int?
    for limit in 1...whole.tokens {
      let output = output(limit)
      #expect(output.tokens <= limit)
      if output.end == .finished(.stop) {
        #expect(try isAccepted(output.text, by: grammar), "\(limit): \(output.string)")
        firstComplete = firstComplete ?? limit
      } else {
        #expect(output.end == .finished(.length) && output.tokens == limit)
        #expect(firstComplete == nil, "\(limit) fits less than \(firstComplete ?? 0)")
      }
    }
    // The shortest document has eight tokens at least.
    #expect((5..<25).contains(firstComplete ?? 0))
    // The window's end is a limit like it.
    let narrow = output(1000, contextSize: 3 + 64)
    #expect(narrow.end == .finished(.stop))
    #expect(try isAccepted(narrow.text, by: grammar))
  }

  @Test func theEndIsAllowedWhereTheAnswerIsComplete() throws {
    var grammar = Grammar()
    grammar.root = grammar.digits()
    let constraint = try Constraint(grammar, vocabulary: Pieces.trie)
    let request = GenerationRequest(id: 1, prompt: [5], maxTokens: 50, constraint: constraint)
    // Wants to end from the start, and again after the third digit.
    let output = run(
      request,
      .logits { tokens in
        var logits = Array(repeating: Float(0), count: Pieces.all.count)
        logits[1 + 48 + tokens.count] = 10
        logits[0] = tokens.count == 1 || tokens.count == 4 ? 20 : 0
        return logits
      }
    ).output
    #expect(output.string == "123")
    #expect(output.end == .finished(.stop))
  }

  /// Nothing that is allowed has a probability: the shortest end comes.
  @Test func logitsWithoutACandidate() throws {
    let grammar = Grammar.document()
    let constraint = try Constraint(grammar, vocabulary: Pieces.trie)
    for value in [-Float.infinity, .nan] {
      for hasWrong in [true, false] {
        let output = run(
          GenerationRequest(
            id: 1, prompt: [5], sampling: SamplingParameters(temperature: 0.7, topK: 5), maxTokens: 100,
            constraint: constraint),
          .logits { _ in
            var logits = Array(repeating: value, count: Pieces.all.count)
            if hasWrong { logits[1] = 5 }
            return logits
          }
        ).output
        if value.isNaN {
          #expect(output.end == .failed(.decodeFailed("the model's logits are not finite")))
        } else {
          #expect(output.end == .finished(.stop))
          #expect(output.string == "{\"name\":\"!\",\"list\":[0]}")
        }
      }
    }
  }

  @Test func charactersSplitBetweenTokens() throws {
    var grammar = Grammar()
    grammar.root = grammar.add(.sequence([grammar.text("\""), grammar.characters(2, 3), grammar.text("\"")]))
    let constraint = try Constraint(grammar, vocabulary: Pieces.trie)
    // Wants an emoji in three pieces, and after it what ends the text inside a token.
    let wanted: [[UInt8]] = [[0xF0, 0x9F], [0x98], [0x80], [0xC3, 0xA9, 0x22]]
    let output = run(
      GenerationRequest(id: 1, prompt: [5], maxTokens: 50, constraint: constraint),
      .logits { tokens in
        var logits = Array(repeating: Float(0), count: Pieces.all.count)
        let index = tokens.count - 2
        if wanted.indices.contains(index), let token = Pieces.all.firstIndex(of: wanted[index]) { logits[token] = 9 }
        return logits
      }
    ).output
    #expect(output.string == "\"😀é\"")
    #expect(output.tokens == 5)
  }

  /// A model that says the same letter for ever: the text is closed, the document goes on and is complete.
  @Test(arguments: [Float(1), 1.3]) func aLoopClosesTheText(penalty: Float) throws {
    let grammar = Grammar.document(text: nil)
    let constraint = try Constraint(grammar, vocabulary: Pieces.trie)
    let output = run(
      GenerationRequest(
        id: 1, prompt: [5], sampling: SamplingParameters(repetitionPenalty: penalty), maxTokens: 1000,
        constraint: constraint),
      .logits { _ in
        var logits = Array(repeating: Float(0), count: Pieces.all.count)
        logits[1 + 97] = 1000
        logits[1 + 44] = 5
        return logits
      }
    ).output
    #expect(output.end == .finished(.stop))
    // A strong penalty leaves the loop before it is one.
    #expect(output.repeated == (penalty == 1))
    #expect(output.tokens < 400)
    #expect(try isAccepted(output.text, by: grammar), "\(output.string)")
    #expect(output.string.contains("\"list\":["))
  }

  @Test func aLoopOfItemsEndsTheDocument() throws {
    var grammar = Grammar()
    let item = grammar.add(.sequence([grammar.text("\""), grammar.characters(0, nil), grammar.text("\"")]))
    let items = grammar.add(.list(item: item, separator: [44], minimum: 0, maximum: nil))
    grammar.root = grammar.add(.sequence([grammar.text("["), items, grammar.text("]")]))
    let constraint = try Constraint(grammar, vocabulary: Pieces.trie)
    let output = run(
      GenerationRequest(id: 1, prompt: [5], maxTokens: 4000, constraint: constraint),
      .logits { tokens in
        var logits = Array(repeating: Float(0), count: Pieces.all.count)
        let last = tokens.last.map { Pieces.all[Int($0)] } ?? []
        let next = last.last == 97 ? "\",\"" : "a"
        for token in Pieces.all.indices where Pieces.all[token] == Array(next.utf8) { logits[token] = 20 }
        return logits
      }
    ).output
    #expect(output.end == .finished(.stop) && output.repeated)
    #expect(output.tokens < 400)
    #expect(try isAccepted(output.text, by: grammar), "\(output.string)")
  }

  @Test func longTextsAtTheirLimits() throws {
    for (minimum, maximum) in [(0, 2_200), (2_200, nil)] as [(Int, Int?)] {
      var grammar = Grammar()
      let text = grammar.characters(minimum, maximum)
      grammar.root = grammar.add(.sequence([grammar.text("\""), text, grammar.text("\"")]))
      let constraint = try Constraint(grammar, vocabulary: Pieces.trie)
      // Never ends the text, or always wants to.
      let letters = (97...122).map { Token(1 + $0) }
      let output = run(
        GenerationRequest(id: 1, prompt: [5], maxTokens: 4000, constraint: constraint),
        .logits { tokens in
          var logits = Array(repeating: Float(0), count: Pieces.all.count)
          let state = ScriptedModel.state(after: [Token(tokens.count)])
          logits[Int(letters[Int(state % 26)])] = 10
          if maximum == nil { logits[1 + 34] = 20 }
          return logits
        }
      ).output
      #expect(output.end == .finished(.stop))
      #expect(output.text.count == 2_202)
      #expect(try isAccepted(output.text, by: grammar))
      // Masks differ only near the limits.
      #expect(constraint.cachedMasks < 40)
    }
  }

  /// A model that at each place wants a token that may not stand there finds the masks that were made beforehand, and
  /// writes the same.
  @Test func masksMadeBeforehand() throws {
    func output(prepared: Bool) throws -> (text: [UInt8], before: Int, after: Int) {
      let constraint = try Constraint(Grammar.document(text: nil), vocabulary: Pieces.trie)
      if prepared { for _ in 0..<2 { constraint.prepareMasks() } }
      let before = constraint.cachedMasks
      let text = run(
        GenerationRequest(id: 1, prompt: [5], maxTokens: 60, constraint: constraint),
        .logits { tokens in (0..<Pieces.all.count).map { Float(($0 * 31 + tokens.count * 17) % 101) } }
      ).output.text
      return (text, before, constraint.cachedMasks)
    }
    let cold = try output(prepared: false)
    let warm = try output(prepared: true)
    #expect(warm.text == cold.text)
    #expect(cold.before == 0 && cold.after > 0)
    #expect(warm.before > 0)
    // What was made beforehand is used: fewer are made meanwhile.
    #expect(warm.after - warm.before < cold.after)
  }

  @Test func whatTheVocabularyCannotSpell() throws {
    let few = TokenTrie(tokenCount: 3, bytes: { [[97], [98, 99], [98]][Int($0)] }, isUsable: { _ in true })
    func error(_ text: String) -> ConstraintError? {
      var grammar = Grammar()
      grammar.root = grammar.text(text)
      do {
        _ = try Constraint(grammar, vocabulary: few)
        return nil
      } catch {
        return error
      }
    }
    #expect(error("abba") == nil)
    #expect(error("abc") == .emptyLanguage(node: 0))
  }
}
