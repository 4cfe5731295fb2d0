/// Goes through a text once and collects what is protected. Every look ahead has a bound, and what it has seen is
/// remembered, so that a text of nothing but open brackets takes no longer than another.
struct ProtectedScanner {
  /// Longer spans are no code, no link and no formula but two marks that happen to be there.
  private static let longestSpan = 2_000
  /// Longer emphasis is a sentence, whose words may change.
  private static let longestEmphasis = 80
  private static let mostEmphasized = 4
  private let scalars: [Unicode.Scalar]
  private let syntax: Syntax
  private var index = 0
  private var found: [String] = []
  private var marks: [[Unicode.Scalar]: Searched] = [:]
  private var lineEnds: Searched?
  /// No address begins before, unless by its first letters.
  private var addressless = 0

  /// What a search has found: from a place on nothing before another, which may be the text's end.
  private struct Searched {
    var from: Int
    var found: Int
  }

  init(_ text: String, syntax: Syntax) {
    scalars = Array(text.unicodeScalars)
    self.syntax = syntax
  }

  mutating func scan() -> [String] {
    while index < scalars.count {
      if index.isMultiple(of: 65_536), Task.isCancelled { return found }
      if let end = spanEnd() {
        found.append(String(scalars: scalars[index..<end]))
        index = end
      } else {
        index += 1
      }
    }
    return found
  }

  private func at(_ place: Int) -> Unicode.Scalar? { scalars.indices.contains(place) ? scalars[place] : nil }

  private var isAtWordStart: Bool { at(index - 1).map { !$0.isWordPart } ?? true }

  /// The end of what is protected from here on.
  private mutating func spanEnd() -> Int? {
    let scalar = scalars[index]
    switch scalar {
    case "`": return backticksEnd()
    case "[", "!": return linkEnd()
    case "<": return tagEnd()
    case "\\": return commandEnd()
    case "$": return mathEnd() ?? ProtectedNumber.priceEnd(in: scalars, from: index) ?? placeholderEnd()
    case "{", "%": return placeholderEnd()
    case "=", "~": return syntax.family == .org ? codeEnd(scalar) : nil
    case "*", "_": if at(index + 1) == scalar { return emphasisEnd() }
    case "@", "#": return isAtWordStart ? nameEnd() : nil
    case _: break
    }
    if scalar.isEmojiStart { return emojiEnd() }
    if scalar.isCurrency { return ProtectedNumber.priceEnd(in: scalars, from: index) }
    guard isAtWordStart else { return nil }
    if scalar.isDigit { return ProtectedNumber.end(in: scalars, from: index) }
    guard scalar.isASCII && scalar.isWordPart else { return nil }
    return addressEnd() ?? ProtectedName.end(in: scalars, from: index) ?? CalendarName.end(in: scalars, from: index)
  }

  /// The place behind the next occurrence on the way.
  private mutating func behind(_ end: [Unicode.Scalar], from start: Int, acrossLines: Bool = true) -> Int? {
    let place = Self.next(in: scalars, from: start, &marks[end]) { $0[$1...].starts(with: end) }
    guard place + end.count <= scalars.count, place - start <= Self.longestSpan else { return nil }
    if !acrossLines, Self.next(in: scalars, from: start, &lineEnds, { $0[$1].isLineEnd }) < place { return nil }
    return place + end.count
  }

  /// The next place from here where something is, or the text's end. Over all calls the text is gone through once for
  /// what is looked for, as long as they go forward.
  private static func next(
    in scalars: [Unicode.Scalar], from start: Int, _ searched: inout Searched?,
    _ isThere: ([Unicode.Scalar], Int) -> Bool
  ) -> Int {
    if let known = searched, known.from <= start, start <= known.found { return known.found }
    // What a later search knows already need not be looked at again.
    let known = searched.flatMap { start < $0.from ? $0 : nil }
    let limit = known?.from ?? scalars.count
    var place = min(start, scalars.count)
    while place < limit, !isThere(scalars, place) { place += 1 }
    let found = place < limit ? place : known?.found ?? scalars.count
    searched = Searched(from: start, found: found)
    return found
  }

  private mutating func codeEnd(_ mark: Unicode.Scalar) -> Int? {
    guard at(index + 1) != mark, isAtWordStart, at(index + 1).map({ !$0.isWhitespace }) ?? false else { return nil }
    return behind([mark], from: index + 2, acrossLines: false)
  }

  /// `**name**` or `__name__`: a few words in strong emphasis are a name, a button, a label.
  private func emphasisEnd() -> Int? {
    guard syntax.family == .markdown || syntax.family == .unknown else { return nil }
    let mark = scalars[index]
    let before = at(index - 1)
    guard before != mark, !(before?.isWordPart ?? false) else { return nil }
    let start = index + 2
    var end = start
    var words = 1
    while let scalar = at(end), scalar != mark {
      if scalar.isLineEnd || end - start == Self.longestEmphasis { return nil }
      if scalar.isWhitespace { words += 1 }
      end += 1
    }
    guard at(end) == mark, at(end + 1) == mark, at(end + 2) != mark, words <= Self.mostEmphasized else { return nil }
    let inner = scalars[start..<end]
    guard let first = inner.first, let last = inner.last, !first.isWhitespace, !last.isWhitespace else { return nil }
    return end + 2
  }

