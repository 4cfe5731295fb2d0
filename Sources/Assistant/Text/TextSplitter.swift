/// Finds where a text can be cut without harm: between paragraphs, and between sentences.
///
/// Works on Unicode scalars. Ranges are positions in the array of scalars; those of one call lie side by side and cover
/// all that was given: white space belongs to what is before it. No language is assumed. The rules for sentences follow
/// those of Unicode (UAX #29, sentence boundaries) in the main, with abbreviations and lists besides.
package enum TextSplitter {
  /// Paragraphs: lines up to and with the blank lines behind them.
  package static func paragraphs(in text: ArraySlice<Unicode.Scalar>) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var start = text.startIndex
    var lineStart = start
    var lineIsBlank = true
    var hasContent = false
    var isBehindBlankLine = false
    for index in text.indices {
      if isLineEnd(index, in: text) {
        if lineIsBlank { isBehindBlankLine = hasContent }
        lineStart = index + 1
        lineIsBlank = true
      } else if lineIsBlank, !text[index].isWhitespace {
        if isBehindBlankLine {
          result.append(start..<lineStart)
          start = lineStart
        }
        isBehindBlankLine = false
        lineIsBlank = false
        hasContent = true
      }
    }
    if start < text.endIndex { result.append(start..<text.endIndex) }
    return result
  }

  /// Sentences, and the lines of lists, headings and tables.
  package static func sentences(in text: ArraySlice<Unicode.Scalar>) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var start = text.startIndex
    var index = text.startIndex
    func close(at end: Int) {
      if end > start { result.append(start..<end) }
      start = end
    }
    while index < text.endIndex {
      let scalar = text[index]
      if SentenceMarks.endsSentence(scalar) {
        let end = endOfMarks(index, in: text)
        let next = skipWhitespace(from: end, in: text)
        if isBorder(mark: index, end: end, next: next, in: text) { close(at: next) }
        index = end
      } else if isLineEnd(index, in: text) {
        let next = skipWhitespace(from: index + 1, in: text)
        if next < text.endIndex, linesStandAlone(before: index, next: next, in: text) { close(at: next) }
        // There is nothing but white space between.
        index = next
      } else {
        index += 1
      }
    }
    close(at: text.endIndex)
    return result
  }

  // MARK: Sentences

  /// Past all terminators from here, and the quotes and brackets that close behind them.
  private static func endOfMarks(_ index: Int, in text: ArraySlice<Unicode.Scalar>) -> Int {
    var end = index
    while end < text.endIndex, SentenceMarks.endsSentence(text[end]) { end += 1 }
    while end < text.endIndex, SentenceMarks.closes(text[end]) { end += 1 }
    return end
  }

  /// - Parameters:
  ///   - mark: the first terminator.
  ///   - end: past the terminators and what closes behind them.
  ///   - next: past the white space after that.
  private static func isBorder(mark: Int, end: Int, next: Int, in text: ArraySlice<Unicode.Scalar>) -> Bool {
    guard next < text.endIndex else { return false }
    if SentenceMarks.needsNoSpace(text[mark]) { return !SentenceMarks.goesOn(text[next]) }
    guard next > end, !SentenceMarks.goesOn(text[next]) else { return false }
    // A paragraph's end ends the sentence, whatever stands before it.
    if text[end..<next].count(where: { $0 == "\n" || $0 == "\u{2029}" }) > 1 { return true }
    let following = text[next...].first { !SentenceMarks.opens($0) }
    let isLower = following?.properties.isLowercase ?? false
    if text[mark] == "." {
      if isLower { return false }
      // Several dots are no abbreviation.
      return text[mark..<end].count(where: { $0 == "." }) > 1 || !endsInAbbreviation(mark, in: text)
    }
    // “Really?” he asked. – but a text without capitals still has its questions.
    let hasCloser = end > mark + 1 && SentenceMarks.closes(text[end - 1])
    return !(isLower && (hasCloser || text[mark] == "…"))
  }

  /// Whether the word before the dot is an initial, a known abbreviation, the number of an item, or has dots inside.
  private static func endsInAbbreviation(_ dot: Int, in text: ArraySlice<Unicode.Scalar>) -> Bool {
    var start = dot
    // No abbreviation is longer.
    while start > text.startIndex, dot - start < 12, SentenceMarks.isInWord(text[start - 1]) { start -= 1 }
    let word = text[start..<dot]
    guard let first = word.first else { return false }
    if word.count == 1, first != "I", first.properties.isUppercase || first.properties.isLowercase { return true }
    if word.count <= 3, word.allSatisfy({ ("0"..."9").contains($0) }), isFirstInLine(start, in: text) { return true }
    let joined = word.reduce(into: "") { $0 += $1.properties.lowercaseMapping }
    if SentenceMarks.abbreviations.contains(joined) { return true }
    // e.g, U.S, z.B, but not 3.5 and not example.org.
    let pieces = word.split(separator: ".", omittingEmptySubsequences: false)
    return pieces.count > 1 && pieces.allSatisfy { $0.count == 1 && ($0.first?.properties.isAlphabetic ?? false) }
  }

  // MARK: Lines

  /// Whether there is a border at the line end because of what the lines are: items, headings, rows of a table.
  private static func linesStandAlone(before end: Int, next: Int, in text: ArraySlice<Unicode.Scalar>) -> Bool {
    var between = 0
    for scalar in text[end..<next] where scalar == "\n" { between += 1 }
    if between > 1 { return true }
    if isMarkedLine(next, in: text) { return true }
    let start = skipWhitespace(from: startOfLine(end, in: text), in: text)
    // What follows an item without a mark of its own goes on with it; a heading and a row end with their line.
    return start < end && (text[start] == "#" || text[start] == "|")
  }

  /// Whether an item, a heading or a row of a table begins here.
  private static func isMarkedLine(_ start: Int, in text: ArraySlice<Unicode.Scalar>) -> Bool {
    let line = text[start...].prefix(8)
    guard let first = line.first else { return false }
    switch first {
    case "|", "•", "‣", "◦", "▪", "・", "●": return true
    case "-", "*", "+", "–", "—": return line.dropFirst().first?.isWhitespace ?? false
    case "#": return line.drop { $0 == "#" }.first?.isWhitespace ?? false
    case "0"..."9":
      let rest = line.drop { ("0"..."9").contains($0) }
      return rest.count > 1 && (rest.first == "." || rest.first == ")") && rest.dropFirst().first?.isWhitespace ?? false
    case _: return false
    }
  }

  /// CR LF is one line end, at its line feed.
  private static func isLineEnd(_ index: Int, in text: ArraySlice<Unicode.Scalar>) -> Bool {
    switch text[index] {
    case "\n", "\u{2028}", "\u{2029}", "\u{85}": true
    case "\r": index + 1 == text.endIndex || text[index + 1] != "\n"
    case _: false
    }
  }

  private static func startOfLine(_ index: Int, in text: ArraySlice<Unicode.Scalar>) -> Int {
    var start = index
    while start > text.startIndex, !isLineEnd(start - 1, in: text) { start -= 1 }
    return start
  }

  private static func isFirstInLine(_ index: Int, in text: ArraySlice<Unicode.Scalar>) -> Bool {
    // Items of a list are not indented by more.
    for before in (max(text.startIndex, index - 16)..<index).reversed() {
      if isLineEnd(before, in: text) { return true }
      if !text[before].isWhitespace { return false }
    }
    return index - 16 <= text.startIndex
  }

  private static func skipWhitespace(from index: Int, in text: ArraySlice<Unicode.Scalar>) -> Int {
    var next = index
    while next < text.endIndex, text[next].isWhitespace { next += 1 }
    return next
  }
}
