import AssistantProtocol
import LanguageServer
import TestSupport
import Testing

@Suite struct DocumentTests {
  /// The text has a letter of two bytes, a combining mark, an emoji of two UTF-16 units, CRLF, a lone CR and LF.
  private static let text = "aé\r\ne\u{301}x😀z\rlast\n"

  struct Place: Sendable {
    let encoding: PositionEncoding
    let line: Int
    let character: Int
    let offset: Int
    /// Where the offset is said to be, when that is not the position itself.
    var back: (Int, Int)?
  }

  @Test(
    "positions and offsets",
    arguments: [
      Place(encoding: .utf8, line: 0, character: 0, offset: 0),
      Place(encoding: .utf8, line: 0, character: 1, offset: 1),
      Place(encoding: .utf8, line: 0, character: 3, offset: 3),
      Place(encoding: .utf16, line: 0, character: 2, offset: 3),
      Place(encoding: .utf8, line: 1, character: 0, offset: 5),
      Place(encoding: .utf8, line: 1, character: 3, offset: 8),
      Place(encoding: .utf16, line: 1, character: 1, offset: 6),
      Place(encoding: .utf16, line: 1, character: 2, offset: 8),
      Place(encoding: .utf8, line: 1, character: 8, offset: 13),
      Place(encoding: .utf16, line: 1, character: 5, offset: 13),
      Place(encoding: .utf32, line: 1, character: 4, offset: 13),
      Place(encoding: .utf32, line: 2, character: 4, offset: 19),
      Place(encoding: .utf16, line: 3, character: 0, offset: 20),
      // Inside a scalar: its start.
      Place(encoding: .utf8, line: 0, character: 2, offset: 1, back: (0, 1)),
      Place(encoding: .utf16, line: 1, character: 4, offset: 9, back: (1, 3)),
      Place(encoding: .utf8, line: 1, character: 6, offset: 9, back: (1, 4)),
      // Beyond the line: its end, before its line end.
      Place(encoding: .utf16, line: 0, character: 9, offset: 3, back: (0, 2)),
      Place(encoding: .utf16, line: 2, character: 2_147_483_647, offset: 19, back: (2, 4)),
      // Beyond the text: its end. Before it: its start.
      Place(encoding: .utf16, line: 9, character: 0, offset: 20, back: (3, 0)),
      Place(encoding: .utf16, line: 4_294_967_295, character: 7, offset: 20, back: (3, 0)),
      Place(encoding: .utf16, line: -1, character: 3, offset: 0, back: (0, 0)),
      Place(encoding: .utf16, line: 1, character: -5, offset: 5, back: (1, 0)),
    ])
  func positions(_ place: Place) {
    let text = DocumentText(Self.text)
    let position = Position(line: place.line, character: place.character)
    #expect(text.offset(of: position, in: place.encoding) == place.offset)
    let back = place.back.map { Position(line: $0.0, character: $0.1) } ?? position
    #expect(text.position(of: place.offset, in: place.encoding) == back)
  }

  @Test func linesOfAText() {
    func check(_ text: String, _ lines: [String], end: String, sourceLocation: SourceLocation = #_sourceLocation) {
      let document = DocumentText(text)
      let found = (0..<document.lineCount).map { document.string(in: document.content(ofLine: $0)) }
      #expect(found == lines, sourceLocation: sourceLocation)
      #expect(Array(document.lineEnd.utf8) == Array(end.utf8), sourceLocation: sourceLocation)
    }
    check("", [""], end: "\n")
    check("a", ["a"], end: "\n")
    check("a\n", ["a", ""], end: "\n")
    check("\r\n\r\n", ["", "", ""], end: "\r\n")
    check("a\rb\r", ["a", "b", ""], end: "\r")
    check("\n\r", ["", "", ""], end: "\n")
  }

  /// Between the two bytes of CRLF there is no position: the offset there is the line's end.
  @Test func insideLineEnd() {
    #expect(DocumentText("a\r\nb").position(of: 2, in: .utf8) == Position(line: 0, character: 1))
  }

