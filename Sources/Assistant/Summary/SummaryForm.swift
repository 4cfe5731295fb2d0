import AssistantProtocol

/// The form of a summary: so many sentences on one line, lines of a list, or one headline. The engine holds the model
/// to it; here it is checked all the same, since it is promised: what is too much is cut, and what is missing is seen.
/// What is said again does not count, and is left out.
package struct SummaryForm: Sendable {
  private let style: Summarize.Style
  private let count: Int
  private let lineEnd: String

  /// - Parameter source: the text that is summarised; its line ends are those of a list.
  package init(_ style: Summarize.Style, count: Int, source: String) {
    self.style = style
    self.count = count
    lineEnd = source.unicodeScalars.hasCRLF ? "\r\n" : "\n"
  }

  /// A text in its form.
  package struct Formed: Sendable, Equatable {
    package var text = ""
    /// How many of its sentences, bullets or headlines there are; never more than are wanted.
    package var units = 0
    /// There was more than was wanted, which is cut off. More text changes nothing.
    package var isFull = false
  }

  /// Brings what the model has written so far into its form. What is formed of a longer text begins with what is formed
  /// of a shorter one, so that it can be shown as it grows.
  ///
  /// - Parameter isComplete: the model is done; nothing that might still become part of a mark is held back.
  package func formed(_ written: String, isComplete: Bool) -> Formed {
    let scalars = Array(written.unicodeScalars)
    return switch style {
    case .sentences: sentences(scalars, isComplete: isComplete)
    case .bullets: bullets(scalars, isComplete: isComplete)
    case .headline: headline(scalars, isComplete: isComplete)
    }
  }

  /// The sentences, bullets without their marks, or the headline of a text in its form.
  func units(of text: String) -> [String] {
    switch style {
    case .sentences:
      let scalars = Array(text.unicodeScalars)
      // As they are counted: one that begins with a small letter is a sentence too.
      let large = scalars.map { $0.properties.uppercaseMapping.unicodeScalars.first ?? $0 }
      return TextSplitter.sentences(in: large[...]).map { String(scalars: scalars[$0]).trimmed }
    case .bullets: return text.split(whereSeparator: \.isNewline).map { String($0.dropFirst(2)) }
    case .headline: return text.isEmpty ? [] : [text]
    }
  }

  /// The text in its form of its units.
  func text(of units: [String]) -> String {
    switch style {
    case .bullets: units.map { "- " + $0 }.joined(separator: lineEnd)
    case .sentences, .headline: units.joined(separator: " ")
    }
  }

  private func sentences(_ scalars: [Unicode.Scalar], isComplete: Bool) -> Formed {
    let all = TextSplitter.sentences(in: scalars[...])
    var said = Repetition()
    let new = all.filter { range in
      guard scalars[range].contains(where: { !$0.isWhitespace }) else { return false }
      return said.isNew(String(scalars: scalars[range]), isOpen: range == all.last && !isComplete)
    }
    var formed = Formed(units: min(new.count, count), isFull: new.count > count)
    formed.text = Self.onOneLine(new.prefix(count).flatMap { scalars[$0] }[...])
    if formed.units < count {
      // A sentence that begins with a small letter is one too for the engine and for whoever counts: it is no border to
      // cut a text at, but it is not missing either.
      let large = Array(formed.text.uppercased().unicodeScalars)
      let keys = TextSplitter.sentences(in: large[...]).map { String(scalars: large[$0]).repetitionKey }
      formed.units = min(count, max(formed.units, Set(keys).count))
    }
    return formed
  }

  private func bullets(_ scalars: [Unicode.Scalar], isComplete: Bool) -> Formed {
    var lines: [String] = []
    var said = Repetition()
    let all = scalars.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" }
    for (index, line) in all.enumerated() {
      let isOpen = index == all.count - 1 && !isComplete
      let body = Self.onOneLine(Self.withoutMark(line, isOpen: isOpen))
      if !body.isEmpty, said.isNew(body, isOpen: isOpen) { lines.append("- " + body) }
    }
    return Formed(
      text: lines.prefix(count).joined(separator: lineEnd), units: min(lines.count, count), isFull: lines.count > count)
  }

  private func headline(_ scalars: [Unicode.Scalar], isComplete: Bool) -> Formed {
    var rest = scalars[...].drop(while: \.isWhitespace)
    // A heading's marks.
    let unmarked = rest.drop { $0 == "#" }
    if unmarked.startIndex > rest.startIndex {
      guard let first = unmarked.first else { return Formed() }
      if first.isWhitespace { rest = unmarked }
    }
    let line = rest.drop(while: \.isWhitespace).prefix { $0 != "\n" && $0 != "\r" }
    let isFull = rest[line.endIndex...].contains { !$0.isWhitespace }
    var text = Self.onOneLine(line)
    // One full stop; an ellipsis stays. While more may come, all dots at the end are held back.
    let dots = text.unicodeScalars.reversed().prefix { $0 == "." || $0 == "。" }.count
    if dots == 1 || (dots > 0 && !isComplete && !isFull) {
      text.unicodeScalars.removeLast(dots)
    }
    return Formed(text: text, units: text.isEmpty ? 0 : 1, isFull: isFull)
  }

  /// Without white space at the ends, and each stretch of it inside as one space.
  private static func onOneLine(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(scalars: scalars.split(whereSeparator: \.isWhitespace).joined(separator: [" "]))
  }

  /// - Parameter isOpen: the line may go on; what may still become a mark is held back.
  private static func withoutMark(_ line: ArraySlice<Unicode.Scalar>, isOpen: Bool) -> ArraySlice<Unicode.Scalar> {
    let body = line.drop(while: \.isWhitespace)
    guard let first = body.first else { return body }
    switch first {
    case "-", "*", "+", "•", "–", "—", "‣", "◦", "▪":
      let rest = body.dropFirst()
      if let next = rest.first { return next.isWhitespace || first == "•" ? rest : body }
      return []
    case "0"..."9":
      let rest = body.drop { ("0"..."9").contains($0) }
      guard let mark = rest.first else { return isOpen && body.count <= 3 ? [] : body }
      guard mark == "." || mark == ")", body.count - rest.count <= 3 else { return body }
      guard let next = rest.dropFirst().first else { return isOpen ? [] : body }
      return next.isWhitespace ? rest.dropFirst() : body
    case _: return body
    }
  }
}

extension String.UnicodeScalarView {
  /// Whether one of its line ends is CR LF.
  fileprivate var hasCRLF: Bool {
    var last: Unicode.Scalar?
    for scalar in self {
      if scalar == "\n", last == "\r" { return true }
      last = scalar
    }
    return false
  }
}
