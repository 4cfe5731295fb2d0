import AssistantProtocol
import EngineProtocol

/// What becomes of a summary of which a sentence, a bullet or the headline is not good: more answers are drawn and the
/// best is taken; what is still not good in it is replaced by the text's own words.
extension SummaryRun {
  /// Texts up to this size are cheap enough to be summarised a few times more.
  private static let shortBytes = 2_000
  private static let mostCandidates = 3

  /// - Parameters:
  ///   - written: the answer; what comes of it in the end.
  ///   - text: what the model has read: the source, or the summaries of its parts.
  /// - Returns: what a reader should know.
  mutating func judged(
    _ written: inout Written, read text: String, _ generate: GenerateParams, _ form: SummaryForm,
    _ retries: inout Set<ResultWarnings.Retry>
  ) async throws(RequestFailure) -> [Warning] {
    // What the caller's limit has cut is no fault of the model.
    if params.common.options?.maxTokens != nil, written.result.finishReason == .length { return [] }
    let judge = SummaryJudge(params, parameterCount: await engine.status().model?.parameterCount ?? 0)
    var best = judge.rank(form.units(of: written.formed.text))
    guard best.bad > 0 else { return [] }
    if text.utf8.count <= Self.shortBytes {
      for candidate in try await candidates(generate, form) {
        retries.insert(.flawed)
        let rank = judge.rank(form.units(of: candidate.formed.text))
        guard candidate.formed.units >= written.formed.units, rank < best else { continue }
        (written, best) = (candidate, rank)
      }
    }
    return replaceWhatIsBad(in: &written, judge, read: text, form, &retries)
  }

  /// A few more answers to the same prompt, drawn by chance side by side; those that the engine has no place for and
  /// refusals are done without.
  private mutating func candidates(
    _ generate: GenerateParams, _ form: SummaryForm
  ) async throws(RequestFailure) -> [Written] {
    let jobs = (1...Self.mostCandidates).map { engine.generate(generate.varied(by: $0)) }
    var found: [Written] = []
    for job in jobs {
      var unseen = TextComposer(encoding: encoding, mode: params.common.stream)
      do throws(RequestFailure) {
        found.append(try await write(job, form, &unseen, isShown: false))
      } catch {
        switch error {
        case .engine(.overloaded), .assistant(.refusal): break
        case _: throw error
        }
      }
    }
    return found
  }

  private func replaceWhatIsBad(
    in written: inout Written, _ judge: SummaryJudge, read text: String, _ form: SummaryForm,
    _ retries: inout Set<ResultWarnings.Retry>
  ) -> [Warning] {
    let units = form.units(of: written.formed.text)
    let bad = Set(units.indices.filter { judge.isBad(units[$0]) })
    guard !bad.isEmpty else { return [] }
    // The summaries of parts are plain text, and the model's words as well.
    let isSource = parts.isEmpty
    let own = OwnWords(
      text, language: isSource ? TextRules(params.common).documentLanguage : nil, style: params.style
    ) { !judge.isBad($0) }
    let (mended, replaced) = own.replacing(bad, of: units)
    let whole = form.text(of: mended)
    let formed = form.formed(whole, isComplete: true)
    // A sentence of the text's that counts as two, or says what another says, is no help.
    guard let first = replaced.first, let last = replaced.last, formed.units == units.count,
      formed.text.utf8.elementsEqual(whole.utf8)
    else { return [] }
    written.formed = formed
    if last == units.count - 1 {
      // How the model's ended is not said of a text that it is no part of.
      written.result.finishReason = .stop
      written.result.repeated = false
    }
    guard isSource else {
      retries.insert(.flawed)
      return []
    }
    func length(_ units: some Sequence<String>) -> Int { encoding.length(of: form.text(of: Array(units))) }
    let range = TextRange(
      start: length(mended[...first]) - length([mended[first]]), end: length(mended[...last]))
    return [Warning(.unchanged, message(replaced.count, of: units.count), range: range)]
  }

  private func message(_ count: Int, of all: Int) -> String {
    let name = params.style.name(count: all)
    let subject = all == 1 ? "The \(name) is" : "\(count) of \(all) \(name) \(count == 1 ? "is" : "are")"
    return "\(subject) the text's own: the model's said what the text does not, or broke off."
  }
}

extension GenerateParams {
  /// The same for another answer to the same prompt, with a little chance; always the same for the same number, unless
  /// the caller wants chance.
  fileprivate func varied(by number: Int) -> GenerateParams {
    var result = self
    if result.sampling.temperature == 0 {
      result.sampling.temperature = 0.4
      result.sampling.topK = 0
      result.sampling.topP = 1
      result.sampling.minP = 0.1
    }
    result.sampling.seed = (sampling.seed + number) & Int(UInt32.max)
    return result
  }
}
