// The families. What they want written is a fact of each model, taken from the templates that the models ship.

extension ChatTemplate {
  /// Every template there is, for tests and for messages to people.
  package static var all: [ChatTemplate] {
    [
      chatML, qwen3, qwen35, smolLM3, phi4, gemma, gemma4, llama2, llama3, llama4, gptOSS, mistral1, mistral3,
      mistral3Tekken, mistral7, mistral7Tekken, granite, phi3, phi4Mini, zephyr("</s>"), falcon3("<|endoftext|>"),
      commandR, deepSeek, plain,
    ]
  }

  /// ChatML: SmolLM2, Qwen2.5, LFM2, Hermes, Yi and many fine-tunes.
  package static let chatML = ChatTemplate(
    name: "chatml",
    system: .turn(Turn("<|im_start|>system\n", "<|im_end|>\n")),
    user: Turn("<|im_start|>user\n", "<|im_end|>\n"),
    assistant: Turn("<|im_start|>assistant\n", "<|im_end|>\n"),
    answer: "<|im_start|>assistant\n",
    controlTokens: ["<|im_start|>", "<|im_end|>"], endOfTurn: ["<|im_end|>"])

  package static let qwen3 = chatML.with(
    name: "qwen3",
    thinking: Thinking(
      open: "<think>", close: "</think>", empty: "<think>\n\n</think>\n\n", tags: ["<think>", "</think>"]))

  /// Qwen3.5, QwQ and the other models whose template begins the thought itself.
  package static let qwen35: ChatTemplate = {
    var template = chatML.with(
      name: "qwen3.5",
      thinking: Thinking(
        open: "<think>", close: "</think>", empty: "<think>\n\n</think>\n\n", begun: "<think>\n",
        tags: ["<think>", "</think>"]))
    template.trims = true
    return template
  }()

  package static let smolLM3: ChatTemplate = {
    func opening(_ mode: String) -> String {
      "<|im_start|>system\n## Metadata\n\nKnowledge Cutoff Date: June 2025\nReasoning Mode: \(mode)\n\n"
        + "## Custom Instructions\n\n"
    }
    var template = chatML.with(
      name: "smollm3",
      thinking: Thinking(
        open: "<think>", close: "</think>", empty: "<think>\n\n</think>\n", earlier: "<think>\n\n</think>\n",
        systemOpen: opening("/think"), tags: ["<think>", "</think>"]))
    template.system = .turn(Turn(opening("/no_think"), "\n\n<|im_end|>\n"))
    template.defaultSystem = "You are a helpful AI assistant named SmolLM, trained by Hugging Face."
    return template
  }()

  package static let phi4 = ChatTemplate(
    name: "phi4",
    system: .turn(Turn("<|im_start|>system<|im_sep|>", "<|im_end|>")),
    user: Turn("<|im_start|>user<|im_sep|>", "<|im_end|>"),
    assistant: Turn("<|im_start|>assistant<|im_sep|>", "<|im_end|>"),
    answer: "<|im_start|>assistant<|im_sep|>",
    controlTokens: ["<|im_start|>", "<|im_sep|>", "<|im_end|>"], endOfTurn: ["<|im_end|>"])

  /// Gemma 1 to 3: no system turn.
  package static let gemma = ChatTemplate(
    name: "gemma",
    system: .insideUser(Turn("", "\n\n")),
    user: Turn("<start_of_turn>user\n", "<end_of_turn>\n"),
    assistant: Turn("<start_of_turn>model\n", "<end_of_turn>\n"),
    answer: "<start_of_turn>model\n", trims: true,
    controlTokens: ["<start_of_turn>", "<end_of_turn>"], endOfTurn: ["<end_of_turn>"])

  package static let gemma4 = ChatTemplate(
    name: "gemma4",
    system: .turn(Turn("<|turn>system\n", "<turn|>\n")),
    user: Turn("<|turn>user\n", "<turn|>\n"),
    assistant: Turn("<|turn>model\n", "<turn|>\n"),
    answer: "<|turn>model\n", trims: true,
    thinking: Thinking(
      open: "<|channel>thought", close: "<channel|>", empty: "<|channel>thought\n<channel|>",
      systemOpen: "<|turn>system\n<|think|>\n", tags: ["<|channel>", "<channel|>"]),
    controlTokens: ["<|turn>", "<turn|>", "<|channel>", "<channel|>"], endOfTurn: ["<turn|>"])

  /// Llama 2: its marks are plain text, only the sentence ends are control tokens.
  package static let llama2 = ChatTemplate(
    name: "llama2",
    system: .insideUser(Turn("<<SYS>>\n", "\n<</SYS>>\n\n")),
    user: Turn("[INST] ", " [/INST]"), assistant: Turn(" ", " </s><s>"),
    answer: "", controlTokens: ["</s>", "<s>"], endOfTurn: ["</s>"])

