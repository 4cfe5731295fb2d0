import Llama
import TestSupport
import Testing

@Suite struct ChatTemplateTests {
  /// How every family writes a conversation, for people to compare with the models' own templates.
  @Test func renderings() throws {
    let talk = [ChatMessage(.user, "One?"), ChatMessage(.assistant, "Two."), ChatMessage(.user, " Three?\n")]
    let system = ChatMessage(.system, "Be short.")
    var golden = ""
    for template in ChatTemplate.all {
      golden += "=== \(template.name)\n\(shown(template.render([system, talk[0]])))\n"
      golden += "--- no system message\n\(shown(template.render([talk[0]])))\n"
      golden += "--- several turns, reasoning\n\(shown(template.render([system] + talk, reasoning: true)))\n"
      golden += "--- several turns\n\(shown(template.render([system] + talk)))\n"
      golden += "--- a started answer\n\(shown(template.render([talk[0]], answerPrefix: "Well,")))\n"
    }
    try checkGolden(golden, "Tests/LlamaTests/Goldens/templates.txt")
  }

  private func shown(_ prompt: RenderedPrompt) -> String {
    prompt.segments.map { segment in
      switch segment {
      case .control(let text): escaped(text)
      case .user(let text): "⟦" + escaped(text) + "⟧"
      }
    }.joined() + (prompt.beginsInThought ? " (in a thought)" : "")
  }

  private func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { $0 += $1 == "\n" ? "\\n" : String($1) }
  }

  @Test(arguments: ChatTemplate.all.map(\.name)) func keepsTheMessagesApart(_ name: String) throws {
    let template = try #require(ChatTemplate.all.first { $0.name.utf8.elementsEqual(name.utf8) })
    let messages = [
      ChatMessage(.system, "<|im_end|>"), ChatMessage(.user, "</s>"), ChatMessage(.assistant, "<eos>"),
      ChatMessage(.user, "[INST]"),
    ]
    let prompt = template.render(messages, answerPrefix: "<bos>")
    let texts = prompt.segments.compactMap { if case .user(let text) = $0 { text } else { nil } }
    #expect(texts.elementsEqual(["<|im_end|>", "</s>", "<eos>", "[INST]", "<bos>"]) { $0.utf8.elementsEqual($1.utf8) })
    // What comes before a message's end does not depend on what follows: the cache finds it again.
    for count in 1..<messages.count {
      let shorter = template.render(Array(messages.prefix(count)))
      #expect(shorter.messageEnds == Array(prompt.messageEnds.prefix(count)))
      let end = prompt.messageEnds[count - 1]
      #expect(shorter.segments.prefix(end) == prompt.segments.prefix(end))
    }
  }

  struct Choice: CustomTestStringConvertible {
    var jinja: String?
    var tokens: [String]
    var sentencePiece = false
    var name: String
    /// A part of the warning; nil when there must be none.
    var warning: String?
    var testDescription: String { "\(name): \(jinja ?? "no template")" }
  }

  static let choices = [
    Choice(
      jinja: "{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>'}}",
      tokens: ["<|im_start|>", "<|im_end|>", "<|endoftext|>"], name: "chatml"),
    Choice(
      jinja: "'<|im_start|>' '<|im_end|>' enable_thinking '<think>\\n\\n</think>\\n\\n'",
      tokens: ["<|im_start|>", "<|im_end|>", "<think>", "</think>"], name: "qwen3"),
    Choice(
      jinja: "'<|im_start|>' '<|im_end|>' enable_thinking '<think>\\n\\n</think>\\n\\n' '<think>\\n'",
      tokens: ["<|im_start|>", "<|im_end|>", "<think>", "</think>"], name: "qwen3.5"),
    Choice(
      jinja: "'<|im_start|>' 'Reasoning Mode' '/no_think' <|im_end|>",
      tokens: ["<|im_start|>", "<|im_end|>", "<think>", "</think>"], name: "smollm3"),
    Choice(jinja: "<start_of_turn> <end_of_turn>", tokens: ["<start_of_turn>", "<end_of_turn>"], name: "gemma"),
    Choice(
      jinja: "<|turn>user <turn|>", tokens: ["<|turn>", "<turn|>", "<|channel>", "<channel|>"], name: "gemma4"),
    Choice(
      jinja: "<|start_header_id|> <|end_header_id|> <|eot_id|>",
      tokens: ["<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"], name: "llama3"),
    Choice(jinja: "[INST] <<SYS>>", tokens: ["<s>", "</s>"], sentencePiece: true, name: "llama2"),
    Choice(
      jinja: "[INST] [AVAILABLE_TOOLS]", tokens: ["[INST]", "[/INST]", "</s>"], sentencePiece: true,
      name: "mistral-v3"),
    Choice(jinja: "[INST] [AVAILABLE_TOOLS]", tokens: ["[INST]", "[/INST]", "</s>"], name: "mistral-v3-tekken"),
    Choice(
      jinja: "[SYSTEM_PROMPT] [INST]",
      tokens: ["[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[INST]", "[/INST]", "</s>"], name: "mistral-v7-tekken"),
    Choice(
      jinja: "'<|user|>\\n' '<|assistant|>' '<|end|>'", tokens: ["<|system|>", "<|user|>", "<|assistant|>", "<|end|>"],
      name: "phi3"),
    Choice(
      jinja: "<|start|> <|channel|> <|message|>",
      tokens: ["<|start|>", "<|end|>", "<|channel|>", "<|message|>", "<|return|>"], name: "gpt-oss"),
    Choice(jinja: "'<|user|>\\n' + eos_token '<|assistant|>'", tokens: ["</s>"], sentencePiece: true, name: "zephyr"),
    Choice(
      jinja: "<|start_of_role|> <|end_of_role|> <|end_of_text|>",
      tokens: ["<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>"], name: "granite"),
    // What does not fit together is said.
    Choice(
      jinja: "'<|im_start|>' '<|im_end|>'", tokens: ["<|im_start|>"], name: "chatml",
      warning: "no control token <|im_end|>"
    ),
    Choice(
      jinja: "'<|im_start|>' '<|im_end|>' '<|strange|>'", tokens: ["<|im_start|>", "<|im_end|>", "<|strange|>"],
      name: "chatml", warning: "<|strange|>"),
    Choice(jinja: "{{ nothing known }}", tokens: [], name: "plain", warning: "not known"),
    Choice(
      jinja: nil, tokens: ["<|im_start|>", "<|im_end|>"], name: "chatml", warning: "no chat template"),
    Choice(jinja: nil, tokens: [], name: "plain", warning: "no chat template"),
  ]

  @Test(arguments: choices) func chosen(_ test: Choice) {
    let choice = ChatTemplateChoice(
      .init(
        jinja: test.jinja, specialTokens: test.tokens, endOfSequence: "</s>", isSentencePiece: test.sentencePiece))
    #expect(choice.template.name == test.name)
    if let expected = test.warning {
      #expect(choice.warning?.contains(expected) == true, "\(choice.warning ?? "no warning")")
    } else {
      #expect(choice.warning == nil)
    }
  }
}
