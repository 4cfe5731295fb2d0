import Inference
import Synchronization

/// The tokens of texts that are likely to come again: the messages of a conversation. A long message is tokenised once,
/// and an answer keeps the tokens that the model wrote, which its text alone does not determine, so that the KV cache
/// still knows it when it comes back as history. The texts used last are kept.
public final class TokenMemory: Sendable {
  /// A shorter text is tokenised faster than it is found.
  private static let shortestText = 512

  private struct Entry {
    var tokens: [Token]
    var lastUse: Int
  }

  private struct State {
    var entries: [[UInt8]: Entry] = [:]
    var tokenCount = 0
    var clock = 0
  }

  private let mostTokens: Int
  private let mostTexts: Int
  private let state = Mutex(State())

  public init(mostTokens: Int = 1 << 19, mostTexts: Int = 4_096) {
    self.mostTokens = mostTokens
    self.mostTexts = mostTexts
  }

  /// Keeps what a model has written. Nothing is kept of it when one of its tokens is a control token, or when they are
  /// not the text of any message.
  public func rememberAnswer(_ tokens: [Token], of vocabulary: Vocabulary) {
    guard !tokens.isEmpty, !tokens.contains(where: vocabulary.isControl) else { return }
    var text: [UInt8] = []
    for token in tokens { vocabulary.appendBytes(of: token, to: &text) }
    remember(text, tokens)
  }

  /// The tokens that the text had when it came before.
  func tokens(of text: [UInt8]) -> [Token]? {
    state.withLock { state in
      state.clock += 1
      state.entries[text]?.lastUse = state.clock
      return state.entries[text]?.tokens
    }
  }

  func rememberMessage(_ text: [UInt8], _ tokens: [Token]) {
    if text.count >= Self.shortestText { remember(text, tokens) }
  }

  private func remember(_ text: [UInt8], _ tokens: [Token]) {
    guard tokens.count <= mostTokens / 4 else { return }
    state.withLock { state in
      state.clock += 1
      let former = state.entries.updateValue(Entry(tokens: tokens, lastUse: state.clock), forKey: text)
      state.tokenCount += tokens.count - (former?.tokens.count ?? 0)
      guard state.tokenCount > mostTokens || state.entries.count > mostTexts else { return }
      // An eighth more than needed, so that this is done seldom.
      for oldest in state.entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
        if state.tokenCount <= mostTokens / 8 * 7, state.entries.count <= mostTexts / 8 * 7 { break }
        state.entries[oldest.key] = nil
        state.tokenCount -= oldest.value.tokens.count
      }
    }
  }
}
