/// Which template a model gets, and what speaks against it.
public struct ChatTemplateChoice: Sendable {
  public var template: ChatTemplate
  /// Set when the file and the table do not agree.
  public var warning: String?

  /// What is known of the model before the choice.
  package struct Evidence {
    /// The file's own template, a Jinja program; it is searched for names and never run.
    package var jinja: String?
    /// Names of the vocabulary's control and user-defined tokens.
    package var specialTokens: [String]
    package var endOfSequence: String
    package var isSentencePiece: Bool

    package init(jinja: String?, specialTokens: [String], endOfSequence: String, isSentencePiece: Bool) {
      self.jinja = jinja
      self.specialTokens = specialTokens
      self.endOfSequence = endOfSequence
      self.isSentencePiece = isSentencePiece
    }
  }

  package init(_ evidence: Evidence) {
    let known = Set(evidence.specialTokens.map { Array($0.utf8) })
    let has = { (name: String) in known.contains(Array(name.utf8)) }
    if let jinja = evidence.jinja, !jinja.isEmpty, let family = Self.family(of: Names(jinja), evidence) {
      template = family
      warning = Self.mismatch(family, jinja: jinja, evidence: evidence, has: has)
    } else {
      template = has("<|im_start|>") && has("<|im_end|>") ? .chatML : .plain
      warning =
        evidence.jinja == nil
        ? "The file has no chat template; “\(template.name)” is used."
        : "The file's chat template is of a family that is not known here; “\(template.name)” is used."
    }
  }

  /// What a Jinja program mentions.
  private struct Names {
    private let jinja: [UInt8]
    init(_ jinja: String) { self.jinja = Array(jinja.utf8) }

    func mentions(_ names: String...) -> Bool {
      names.allSatisfy { name in Self.find(Array(name.utf8), in: jinja) }
    }

    static func find(_ needle: [UInt8], in text: [UInt8]) -> Bool {
      guard let first = needle.first, needle.count <= text.count else { return false }
      return text.indices.dropLast(needle.count - 1).contains { start in
        text[start] == first && text[start..<start + needle.count].elementsEqual(needle)
      }
    }
  }

  private static func family(of names: Names, _ evidence: Evidence) -> ChatTemplate? {
    if names.mentions("<|im_start|>") {
      if names.mentions("<|im_sep|>") { return .phi4 }
      if names.mentions("Reasoning Mode", "/no_think") { return .smolLM3 }
      // A template that opens the thought itself writes the tag and a line break behind it as the last thing.
      if names.mentions("'<think>\\n'") || names.mentions("assistant\\n<think>\\n' }}") { return .qwen35 }
      if names.mentions("enable_thinking") { return .qwen3 }
      return .chatML
    }
    if names.mentions("<|turn>") { return .gemma4 }
    if names.mentions("<start_of_turn>") { return .gemma }
    if names.mentions("<|start_header_id|>") { return .llama3 }
    if names.mentions("<|header_start|>") { return .llama4 }
    if names.mentions("<|start|>", "<|channel|>", "<|message|>") { return .gptOSS }
    if names.mentions("[INST]") {
      if names.mentions("[SYSTEM_PROMPT]") { return evidence.isSentencePiece ? .mistral7 : .mistral7Tekken }
      if names.mentions("[AVAILABLE_TOOLS]") { return evidence.isSentencePiece ? .mistral3 : .mistral3Tekken }
      return names.mentions("<<SYS>>") ? .llama2 : .mistral1
    }
    if names.mentions("<|start_of_role|>") { return .granite }
    if names.mentions("<|START_OF_TURN_TOKEN|>") { return .commandR }
    if names.mentions("<｜User｜>", "<｜Assistant｜>") { return .deepSeek }
    if names.mentions("<|assistant|>") {
      if names.mentions("<|end|>") { return names.mentions("<|user|>") ? .phi3 : .phi4Mini }
      if names.mentions("[gMASK]") { return nil }
      if names.mentions("eos_token") || names.mentions("</s>") || names.mentions("<|endoftext|>") {
        return names.mentions("<|user|>\\n' + message['content'] + '\\n'")
          ? .falcon3(evidence.endOfSequence) : .zephyr(evidence.endOfSequence)
      }
    }
    return nil
  }

  /// Parts of names for things that are not done here: tools, pictures, sound, code completion, thoughts.
  private static let elsewhere = [
    "tool", "image", "img", "vision", "video", "audio", "think", "python", "fim", "box", "quad", "object", "call",
    "ipython", "citation", "document",
  ]

  private static func mismatch(
    _ family: ChatTemplate, jinja: String, evidence: Evidence, has: (String) -> Bool
  ) -> String? {
    let missing = family.controlTokens.filter { !has($0) }
    if !missing.isEmpty {
      return "The vocabulary has no control token \(missing.joined(separator: ", ")), which the chat template "
        + "“\(family.name)” needs; answers may be poor."
    }
    let text = Array(jinja.utf8)
    let used = Set((family.controlTokens + family.otherTokens + [evidence.endOfSequence]).map { Array($0.utf8) })
    let unused = evidence.specialTokens.filter { name in
      let bytes = Array(name.utf8)
      let lowered = name.lowercased()
      return bytes.count > 2 && "<[".utf8.contains(bytes[0]) && !used.contains(bytes)
        && !elsewhere.contains { lowered.contains($0) } && Names.find(bytes, in: text)
    }
    guard !unused.isEmpty else { return nil }
    return "The file's chat template names \(unused.prefix(5).joined(separator: ", ")), which “\(family.name)” does "
      + "not use; answers may be poor."
  }
}