  @Test func changes() {
    func check(
      _ text: String, _ changes: [ContentChange], _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      var document = document(text)
      document.apply(changes, version: 2)
      #expect(Array(document.text.bytes) == Array(expected.utf8), sourceLocation: sourceLocation)
      #expect(document.version == 2, sourceLocation: sourceLocation)
    }
    check("abc", [ContentChange(range: DocumentRange(0, 1, 0, 2), text: "x")], "axc")
    check("abc", [ContentChange(range: nil, text: "new\u{0}")], "new\u{0}")
    check("abc", [ContentChange(range: DocumentRange(0, 3, 0, 1), text: "")], "a")
    check("abc", [ContentChange(range: DocumentRange(7, 0, 9, 3), text: "d")], "abcd")
    check("a\r\nb", [ContentChange(range: DocumentRange(0, 1, 1, 0), text: "")], "ab")
    check("", [], "")
    // One after the other, each in the text that the one before has left.
    check(
      "abc",
      [
        ContentChange(range: DocumentRange(0, 0, 0, 0), text: "1\n"),
        ContentChange(range: DocumentRange(1, 0, 1, 1), text: "2"), ContentChange(range: nil, text: "1\n2bcd"),
        ContentChange(range: DocumentRange(1, 4, 1, 4), text: "!"),
      ], "1\n2bcd!")
  }

  @Test func followedRanges() {
    /// A range between brackets in a text, one change, and the text afterwards with the range, or nil.
    func check(
      _ marked: String, _ range: DocumentRange?, _ new: String, _ expected: String?,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let start = marked.utf8.count - marked.drop { $0 != "[" }.utf8.count
      let end = marked.utf8.count - marked.drop { $0 != "]" }.utf8.count - 1
      var document = document(String(marked.filter { $0 != "[" && $0 != "]" }))
      document.track(start..<end, for: JobID(1))
      document.apply([ContentChange(range: range, text: new)], version: 2)
      let found = document.range(of: JobID(1)).map { range in
        let text = document.text
        return text.string(in: 0..<range.lowerBound) + "[" + text.string(in: range) + "]"
          + text.string(in: range.upperBound..<text.count)
      }
      #expect(found == expected, sourceLocation: sourceLocation)
    }
    check("ab[cd]ef", DocumentRange(0, 0, 0, 1), "", "b[cd]ef")
    check("ab[cd]ef", DocumentRange(0, 1, 0, 2), "xyz", "axyz[cd]ef")
    check("ab[cd]ef", DocumentRange(0, 2, 0, 2), "x", "abx[cd]ef")
    check("ab[cd]ef", DocumentRange(0, 4, 0, 4), "x", "ab[cd]xef")
    check("ab[cd]ef", DocumentRange(0, 4, 0, 5), "", "ab[cd]f")
    check("ab[cd]ef", DocumentRange(0, 3, 0, 3), "x", nil)
    check("ab[cd]ef", DocumentRange(0, 1, 0, 3), "x", nil)
    check("ab[cd]ef", DocumentRange(0, 3, 0, 5), "x", nil)
    check("ab[cd]ef", DocumentRange(0, 0, 0, 6), "", nil)
    check("ab[cd]ef", DocumentRange(0, 2, 0, 4), "CD", nil)
    // What a change leaves as it was is not changed by it.
    check("ab[cd]ef", DocumentRange(0, 0, 0, 6), "abcdefg", "ab[cd]efg")
    check("ab[cd]ef", nil, "xabcdef", "xab[cd]ef")
    check("ab[cd]ef", nil, "abcdef", "ab[cd]ef")
    check("ab[cd]ef", nil, "abcxdef", nil)
    check("é[é]", DocumentRange(0, 0, 0, 1), "è", "è[é]")
    check("ab[]cd", DocumentRange(0, 2, 0, 2), "x", "abx[]cd")
    check("ab[]cd", DocumentRange(0, 1, 0, 3), "x", nil)
  }

  @Test func rangesOfEarlierVersions() {
    var document = document("one\ntwo\nthree")
    #expect(document.locate(DocumentRange(1, 0, 1, 3), asOf: nil) == .at(4..<7))
    #expect(document.locate(DocumentRange(1, 3, 1, 0), asOf: 1) == .at(4..<7))
    document.apply([ContentChange(range: DocumentRange(0, 3, 0, 3), text: "\nand ")], version: 4)
    document.apply([ContentChange(range: DocumentRange(2, 0, 2, 0), text: "x")], version: 5)
    #expect(document.locate(DocumentRange(1, 0, 1, 3), asOf: 1) == .at(10..<13))
    #expect(document.locate(DocumentRange(2, 0, 2, 3), asOf: 4) == .at(10..<13))
    #expect(document.locate(DocumentRange(0, 2, 1, 1), asOf: 1) == .changed)
    #expect(document.locate(DocumentRange(0, 0, 0, 1), asOf: 3) == .unknownVersion)
    for version in 6..<3_000 {
      document.apply([ContentChange(range: DocumentRange(0, 0, 0, 0), text: "x")], version: version)
    }
    #expect(document.locate(DocumentRange(2, 0, 2, 3), asOf: 4) == .unknownVersion)
    #expect(document.locate(DocumentRange(2, 1, 2, 4), asOf: 2_500) == .at(3_004..<3_007))
  }