  /// Llama 3. The lines with a date that its own template puts into the system message are left out: they would make
  /// every day's prompts new to the cache.
  package static let llama3 = ChatTemplate(
    name: "llama3",
    system: .turn(Turn("<|start_header_id|>system<|end_header_id|>\n\n", "<|eot_id|>")),
    user: Turn("<|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>"),
    assistant: Turn("<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"),
    answer: "<|start_header_id|>assistant<|end_header_id|>\n\n", trims: true,
    controlTokens: ["<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"], endOfTurn: ["<|eot_id|>"],
    otherTokens: ["<|begin_of_text|>", "<|eom_id|>"])

  package static let llama4 = ChatTemplate(
    name: "llama4",
    system: .turn(Turn("<|header_start|>system<|header_end|>\n\n", "<|eot|>")),
    user: Turn("<|header_start|>user<|header_end|>\n\n", "<|eot|>"),
    assistant: Turn("<|header_start|>assistant<|header_end|>\n\n", "<|eot|>"),
    answer: "<|header_start|>assistant<|header_end|>\n\n", trims: true,
    controlTokens: ["<|header_start|>", "<|header_end|>", "<|eot|>"], endOfTurn: ["<|eot|>"],
    otherTokens: ["<|begin_of_text|>", "<|eom|>"])

  /// gpt-oss (harmony). The answer goes to the final channel; without reasoning it begins there. The line with the
  /// current date is left out: it would make every day's prompts new to the cache.
  package static let gptOSS = ChatTemplate(
    name: "gpt-oss",
    prelude: "<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.\n"
      + "Knowledge cutoff: 2024-06\n\nReasoning: low\n\n"
      + "# Valid channels: analysis, commentary, final. Channel must be included for every message.<|end|>",
    system: .turn(Turn("<|start|>developer<|message|># Instructions\n\n", "\n\n<|end|>")),
    user: Turn("<|start|>user<|message|>", "<|end|>"),
    assistant: Turn("<|start|>assistant<|channel|>final<|message|>", "<|end|>"),
    answer: "<|start|>assistant",
    thinking: Thinking(
      open: "<|channel|>analysis<|message|>", close: "<|channel|>final<|message|>",
      empty: "<|channel|>final<|message|>", tags: ["<|start|>", "<|end|>", "<|channel|>", "<|message|>"]),
    controlTokens: ["<|start|>", "<|end|>", "<|channel|>", "<|message|>"], endOfTurn: ["<|return|>"],
    otherTokens: ["<|return|>", "<|call|>"])

  /// Mistral 7B and Mixtral: marks in plain text.
  package static let mistral1 = ChatTemplate(
    name: "mistral-v1",
    system: .insideUser(Turn("", "\n\n")),
    user: Turn(" [INST] ", " [/INST]"), assistant: Turn(" ", "</s>"),
    answer: "", controlTokens: ["</s>"], endOfTurn: ["</s>"])

  package static let mistral3 = ChatTemplate(
    name: "mistral-v3",
    system: .insideUser(Turn("", "\n\n")),
    user: Turn("[INST] ", "[/INST]"), assistant: Turn(" ", "</s>"),
    answer: "", controlTokens: ["[INST]", "[/INST]", "</s>"], endOfTurn: ["</s>"])

  package static let mistral3Tekken = ChatTemplate(
    name: "mistral-v3-tekken",
    system: .insideUser(Turn("", "\n\n")),
    user: Turn("[INST]", "[/INST]"), assistant: Turn("", "</s>"),
    answer: "", controlTokens: ["[INST]", "[/INST]", "</s>"], endOfTurn: ["</s>"])

  package static let mistral7 = ChatTemplate(
    name: "mistral-v7",
    system: .turn(Turn("[SYSTEM_PROMPT] ", "[/SYSTEM_PROMPT]")),
    user: Turn("[INST] ", "[/INST]"), assistant: Turn(" ", "</s>"),
    answer: "", controlTokens: ["[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[INST]", "[/INST]", "</s>"],
    endOfTurn: ["</s>"])

  package static let mistral7Tekken = ChatTemplate(
    name: "mistral-v7-tekken",
    system: .turn(Turn("[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]")),
    user: Turn("[INST]", "[/INST]"), assistant: Turn("", "</s>"),
    answer: "", controlTokens: ["[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[INST]", "[/INST]", "</s>"],
    endOfTurn: ["</s>"])

