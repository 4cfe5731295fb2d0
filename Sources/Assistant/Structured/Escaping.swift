/// Text as CommonMark text that reads the same: a backslash before what would be markup. (CommonMark 0.31, section 2.4;
/// `~`, `|` and `$` belong to common extensions.)
enum MarkdownEscaping {
  static func escape(_ text: String, atStart: Bool) -> String {
    let scalars = Array(text.unicodeScalars)
    let escapedStart = atStart ? startMarker(of: scalars) : nil
    var result = String.UnicodeScalarView()
    for (index, scalar) in scalars.enumerated() {
      let before = index > 0 ? scalars[index - 1] : nil
      let after = index + 1 < scalars.count ? scalars[index + 1] : nil
      if index == escapedStart || isMarkup(scalar, before, after) { result.append("\\") }
      result.append(scalar)
    }
    return String(result)
  }

  private static func isMarkup(
    _ scalar: Unicode.Scalar, _ before: Unicode.Scalar?, _ after: Unicode.Scalar?
  ) -> Bool {
    switch scalar {
    case "\\", "`", "*", "[", "]", "<", "~", "$": true
    // Inside a word it is no emphasis.
    case "_": !(isWordPart(before) && isWordPart(after))
    // The start of an entity.
    case "&": after == "#" || isWordPart(after)
    case _: false
    }
  }

  /// Where the marker is that would make a heading, quote, list, rule or table of the line; nil when there is none.
  private static func startMarker(of scalars: [Unicode.Scalar]) -> Int? {
    guard let first = scalars.first else { return nil }
    let second = scalars.count > 1 ? scalars[1] : nil
    switch first {
    case ">", "|": return 0
    case "#", "+", "-", "=", ":": return second == nil || second == " " || second == first ? 0 : nil
    case "0"..."9":
      let digits = scalars.prefix { ("0"..."9").contains($0) }.count
      guard digits < scalars.count, scalars[digits] == "." || scalars[digits] == ")" else { return nil }
      return digits + 1 == scalars.count || scalars[digits + 1] == " " ? digits : nil
    case _: return nil
    }
  }

  private static func isWordPart(_ scalar: Unicode.Scalar?) -> Bool {
    guard let scalar else { return false }
    return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }
}

/// Text as Org text that reads the same: entities, and where there is none a zero width space, as the Org manual
/// advises (section “Escape Character”).
enum OrgEscaping {
  private static let zeroWidthSpace: Unicode.Scalar = "\u{200B}"

  static func escape(_ text: String, atStart: Bool) -> String {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    return words.enumerated().map { index, word in
      // A link is a link as it is.
      let isLink = word.contains("://") && (word.first?.isLetter ?? false)
      return isLink ? String(word) : escape(word: Array(word.unicodeScalars), atStart: atStart && index == 0)
    }.joined(separator: " ")
  }

  private static func escape(word: [Unicode.Scalar], atStart: Bool) -> String {
    var result = String.UnicodeScalarView()
    for (index, scalar) in word.enumerated() {
      let before = index > 0 ? word[index - 1] : nil
      let after = index + 1 < word.count ? word[index + 1] : nil
      if let entity = entity(for: scalar, before, after) {
        result.append(contentsOf: "\\\(entity){}".unicodeScalars)
        continue
      }
      result.append(scalar)
      if (atStart && index == 0 && "#:-+*".unicodeScalars.contains(scalar)) || opensSyntax(scalar, after) {
        result.append(zeroWidthSpace)
      }
    }
    return String(result)
  }

  /// The name of the entity to write instead, where the scalar would be markup.
  private static func entity(
    for scalar: Unicode.Scalar, _ before: Unicode.Scalar?, _ after: Unicode.Scalar?
  ) -> String? {
    // An emphasis begins behind a space or one of these, and before a visible character.
    let opens = after != nil && before.map { "-–—({'\"".unicodeScalars.contains($0) } ?? true
    switch scalar {
    case "*": return opens ? "ast" : nil
    case "/": return opens ? "slash" : nil
    case "=": return opens ? "equal" : nil
    case "~": return opens ? "tilde" : nil
    case "+": return opens ? "plus" : nil
    // Also a subscript or superscript.
    case "_": return after != nil ? "under" : nil
    case "^": return after != nil ? "asciicirc" : nil
    case "$": return "dollar"
    case "|": return "vbar"
    case "<": return after != nil ? "lt" : nil
    // A description list: `term :: text`.
    case ":": return before == ":" || after == ":" ? "colon" : nil
    case _: return nil
    }
  }

  /// A command, line break, link, timestamp, footnote, checkbox, macro or export snippet.
  private static func opensSyntax(_ scalar: Unicode.Scalar, _ after: Unicode.Scalar?) -> Bool {
    switch scalar {
    case "\\", "[": true
    case "{", "@": after == scalar
    case _: false
    }
  }
}

/// Text as LaTeX text that reads the same.
enum LaTeXEscaping {
  static func escape(_ text: String, atStart: Bool) -> String {
    var result = ""
    var before: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\textbackslash{}"
      case "{", "}", "$", "&", "#", "_", "%": result += "\\\(scalar)"
      case "~": result += "\\textasciitilde{}"
      case "^": result += "\\textasciicircum{}"
      case "<": result += "\\textless{}"
      case ">": result += "\\textgreater{}"
      case "|": result += "\\textbar{}"
      // Behind `\item` it would be the item's own label.
      case "[" where atStart && before == nil: result += "{[}"
      // Two would be one dash.
      case "-" where before == "-": result += "{}-"
      case _: result.unicodeScalars.append(scalar)
      }
      before = scalar
    }
    return result
  }
}