  /// Code ends with as many backticks as it began with. Those that begin none are skipped, all of the run.
  private mutating func backticksEnd() -> Int? {
    let count = run(from: index, atMost: .max)
    let start = index + count
    var place = start
    while place < min(scalars.count, start + Self.longestSpan), count <= Self.longestSpan {
      let length = run(from: place, atMost: count + 1)
      if length == count { return place + length }
      place += max(1, length > count ? run(from: place, atMost: Self.longestSpan) : length)
    }
    index = start - 1
    return nil
  }

  private func run(from start: Int, atMost most: Int) -> Int {
    var end = start
    while end - start < most, at(end) == "`" { end += 1 }
    return end - start
  }

  /// `[text](address)`, an image, or a link of Org.
  private mutating func linkEnd() -> Int? {
    let open = scalars[index] == "!" ? index + 1 : index
    guard at(open) == "[" else { return nil }
    if at(open + 1) == "[" { return behind(["]", "]"], from: open + 2, acrossLines: false) }
    guard let close = behind(["]"], from: open + 1), at(close) == "(" || at(close) == "[" else { return nil }
    return behind([at(close) == "(" ? ")" : "]"], from: close + 1, acrossLines: false)
  }

  /// `<b>`, `</b>`, `<|end|>`, `<2026-12-01 Tue>`, `<https://example.org>`.
  private mutating func tagEnd() -> Int? {
    guard let next = at(index + 1), next.isWordPart || ["/", "|", "!", "?", "%", "$"].contains(next) else { return nil }
    return behind([">"], from: index + 1, acrossLines: false)
  }

  /// Commands whose argument is a key and no text.
  private static let keyCommands = [
    "cite", "ref", "label", "url", "href", "input", "include", "eqref", "autoref", "cref", "pageref", "footcite",
    "textcite", "parencite", "gls", "begin", "end", "usepackage", "includegraphics",
  ]

  private mutating func commandEnd() -> Int? {
    guard let next = at(index + 1) else { return nil }
    if next == "(" { return behind(["\\", ")"], from: index + 2) }
    if next == "[" { return behind(["\\", "]"], from: index + 2) }
    var end = index + 1
    while let scalar = at(end), scalar.isASCII, scalar.properties.isAlphabetic { end += 1 }
    guard end > index + 1 else { return nil }
    let name = String(scalars: scalars[index + 1..<end])
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
  private mutating func mathEnd() -> Int? {
    let isDouble = at(index + 1) == "$"
    let start = index + (isDouble ? 2 : 1)
    guard let first = at(start), !first.isWhitespace, let end = behind(isDouble ? ["$", "$"] : ["$"], from: start)
    else { return nil }
    let inner = scalars[start..<end - (isDouble ? 2 : 1)]
    guard let last = inner.last, !last.isWhitespace, inner.count <= 500 else { return nil }
    // “$5 and $6”, “$5–$6” are prices; formulas hold signs, or are a letter or two.
    if !isDouble, at(end)?.isDigit ?? false { return nil }
    let isFormula = inner.contains { ["\\", "^", "_", "=", "+", "<", ">", "("].contains($0) }
    return isFormula || inner.count <= 3 || syntax.family == .latex ? end : nil
  }

  /// `{name}`, `{{ name }}`, `${NAME}`, `$NAME`, `%s`, `%d`.
  private mutating func placeholderEnd() -> Int? {
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

  /// `https://…`, `www.…`, `name@host`.
  private mutating func addressEnd() -> Int? {
    if index < addressless, !begins("www."), !begins("mailto:") { return nil }
    var end = index
    while let scalar = at(end), end - index < Self.longestSpan, !Self.endsAddress(scalar) { end += 1 }
    let run = end
    while end > index, [".", ",", ";", ":", "!", "?", "'", "*", "_"].contains(scalars[end - 1]) { end -= 1 }
    let word = scalars[index..<end]
    if word.last == ")", !word.contains("(") { end -= 1 }
    let text = String(scalars: word)
    if text.contains("://") || text.hasPrefix("www.") || text.hasPrefix("mailto:") { return end }
    guard let mark = text.firstIndex(of: "@"), text[mark...].contains("."), text.first != "@" else {
      addressless = run
      return nil
    }
    return end
  }

  private func begins(_ start: String) -> Bool {
    start.unicodeScalars.first == scalars[index] && scalars[index...].starts(with: start.unicodeScalars)
  }

  private static func endsAddress(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "<", ">", "\"", "“", "”", "`": true
    case _: scalar.isWhitespace || scalar.isSpaceless
    }
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
