import EngineProtocol

/// One answer of the model to a stretch of the source, and what is to be said of it.
struct Draft: Sendable {
  /// In the form of the source; empty for a refusal.
  var text = ""
  var verdict = Verdict()
  var result = GenerateResult()
  /// nil when it was written as one.
  var stayed: Stayed?

  /// - Parameters:
  ///   - filtered: what the model wrote, without what it put around; nil for a refusal.
  ///   - isEnded: it would have gone on.
  init(
    _ filtered: String?, for prose: Prose, _ verifier: Verifier, _ result: GenerateResult, isEnded: Bool = false
  ) {
    self.result = result
    var body = filtered
    var repeats = result.repeated
    if let text = filtered, let cut = Loops.cut(text, source: prose.text) {
      body = cut
      repeats = true
      self.result.repeated = true
    }
    body = body.map(verifier.repaired)
    var judged = result
    if isEnded { judged.finishReason = .length }
    verdict = verifier.verdict(on: body, repeats: repeats, judged)
    guard let body else { return }
    // The same words are left on the lines where they are.
    let isSame = body.spaceFolded.utf8.elementsEqual(prose.text.spaceFolded.utf8)
    text = isSame ? prose.original : LineFiller.fill(body, as: prose)
  }
}

/// Chooses among the drafts of a stretch.
struct DraftChoice: Sendable {
  private(set) var drafts: [Draft]
  let count: Int

  /// - Parameters:
  ///   - drafts: the first is the one that was shown; it stays the first unless it has a flaw and another is better.
  ///   - count: how many different ones are wanted.
  init(_ drafts: [Draft], count: Int) {
    self.drafts = drafts
    self.count = count
  }

  /// The best ones, different but for white space; fewer than wanted when there are no more. Only the first may have
  /// what makes a text unfit to be offered: it alone comes with warnings.
  var chosen: [Draft] {
    guard let shown = drafts.first else { return [] }
    let ranked = drafts.dropFirst().sorted { $0.verdict.score > $1.verdict.score }
    let best = shown.verdict.isGood ? shown : ranked.first { $0.verdict.score > shown.verdict.score } ?? shown
    var result = [best]
    var seen: Set<[UInt8]> = [Array(best.text.spaceFolded.utf8)]
    for draft in [shown] + ranked where result.count < count && draft.verdict.isFitForChoice {
      if seen.insert(Array(draft.text.spaceFolded.utf8)).inserted { result.append(draft) }
    }
    return result
  }

  /// Whether the shown one was flawed, and chance may bring a better one than the best of those that came instead.
  var isInDoubt: Bool {
    guard let shown = drafts.first, !shown.verdict.isGood else { return false }
    return !(chosen.first?.verdict.isConvincing ?? false)
  }

  /// What is wrong with the best one.
  var flaws: Set<Flaw> { chosen.first?.verdict.flaws ?? [] }

  /// Protected strings that one of them has lost.
  var lost: [String] {
    var seen: Set<[UInt8]> = []
    return drafts.flatMap(\.verdict.lost).filter { seen.insert(Array($0.utf8)).inserted }
  }

  /// Whether one of them says what an example of the prompt says.
  var copies: Bool { drafts.contains { $0.verdict.flaws.contains(.copiedExample) } }

  mutating func add(_ more: [Draft]) { drafts += more }
}
