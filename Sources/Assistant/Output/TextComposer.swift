import AssistantProtocol

/// Makes the result's text of the model's pieces, and the partial results that show it growing. Put together, the
/// partial results are the text.
struct TextComposer: Sendable {
  private let source: String
  private let encoding: PositionEncoding
  private let mode: StreamMode
  private var edges: EdgeKeeper
  private(set) var text = ""
  /// The text's length in units of the encoding.
  private var length = 0

  init(source: String, encoding: PositionEncoding, mode: StreamMode) {
    self.source = source
    self.encoding = encoding
    self.mode = mode
    edges = EdgeKeeper(source: source)
  }

  /// Whether the model has written anything but white space.
  var hasContent: Bool { edges.hasContent }

  /// Takes the model's next piece; nil when there is nothing new to show.
  mutating func append(_ piece: String) -> PartialResult? { show(edges.append(piece)) }

  /// The model is done.
  mutating func finish() -> PartialResult? { show(edges.finish()) }

  /// The model begins anew. The next piece goes to offset 0 and so replaces what the client shows.
  mutating func restart() {
    edges = EdgeKeeper(source: source)
    text = ""
    length = 0
  }

  private mutating func show(_ new: String) -> PartialResult? {
    guard !new.isEmpty else { return nil }
    let offset = length
    text += new
    length += encoding.length(of: new)
    switch mode {
    case .delta: return .delta(TextDelta(offset: offset, delta: new, encoding: encoding))
    case .snapshot: return .snapshot(TextSnapshot(text: text))
    }
  }
}
