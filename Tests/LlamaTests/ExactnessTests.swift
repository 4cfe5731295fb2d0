import Inference
import Llama
import TestSupport
import Testing

/// What makes answers faster changes no byte of them: bit for bit in the reproducible mode, on the default model.
@Suite(.serialized) struct ExactnessTests {
  /// 100 prompts in a soak.
  private static let prompts = Environment["INKLING_SOAK"] == nil ? 8 : 100

  private static let sentences = [
    "The committee have decided that the new schedule will be starting on Monday.",
    "Yesterday we was walking along the river when we seen a big boat with many people on it.",
    "I am writing to inform you that the delivery we has ordered last week did not arrived yet.",
    "Please bring a warm jacket, because the evenings in the mountains gets cold even in July.",
    "Our café in Zürich opens at 7:30, and the first crêpes is free for everyone 🙂.",
    "She told me that the keys was under the mat, but there were nothing there.",
    "The report of the third quarter show that 12 % of all orders came from new customers.",
    "If you has any questions, write to anna@example.org or call 555-0173 before Friday.",
    "Nobody in the village remembered when the old lighthouse were built.",
    "The function returns the index of the first element that match, or -1.",
  ]

  /// Two sentences each, all different, with a task that leads to copies, to summaries, or away from the text.
  private static func requests(_ model: LlamaModel, drafts: Bool) throws -> [GenerationRequest] {
    let tasks = ["Correct the mistakes of this text.", "Say this in a formal tone.", "Say this in a few words."]
    return try (0..<prompts).map { number in
      let first = sentences[number % sentences.count]
      let second = sentences[(number * 3 + number / sentences.count + 1) % sentences.count]
      let prompt = try model.prompt(
        "\(tasks[number % tasks.count])\n\n\(first) \(second)", system: "You rewrite texts.")
      return GenerationRequest(
        id: number, prompt: prompt, sampling: SamplingParameters(repetitionPenalty: number % 2 == 0 ? 1.8 : 1),
        maxTokens: 32, draftSource: drafts ? 0..<prompt.count : nil)
    }
  }

  private func outputs(
    _ model: LlamaModel, _ requests: [GenerationRequest], together: Int,
    configure: (inout GeneratorConfiguration) -> Void
  ) -> (texts: [Int: [Token]], InferenceStatistics) {
    var configuration = GeneratorConfiguration()
    configure(&configuration)
    let generator = Generator(model: model, configuration: configuration)
    var texts: [Int: [Token]] = [:]
    var waiting = requests[...]
    while texts.count < requests.count {
      while let next = waiting.first, requests.count - waiting.count - texts.count < together {
        generator.submit(next)
        waiting.removeFirst()
      }
      guard generator.step() else { break }
      for case .finished(let request, let summary) in generator.takeEvents() { texts[request] = summary.tokens }
    }
    return (texts, generator.statistics)
  }

  /// What is on in a run: prompts begin with what is known, outputs are drafted, requests are computed together, what
  /// is idle is parked.
  private struct Levers: CustomStringConvertible {
    var cache = false
    var drafts = false
    var together = 1
    var parks = false
    var description: String { "cache \(cache), drafts \(drafts), \(together) together, parks \(parks)" }
  }

  private func outputs(_ model: LlamaModel, _ levers: Levers) throws -> (texts: [Int: [Token]], InferenceStatistics) {
    for sequence in 0..<SequenceID(model.maxSequences) { _ = model.apply(.remove(sequence: sequence, from: 0)) }
    return outputs(model, try Self.requests(model, drafts: levers.drafts), together: levers.together) {
      if !levers.cache {
        $0.idleCells = 0
        $0.conversationCells = 0
        $0.maxPinned = 0
      }
      if !levers.parks { $0.parkedBytes = 0 }
    }
  }

  /// Alone an output is the same to the last bit. Beside others, or when sequences are parked, it can differ where two
  /// tokens are nearly equally likely: cells that another request has left are used again, so a sequence's own no
  /// longer stand in its order, and attention adds them up in theirs.
  @Test func noLeverChangesAByte() throws {
    let model = try loadDefaultModel(context: 4096, reproducible: true)
    let (plain, steps) = try outputs(model, Levers())
    #expect(plain.count == Self.prompts && steps.accepted == 0)
    for levers in [
      Levers(cache: true), Levers(drafts: true), Levers(cache: true, drafts: true),
      Levers(cache: true, drafts: true, together: 6), Levers(cache: true, drafts: true, parks: true),
    ] {
      let (texts, statistics) = try outputs(model, levers)
      #expect(statistics.accepted > 0 || !levers.drafts, "\(levers)")
      // Each of these prompts is read in one step, so the cache alone makes steps shorter, not fewer.
      #expect(statistics.steps < steps.steps || !levers.drafts, "\(levers)")
      let different = plain.keys.filter { plain[$0] != texts[$0] }.sorted()
      #expect(different == [] || levers.together > 1 || levers.parks, "\(levers)")
      for number in different {
        let margin = try margin(model, number, plain[number] ?? [], texts[number] ?? [])
        #expect(margin < 0.5, "\(levers): prompt \(number)")
      }
    }
  }

  /// How much likelier, as logits, the one output's token is than the other's where they part.
  private func margin(_ model: LlamaModel, _ number: Int, _ one: [Token], _ other: [Token]) throws -> Float {
    let common = zip(one, other).prefix { $0 == $1 }.count
    guard common < min(one.count, other.count) else { return .infinity }
    _ = model.apply(.remove(sequence: 0, from: 0))
    let request = try Self.requests(model, drafts: false)[number]
    let logits = try model.prefill(request.prompt + one.prefix(common))
    return abs(logits[Int(one[common])] - logits[Int(other[common])])
  }
}
