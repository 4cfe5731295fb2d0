/// Takes away what a model writes around its answer, while it writes: a thought, a preamble, quotation marks or a fence
/// that the source does not have, a note behind it. Only as much is held back as is needed to decide.
package struct OutputFilter: Sendable {
  private enum State: Sendable { case start, body, refused }

  private static let thoughts = [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("[THINK]", "[/THINK]")]

  private var source: FilterSource
  private let names: [String]
  private var state = State.start
  /// While nothing is decided: all of the answer but for thoughts. Afterwards: what is not shown yet.
  private var held = ""
  /// Bytes of the thought at the start in which its end does not begin.
  private var thought = 0
  /// What was shown.
  private var shown = ""
  /// Words that were shown before anything was decided, since hardly any preamble begins like that.
  private var early = ""
  private let showsEarly: Bool
  /// Something was cut from the start.
  private var isCut = false
  /// Whether what was shown is void: it was the start of a preamble, or of a refusal after all. Asked for after each
  /// `append`, it is told once.
  private var isVoid = false
  /// The mark or fence that was taken from the start.
  private var opening = ""
  private var closing: [String] = []

  /// - Parameters:
  ///   - source: what the model was given.
  ///   - names: words that name the answer, such as the tone.
  ///   - showsEarly: the caller asks `takeVoid` and can take back what was shown.
  package init(source: String, names: [String] = [], showsEarly: Bool = false) {
    self.source = FilterSource(source)
    self.names = names
    self.showsEarly = showsEarly
  }

  /// The whole at once; nil when it is a refusal.
  package static func text(of answer: String, source: String, names: [String] = []) -> String? {
    var filter = OutputFilter(source: source, names: names)
    _ = filter.append(answer)
    return filter.finish()
  }

  /// What can be shown of the next piece; may be empty.
  package mutating func append(_ piece: String) -> String {
    held += piece
    if state == .start { decide(isWhole: false) }
    switch state {
    case .start: return moreOfStart()
    case .body: return release()
    case .refused: return ""
    }
  }

  /// Whether all that was shown has to be taken back.
  package mutating func takeVoid() -> Bool {
    defer { isVoid = false }
    return isVoid
  }

  /// The text; what was shown is mostly its start. nil when it is a refusal.
  package mutating func finish() -> String? {
    if state == .start { decide(isWhole: true) }
    if state == .refused { return nil }
    var text = Substring(shown + withoutNotes(held)).trimmedEnd
    if let end = closing.first(where: { text.hasSuffix($0) }) {
      text = text.dropLast(end.count).trimmedEnd
      // “A” and “B”: the marks did not enclose the whole.
      if opening.count == 1, text.contains(end), end != "’", end != "'" { return opening + text + end }
      return String(text)
    }
    if !opening.isEmpty, opening.count == 1 { return opening + text }
    if let inner = Quotes.inside(text), Quotes.inside(Substring(source.text.trimmed)) == nil { return String(inner) }
    return String(text)
  }

  // MARK: The start

  private mutating func decide(isWhole: Bool) {
    var rest = held[...]
    while true {
      rest = rest.trimmedStart
      if rest.isEmpty { return isWhole ? begin(rest) : () }
      switch afterThought(rest, isWhole) {
      case .maybe: return
      case .yes(let count):
        held = String(rest.dropFirst(count))
        rest = held[...]
        isCut = true
        continue
      case .no: break
      }
      switch Refusal.check(rest, source: &source, isWhole: isWhole) {
      case .maybe: return
      case .yes:
        state = .refused
        isVoid = !early.isEmpty
        return
      case .no: break
      }
      switch Preamble.length(in: rest, source: &source, names: names, isWhole: isWhole) {
      case .maybe: return
      case .yes(let count):
        rest = rest[rest.unicodeScalars.index(rest.startIndex, offsetBy: count)...]
        isCut = true
        continue
      case .no: break
      }
      return unwrap(rest, isWhole)
    }
  }

  private mutating func begin(_ rest: Substring) {
    held = String(rest)
    state = .body
    guard !early.isEmpty else { return }
    if isCut {
      isVoid = true
    } else {
      shown = early
      held = String(held.unicodeScalars.dropFirst(early.unicodeScalars.count))
    }
  }

  /// The next words of the start that are shown though nothing is decided.
  private mutating func moreOfStart() -> String {
    guard showsEarly, !isCut else { return "" }
    let start = Preamble.unlikelyStart(of: held[...].trimmedStart, names: names)
    let known = early.unicodeScalars.count
    guard start.unicodeScalars.count > known else { return "" }
    early = String(start)
    return String(start.unicodeScalars.dropFirst(known))
  }

  /// How many characters the thought at the start has.
  private mutating func afterThought(_ rest: Substring, _ isWhole: Bool) -> Decision<Int> {
    for (open, close) in Self.thoughts {
      let isOpen = rest.hasPrefix(open)
      guard isOpen || (!isWhole && open.hasPrefix(rest)), !source.contains(open) else { continue }
      guard isOpen else { return .maybe }
      // A thought may be long: where there was no end of it before there is none now.
      let bytes = rest.utf8
      let from = bytes.index(bytes.startIndex, offsetBy: thought, limitedBy: bytes.endIndex) ?? bytes.endIndex
      guard let end = String.byteRange(of: close, in: bytes[from...]) else {
        thought = max(0, bytes.count - close.utf8.count)
        return isWhole ? .yes(rest.count) : .maybe
      }
      thought = 0
      return .yes(rest[..<end.upperBound].count)
    }
    return .no
  }

  /// Takes away a mark or a fence at the start that the source has nowhere.
  private mutating func unwrap(_ rest: Substring, _ isWhole: Bool) {
    guard let first = rest.unicodeScalars.first else { return begin(rest) }
    let fence = rest.prefix { $0 == "`" }
    if first == "`" || rest.hasPrefix("~~~") {
      if !isWhole, fence.count == rest.count, fence.count < 3 { return }
      let mark = rest.hasPrefix("~~~") ? "~~~" : "```"
      if rest.hasPrefix(mark), !source.contains(mark) {
        guard let end = rest.firstIndex(where: \.isNewline) else { return isWhole ? begin(rest) : () }
        opening = String(rest[..<end])
        closing = [mark]
        return begin(rest[end...].trimmedStart)
      }
    }
    let ends = Quotes.closing(first)
    guard !ends.isEmpty, fence.count < 2, !source.text.unicodeScalars.contains(where: { Self.isQuote($0, like: first) })
    else { return begin(rest) }
    opening = String(first)
    closing = ends.map(String.init)
    let inner = rest.unicodeScalars.dropFirst()
    begin(Substring(inner))
  }

  /// Straight and curly marks of a kind count as the same.
  private static func isQuote(_ scalar: Unicode.Scalar, like mark: Unicode.Scalar) -> Bool {
    let double: Set<Unicode.Scalar> = ["\"", "“", "”", "„"]
    return scalar == mark || (double.contains(scalar) && double.contains(mark))
  }

  // MARK: The end

  /// What is certainly part of the text.
  private mutating func release() -> String {
    var end = noteStart(in: held, isWhole: false) ?? held.endIndex
    let scalars = held.unicodeScalars
    let marks = closing.joined().unicodeScalars
    while end > held.startIndex {
      let before = scalars.index(before: end)
      guard scalars[before].isWhitespace || marks.contains(scalars[before]) else { break }
      end = before
    }
    let text = String(held[..<end])
    held = String(held[end...])
    shown += text
    return text
  }

  private mutating func withoutNotes(_ text: String) -> Substring {
    text[..<(noteStart(in: text, isWhole: true) ?? text.endIndex)]
  }

  /// Where the paragraphs begin that are notes, up to the end.
  private mutating func noteStart(in text: String, isWhole: Bool) -> String.Index? {
    guard text.unicodeScalars.contains(where: \.isLineEnd) else { return nil }
    var start: String.Index?
    var gap: String.Index?
    var lineEnds = 0
    for index in text.unicodeScalars.indices {
      let scalar = text.unicodeScalars[index]
      if scalar.isWhitespace {
        gap = gap ?? index
        // CR LF is one end.
        if scalar.isLineEnd, scalar != "\r" { lineEnds += 1 }
        continue
      }
      if let before = gap, lineEnds >= 2 {
        switch TrailingNote.check(text[index...], source: &source, isWhole: isWhole) {
        case .yes, .maybe: start = start ?? before
        case .no: start = nil
        }
      }
      gap = nil
      lineEnds = 0
    }
    return start
  }
}
