import AssistantProtocol

/// What a feature has written.
struct WrittenText: Sendable {
  /// At least one; the first is the result's text.
  var alternatives: [String]
  /// What makes the first one of the source.
  var edits: [TextEdit] = []
}