  package static let granite = ChatTemplate(
    name: "granite",
    system: .turn(Turn("<|start_of_role|>system<|end_of_role|>", "<|end_of_text|>\n")),
    user: Turn("<|start_of_role|>user<|end_of_role|>", "<|end_of_text|>\n"),
    assistant: Turn("<|start_of_role|>assistant<|end_of_role|>", "<|end_of_text|>\n"),
    answer: "<|start_of_role|>assistant<|end_of_role|>",
    controlTokens: ["<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>"], endOfTurn: ["<|end_of_text|>"],
    otherTokens: ["<|start_of_cite|>", "<|end_of_cite|>"])

  package static let phi3 = ChatTemplate(
    name: "phi3",
    system: .turn(Turn("<|system|>\n", "<|end|>\n")),
    user: Turn("<|user|>\n", "<|end|>\n"), assistant: Turn("<|assistant|>\n", "<|end|>\n"),
    answer: "<|assistant|>\n",
    controlTokens: ["<|system|>", "<|user|>", "<|assistant|>", "<|end|>"], endOfTurn: ["<|end|>"])

  package static let phi4Mini = ChatTemplate(
    name: "phi4-mini",
    system: .turn(Turn("<|system|>", "<|end|>")),
    user: Turn("<|user|>", "<|end|>"), assistant: Turn("<|assistant|>", "<|end|>"),
    answer: "<|assistant|>",
    controlTokens: ["<|system|>", "<|user|>", "<|assistant|>", "<|end|>"], endOfTurn: ["<|end|>"])

  /// Zephyr, TinyLlama, StableLM, OLMo: a turn ends with the model's own end of sequence. The roles are plain text in
  /// most of them.
  package static func zephyr(_ endOfSequence: String) -> ChatTemplate {
    ChatTemplate(
      name: "zephyr",
      system: .turn(Turn("<|system|>\n", "\(endOfSequence)\n")),
      user: Turn("<|user|>\n", "\(endOfSequence)\n"), assistant: Turn("<|assistant|>\n", "\(endOfSequence)\n"),
      answer: "<|assistant|>\n",
      controlTokens: [endOfSequence], endOfTurn: [endOfSequence],
      otherTokens: ["<|system|>", "<|user|>", "<|assistant|>"])
  }

  package static func falcon3(_ endOfSequence: String) -> ChatTemplate {
    ChatTemplate(
      name: "falcon3",
      system: .turn(Turn("<|system|>\n", "\n")),
      user: Turn("<|user|>\n", "\n"), assistant: Turn("<|assistant|>\n", "\(endOfSequence)\n"),
      answer: "<|assistant|>\n",
      controlTokens: ["<|system|>", "<|user|>", "<|assistant|>", endOfSequence], endOfTurn: [endOfSequence])
  }

  package static let commandR: ChatTemplate = {
    let start = "<|START_OF_TURN_TOKEN|>"
    let end = "<|END_OF_TURN_TOKEN|>"
    return ChatTemplate(
      name: "command-r",
      system: .turn(Turn("\(start)<|SYSTEM_TOKEN|>", end)),
      user: Turn("\(start)<|USER_TOKEN|>", end), assistant: Turn("\(start)<|CHATBOT_TOKEN|>", end),
      answer: "\(start)<|CHATBOT_TOKEN|>", trims: true,
      controlTokens: [start, end, "<|SYSTEM_TOKEN|>", "<|USER_TOKEN|>", "<|CHATBOT_TOKEN|>"], endOfTurn: [end])
  }()

  /// DeepSeek V3 and the R1 distillations.
  package static let deepSeek = ChatTemplate(
    name: "deepseek",
    system: .turn(Turn("", "")),
    user: Turn("<｜User｜>", ""), assistant: Turn("<｜Assistant｜>", "<｜end▁of▁sentence｜>"),
    answer: "<｜Assistant｜>",
    thinking: Thinking(
      open: "<think>", close: "</think>", empty: "<think>\n\n</think>\n\n", begun: "<think>\n",
      tags: ["<think>", "</think>"]),
    controlTokens: ["<｜User｜>", "<｜Assistant｜>", "<｜end▁of▁sentence｜>"], endOfTurn: ["<｜end▁of▁sentence｜>"],
    otherTokens: ["<｜begin▁of▁sentence｜>"])

  /// For models without a template: headings in plain text.
  package static let plain = ChatTemplate(
    name: "plain",
    system: .turn(Turn("", "\n\n")),
    user: Turn("### Instruction:\n", "\n\n"), assistant: Turn("### Response:\n", "\n\n"),
    answer: "### Response:\n", trims: true)

  private func with(name: String, thinking: Thinking) -> ChatTemplate {
    var copy = ChatTemplate(
      name: name, system: system, user: user, assistant: assistant, answer: answer, controlTokens: controlTokens,
      endOfTurn: endOfTurn)
    copy.thinking = thinking
    // A user's text must not open or close a thought either.
    copy.controlTokens += thinking.tags
    return copy
  }
}
