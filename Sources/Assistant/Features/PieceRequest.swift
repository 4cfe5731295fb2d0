import AssistantProtocol
import EngineProtocol

/// What the engine is asked for one stretch of the source: the first draft, further ones, and how they are judged.
struct PieceRequest: Sendable {
  /// Sources up to this size are cheap enough for a second round of drafts.
  private static let shortBytes = 800
  /// Drafts of the second round. The first is one draft alone: more often than not it is good, and several at once cost
  /// as much as one after another where there are few processors.
  private static let lastDrafts = 2
  private static let mostRounds = 2

  let prose: Prose
  let verifier: Verifier
  let names: [String]
  let count: Int
  private let params: @Sendable (_ withExamples: Bool, _ keeping: [String]) -> GenerateParams

  /// - Parameter params: what the engine is asked for: without examples for a model that copies them, and with strings
  ///   to keep for one that lost them.
  init(
    _ prose: Prose, verifier: Verifier, rules: TextRules,
    params: @escaping @Sendable (_ withExamples: Bool, _ keeping: [String]) -> GenerateParams
  ) {
    self.prose = prose
    self.params = params
    self.verifier = verifier
    names = rules.names
    count = max(1, rules.alternatives)
  }

  /// The prompts of the first drafts: one as the request says, the others by chance, so that they differ.
  var first: [GenerateParams] {
    let base = params(true, [])
    return [base] + (1..<count).map { varied(base, $0) }
  }

  /// The prompt of the only draft, as the request says.
  func single(withExamples: Bool, keeping lost: [String]) -> GenerateParams { params(withExamples, lost) }

  /// The prompts of further drafts; empty when enough was tried.
  func further(_ choice: DraftChoice, round: Int) -> [GenerateParams] {
    guard round < Self.mostRounds else { return [] }
    let isShort = prose.text.utf8.count <= Self.shortBytes
    let forFlaws =
      round == 0
      ? (choice.flaws.isEmpty ? 0 : 1) : (choice.isInDoubt && isShort ? Self.lastDrafts : 0)
    let wanted = max(count - choice.chosen.count, forFlaws)
    let (lost, copies) = (choice.lost, choice.copies)
    return (0..<wanted).map { number in
      // Examples help a great deal, and tempt to say what they say: for a model that did, one draft does without.
      var base = params(!(copies && number == 0), lost)
      if choice.flaws.contains(.repetition) {
        base.sampling.repetitionPenalty = max(1.3, base.sampling.repetitionPenalty * 1.3)
      }
      return varied(base, choice.drafts.count + number)
    }
  }

  /// With chance, and always the same chance for the same request.
  private func varied(_ params: GenerateParams, _ number: Int) -> GenerateParams {
    var result = params
    if result.sampling.temperature == 0 {
      result.sampling.temperature = count > 1 ? 0.8 : 0.5
      result.sampling.topK = 0
      result.sampling.topP = 1
      result.sampling.minP = 0.1
    }
    let base =
      params.sampling.seed != 0 ? UInt64(params.sampling.seed) : FNV1a.hash(prose.text.utf8)
    let seed = (base ^ UInt64(number)) &* 0x9E37_79B9_7F4A_7C15
    result.sampling.seed = Int(seed >> 32)
    return result
  }
}
