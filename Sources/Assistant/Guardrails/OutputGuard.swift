import AssistantProtocol
import JSON
import Synchronization

/// Stands between a request's work and its client: what meets a rule that blocks is never shown. Text that may become
/// the start of such a match is held back until it is known not to.
final class OutputGuard: Sendable {
  private let guardrails: Guardrails
  private let encoding: PositionEncoding
  private let state: Mutex<GuardedText>

  init(_ guardrails: Guardrails, encoding: PositionEncoding, mode: StreamMode) {
    self.guardrails = guardrails
    self.encoding = encoding
    let blocking = guardrails.rules(on: .output).filter { $0.action == .block }
    state = Mutex(GuardedText(blocking, encoding: encoding, mode: mode))
  }

  /// The sink that the work is given.
  func sink(before sink: RequestSink) -> RequestSink {
    var guarded = sink
    if let send = sink.sendPartial {
      guarded.sendPartial = { [self] partial throws(RequestFailure) in
        if let safe = try state.withLock({ state throws(RequestFailure) in try state.safe(partial) }) { try send(safe) }
      }
    }
    guarded.guardrails = guardrails
    return guarded
  }

  /// Looks at the whole result, and shows the text that was held back.
  /// - Returns: a warning for each rule that only warns and is met.
  func finish(_ result: some GenerationResult, _ sink: RequestSink) throws(RequestFailure) -> [Warning] {
    let json = result.json
    let text: String? = if case .string(let text)? = json["text"] { text } else { nil }
    var others = ["alternatives", "value", "rendered"].compactMap { json[$0] }.flatMap(\.writtenTexts)
    if case .array(let calls)? = json["toolCalls"] {
      others += calls.compactMap { $0["arguments"] }.flatMap(\.writtenTexts)
    }
    var warnings: [Warning] = []
    for rule in guardrails.rules(on: .output) {
      let range = try text.map { text throws(RequestFailure) in try rule.range(in: text) } ?? nil
      var isMet = range != nil
      for other in others where !isMet { isMet = try rule.isMet(by: other) }
      guard isMet else { continue }
      if rule.action == .block { throw rule.violation }
      let place = text.flatMap { text in range.map { TextRange(scalars: $0, of: text, encoding) } }
      warnings.append(rule.warning(of: "The answer", range: place))
    }
    if let send = sink.sendPartial, let rest = state.withLock({ $0.rest() }) { try send(rest) }
    return warnings
  }
}

/// The text of partial results as far as it may be shown.
private struct GuardedText {
  private let rules: [Guardrail]
  private let encoding: PositionEncoding
  private var scanners: [PatternScanner]
  private var shown: TextComposer
  /// All text of the partial results.
  private var text = ""
  /// How much of it may be shown.
  private var safeBytes = 0
  /// The same in scalars.
  private var safeCount = 0

  init(_ rules: [Guardrail], encoding: PositionEncoding, mode: StreamMode) {
    self.rules = rules
    self.encoding = encoding
    scanners = rules.map(\.scanner)
    shown = TextComposer(encoding: encoding, mode: mode)
    shown.begin()
  }

  /// What may be sent of a partial result; nil when nothing.
  mutating func safe(_ partial: PartialResult) throws(RequestFailure) -> PartialResult? {
    if rules.isEmpty { return partial }
    switch partial {
    case .delta(let delta):
      if delta.offset < encoding.length(of: text), let kept = encoding.prefix(of: text, length: delta.offset) {
        return try replace(with: kept + delta.delta)
      }
      return try append(delta.delta)
    case .snapshot(let snapshot):
      guard snapshot.text.utf8.starts(with: text.utf8) else { return try replace(with: snapshot.text) }
      return try append(String(snapshot.text.utf8.dropFirst(text.utf8.count)) ?? "")
    case .structured(let snapshot): return try mayShow(snapshot.value) ? partial : nil
    case .tool: return partial
    }
  }

  /// What was held back, when the whole has been found good.
  mutating func rest() -> PartialResult? { rules.isEmpty ? nil : shown.settle(text) }

  private mutating func append(_ new: String) throws(RequestFailure) -> PartialResult? {
    text += new
    let (count, start) = (safeCount, text.utf8.index(text.startIndex, offsetBy: safeBytes))
    try scan(new)
    let end = text.unicodeScalars.index(start, offsetBy: safeCount - count)
    let piece = text[start..<end]
    safeBytes += piece.utf8.count
    return shown.append(String(piece))
  }

  private mutating func replace(with new: String) throws(RequestFailure) -> PartialResult? {
    text = new
    scanners = rules.map(\.scanner)
    try scan(new)
    let start = text.unicodeScalars.prefix(safeCount)
    safeBytes = String(start).utf8.count
    return shown.settle(String(start))
  }

  private mutating func scan(_ new: String) throws(RequestFailure) {
    var border = Int.max
    for index in scanners.indices {
      scanners[index].append(new)
      switch scanners[index].state {
      case .found: throw rules[index].violation
      case .searching(let its): border = min(border, its)
      }
    }
    safeCount = border
  }

  private func mayShow(_ value: JSONValue) throws(RequestFailure) -> Bool {
    var mayShow = true
    for text in value.writtenTexts {
      for rule in rules {
        var scanner = rule.scanner
        scanner.append(text)
        switch scanner.state {
        case .found: throw rule.violation
        case .searching(let border): if border < text.unicodeScalars.count { mayShow = false }
        }
      }
    }
    return mayShow
  }
}
