/// Text that streams in, without white space at both ends: at the end it is held back until something follows it.
struct TrimmedText: Sendable {
  private var hasBegun = false
  private var space = ""

  /// What can be shown of the next piece.
  mutating func append(_ piece: String) -> String {
    var text = Substring(space + piece)
    if !hasBegun { text = text.trimmedStart }
    let body = text.trimmedEnd
    space = String(text[body.endIndex...])
    if !body.isEmpty { hasBegun = true }
    return String(body)
  }
}
