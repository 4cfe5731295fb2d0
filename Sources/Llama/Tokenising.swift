import Inference

/// A piece of a prompt with the trust it deserves.
public enum PromptSegment: Sendable, Equatable {
  /// Our own scaffolding: names of control tokens in it become control tokens.
  case control(String)
  /// Text of a person or a model: whatever it says, it stays text.
  case user(String)
}

extension Vocabulary {
  /// Longest piece given to libllama at once. Its pre-tokenizers run on regular expressions that recurse for every
  /// character of a long run, so that a megabyte of one letter would overflow the stack.
  private static let pieceBytes = 4096

  /// The tokens of a text that is only text: none of them is a control token. A long text takes a while, which the
  /// cancellation of the current task ends.
  /// - Parameter noteProgress: called after each piece.
  public func tokenise(
    userText text: String, noteProgress: () -> Void = {}
  ) throws(CancellationError) -> [Token] {
    var tokens: [Token] = []
    try appendUserText(Array(text.utf8), to: &tokens, noteProgress)
    return tokens
  }

  /// The tokens of a prompt. Also tells how many tokens there are after each segment.
  ///
  /// The beginning-of-sequence token goes first when the model wants one and the prompt does not begin with it.
  /// - Parameters:
  ///   - memory: knows the tokens of texts that came before, and is told those of texts that did not.
  ///   - noteProgress: called after each piece of a user's text.
  public func tokenise(
    _ segments: [PromptSegment], memory: TokenMemory? = nil, noteProgress: () -> Void = {}
  ) throws(CancellationError) -> (tokens: [Token], ends: [Int]) {
    var tokens: [Token] = []
    var ends: [Int] = []
    // A space at the end of scaffolding belongs to the word that follows it, as vocabularies have words with their
    // space; a space is no control token, so it may go over to the user's side.
    var space = ""
    for (index, segment) in segments.enumerated() {
      switch segment {
      case .control(let text):
        var text = space + text
        space = ""
        if case .user? = index + 1 < segments.count ? segments[index + 1] : nil, text.utf8.last == UInt8(ascii: " ") {
          text.removeLast()
          space = " "
        }
        appendScaffolding(Array(text.utf8), to: &tokens)
      case .user(let text):
        try appendMessage(Array((space + text).utf8), to: &tokens, memory, noteProgress)
        space = ""
      }
      ends.append(tokens.count)
    }
    if addsBeginning, let beginning, tokens.first != beginning {
      tokens.insert(beginning, at: 0)
      for index in ends.indices { ends[index] += 1 }
    }
    return (tokens, ends)
  }

  private func appendScaffolding(_ text: [UInt8], to tokens: inout [Token]) {
    tokens += unsafe RawVocabulary.tokens(of: text[...], in: weights.handle.vocabulary, parseSpecial: true)
  }

  private func appendMessage(
    _ text: [UInt8], to tokens: inout [Token], _ memory: TokenMemory?, _ noteProgress: () -> Void
  ) throws(CancellationError) {
    // At the start of a prompt a text may have other tokens than behind something.
    guard let memory, !tokens.isEmpty else { return try appendUserText(text, to: &tokens, noteProgress) }
    if let known = memory.tokens(of: text) {
      tokens += known
      return
    }
    let start = tokens.count
    try appendUserText(text, to: &tokens, noteProgress)
    memory.rememberMessage(text, Array(tokens[start...]))
  }

  private func appendUserText(
    _ text: [UInt8], to tokens: inout [Token], _ noteProgress: () -> Void
  ) throws(CancellationError) {
    var rest = text[...]
    while !rest.isEmpty {
      if Task.isCancelled { throw CancellationError() }
      noteProgress()
      let piece = rest.prefix(Self.pieceLength(of: rest))
      rest = rest.dropFirst(piece.count)
      for token in plainTokens(of: piece, startsPrompt: tokens.isEmpty) {
        if isControl(token) {
          // The tokenizer's merges or its user-defined tokens made one all the same: write its name letter by letter.
          spell(name(of: token), into: &tokens)
        } else {
          tokens.append(token)
        }
      }
    }
  }

  private func plainTokens(of text: ArraySlice<UInt8>, startsPrompt: Bool) -> ArraySlice<Token> {
    let vocabulary = unsafe weights.handle.vocabulary
    guard prefixesSpace, !startsPrompt else {
      return unsafe RawVocabulary.tokens(of: text, in: vocabulary, parseSpecial: false)[...]
    }
    // A SentencePiece tokenizer writes a space before every text it is given. Behind a line break, which no merge
    // crosses, it does not; the break is then dropped again.
    let lead = unsafe RawVocabulary.tokens(of: Self.lineBreak, in: vocabulary, parseSpecial: false)
    let tokens = unsafe RawVocabulary.tokens(of: Self.lineBreak + text, in: vocabulary, parseSpecial: false)
    guard tokens.starts(with: lead) else {
      return unsafe RawVocabulary.tokens(of: text, in: vocabulary, parseSpecial: false)[...]
    }
    return tokens.dropFirst(lead.count)
  }

  private static let lineBreak: ArraySlice<UInt8> = [UInt8(ascii: "\n")]

  /// Bytes of the first piece of a text: all of a short one; of a long one up to a line break, else up to a space,
  /// else up to a whole scalar.
  static func pieceLength(of text: ArraySlice<UInt8>) -> Int {
    guard text.count > pieceBytes else { return text.count }
    let window = text.prefix(pieceBytes)
    if let newline = window.lastIndex(of: UInt8(ascii: "\n")), newline > window.startIndex {
      return newline + 1 - window.startIndex
    }
    if let space = window.lastIndex(of: UInt8(ascii: " ")), space > window.startIndex {
      return space - window.startIndex
    }
    var end = window.endIndex
    // A byte 10xxxxxx goes on with a scalar that began before it.
    while end > window.startIndex, text[end] & 0xC0 == 0x80 { end -= 1 }
    return end == window.startIndex ? pieceBytes : end - window.startIndex
  }
}
