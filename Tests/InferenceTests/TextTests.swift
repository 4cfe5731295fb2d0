import Inference
import Testing

@Suite struct TextTests {
  /// Whole text from bytes in pieces.
  private func assemble(_ pieces: [[UInt8]], stop: [[UInt8]] = [], isWhole: Bool = true) -> [UInt8] {
    var text = TextAssembler(stop: stop)
    var isStopped = false
    for piece in pieces where !isStopped { isStopped = text.append(piece) }
    text.finish(isWhole: isWhole || isStopped)
    return text.ready
  }

  private static let samples = [
    "plain text\n", "é à ü", "日本語", "👩‍👩‍👧‍👦 family", "🏳️‍🌈", "🇩🇪🇫🇷", "👍🏽", "1️⃣2️⃣", "❤️‍🔥",
    "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}!", "e\u{301}", "\u{10FFFF}", "\u{0}", "شكرا", "क्‍ष",
    "\u{FFFD}", "a\u{200D}b", "🇩 x",
  ]

  @Test(arguments: samples) func textComesOutAsItIsHoweverItIsSplit(sample: String) {
    let bytes = Array(sample.utf8)
    #expect(assemble([bytes]) == bytes)
    #expect(assemble(bytes.map { [$0] }) == bytes)
    for split in 0...bytes.count { #expect(assemble([Array(bytes[..<split]), Array(bytes[split...])]) == bytes) }
  }

  /// Cut off after every byte: whole characters only, nothing of them missing.
  @Test(arguments: samples) func cutOffAnywhere(sample: String) {
    let bytes = Array(sample.utf8)
    for count in 0...bytes.count {
      let output = assemble(bytes.prefix(count).map { [$0] }, isWhole: false)
      #expect(bytes.starts(with: output))
      let scalars = Array(String(decoding: output, as: UTF8.self).unicodeScalars)
      // What is missing is less than a scalar, a joiner, half a flag, or tags, all of which say nothing alone.
      let whole = String(decoding: bytes, as: UTF8.self).unicodeScalars
      var expected: [Unicode.Scalar] = []
      var length = 0
      for scalar in whole {
        length += UTF8.width(scalar)
        if length > count { break }
        expected.append(scalar)
      }
      #expect(expected.starts(with: scalars))
      let dropped = expected.dropFirst(scalars.count)
      #expect(
        dropped.isEmpty || dropped == ["\u{200D}"]
          || (dropped.count == 1 && (0x1F1E6...0x1F1FF).contains(dropped.first?.value ?? 0))
          || dropped.allSatisfy { (0xE0020...0xE007E).contains($0.value) })
      if let last = scalars.last, scalars.count > 1, scalars[scalars.count - 2].properties.isEmojiPresentation {
        #expect(last != "\u{200D}")
      }
    }
  }

  @Test(
    arguments: [
      // bytes, text
      ([0x61, 0xFF, 0x62], "ab"), ([0x80, 0x61], "a"), ([0xC3, 0x61], "a"), ([0xC3], ""), ([0xE2, 0x82], ""),
      ([0xE2, 0x82, 0x61], "a"), ([0xF0, 0x9F, 0x98, 0xC3, 0xA9], "é"), ([0xC0, 0xAF], ""), ([0xED, 0xA0, 0x80], ""),
      ([0xF4, 0x90, 0x80, 0x80], ""), ([0xF8, 0x88, 0x80, 0x80, 0x80], ""), ([0xE0, 0x80, 0xAF], ""),
      ([0xF0, 0x9F, 0xF0, 0x9F, 0x98, 0x80], "😀"), ([0xEF, 0xBF, 0xBD], "\u{FFFD}"), ([0xF0, 0x80, 0x80, 0x41], "A"),
    ] as [([UInt8], String)]) func bytesThatAreNotText(bytes: [UInt8], text: String)
  {
    #expect(assemble(bytes.map { [$0] }) == Array(text.utf8))
    #expect(assemble([bytes]) == Array(text.utf8))
  }

  @Test func piecesAreWholeScalarsAtOnce() {
    var text = TextAssembler(stop: [])
    var sent: [[UInt8]] = []
    for byte in Array("aé日😀".utf8) {
      _ = text.append([byte])
      sent.append(text.ready)
      text.ready.removeAll()
    }
    #expect(sent.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) } == ["a", "é", "日", "😀"])
  }

  // MARK: Stop strings

  /// The end of the text by the plainest way: the string that is complete first, the longest of those.
  private func naiveStop(_ text: [UInt8], _ stop: [[UInt8]]) -> [UInt8] {
    for end in 0...text.count {
      let complete = stop.filter { !$0.isEmpty && text[..<end].suffix($0.count).elementsEqual($0) }
      if let longest = complete.map(\.count).max() { return Array(text[..<(end - longest)]) }
    }
    return text
  }