  @Test("random changes: the text is the client's, and ranges are where their text is", arguments: 0..<60)
  func randomChanges(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    let encoding = PositionEncoding.allCases[seed % 3]
    // Where a change makes CRLF of what was apart, the border lies where no position is, and positions cannot follow.
    let isPlain = seed % 2 == 0
    let pieces =
      ["a", "b", "é", "e\u{301}", "😀", "\n", " ", "", "日本", "ab\ncd"] + (isPlain ? [] : ["\r\n", "\r", "\r\n"])
    func text(_ most: Int) -> String { (0..<random.int(in: 0..<most)).map { _ in random.pick(pieces) }.joined() }
    var replica = Replica(text(40))
    var document = document(replica.text, encoding)
    var watched: [Watched] = []
    for version in 2..<80 {
      if random.oneIn(3) { watched.append(Watched(&document, replica, job: version, &random)) }
      let changes = (0..<random.int(in: 1..<4)).map { _ -> ContentChange in
        let (first, second) = (random.int(in: 0..<replica.scalars.count + 1), random.int(in: 0..<6))
        let start = replica.position(of: first, encoding)
        let end = replica.position(of: min(replica.scalars.count, first + second), encoding)
        let range = replica.index(of: start, encoding)..<replica.index(of: end, encoding)
        let isWhole = random.oneIn(10)
        let new = text(4)
        for index in watched.indices {
          // What a new whole text has changed can be seen in more than one way.
          if isWhole { watched[index].forgetPlace() } else { watched[index].note(range, new.unicodeScalars.count) }
        }
        replica.scalars.replaceSubrange(range, with: new.unicodeScalars)
        return isWhole
          ? ContentChange(range: nil, text: replica.text)
          : ContentChange(range: DocumentRange(start: start, end: end), text: new)
      }
      document.apply(changes, version: version)
      #expect(document.text == DocumentText(replica.text))
      for range in watched { range.check(document, replica, comparesPositions: isPlain) }
    }
  }
}

/// A range that is followed, with a naive model of where it is.
private struct Watched {
  let job: JobID
  let version: Int?
  let positions: DocumentRange
  let text: String
  /// Scalars of the replica; nil once a change has touched them, when the range may be void or not.
  private var place: Range<Int>?

  init(_ document: inout Document, _ replica: Replica, job: Int, _ random: inout SplitMix64) {
    self.job = JobID(job)
    let start = random.int(in: 0..<replica.scalars.count + 1)
    let end = min(replica.scalars.count, start + random.int(in: 0..<8))
    positions = DocumentRange(
      start: replica.position(of: start, document.encoding), end: replica.position(of: end, document.encoding))
    let range = document.text.offsets(of: positions, in: document.encoding)
    text = document.text.string(in: range)
    version = document.version
    place = replica.index(of: positions.start, document.encoding)..<replica.index(of: positions.end, document.encoding)
    document.track(range, for: self.job)
  }

  mutating func note(_ range: Range<Int>, _ count: Int) {
    guard let place else { return }
    if place.isEmpty, !range.isEmpty, range.lowerBound == place.lowerBound {
      // Something new in the place of what followed, or put in before it: both are right.
      self.place = nil
    } else if range.upperBound <= place.lowerBound {
      let shift = count - range.count
      self.place = place.lowerBound + shift..<place.upperBound + shift
    } else if range.lowerBound < place.upperBound {
      self.place = nil
    }
  }

  mutating func forgetPlace() { place = nil }

  func check(_ document: Document, _ replica: Replica, comparesPositions: Bool) {
    let found = document.range(of: job)
    if let found { #expect(document.text.string(in: found).utf8.elementsEqual(text.utf8)) }
    let located = document.locate(positions, asOf: version)
    if case .at(let range) = located, comparesPositions {
      #expect(document.text.string(in: range).utf8.elementsEqual(text.utf8))
    }
    guard let place else { return }
    var before = Replica("")
    before.scalars = Array(replica.scalars[..<place.lowerBound])
    let start = before.text.utf8.count
    #expect(found == start..<start + text.utf8.count)
    if comparesPositions { #expect(located == .at(start..<start + text.utf8.count)) }
  }
}
