import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

/// What a client shows: cuts to the offset and appends.
private struct Screen {
  let encoding: PositionEncoding
  var text = ""

  mutating func show(_ delta: TextDelta) throws {
    text = String(try #require(encoding.prefix(of: text, length: delta.offset))) + delta.delta
  }
}

@Suite struct PartialResultTests {
  /// Any run of deltas, and the same run merged wherever that goes, show the same.
  @Test(arguments: PositionEncoding.allCases)
  func mergedDeltasShowTheSame(_ encoding: PositionEncoding) throws {
    var random = SplitMix64(seed: 11)
    var merges = 0
    for _ in 0..<2000 {
      var plain = Screen(encoding: encoding)
      var merged = Screen(encoding: encoding)
      var waiting: Progress.Params?
      for _ in 0..<random.int(in: 1..<12) {
        // Mostly where the text ends, now and then further back at the border of a scalar.
        let kept = random.oneIn(4) ? random.int(in: 0..<plain.text.unicodeScalars.count + 1) : Int.max
        let offset = encoding.length(of: String(plain.text.unicodeScalars.prefix(kept)))
        let delta = TextDelta(offset: offset, delta: random.text(maxScalars: 6), encoding: encoding)
        try plain.show(delta)
        let next = Progress.Params(token: ProgressToken(RequestID(1)), value: .partial(.delta(delta)))
        if waiting?.merge(next) == true {
          merges += 1
        } else {
          try merged.show(waiting)
          waiting = next
        }
      }
      try merged.show(waiting)
      #expect(merged.text.hasSameBytes(as: plain.text))
    }
    #expect(merges > 5000)
  }

  @Test(arguments: [
    (5, "b", 2, "a🙂b"), (3, "b", 2, "ab"), (2, "b", 2, "b"), (1, "b", 1, "b"), (0, "again", 0, "again"),
  ])
  func merged(_ offset: Int, _ text: String, _ mergedOffset: Int, _ mergedText: String) {
    check(
      TextDelta(offset: offset, delta: text, encoding: .utf16),
      makes: TextDelta(offset: mergedOffset, delta: mergedText, encoding: .utf16))
  }

  @Test(arguments: [
    (6, PositionEncoding.utf16, "a gap"), (4, .utf16, "inside a scalar"), (5, .utf8, "another encoding"),
  ])
  func notMerged(_ offset: Int, _ encoding: PositionEncoding, _ why: Comment) {
    check(TextDelta(offset: offset, delta: "b", encoding: encoding), makes: nil, why)
  }

  /// The one door: what the delta “a🙂” at 2 becomes when a later one is merged into it, if it can be.
  private func check(_ later: TextDelta, makes expected: TextDelta?, _ why: Comment? = nil) {
    let first = TextDelta(offset: 2, delta: "a🙂", encoding: .utf16)
    var delta = first
    let isMerged = delta.merge(later)
    #expect(isMerged == (expected != nil), why)
    // Equality looks at the length too, which must have been kept.
    #expect(delta == expected ?? first, why)
  }