  /// The longest end of the text that could be the start of a stop string.
  private func naiveHeld(_ text: [UInt8], _ stop: [[UInt8]]) -> Int {
    (0...text.count).last { count in
      stop.contains { $0.count > count && $0.starts(with: text.suffix(count)) }
    } ?? 0
  }

  private func check(_ text: String, stop: [String], _ location: SourceLocation = #_sourceLocation) {
    let bytes = Array(text.utf8)
    let stop = stop.map { Array($0.utf8) }
    let expected = naiveStop(bytes, stop)
    for first in 0...bytes.count {
      let output = assemble([Array(bytes[..<first]), Array(bytes[first...])], stop: stop)
      #expect(output == expected, "\(text) split at \(first)", sourceLocation: location)
    }
    #expect(assemble(bytes.map { [$0] }, stop: stop) == expected, sourceLocation: location)
  }

  @Test func stopStringsAtAnySplit() {
    check("Hello\n\nWorld", stop: ["\n\n"])
    check("aaab", stop: ["aab"])
    check("abababac", stop: ["ababac"])
    check("abcd", stop: ["bcd", "c"])
    check("xabcx", stop: ["abc", "bc", "c"])
    check("no stop here", stop: ["stop!", ""])
    check("<end", stop: ["<end>"])
    check("stop", stop: ["stop"])
    check("ein Wörtchen mit ü", stop: ["örtch", "ü"])
    check("👩‍👩‍👧 and", stop: ["\u{200D}👧", " a"])
  }

  @Test func aJoinerBeforeAStopStringIsDropped() {
    #expect(assemble([Array("👩‍👩‍👧".utf8)], stop: [Array("👧".utf8)]) == Array("👩‍👩".utf8))
  }

  @Test func randomTextsAndStopStrings() {
    var random = RandomGenerator(seed: 3)
    func word(_ longest: Int) -> String {
      String((0..<Int.random(in: 0...longest, using: &random)).map { _ in "abé".randomElement(using: &random) ?? "a" })
    }
    for _ in 0..<300 { check(word(14), stop: (0..<Int.random(in: 1...3, using: &random)).map { _ in word(4) }) }
  }

  @Test func asLittleIsHeldBackAsMustBe() {
    var random = RandomGenerator(seed: 4)
    for _ in 0..<300 {
      let stop = (0..<2).map { _ in
        (0..<Int.random(in: 1...4, using: &random)).map { _ in UInt8.random(in: 97...98, using: &random) }
      }
      var text = TextAssembler(stop: stop)
      var fed: [UInt8] = []
      while fed.count < 20 {
        let byte = UInt8.random(in: 97...99, using: &random)
        fed.append(byte)
        if text.append([byte]) { break }
        #expect(text.ready.count == fed.count - naiveHeld(fed, stop))
      }
    }
  }

  // MARK: Through the generator

  /// A model that has a token for each byte and says one text.
  private func byteModel(_ text: String, then end: Bool = true) -> ScriptedModel {
    let bytes = Array(text.utf8)
    return ScriptedModel(
      pieces: [[]] + (0...255).map { [UInt8($0)] },
      behaviour: .next { tokens in
        let position = tokens.count - 1
        return position < bytes.count ? Token(bytes[position]) + 1 : end ? ScriptedModel.end : 1
      })
  }

  @Test func outputStoppedAtEveryTokenOfAnEmoji() {
    let text = "a👨‍👩‍👧🇩🇪"
    let wholeAfter: [(bytes: Int, text: String)] = [
      (1, "a"), (5, "a👨"), (12, "a👨‍👩"), (19, "a👨‍👩‍👧"), (27, "a👨‍👩‍👧🇩🇪"),
    ]
    #expect(text.utf8.count == 27)
    for maxTokens in 1...27 {
      let harness = Harness(byteModel(text))
      harness.generator.submit(GenerationRequest(id: 1, prompt: [9], maxTokens: maxTokens))
      harness.run()
      let expected = wholeAfter.last { $0.bytes <= maxTokens }?.text
      #expect(harness.outputs[1]?.string.unicodeScalars.elementsEqual((expected ?? "").unicodeScalars) == true)
      #expect(harness.outputs[1]?.end == .finished(.length))
      #expect(harness.outputs[1]?.tokens == maxTokens)
    }
    let harness = Harness(byteModel(text))
    harness.generator.submit(GenerationRequest(id: 1, prompt: [9], maxTokens: 28))
    harness.run()
    #expect(harness.outputs[1]?.text == Array(text.utf8))
    #expect(harness.outputs[1]?.end == .finished(.stop))
  }

  @Test func aStopStringEndsTheRequest() {
    let harness = Harness(byteModel("one\ntwo\n\nthree"))
    harness.generator.submit(GenerationRequest(id: 1, prompt: [9], stop: [Array("\n\n".utf8)]))
    harness.run()
    #expect(harness.outputs[1]?.string == "one\ntwo")
    #expect(harness.outputs[1]?.end == .finished(.stop))
    #expect(harness.outputs[1]?.tokens == 9)
  }
}
