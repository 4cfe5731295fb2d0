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

/// The value so far of a structured result that is still being made.
public struct StructuredSnapshot: JSONMessage, Equatable {
  public var value = JSONValue.null
  public init() {}
  public init(value: JSONValue) { self.value = value }
  public static let fields: [JSONField<StructuredSnapshot>] = [
    .constant("kind", "structured", "A value."), .required("value", \.value, "All of it so far."),
  ]
}

/// A tool is called for a result that is still being made.
public struct ToolProgress: JSONMessage, Equatable {
  public enum State: String, JSONStringEnum { case calling, done, failed }

  public var callID = ""
  public var name = ""
  public var state = State.calling
  public init() {}
  public init(callID: String, name: String, state: State) {
    self.callID = callID
    self.name = name
    self.state = state
  }
  public static let fields: [JSONField<ToolProgress>] = [
    .constant("kind", "tool", "A call of a tool."), .required("callId", \.callID, "The same as in the result."),
    .required("name", \.name, "The tool."), .required("state", \.state, "How it stands."),
  ]
}

/// A piece of a result before the result.
public enum PartialResult: JSONConvertible, Equatable {
  case delta(TextDelta)
  case snapshot(TextSnapshot)
  case structured(StructuredSnapshot)
  case tool(ToolProgress)

  public init(json: JSONValue) throws(JSONMismatch) {
    switch json["kind"] {
    case .string("structured")?: self = .structured(try StructuredSnapshot(json: json))
    case .string("tool")?: self = .tool(try ToolProgress(json: json))
    case _: self = json["offset"] == nil ? .snapshot(try TextSnapshot(json: json)) : .delta(try TextDelta(json: json))
    }
  }

  public var json: JSONValue {
    switch self {
    case .delta(let delta): delta.json
    case .snapshot(let snapshot): snapshot.json
    case .structured(let snapshot): snapshot.json
    case .tool(let progress): progress.json
    }
  }

  public static var jsonTypeName: String { "TextDelta \\| TextSnapshot \\| StructuredSnapshot \\| ToolProgress" }

  /// Takes a later one in; false when the two cannot be one.
  public mutating func merge(_ later: PartialResult) -> Bool {
    switch (self, later) {
    case (.delta(var delta), .delta(let laterDelta)):
      // Given up first, so that the text can grow in place.
      self = .snapshot(TextSnapshot())
      let isMerged = delta.merge(laterDelta)
      self = .delta(delta)
      return isMerged
    case (.snapshot, .snapshot), (.structured, .structured):
      self = later
      return true
    case (.delta, _), (.snapshot, _), (.structured, _), (.tool, _): return false
    }
  }
}
