/// Pairs of quotation marks that a whole text may stand between.
enum Quotes {
  static let pairs: [(open: Unicode.Scalar, close: Unicode.Scalar)] = [
    ("\"", "\""), ("“", "”"), ("„", "“"), ("„", "”"), ("«", "»"), ("»", "«"), ("'", "'"), ("‘", "’"), ("‚", "‘"),
    ("`", "`"), ("「", "」"), ("『", "』"), ("《", "》"),
  ]

  static func closing(_ open: Unicode.Scalar) -> [Unicode.Scalar] { pairs.filter { $0.open == open }.map(\.close) }

  /// The text between a pair of marks that encloses all of it; nil when none does.
  static func inside(_ text: Substring) -> Substring? {
    let scalars = text.unicodeScalars
    guard let open = scalars.first, let close = scalars.last, closing(open).contains(close), scalars.count > 2 else {
      return nil
    }
    let inner = text[scalars.index(after: text.startIndex)..<scalars.index(before: text.endIndex)]
    // “A” and “B” is no text between marks; an apostrophe is no closing mark.
    let ends = inner.unicodeScalars.contains { $0 == close && close != "’" && close != "'" }
    return ends || inner.unicodeScalars.contains(open) ? nil : inner
  }
}
