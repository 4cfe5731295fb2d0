import AssistantProtocol

/// Makes the result's text of its parts, and the partial results that show it growing. Put together, the partial
/// results are the text.
struct TextComposer: Sendable {
  let encoding: PositionEncoding
  private let mode: StreamMode
  private(set) var text = ""
  /// The text's length in units of the encoding.
  private(set) var length = 0
  /// Text of the source that is shown together with what follows it: while only this is known, nothing is.
  private var kept = ""
  /// Where the stretch that is being written begins.
  private var markBytes = 0
  private var markLength = 0

  init(encoding: PositionEncoding, mode: StreamMode) {
    self.encoding = encoding
    self.mode = mode
  }

  /// The stretch written last, in the text.
  var stretch: TextRange { TextRange(start: markLength, end: length) }

  /// Text of the source that goes between.
  mutating func keep(_ text: String) { kept += text }

  /// A new stretch begins.
  mutating func begin() {
    markBytes = text.utf8.count
    markLength = length
  }

  /// Takes what comes next of the stretch; nil when there is nothing new to show.
  mutating func append(_ new: String) -> PartialResult? {
    guard !new.isEmpty else { return nil }
    return show(from: length, takeKept() + new)
  }

  /// The stretch begins anew. What comes next goes to its start and so replaces what the client shows.
  mutating func restart() { cut(toBytes: markBytes, length: markLength) }

  /// Makes the stretch this text, and keeps of what is shown as much as is right.
  mutating func settle(_ final: String) -> PartialResult? {
    let shown = text.utf8.dropFirst(markBytes)
    var (same, border) = (0, 0)
    for (old, new) in zip(shown, final.utf8) {
      // Cut only where a scalar begins.
      if !UTF8.isContinuation(old) { border = same }
      guard old == new else { break }
      same += 1
    }
    if same == shown.count || same == final.utf8.count { border = same }
    let index = final.utf8.index(final.startIndex, offsetBy: border)
    if same == shown.count { return append(String(final[index...])) }
    let head = String(final[..<index])
    cut(toBytes: markBytes + border, length: markLength + encoding.length(of: head))
    return show(from: length, String(final[index...]))
  }

  /// No stretch follows.
  mutating func finish() -> PartialResult? {
    let rest = kept
    kept = ""
    return rest.isEmpty ? nil : show(from: length, rest)
  }

  private mutating func takeKept() -> String {
    guard !kept.isEmpty else { return "" }
    defer { kept = "" }
    markBytes += kept.utf8.count
    markLength += encoding.length(of: kept)
    return kept
  }

  private mutating func cut(toBytes bytes: Int, length: Int) {
    text.removeSubrange(text.utf8.index(text.startIndex, offsetBy: bytes)...)
    self.length = length
  }

  private mutating func show(from offset: Int, _ new: String) -> PartialResult {
    text += new
    length += encoding.length(of: new)
    switch mode {
    case .delta: return .delta(TextDelta(offset: offset, delta: new, encoding: encoding))
    case .snapshot: return .snapshot(TextSnapshot(text: text))
    }
  }
}
