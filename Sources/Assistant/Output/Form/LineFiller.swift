/// Brings the words of a new text into the form of its source while they are written: one line, or lines as wide as the
/// source's with the source's prefix before each. Links and words are never broken.
///
/// What the model writes at its edges is dropped. Works on Unicode scalars, so that combining marks stay as they are.
package struct LineFiller: Sendable {
  private let prose: Prose
  private var column: Int
  private var hasContent = false
  /// White space that is shown when a word follows.
  private var gap = String.UnicodeScalarView()
  private var gapHasBreak = false
  /// The word being written, when it is not known yet whether it fits the line.
  private var word = String.UnicodeScalarView()
  private var lastShown: Unicode.Scalar?

  package init(_ prose: Prose) {
    self.prose = prose
    column = prose.column
  }

  /// The whole text at once.
  package static func fill(_ text: String, as prose: Prose) -> String {
    var filler = LineFiller(prose)
    var guarded = text
    for replacement in prose.replacements { guarded.replace(replacement.from, with: replacement.to) }
    let shown = filler.append(guarded)
    return shown + filler.finish()
  }

  /// What can be shown of the next piece; may be empty.
  package mutating func append(_ piece: String) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in piece.unicodeScalars {
      if scalar.isWhitespace {
        place(into: &shown)
        guard hasContent else { continue }
        if scalar.isLineEnd { gapHasBreak = true }
        gap.append(scalar)
      } else if prose.wrap != nil {
        // Han and kana can be broken anywhere but before a closing mark.
        let mayBreak = scalar.isSpaceless && !Self.closingMarks.contains(scalar) && !word.isEmpty
        if mayBreak { place(into: &shown) }
        word.append(scalar)
      } else {
        if hasContent { shown.append(contentsOf: space(before: scalar)) }
        show(scalar, into: &shown)
        gap = String.UnicodeScalarView()
        gapHasBreak = false
      }
    }
    return String(shown)
  }

  package mutating func finish() -> String {
    var shown = String.UnicodeScalarView()
    place(into: &shown)
    return String(shown)
  }

  private static let closingMarks = Set("。、，．！？）」』】》・：；ー”’…".unicodeScalars)

  private mutating func show(_ scalar: Unicode.Scalar, into shown: inout String.UnicodeScalarView) {
    hasContent = true
    lastShown = scalar
    shown.append(scalar)
  }

  /// A line break of the model's becomes a space, or nothing where the script has none.
  private func space(before scalar: Unicode.Scalar) -> String.UnicodeScalarView {
    guard gapHasBreak else { return gap }
    let isSpaceless = scalar.isSpaceless && (lastShown?.isSpaceless ?? false)
    return (isSpaceless ? "" : " ").unicodeScalars
  }

  /// Puts the word that is complete now on this line or the next.
  private mutating func place(into shown: inout String.UnicodeScalarView) {
    guard let first = word.first, let wrap = prose.wrap else { return }
    let text = String(word)
    if hasContent {
      var before = space(before: first)
      if !before.isEmpty { before = " ".unicodeScalars }
      let end = DisplayWidth.column(after: text, from: column + before.count)
      if end > wrap.width, !Self.looksLikeMarker(text) {
        shown.append(contentsOf: wrap.lineBreak.unicodeScalars)
        let prefix = wrap.lineBreak.drop { $0.isNewline }
        column = DisplayWidth.column(after: prefix)
      } else {
        shown.append(contentsOf: before)
        column += before.count
      }
    }
    column = DisplayWidth.column(after: text, from: column)
    for scalar in word { show(scalar, into: &shown) }
    word = String.UnicodeScalarView()
    gap = String.UnicodeScalarView()
    gapHasBreak = false
  }

  /// At the start of a line it would begin a list or a heading.
  private static func looksLikeMarker(_ word: String) -> Bool {
    if ["-", "*", "+", ">", "•", "–", "|", "=", "%", "//", "--"].contains(word) { return true }
    if word.allSatisfy({ $0 == "#" }) { return true }
    guard let last = word.last, last == "." || last == ")" else { return false }
    return word.dropLast().allSatisfy { $0.isASCII && $0.isNumber }
  }
}

extension Unicode.Scalar {
  /// Ends a line: LF, VT, FF, CR, NEL, line and paragraph separators.
  var isLineEnd: Bool {
    switch value {
    case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
    case _: false
    }
  }
}
