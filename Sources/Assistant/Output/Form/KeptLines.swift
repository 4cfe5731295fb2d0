/// Finds the lines that are not prose, whatever stands in them: fenced code, front matter, rules, headings, markup.
struct KeptLines {
  private enum Block {
    /// Up to a line that begins with so many of the mark.
    case fence(Character, Int)
    /// Up to a line that is the text.
    case until(String)
    /// Up to a line that ends with the text.
    case environment(String)
    /// Up to the end.
    case rest
  }

  private let syntax: Syntax
  private let keepsHeadings: Bool
  private var block: Block?
  private var isFirst = true

  init(_ syntax: Syntax, keepsHeadings: Bool) {
    self.syntax = syntax
    self.keepsHeadings = keepsHeadings
  }

  /// Whether the line stays as it is. To be asked for each line in order.
  /// - Parameters:
  ///   - line: without its end.
  ///   - body: the line without the prefix of a comment or quote.
  ///   - next: the body of the next line.
  mutating func keeps(_ line: Substring, body: Substring, next: Substring?) -> Bool {
    defer { isFirst = false }
    if let block {
      if ends(block, line: line, body: body) { self.block = nil }
      return true
    }
    if let begun = begins(line: line, body: body) {
      block = begun
      return true
    }
    return isMarkup(body) || (keepsHeadings && isHeading(line, body: body, next: next))
  }

  private func ends(_ block: Block, line: Substring, body: Substring) -> Bool {
    switch block {
    case .fence(let mark, let count):
      body.prefix { $0 == mark }.count >= count && body.allSatisfy { $0 == mark || $0.isWhitespace }
    case .until(let text): line.trimmedBytes(equal: text)
    case .environment(let text): body.lowercased().contains(text)
    case .rest: false
    }
  }

  private func begins(line: Substring, body: Substring) -> Block? {
    if let mark = body.first, mark == "`" || mark == "~" {
      let count = body.prefix { $0 == mark }.count
      if count >= 3, mark == "~" || !body.dropFirst(count).contains("`") { return .fence(mark, count) }
    }
    if isFirst, line.trimmedBytes(equal: "---") || line.trimmedBytes(equal: "+++") {
      return .until(String(line.prefix(3)))
    }
    if line == "-- " { return .rest }
    switch syntax.family {
    case .latex:
      for name in Self.verbatimEnvironments where body.hasPrefix("\\begin{\(name)") {
        return .environment("\\end{\(name)")
      }
      if body == "\\[" { return .environment("\\]") }
    case .org:
      let lowercased = body.lowercased()
      for name in ["src", "example", "export"] where lowercased.hasPrefix("#+begin_\(name)") {
        return .environment("#+end_\(name)")
      }
    case .commit: if line.hasPrefix("# ---") && line.contains(">8") { return .rest }
    case .unknown, .prose, .markdown, .code: break
    }
    if body == "$$" { return .until("$$") }
    return nil
  }

  private static let verbatimEnvironments = [
    "verbatim", "lstlisting", "minted", "equation", "align", "gather", "multline", "math", "displaymath", "tabular",
    "tikzpicture", "figure", "table", "thebibliography",
  ]

  /// Lines in which nobody reads a sentence.
  private func isMarkup(_ body: Substring) -> Bool {
    guard let first = body.first else { return false }
    if body.utf8.count >= 3, "-=*_~^#+".contains(first), body.allSatisfy({ $0 == first || $0.isWhitespace }) {
      return true
    }
    if first == "<", body.hasSuffix(">"), Self.withoutTags(body).allSatisfy(\.isWhitespace) { return true }
    if first == "[", body.contains("]: "), !body.contains("](") { return true }
    if first == "!", body.hasPrefix("!["), body.hasSuffix(")") { return true }
    switch syntax.family {
    case .latex, .unknown: return Self.commands.contains { body.hasPrefix($0) }
    case .org:
      // `: verbatim`, `:drawer:`, `#+keyword`.
      return body.hasPrefix("#+") || (first == ":" && (body.hasSuffix(":") || body.hasPrefix(": ")))
        || ["DEADLINE:", "SCHEDULED:", "CLOSED:"].contains { body.hasPrefix($0) }
    case .commit: return first == "#" || Self.isTrailer(body)
    case .prose, .markdown, .code: return false
    }
  }

  private static let commands = [
    "begin", "end", "section", "subsection", "subsubsection", "chapter", "part", "title", "author", "date", "label",
    "usepackage", "documentclass", "maketitle", "newpage", "clearpage", "centering", "includegraphics", "input",
    "include", "bibliography", "tableofcontents", "newcommand", "renewcommand",
  ].map { "\\" + $0 }

  private static func withoutTags(_ text: Substring) -> String {
    var depth = 0
    var rest = ""
    for character in text {
      if character == "<" { depth += 1 }
      if depth == 0 { rest.append(character) }
      if character == ">" { depth = max(0, depth - 1) }
    }
    return rest
  }

  /// `Signed-off-by: …`, as git writes it.
  private static func isTrailer(_ body: Substring) -> Bool {
    guard let colon = body.firstIndex(of: ":"), body[colon...].hasPrefix(": ") else { return false }
    let name = body[..<colon]
    return name.contains("-") && name.allSatisfy { $0.isLetter || $0 == "-" } && (name.first?.isUppercase ?? false)
  }

  private func isHeading(_ line: Substring, body: Substring, next: Substring?) -> Bool {
    if syntax.family == .org { return line.prefix { $0 == "*" }.count > 0 && line.drop { $0 == "*" }.hasPrefix(" ") }
    guard syntax.hasHashHeadings else { return false }
    let marks = body.prefix { $0 == "#" }.count
    if (1...6).contains(marks), body.dropFirst(marks).hasPrefix(" ") { return true }
    // Underlined.
    guard let next, next.utf8.count >= 3, let rule = next.first, rule == "=" || rule == "-" else { return false }
    return next.allSatisfy { $0 == rule } && !body.isEmpty
  }
}

extension Substring {
  /// Whether this is the text, but for white space behind it.
  func trimmedBytes(equal text: String) -> Bool {
    utf8.starts(with: text.utf8) && utf8.dropFirst(text.utf8.count).allSatisfy { $0 == 0x20 || $0 == 0x09 }
  }
}
