import JSON

/// A way to write that a request names: one that ships, or one that the configuration describes.
public protocol Voice: JSONConvertible, Hashable {
  /// Those that ship, in the order of menus.
  static var builtin: [Self] { get }
  static func custom(_ voice: CustomVoice) -> Self
  /// The word of the wire.
  var id: String { get }
  /// For menus and for protocol.md.
  var choice: Choice { get }
}

/// A tone or a personality of the configuration.
public struct CustomVoice: Sendable, Hashable {
  public var id: String
  public var title: String
  public var description: String
  /// What the model is told; empty while only the id is known, as it is on the wire.
  public var instructions: String
  public init(id: String, title: String = "", description: String = "", instructions: String = "") {
    self.id = id
    self.title = title
    self.description = description
    self.instructions = instructions
  }

  public var choice: Choice { Choice(id: id, title: title.isEmpty ? id : title, description: description) }
}

extension Voice {
  /// Any string: whether there is such a voice is known where the configuration is, see `Customization`.
  public init(json: JSONValue) throws(JSONMismatch) {
    let word = try String(json: json)
    self = Self.builtin.first { $0.id.hasSameBytes(as: word) } ?? .custom(CustomVoice(id: word))
  }
  public var json: JSONValue { .string(id) }
  public static var jsonTypeName: String { "string" }

  /// The voice as it is configured now.
  /// - Parameter field: where it stands in the request.
  public func completed(
    from custom: [CustomVoice], in field: String
  ) throws(JSONMismatch) -> Self {
    guard let voice = current(in: custom) else {
      let known = Self.builtin.map(\.id) + custom.map(\.id)
      throw JSONMismatch(path: field, "must be one of " + known.map { "“\($0)”" }.joined(separator: ", "))
    }
    return voice
  }

  /// The same; nil when there is none of that name.
  public func current(in custom: [CustomVoice]) -> Self? {
    if Self.builtin.contains(where: { $0.id.hasSameBytes(as: id) }) { return self }
    return custom.first { $0.id.hasSameBytes(as: id) }.map { .custom($0) }
  }
}

/// What a person has added to the assistant.
public struct Customization: Sendable, Equatable {
  public var tones: [CustomVoice] = []
  public var personalities: [CustomVoice] = []
  public var commands: [CommandDefinition] = []
  /// Of a request that names none.
  public var tone = Tone.formal
  /// Of a request and a session that name none.
  public var personality = Personality.neutral
  /// UTF-8 bytes of all texts of one request together.
  public var textBytes = Limits.textBytes
  public init() {}
}

extension GenerationParams {
  /// Fills in what the configuration knows: the voices that the request names, and those of a request that names none.
  /// - Throws: for a name that there is not, with those that there are.
  public mutating func complete(with customization: Customization) throws(JSONMismatch) {
    try completeCommon(with: customization)
  }

  /// What is so for every request; part of any `complete` of its own.
  mutating func completeCommon(with customization: Customization) throws(JSONMismatch) {
    try Limits.check(texts, atMost: customization.textBytes)
    if let personality = common.personality {
      common.personality = try personality.completed(from: customization.personalities, in: "personality")
    } else if common.sessionID == nil, customization.personality != .neutral {
      common.personality = customization.personality
    }
  }
}
