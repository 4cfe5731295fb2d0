/// Goes through a text once and collects what is protected. Every look ahead has a bound.
struct ProtectedScanner {
  /// Longer spans are no code, no link and no formula but two marks that happen to be there.
  private static let longestSpan = 2_000
  private static let units = Set(
    """
    % ‰ ° °C °F € $ £ ¥ b kb mb gb tb kib mib gib tib kbit mbit gbit ms s µs us ns min h hr hrs d nm µm mm cm m km mi \
    ft in g kg mg t lb oz l ml hz khz mhz ghz w kw mw kwh v a k px pt em am pm eur usd
    """.split(separator: " ").map(String.init))

  private let scalars: [Unicode.Scalar]
  private let syntax: Syntax
  private var index = 0
  private var found: [String] = []

  init(_ text: String, syntax: Syntax) {
    scalars = Array(text.unicodeScalars)
    self.syntax = syntax
  }

  mutating func scan() -> [String] {
    while index < scalars.count {
      if let end = spanEnd() {
        found.append(string(index..<end))
        index = end
      } else {
        index += 1
      }
    }
    return found
  }

  private func string(_ range: Range<Int>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars[range])
    return String(view)
  }

  private func at(_ place: Int) -> Unicode.Scalar? { scalars.indices.contains(place) ? scalars[place] : nil }

  private var isAtWordStart: Bool { at(index - 1).map { !$0.isWordPart } ?? true }

  /// The end of what is protected from here on.
  private func spanEnd() -> Int? {
    let scalar = scalars[index]
    switch scalar {
    case "`": return codeEnd("`")
    case "[", "!": return linkEnd()
    case "<": return tagEnd()
    case "\\": return commandEnd()
    case "$": return mathEnd() ?? placeholderEnd()
    case "{", "%": return placeholderEnd()
    case "=", "~": return syntax.family == .org ? codeEnd(scalar) : nil
    case "@", "#": return isAtWordStart ? nameEnd() : nil
    case _: break
    }
    if scalar.isEmojiStart { return emojiEnd() }
    guard isAtWordStart else { return nil }
    if scalar.properties.numericType == .decimal { return numberEnd() }
    return scalar.isASCII && scalar.isWordPart ? addressEnd() : nil
  }

  /// The place behind the next occurrence on the way.
  private func behind(_ end: [Unicode.Scalar], from start: Int, acrossLines: Bool = true) -> Int? {
    var place = start
    let limit = min(scalars.count - end.count, start + Self.longestSpan)
    while place <= limit {
      if !acrossLines, scalars[place].isLineEnd { return nil }
      if scalars[place..<place + end.count].elementsEqual(end) { return place + end.count }
      place += 1
    }
    return nil
  }

  private func codeEnd(_ mark: Unicode.Scalar) -> Int? {
    var count = 0
    while at(index + count) == mark { count += 1 }
    if mark != "`" {
      guard count == 1, isAtWordStart, at(index + 1).map({ !$0.isWhitespace }) ?? false else { return nil }
      return behind([mark], from: index + 2, acrossLines: false)
    }
    return behind(Array(repeating: mark, count: count), from: index + count)
  }

  /// `[text](address)`, an image, or a link of Org.
  private func linkEnd() -> Int? {
    let open = scalars[index] == "!" ? index + 1 : index
    guard at(open) == "[" else { return nil }
    if at(open + 1) == "[" { return behind(["]", "]"], from: open + 2, acrossLines: false) }
    guard let close = behind(["]"], from: open + 1), at(close) == "(" || at(close) == "[" else { return nil }
    return behind([at(close) == "(" ? ")" : "]"], from: close + 1, acrossLines: false)
  }

  /// `<b>`, `</b>`, `<|end|>`, `<2026-12-01 Tue>`, `<https://example.org>`.
  private func tagEnd() -> Int? {
    guard let next = at(index + 1), next.isWordPart || ["/", "|", "!", "?", "%", "$"].contains(next) else { return nil }
    return behind([">"], from: index + 1, acrossLines: false)
  }

  /// Commands whose argument is a key and no text.
  private static let keyCommands = [
    "cite", "ref", "label", "url", "href", "input", "include", "eqref", "autoref", "cref", "pageref", "footcite",
    "textcite", "parencite", "gls", "begin", "end", "usepackage", "includegraphics",
  ]

  private func commandEnd() -> Int? {
    guard let next = at(index + 1) else { return nil }
    if next == "(" { return behind(["\\", ")"], from: index + 2) }
    if next == "[" { return behind(["\\", "]"], from: index + 2) }
    var end = index + 1
    while let scalar = at(end), scalar.isASCII, scalar.properties.isAlphabetic { end += 1 }
    guard end > index + 1 else { return nil }
    let name = string(index + 1..<end)
    if at(end) == "*" { end += 1 }
    let isKey =
      Self.keyCommands.contains { name.lowercased().hasPrefix($0) } || name.lowercased().hasPrefix("cite")
      || name.hasSuffix("ref") || name.hasPrefix("citet") || name.hasPrefix("citep")
    while isKey, let open = at(end), open == "{" || open == "[" {
      guard let close = behind([open == "{" ? "}" : "]"], from: end + 1, acrossLines: false) else { break }
      end = close
    }
    // The text between the braces may change; the command with its brace may not.
    if !isKey, at(end) == "{" { end += 1 }
    return end
  }

  /// `$…$` and `$$…$$` with something between that is no price.
  private func mathEnd() -> Int? {
    let isDouble = at(index + 1) == "$"
    let start = index + (isDouble ? 2 : 1)
    guard let first = at(start), !first.isWhitespace, let end = behind(isDouble ? ["$", "$"] : ["$"], from: start)
    else { return nil }
    let inner = scalars[start..<end - (isDouble ? 2 : 1)]
    guard let last = inner.last, !last.isWhitespace, inner.count <= 500 else { return nil }
    // “$5 and $6” are prices; formulas hold signs, or are a letter or two.
    let isFormula = inner.contains { ["\\", "^", "_", "=", "+", "<", ">", "("].contains($0) }
    return isFormula || inner.count <= 3 || syntax.family == .latex ? end : nil
  }

  /// `{name}`, `{{ name }}`, `${NAME}`, `$NAME`, `%s`, `%d`.
  private func placeholderEnd() -> Int? {
    switch scalars[index] {
    case "{":
      let isDouble = at(index + 1) == "{"
      guard let end = behind(isDouble ? ["}", "}"] : ["}"], from: index + 1, acrossLines: false) else { return nil }
      let inner = scalars[index + 1..<end - 1]
      return isDouble || (!inner.isEmpty && inner.allSatisfy { $0.isWordPart || $0 == "_" }) ? end : nil
    case "$":
      if at(index + 1) == "{" { return behind(["}"], from: index + 2, acrossLines: false) }
      var end = index + 1
      while let scalar = at(end), scalar.isASCII, scalar.isWordPart || scalar == "_" { end += 1 }
      return end > index + 1 ? end : nil
    case _:
      guard let next = at(index + 1), ["s", "d", "@", "i", "f", "u", "x"].contains(next) else { return nil }
      return at(index + 2).map { !$0.isWordPart } ?? true ? index + 2 : nil
    }
  }

  /// `@name`, `#42`, `#topic`.
  private func nameEnd() -> Int? {
    var end = index + 1
    while let scalar = at(end), scalar.isWordPart || scalar == "_" || scalar == "-" { end += 1 }
    while end > index + 1, scalars[end - 1] == "-" { end -= 1 }
    return end > index + 1 ? end : nil
  }

  /// A number with what belongs to it: `2.4.1`, `2026-03-14`, `99th`, `512 MiB`, `14:30`.
  private func numberEnd() -> Int {
    var end = index
    while let scalar = at(end) {
      if scalar.isWordPart, !scalar.isSpaceless {
        end += 1
      } else if [".", ",", ":", "/", "-", "–", "'", "’", "_"].contains(scalar), let next = at(end + 1),
        next.properties.numericType == .decimal
      {
        end += 1
      } else {
        break
      }
    }
    var unit = at(end).map { $0 == " " || $0 == "\u{A0}" || $0 == "\u{202F}" } ?? false ? end + 1 : end
    let start = unit
    while let scalar = at(unit), unit - start < 5, scalar.isWordPart || ["%", "‰", "°", "€", "$", "£"].contains(scalar)
    {
      if scalar.isSpaceless { break }
      unit += 1
    }
    let isWhole = at(unit).map { !$0.isWordPart } ?? true
    return isWhole && unit > start && Self.units.contains(string(start..<unit).lowercased()) ? unit : end
  }

  /// `https://…`, `www.…`, `name@host`.
  private func addressEnd() -> Int? {
    var end = index
    while let scalar = at(end), !scalar.isWhitespace, !["<", ">", "\"", "“", "”", "`"].contains(scalar),
      !scalar.isSpaceless,
      end - index < Self.longestSpan
    {
      end += 1
    }
    while end > index, [".", ",", ";", ":", "!", "?", "'", "*", "_"].contains(scalars[end - 1]) { end -= 1 }
    let word = scalars[index..<end]
    if word.last == ")", !word.contains("(") { end -= 1 }
    let text = string(index..<end)
    if text.contains("://") || text.hasPrefix("www.") || text.hasPrefix("mailto:") { return end }
    guard let mark = text.firstIndex(of: "@"), text[mark...].contains("."), text.first != "@" else { return nil }
    return end
  }

  /// An emoji with its modifiers and what it is joined with.
  private func emojiEnd() -> Int {
    var end = index + 1
    while let scalar = at(end) {
      let isFlag = scalars[index].isRegionalIndicator && scalar.isRegionalIndicator && end == index + 1
      let isPart =
        scalar.value == 0xFE0F || scalar.value == 0x20E3 || scalar.properties.isEmojiModifier
        || (0xE0020...0xE007F).contains(scalar.value)
      if isFlag || isPart {
        end += 1
      } else if scalar.value == 0x200D, at(end + 1).map(\.isEmojiStart) ?? false {
        end += 2
      } else {
        break
      }
    }
    return end
  }
}

extension Unicode.Scalar {
  fileprivate var isRegionalIndicator: Bool { (0x1F1E6...0x1F1FF).contains(value) }

  /// Begins an emoji. Digits and signs like © are emoji to Unicode, but not to people.
  fileprivate var isEmojiStart: Bool {
    properties.isEmojiPresentation || (properties.isEmoji && value >= 0x2190)
  }
}
