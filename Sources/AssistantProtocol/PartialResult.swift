import JSON

/// New text of a result that is still being made: cut what is shown to `offset`, then append `delta`.
public struct TextDelta: JSONMessage, Equatable {
  /// Where the delta goes, in units of `encoding` from the start of the result's text.
  public private(set) var offset = 0
  public private(set) var delta = ""
  /// The connection's position encoding; not on the wire.
  public private(set) var encoding = PositionEncoding.utf16
  /// The delta's length in units of `encoding`, kept so that merging does not count the text again and again.
  private var length = 0

  public init() {}

  public init(offset: Int, delta: String, encoding: PositionEncoding) {
    self.offset = offset
    self.delta = delta
    self.encoding = encoding
    length = encoding.length(of: delta)
  }

  public static let fields: [JSONField<TextDelta>] = [
    .constant("kind", "text", "Text."), .required("offset", \.offset, "Where to cut what is shown."),
    .required("delta", \.wireDelta, "What to append there."),
  ]

  private var wireDelta: String {
    get { delta }
    set { self = TextDelta(offset: offset, delta: newValue, encoding: encoding) }
  }

  /// Makes one delta of this and a later one, which together do what the two did. False when the later one does not
  /// touch this one, or is in another encoding.
  public mutating func merge(_ later: TextDelta) -> Bool {
    guard later.encoding == encoding, later.offset <= offset + length else { return false }
    if later.offset < offset {
      // All of this delta is cut off again.
      self = later
      return true
    }
    if later.offset < offset + length {
      guard let kept = encoding.prefix(of: delta, length: later.offset - offset) else { return false }
      delta = String(kept)
    }
    delta += later.delta
    length = later.offset - offset + later.length
    return true
  }
}

/// All text so far of a result that is still being made.
public struct TextSnapshot: JSONMessage, Equatable {
  public var text = ""
  public init() {}
  public init(text: String) { self.text = text }
  public static let fields: [JSONField<TextSnapshot>] = [
    .constant("kind", "text", "Text."), .required("text", \.text, "All of it so far."),
  ]
}

/// A piece of a result before the result.
public enum PartialResult: JSONConvertible, Equatable {
  case delta(TextDelta)
  case snapshot(TextSnapshot)

  public init(json: JSONValue) throws(JSONMismatch) {
    self = json["offset"] == nil ? .snapshot(try TextSnapshot(json: json)) : .delta(try TextDelta(json: json))
  }

  public var json: JSONValue {
    switch self {
    case .delta(let delta): delta.json
    case .snapshot(let snapshot): snapshot.json
    }
  }

  public static var jsonTypeName: String { "TextDelta \\| TextSnapshot" }

  /// Takes a later one in; false when the two cannot be one.
  public mutating func merge(_ later: PartialResult) -> Bool {
    switch (self, later) {
    case (.delta(var delta), .delta(let laterDelta)):
      // Given up first, so that the text can grow in place.
      self = .snapshot(TextSnapshot())
      let isMerged = delta.merge(laterDelta)
      self = .delta(delta)
      return isMerged
    case (.snapshot, .snapshot):
      self = later
      return true
    case (.delta, .snapshot), (.snapshot, .delta): return false
    }
  }
}
