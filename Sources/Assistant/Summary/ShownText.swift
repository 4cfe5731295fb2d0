import AssistantProtocol

/// What the client shows of a text that is made anew with each piece the model writes. Each new state is sent as what
/// is different, so put together the partial results are the text.
struct ShownText: Sendable {
  private let encoding: PositionEncoding
  private let mode: StreamMode
  private(set) var text = ""
  /// The text's length in units of the encoding.
  private var length = 0

  init(encoding: PositionEncoding, mode: StreamMode) {
    self.encoding = encoding
    self.mode = mode
  }

  /// The model begins anew; the next text replaces all of this one.
  mutating func restart() {
    text = ""
    length = 0
  }

  /// Replaces the text; nil when nothing changes.
  mutating func show(_ new: String) -> PartialResult? {
    guard !new.hasSameBytes(as: text) else { return nil }
    let (kept, rest) = common(with: new)
    let delta = TextDelta(offset: kept, delta: rest, encoding: encoding)
    text = new
    length = kept + encoding.length(of: rest)
    switch mode {
    case .delta: return .delta(delta)
    case .snapshot: return .snapshot(TextSnapshot(text: new))
    }
  }

  /// How much of the shown text the new one begins with, in units of the encoding, and what it has besides.
  private func common(with new: String) -> (kept: Int, rest: String) {
    let old = text.unicodeScalars
    let scalars = new.unicodeScalars
    if new.utf8.count > text.utf8.count, scalars.starts(with: old) {
      return (length, String(scalars.dropFirst(old.count)))
    }
    let shared = zip(old, scalars).prefix { $0 == $1 }
    return (
      shared.reduce(0) { $0 + encoding.length(of: $1.0) }, String(scalars.dropFirst(shared.count))
    )
  }
}
