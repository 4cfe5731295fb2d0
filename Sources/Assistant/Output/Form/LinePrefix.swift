/// The start of a line before its words: white space, comment marks, quote marks, a list marker.
struct LinePrefix {
  var length: String.Index
  /// A list marker, or another sign that a new item begins.
  var beginsItem = false
  var isComment = false
  var opensBlockComment = false

  /// - Parameter inBlockComment: the line stands between `/*` and `*/`.
  init(of line: Substring, _ syntax: Syntax, comments: [String], inBlockComment: Bool) {
    var scanner = LineScanner(line)
    scanner.skipSpaces()
    if inBlockComment {
      isComment = true
      if !scanner.rest.hasPrefix("*/"), scanner.take("*") { scanner.skipSpaces() }
    } else {
      Self.takeQuotes(&scanner)
      if syntax.hasBlockComments, ["/**", "/*!", "/*"].contains(where: { scanner.take($0) }) {
        isComment = true
        opensBlockComment = true
      } else if comments.contains(where: { scanner.take($0) }) {
        isComment = true
      }
      if isComment { scanner.skipSpaces() }
    }
    if Self.takeItem(&scanner, syntax, isComment: isComment) { beginsItem = true }
    length = scanner.position
  }

  private static func takeQuotes(_ scanner: inout LineScanner) {
    while scanner.rest.first == ">" {
      guard scanner.take(">") else { return }
      scanner.skipSpaces()
    }
  }

  /// A marker has words behind it.
  private static func takeItem(_ scanner: inout LineScanner, _ syntax: Syntax, isComment: Bool) -> Bool {
    let start = scanner
    let isUnknown = syntax.family == .unknown
    if syntax.family == .latex || isUnknown, scanner.take("\\item") {
      // Its words may begin on the next line.
      if scanner.rest.isEmpty { return true }
      if scanner.rest.first == "[", let end = scanner.rest.firstIndex(of: "]") {
        scanner.position = scanner.rest.index(after: end)
      }
    } else if isComment, scanner.rest.first == "@" || scanner.rest.hasPrefix("- Parameter ") {
      // `@param name`, `- Parameter name:` of documentation comments.
      let words = scanner.rest.first == "@" ? (scanner.rest.hasPrefix("@param") ? 2 : 1) : 3
      for _ in 0..<words {
        scanner.skipWord()
        scanner.skipSpaces()
      }
      return true
    } else if syntax.family == .org, scanner.rest.first == "*", scanner.position == scanner.line.startIndex {
      // A heading; see `KeptLines`.
      return false
    } else if isUnknown, scanner.takeHeadingOfOrg() {
      return true
    } else {
      let digits = scanner.rest.prefix { $0.isASCII && $0.isNumber }
      if (1...9).contains(digits.utf8.count) {
        scanner.position = digits.endIndex
        guard scanner.take(".") || scanner.take(")") else {
          scanner = start
          return false
        }
      } else if !["-", "*", "+", "•", "–"].contains(where: { scanner.take($0) }) {
        return false
      }
    }
    guard scanner.rest.first?.isWhitespace ?? false else {
      scanner = start
      return false
    }
    scanner.skipSpaces()
    if ["[ ] ", "[x] ", "[X] ", "[-] "].contains(where: { scanner.take($0) }) { scanner.skipSpaces() }
    return true
  }
}

/// Reads a line from its start.
struct LineScanner {
  let line: Substring
  var position: String.Index

  init(_ line: Substring) {
    self.line = line
    position = line.startIndex
  }

  var rest: Substring { line[position...] }

  mutating func skipSpaces() { position = rest.trimmedStart.startIndex }

  mutating func skipWord() { position = rest.firstIndex(where: \.isWhitespace) ?? line.endIndex }

  /// The stars of a heading of Org's and what stands behind them, up to its words. A single star may be a list's,
  /// unless there is a keyword behind it.
  mutating func takeHeadingOfOrg() -> Bool {
    var ahead = self
    while ahead.take("*") {}
    let stars = line.utf8.distance(from: position, to: ahead.position)
    guard stars > 0, ahead.take(" ") else { return false }
    ahead.skipSpaces()
    let words = ahead.position
    while Syntax.orgKeywords.contains(where: { ahead.take($0) }) { ahead.skipSpaces() }
    guard stars > 1 || ahead.position > words else { return false }
    self = ahead
    return true
  }

  /// A line feed at the end of the mark stands for the line's end.
  mutating func take(_ mark: String) -> Bool {
    if mark.hasSuffix("\n") {
      guard rest.utf8.elementsEqual(mark.utf8.dropLast()) else { return false }
      position = line.endIndex
      return true
    }
    guard rest.utf8.starts(with: mark.utf8) else { return false }
    position = line.utf8.index(position, offsetBy: mark.utf8.count)
    return true
  }
}
