/// Cuts the thought of a thinking model off the front of its answer, while the answer streams in. Text that begins
/// otherwise passes at once; a tag further on is part of the text.
package struct ThoughtFilter {
  private enum State {
    /// The output may still turn out to begin with a thought.
    case start
    case inThought
    /// White space after a thought is not part of the answer.
    case afterThought
    case text
  }

  private let open: [UInt8]
  private let close: [UInt8]
  private var state: State
  /// What has come and is not decided.
  private var pending: [UInt8] = []

  /// - Parameters:
  ///   - open: the tag that begins a thought, as the model writes it.
  ///   - beginsInThought: the prompt has opened the thought already.
  package init(open: String, close: String, beginsInThought: Bool) {
    self.open = Array(open.utf8)
    self.close = Array(close.utf8)
    state = beginsInThought ? .inThought : .start
  }

  /// A filter that lets everything pass, for an answer that has been started already.
  package static var none: ThoughtFilter {
    var filter = ThoughtFilter(open: "", close: "", beginsInThought: false)
    filter.state = .text
    return filter
  }

  /// Takes a piece of output in and gives what of it (and of earlier ones) is the answer's. Pieces are whole scalars,
  /// and so is what comes out.
  package mutating func take(_ bytes: [UInt8]) -> [UInt8] {
    pending += bytes
    while true {
      switch state {
      case .text:
        return flush()
      case .start:
        let text = pending.drop(while: Self.isSpace)
        if text.starts(with: open) {
          pending = Array(text.dropFirst(open.count))
          state = .inThought
        } else if open.starts(with: text) {
          return []
        } else {
          state = .text
        }
      case .inThought:
        guard let end = endOfThought() else {
          // Only the part that may be the beginning of the tag is kept.
          pending.removeFirst(max(0, pending.count - close.count + 1))
          return []
        }
        pending.removeFirst(end)
        state = .afterThought
      case .afterThought:
        pending = Array(pending.drop(while: Self.isSpace))
        if pending.isEmpty { return [] }
        state = .text
      }
    }
  }

  /// What is left when the output has ended: a beginning that turned out to be none of a thought.
  package mutating func finish() -> [UInt8] {
    if case .inThought = state { return [] }
    return flush()
  }

  private mutating func flush() -> [UInt8] {
    defer { pending = [] }
    return pending
  }

  /// The place behind the closing tag.
  private func endOfThought() -> Int? {
    guard pending.count >= close.count else { return nil }
    for start in 0...(pending.count - close.count) where pending[start...].starts(with: close) {
      return start + close.count
    }
    return nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