  @Test func whatIsNotAlikeIsNotMerged() {
    func params(_ id: Int, _ value: ProgressValue) -> Progress.Params {
      Progress.Params(token: ProgressToken(RequestID(id)), value: value)
    }
    let delta = ProgressValue.partial(.delta(TextDelta(offset: 0, delta: "d", encoding: .utf16)))
    let snapshot = ProgressValue.partial(.snapshot(TextSnapshot(text: "s")))
    let value = ProgressValue.partial(.structured(StructuredSnapshot(value: [1])))
    let begin = ProgressValue.workDone(.begin(WorkDoneBegin(title: "t")))
    let report = ProgressValue.workDone(.report(WorkDoneReport(percentage: 5)))
    let end = ProgressValue.workDone(.end(WorkDoneEnd(message: nil)))
    let kinds = [delta, snapshot, value, begin, report, end]
    for (index, first) in kinds.enumerated() {
      for (otherIndex, second) in kinds.enumerated() {
        var value = params(1, first)
        let isMerged = value.merge(params(1, second))
        // Deltas, snapshots, values and reports among themselves.
        #expect(isMerged == (index == otherIndex && [0, 1, 2, 4].contains(index)))
        if !isMerged { #expect(value == params(1, first)) }
        var other = params(1, first)
        let isMergedAcross = other.merge(params(2, second))
        #expect(!isMergedAcross, "two tokens")
      }
    }
  }

  @Test func aLaterValueReplacesAnEarlierOne() throws {
    var params = Progress.Params(
      token: ProgressToken(RequestID(1)), value: .partial(.structured(StructuredSnapshot(value: ["a": "x"]))))
    let size = params.approximateByteCount
    var later = params
    later.value = .partial(.structured(StructuredSnapshot(value: ["a": "x", "b": [true, nil, 1.5]])))
    let isMerged = params.merge(later)
    #expect(isMerged)
    #expect(params == later)
    #expect(params.approximateByteCount > size)
  }

  /// The queue's bound means bytes, on either side of the engine's socket.
  @Test func aValueCountsAsMuchFromTheEngineAsToTheClient() {
    let value: JSONValue = ["text": .string(String(repeating: "a", count: 100_000)), "list": [1, [2, nil]]]
    let inside = EngineStructured.Params(request: 1, value: value).approximateByteCount
    let outside = Progress.Params(
      token: ProgressToken(RequestID(1)), value: .partial(.structured(StructuredSnapshot(value: value)))
    ).approximateByteCount
    #expect(inside == outside)
    #expect((100_000...100_200).contains(inside))
  }

  @Test func reportsKeepWhatTheLaterOneLeavesOut() {
    var report = WorkDoneProgress.report(WorkDoneReport(message: "reading", percentage: 10))
    let isMerged = report.merge(.report(WorkDoneReport(percentage: 40)))
    #expect(isMerged)
    #expect(report == .report(WorkDoneReport(message: "reading", percentage: 40)))
  }
}

extension Screen {
  fileprivate mutating func show(_ params: Progress.Params?) throws {
    guard let params else { return }
    guard case .partial(.delta(let delta)) = params.value else { throw JSONMismatch("is no delta") }
    try show(delta)
  }
}

@Suite struct PositionEncodingTests {
  @Test(
    arguments: [
      (nil, .utf16), ([], .utf16), (["utf-8"], .utf8), (["utf-32", "utf-8"], .utf32), (["utf-7", "utf-8"], .utf8),
      (["utf-7"], .utf16), (["UTF-8"], .utf16),
    ] as [([String]?, PositionEncoding)])
  func negotiated(_ offered: [String]?, _ expected: PositionEncoding) {
    #expect(PositionEncoding(negotiatedFrom: offered) == expected)
  }

  @Test(arguments: [(PositionEncoding.utf8, 10), (.utf16, 5), (.utf32, 4)])
  func lengths(_ encoding: PositionEncoding, _ expected: Int) {
    #expect(encoding.length(of: "aé日🙂") == expected)
    #expect("aé日🙂".unicodeScalars.reduce(0) { $0 + encoding.length(of: $1) } == expected)
  }

  @Test(
    arguments: [
      (PositionEncoding.utf8, 3, "aé"), (.utf8, 2, nil), (.utf16, 3, "aé日"), (.utf16, 4, nil), (.utf16, 5, "aé日🙂"),
      (.utf16, 6, nil), (.utf32, 4, "aé日🙂"), (.utf32, -1, nil), (.utf8, 0, ""),
    ] as [(PositionEncoding, Int, String?)])
  func prefixes(_ encoding: PositionEncoding, _ length: Int, _ expected: String?) {
    #expect(encoding.prefix(of: "aé日🙂", length: length).map(String.init) == expected)
  }

  /// A cut between two scalars that are one character to a reader.
  @Test func prefixInsideACharacter() {
    #expect(PositionEncoding.utf32.prefix(of: "e\u{301}", length: 1) == "e")
    #expect(PositionEncoding.utf16.prefix(of: "\r\n", length: 1) == "\r")
  }
}
