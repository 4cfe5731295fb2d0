import Engine
import TestSupport
import Testing

@Suite struct ThoughtFilterTests {
  struct Case: CustomTestStringConvertible {
    var output: String
    var answer: String
    var begins = false
    var open = "<think>"
    var close = "</think>"
    var testDescription: String { output }
  }

  static let cases = [
    Case(output: "Hello.", answer: "Hello."),
    Case(output: "", answer: ""),
    Case(output: "  \n Hello.", answer: "  \n Hello."),
    Case(output: "<think>\nHm.\n</think>\n\nHello.", answer: "Hello."),
    Case(output: "\n<think></think>Hello.", answer: "Hello."),
    Case(output: "<think>a</thin</think>b", answer: "b"),
    Case(output: "<think>a<</think>  b </think> c", answer: "b </think> c"),
    Case(output: "<think>never ends", answer: ""),
    Case(output: "<think>", answer: ""),
    Case(output: "<thin", answer: "<thin"),
    Case(output: "<thinker>x", answer: "<thinker>x"),
    Case(output: "Use <think>x</think>.", answer: "Use <think>x</think>."),
    Case(output: "Hm.\n</think>\n\nHello 👩‍👩‍👧.", answer: "Hello 👩‍👩‍👧.", begins: true),
    Case(output: "no end", answer: "", begins: true),
    Case(output: "<think>日本</think>語", answer: "語"),
    Case(
      output: "<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final<|message|>Yes.",
      answer: "Yes.",
      open: "<|channel|>analysis<|message|>", close: "<|channel|>final<|message|>"),
  ]

  /// The same answer, in whatever pieces the output comes.
  @Test(arguments: cases) func cutsTheThoughtOff(_ test: Case) {
    let scalars = Array(test.output.unicodeScalars)
    var generator = SplitMix64(seed: UInt64(test.output.utf8.count))
    for round in 0..<40 {
      var filter = ThoughtFilter(open: test.open, close: test.close, beginsInThought: test.begins)
      var answer: [UInt8] = []
      var start = 0
      while start < scalars.count {
        let length = round == 0 ? scalars.count : round == 1 ? 1 : generator.int(in: 1..<9)
        let end = min(start + length, scalars.count)
        let piece = filter.take(scalars[start..<end].flatMap { Array(String($0).utf8) })
        #expect(String(validating: piece, as: UTF8.self) != nil)
        answer += piece
        start = end
      }
      answer += filter.finish()
      #expect(answer.elementsEqual(test.answer.utf8))
    }
  }

  @Test func textPassesAtOnce() {
    var filter = ThoughtFilter(open: "<think>", close: "</think>", beginsInThought: false)
    #expect(filter.take(Array("H".utf8)) == Array("H".utf8))
    #expect(filter.take(Array("<think>".utf8)) == Array("<think>".utf8))
    var none = ThoughtFilter.none
    #expect(none.take(Array("<think>".utf8)) == Array("<think>".utf8))
  }
}
