import Inference
import Llama
import TestSupport
import Testing

/// The default model, loaded for one test. One thread: several wait for each other at every node of the graph, which
/// takes for ever while other tests run.
func loadDefaultModel(
  context: Int = 2048, threads: Int = 1, reproducible: Bool = false, signal: ComputeSignal = ComputeSignal()
) throws -> LlamaModel {
  try LlamaModel.load(
    path: try DefaultModel.path(),
    options: .init(contextSize: context, threads: threads, reproducible: reproducible), signal: signal)
}

extension LlamaModel {
  /// The prompt of a user's message with the model's own template.
  func prompt(_ text: String, system: String? = nil) throws -> [Token] {
    let messages = (system.map { [ChatMessage(.system, $0)] } ?? []) + [ChatMessage(.user, text)]
    return try vocabulary.tokenise(template.render(messages).segments).tokens
  }

  /// Reads tokens into a sequence, `chunk` at a time, and gives the logits after the last one.
  func prefill(_ tokens: [Token], sequence: SequenceID = 0, from start: Int = 0, chunk: Int = 512) throws -> [Float] {
    var position = start
    var logits: [Float] = []
    while position < start + tokens.count {
      let end = min(position + chunk, start + tokens.count)
      let rows = (position..<end).map { index in
        BatchRow(
          token: tokens[index - start], position: Int32(index), sequence: sequence,
          wantsLogits: index == start + tokens.count - 1)
      }
      try decode(rows)
      if end == start + tokens.count { logits = self.logits(row: rows.count - 1) }
      position = end
    }
    return logits
  }

  func logits(row: Int) -> [Float] { withLogits(row: row) { Array($0) } }

  /// Goes on greedily, one sequence alone. Gives the tokens and how much the best logit beat the second at each.
  func greedy(_ prompt: [Token], count: Int, sequence: SequenceID = 0) throws -> [(token: Token, margin: Float)] {
    var result: [(token: Token, margin: Float)] = []
    var logits = try prefill(prompt, sequence: sequence)
    for index in 0..<count {
      let best = bestTwo(logits)
      result.append((best.token, best.margin))
      try decode([
        BatchRow(token: best.token, position: Int32(prompt.count + index), sequence: sequence, wantsLogits: true)
      ])
      logits = self.logits(row: 0)
    }
    return result
  }
}

/// The likeliest token and its lead over the next.
func bestTwo(_ logits: [Float]) -> (token: Token, margin: Float) {
  var best = 0
  var second = -Float.infinity
  for index in logits.indices.dropFirst() {
    if logits[index] > logits[best] {
      second = logits[best]
      best = index
    } else if logits[index] > second {
      second = logits[index]
    }
  }
  return (Token(best), logits[best] - second)
}
