/// The text that an answer is about. What is asked of it again with every piece of the answer is remembered, for it may
/// be as long as a request can be.
package struct FilterSource: Sendable {
  package let text: String
  private var answers: [String: Bool] = [:]
  private lazy var folded = Self.folded(text[...])
  /// Its words; see `ContentWords`.
  lazy var words = Set(ContentWords.words(of: text))

  package init(_ text: String) { self.text = text }

  /// Whether it holds the string.
  mutating func contains(_ string: String) -> Bool { remember(string) { $0.text.contains(string) } }

  /// Whether it holds the string in whatever case, with whatever apostrophes.
  mutating func says(_ string: String) -> Bool { remember("~" + string) { $0.folded.contains(string) } }

  /// In lower case, with straight apostrophes.
  static func folded(_ text: Substring) -> String { text.lowercased().replacing("’", with: "'") }

  private mutating func remember(_ key: String, _ find: (inout FilterSource) -> Bool) -> Bool {
    if let known = answers[key] { return known }
    let answer = find(&self)
    answers[key] = answer
    return answer
  }
}
