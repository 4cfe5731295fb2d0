/// Puts the white space at the edges of the source around what the model writes, while it writes.
///
/// The model's own leading and trailing white space is dropped: what may turn out to be trailing is held back until
/// something follows it. Works on Unicode scalars, so that CR LF and combining marks stay as they are.
struct EdgeKeeper: Sendable {
  private let leading: String
  private let trailing: String
  private var heldBack = String.UnicodeScalarView()
  /// Whether the model has written anything but white space.
  private(set) var hasContent = false

  init(source: String) {
    let scalars = source.unicodeScalars
    let body = scalars.drop(while: \.isWhitespace)
    leading = String(scalars[..<body.startIndex])
    let end = body.lastIndex { !$0.isWhitespace }.map { scalars.index(after: $0) } ?? body.startIndex
    trailing = String(scalars[end...])
  }

  /// What can be shown of the model's next piece; may be empty.
  mutating func append(_ piece: String) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in piece.unicodeScalars {
      if scalar.isWhitespace {
        if hasContent { heldBack.append(scalar) }
      } else {
        if !hasContent {
          hasContent = true
          shown.append(contentsOf: leading.unicodeScalars)
        }
        shown.append(contentsOf: heldBack)
        heldBack = String.UnicodeScalarView()
        shown.append(scalar)
      }
    }
    return String(shown)
  }

  /// What is shown last, when the model is done.
  func finish() -> String { hasContent ? trailing : "" }
}

extension Unicode.Scalar {
  /// Has the property White_Space of Unicode.
  var isWhitespace: Bool { properties.isWhitespace }
}

extension String {
  /// Nothing, or nothing but white space.
  var isBlank: Bool { unicodeScalars.allSatisfy(\.isWhitespace) }
}
