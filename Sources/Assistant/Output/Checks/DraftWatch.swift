/// Sees while an answer is written that it has a flaw which nothing that follows takes away, so that the engine need
/// not write it to its end.
struct DraftWatch: Sendable {
  private let verifier: Verifier
  private var count = 0
  /// The last words, of which a stretch of an example is made.
  private var end = ""
  private(set) var isSpoiled = false

  init(_ verifier: Verifier) { self.verifier = verifier }

  /// Takes what comes next of the text.
  mutating func append(_ text: String) {
    guard !isSpoiled, !text.isEmpty else { return }
    count += text.unicodeScalars.count
    end = String((end + text).suffix(CopiedExample.longestStretch))
    isSpoiled = verifier.isHopeless(count) || verifier.copiesExample(end)
  }
}
