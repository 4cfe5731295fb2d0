import AssistantProtocol

/// An open document: its text now, what has changed lately, and the ranges that jobs work on.
package struct Document: Sendable {
  package let uri: String
  package let languageID: String
  package let encoding: PositionEncoding
  /// What the client calls the text's state; nil when it does not say.
  package private(set) var version: Int?
  /// Grows with every notification of changes.
  package private(set) var revision: Int
  package private(set) var text: DocumentText
  private var history: ChangeHistory
  /// The ranges of jobs; nil where a change has made one void.
  private var tracked: [JobID: Range<Int>?] = [:]

  package init(
    uri: String, languageID: String, version: Int?, text: String, encoding: PositionEncoding, revision: Int = 0
  ) {
    self.revision = revision
    self.uri = uri
    self.languageID = languageID
    self.version = version
    self.encoding = encoding
    self.text = DocumentText(text)
    history = ChangeHistory(base: version)
  }

  /// Makes the changes of one notification, each in the text that the one before has left.
  package mutating func apply(_ changes: [ContentChange], version: Int?) {
    let moves = changes.compactMap { apply($0) }
    self.version = version
    revision += 1
    history.append(moves, version: version)
  }

  /// nil when the text stays as it is.
  private mutating func apply(_ change: ContentChange) -> PositionMove? {
    let whole = change.range.map { text.offsets(of: $0, in: encoding) } ?? 0..<text.count
    let (range, new) = text.smallest(whole, Array(change.text.utf8))
    if range.isEmpty, new.isEmpty { return nil }
    let old = text.range(range, in: encoding)
    text.replace(range, with: new)
    let end = text.position(of: range.lowerBound + new.count, in: encoding)
    let shift = new.count - range.count
    for (job, place) in tracked {
      tracked[job] = .some(place.flatMap { $0.moved(past: range) { $0 + shift } })
    }
    return PositionMove(range: old.start..<max(old.start, old.end), end: end)
  }

  // MARK: Ranges

  /// The range at which a job works is followed through all later changes.
  package mutating func track(_ range: Range<Int>, for job: JobID) { tracked[job] = .some(range) }
  package mutating func forget(_ job: JobID) { tracked[job] = nil }
  package mutating func voidAllRanges() { for job in tracked.keys { tracked[job] = .some(nil) } }

  /// Where a job's range is now; nil when a change has made it void.
  package func range(of job: JobID) -> Range<Int>? { tracked[job] ?? nil }

  package enum Located: Equatable, Sendable {
    case at(Range<Int>)
    /// The text there has changed since.
    case changed
    /// That state of the text is not known any more, or never was.
    case unknownVersion
  }

  /// Where a range of an earlier state of the text is now.
  ///
  /// - Parameter version: of the text that the range means; nil: the present.
  package func locate(_ range: DocumentRange, asOf version: Int?) -> Located {
    guard let version, version != self.version else { return .at(text.offsets(of: range, in: encoding)) }
    guard let moves = history.moves(since: version) else { return .unknownVersion }
    var place = min(range.start, range.end)..<max(range.start, range.end)
    for move in moves {
      guard let moved = place.moved(past: move.range, move.shift) else { return .changed }
      place = moved
    }
    return .at(text.offsets(of: DocumentRange(start: place.lowerBound, end: place.upperBound), in: encoding))
  }
}

extension Range where Bound: Sendable {
  /// Where the range lies after a change of another part of the text; nil when its own text was changed. What is put in
  /// exactly at its start moves it, what is put in at its end does not become part of it.
  ///
  /// - Parameters:
  ///   - change: what was replaced.
  ///   - shift: where a place behind the change is afterwards.
  func moved(past change: Range<Bound>, _ shift: (Bound) -> Bound) -> Range<Bound>? {
    if change.upperBound <= lowerBound { return shift(lowerBound)..<shift(upperBound) }
    return change.lowerBound >= upperBound ? self : nil
  }
}

/// Which job.
package struct JobID: Hashable, Sendable {
  package let number: Int
  package init(_ number: Int) { self.number = number }
}
