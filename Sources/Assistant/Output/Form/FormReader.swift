/// Splits a source into its parts.
struct FormReader {
  private struct Line {
    /// Where the line begins.
    let lineStart: String.Index
    /// Where the words begin and end: the prefix before them, white space and marks behind.
    var start: String.Index
    var end: String.Index
    var prefix: LinePrefix
    var isKept = false
    /// Columns of what ends a comment behind the words.
    var tail = 0
    /// Two spaces or a backslash at its end: the break is meant.
    var breaksHard = false
  }

  private let source: String
  private let syntax: Syntax
  private let keepsHeadings: Bool
  private var lines: [Line] = []
  private var widest = 0
  private var hasComments = false
  private var parts: [Form.Part] = []
  private var done: String.Index

  init(_ source: String, syntax: Syntax, keepsHeadings: Bool = true) {
    self.source = source
    self.syntax = syntax
    self.keepsHeadings = keepsHeadings
    done = source.startIndex
    readLines()
  }

  mutating func read() -> [Form.Part] {
    var index = 0
    while index < lines.count {
      if lines[index].isKept {
        index += 1
        continue
      }
      if addTableRow(lines[index]) {
        index += 1
        continue
      }
      var next = index + 1
      while next < lines.count, continues(index, with: next) { next += 1 }
      add(index..<next)
      index = next
    }
    keep(upTo: source.endIndex)
    return parts
  }

  // MARK: Lines

  private mutating func readLines() {
    let texts = Self.split(source)
    let comments = commentMarks(texts)
    var kept = KeptLines(syntax, keepsHeadings: keepsHeadings)
    var inBlockComment = false
    for text in texts {
      let prefix = LinePrefix(of: text, syntax, comments: comments, inBlockComment: inBlockComment)
      var line = Line(lineStart: text.startIndex, start: prefix.length, end: text.endIndex, prefix: prefix)
      if !keepsHeadings { line.start = Self.headingEnd(text[line.start...], syntax) ?? line.start }
      if prefix.opensBlockComment { inBlockComment = true }
      if inBlockComment, let end = text[line.start...].range(ofMark: "*/") {
        line.end = end
        inBlockComment = false
      }
      let trimmed = text[line.start..<line.end].trimmedEnd
      line.breaksHard = text[trimmed.endIndex..<line.end].utf8.count >= 2 || trimmed.hasSuffix("\\")
      line.end = trimmed.endIndex
      if prefix.isComment { hasComments = true }
      lines.append(line)
    }
    for (index, text) in texts.enumerated() {
      let line = lines[index]
      let next = index + 1 < texts.count ? texts[index + 1][lines[index + 1].start..<lines[index + 1].end] : nil
      // A list marker may be the start of a rule, so the body is looked at with it.
      let whole = (line.prefix.beginsItem ? text.trimmedStart : text[line.start...]).trimmedEnd
      let isKept = kept.keeps(text, body: whole, next: next)
      lines[index].isKept = isKept || line.start == line.end || isCode(line)
      if !lines[index].isKept {
        let end = DisplayWidth.column(after: text[..<line.end])
        let closed = text[..<text.trimmedEnd.endIndex]
        lines[index].tail = max(0, DisplayWidth.column(after: closed) - end)
        widest = max(widest, end + lines[index].tail)
      }
    }
  }

  private static func headingEnd(_ body: Substring, _ syntax: Syntax) -> String.Index? {
    let mark = syntax.family == .org ? "*" : "#"
    var scanner = LineScanner(body)
    guard scanner.take(mark) else { return nil }
    while scanner.take(mark) {}
    guard scanner.take(" ") else { return nil }
    scanner.skipSpaces()
    if syntax.family == .org {
      while Syntax.orgKeywords.contains(where: { scanner.take($0) }) { scanner.skipSpaces() }
    }
    return scanner.position
  }

  /// In a program everything but comments is code, unless the selection is part of a text and has no comment at all.
  private func isCode(_ line: Line) -> Bool {
    syntax.family == .code && !line.prefix.isComment && hasComments
  }

  private func commentMarks(_ texts: [Substring]) -> [String] {
    guard syntax.family == .unknown else { return syntax.comments }
    let filled = texts.filter { !$0.allSatisfy(\.isWhitespace) }
    guard filled.count > 1 else { return syntax.comments }
    return syntax.comments
      + Syntax.shyComments.filter { mark in
        filled.allSatisfy { $0.drop(while: \.isWhitespace).hasPrefix(mark) }
      }
  }

  private static func split(_ source: String) -> [Substring] {
    var lines: [Substring] = []
    var start = source.startIndex
    var index = start
    let bytes = source.utf8
    while index < source.endIndex {
      let byte = bytes[index]
      let next = bytes.index(after: index)
      if byte == 0x0A || byte == 0x0D {
        lines.append(source[start..<index])
        start = next
        // CR LF is one end.
        if byte == 0x0D, next < source.endIndex, bytes[next] == 0x0A { start = bytes.index(after: next) }
        index = start
      } else {
        index = next
      }
    }
    if start < source.endIndex { lines.append(source[start...]) }
    return lines
  }

  // MARK: Paragraphs

  /// Whether the line at `next` goes on with the paragraph that begins at `first`.
  private func continues(_ first: Int, with next: Int) -> Bool {
    let (head, before, line) = (lines[first], lines[next - 1], lines[next])
    if line.isKept || line.prefix.beginsItem || line.prefix.opensBlockComment || before.breaksHard { return false }
    if isTableRow(line) { return false }
    let prefix = prefixText(line)
    if next - first > 1 {
      guard prefix.utf8.elementsEqual(prefixText(lines[first + 1]).utf8) else { return false }
    } else if head.prefix.opensBlockComment {
      guard line.prefix.isComment else { return false }
    } else if head.prefix.beginsItem {
      guard
        DisplayWidth.column(after: prefix) > DisplayWidth.column(after: prefixText(head).prefix { $0.isWhitespace }),
        head.prefix.isComment == line.prefix.isComment
      else { return false }
    } else if !prefix.utf8.elementsEqual(prefixText(head).utf8) {
      return false
    }
    return wraps(before, line)
  }

  /// Whether the break between two lines is there only because the line was full. A line that had much room left was
  /// ended on purpose: a greeting, a verse, an address.
  private func wraps(_ line: Line, _ next: Line) -> Bool {
    let width = DisplayWidth.column(after: source[line.lineStart..<line.end])
    let word = source[next.start..<next.end].prefix { !$0.isWhitespace }
    let isMarked = line.prefix.isComment || prefixText(line).contains { !$0.isWhitespace }
    let limit = Double(widest) * (isMarked ? 0.5 : 0.75)
    return Double(width + 1 + DisplayWidth.column(after: word.prefix(24))) > limit
  }

  private func prefixText(_ line: Line) -> Substring { source[line.lineStart..<line.start] }

  private mutating func add(_ range: Range<Int>) {
    let paragraph = lines[range]
    guard let first = paragraph.first, let last = paragraph.last else { return }
    var prose = Prose()
    var (start, end) = (first.start, last.end)
    var texts = paragraph.map { source[$0.start..<$0.end] }
    if texts.count == 1, let inner = Quotes.inside(texts[0]) {
      (start, end) = (inner.startIndex, inner.endIndex)
      texts = [inner]
    }
    prose.original = String(source[start..<end])
    prose.text = Self.joined(texts)
    prose.column = DisplayWidth.column(after: source[first.lineStart..<start])
    if range.count > 1 {
      let second = lines[range.lowerBound + 1]
      let between = source[first.end..<second.start]
      prose.wrap = Prose.Wrap(lineBreak: String(between.drop { $0 == " " || $0 == "\t" }), width: widest - last.tail)
    }
    if first.prefix.isComment, syntax.hasBlockComments {
      prose.replacements.append(Prose.Replacement(from: "*/", to: "* /"))
    }
    keep(upTo: start)
    parts.append(.prose(prose))
    done = end
  }

  private mutating func keep(upTo end: String.Index) {
    if done < end { parts.append(.kept(String(source[done..<end]))) }
    done = end
  }

  private static func joined(_ texts: [Substring]) -> String {
    var result = ""
    for text in texts {
      if let last = result.unicodeScalars.last, let first = text.unicodeScalars.first,
        !(last.isSpaceless && first.isSpaceless)
      {
        result += " "
      }
      result += text
    }
    return result
  }

  // MARK: Tables

  private func isTableRow(_ line: Line) -> Bool {
    let body = source[line.start..<line.end]
    return syntax.family != .code && body.first == "|" && body.dropFirst().contains("|")
  }

  /// Each cell of a row stands for itself.
  private mutating func addTableRow(_ line: Line) -> Bool {
    guard isTableRow(line) else { return false }
    // Where the last cell began, so that no part of a row is measured twice.
    var (measured, column) = (line.lineStart, 0)
    for cell in source[line.start..<line.end].split(separator: "|") {
      let text = cell.trimmedEnd.trimmedStart
      var prose = Prose()
      prose.original = String(text)
      prose.text = prose.original
      // Short cells are names and figures.
      guard prose.isWorthWriting, text.split(separator: " ").count >= 3 else { continue }
      prose.replacements = [Prose.Replacement(from: "|", to: "/")]
      column = DisplayWidth.column(after: source[measured..<text.startIndex], from: column)
      measured = text.startIndex
      prose.column = column
      keep(upTo: text.startIndex)
      parts.append(.prose(prose))
      done = text.endIndex
    }
    return true
  }
}
