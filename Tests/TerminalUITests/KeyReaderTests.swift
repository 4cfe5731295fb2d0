import TerminalUI
import TestSupport
import Testing

@Suite struct KeyReaderTests {
  /// The keys are the same whether the bytes come at once or one by one.
  private func check(
    _ bytes: String, _ expected: [Key], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var whole = KeyReader()
    #expect(whole.feed(bytes.utf8) == expected, sourceLocation: sourceLocation)
    var reader = KeyReader()
    var keys: [Key] = []
    for byte in bytes.utf8 {
      for key in reader.feed([byte]) {
        if case .text(let text) = key, case .text(let before)? = keys.last {
          keys[keys.count - 1] = .text(before + text)
        } else {
          keys.append(key)
        }
      }
    }
    #expect(keys == expected, "byte by byte", sourceLocation: sourceLocation)
    #expect(!reader.isWaiting, sourceLocation: sourceLocation)
  }

  @Test func characters() {
    check("a", [.text("a")])
    check("größer 日本 👩‍👧", [.text("größer 日本 👩‍👧")])
    check("a\r\nb", [.text("a"), .enter, .lineFeed, .text("b")])
    check("\t\u{7F}\u{8}", [.tab, .backspace, .backspace])
    check("\u{1}\u{3}\u{1A}", [.control("a"), .control("c"), .control("z")])
  }

  @Test func sequences() {
    check("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left])
    check("\u{1B}OA\u{1B}OD\u{1B}OH\u{1B}OF", [.up, .left, .home, .end])
    check("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~\u{1B}[7~\u{1B}[8~", [.home, .end, .home, .end, .home, .end])
    check("\u{1B}[3~\u{1B}[1;5C\u{1B}[1;3D\u{1B}[1;2C", [.delete, .wordRight, .wordLeft, .right])
    check("\u{1B}b\u{1B}f\u{1B}\u{7F}\u{1B}\r", [.alt("b"), .alt("f"), .alt("\u{7F}"), .lineFeed])
  }

  @Test func unknownSequencesAreLeftOut() {
    check("\u{1B}[15~a\u{1B}[?1;2c\u{1B}[<35;1;1Mb\u{1B}[200;\u{1B}[Dc", [.text("ab"), .left, .text("c")])
    check("\u{1B}[" + String(repeating: "1", count: 100) + "~", [.text(String(repeating: "1", count: 68) + "~")])
  }

  @Test func bytesThatAreNotTextAreLeftOut() {
    var reader = KeyReader()
    #expect(reader.feed([0x61, 0xFF, 0x62, 0xC3, 0x63, 0x80, 0xE2, 0x82, 0xC3, 0xA9]) == [.text("abcé")])
    #expect(reader.feed("\u{9B}31m\u{202E}".utf8) == [.text("31m")])
  }

  @Test func escapeAlone() {
    var reader = KeyReader()
    #expect(reader.feed([0x1B]) == [])
    #expect(reader.isWaiting)
    #expect(reader.giveUpWaiting() == [.escape])
    #expect(!reader.isWaiting && reader.giveUpWaiting() == [])
    #expect(reader.feed("[A".utf8) == [.text("[A")])
    #expect(reader.feed("\u{1B}[".utf8) == [])
    #expect(reader.giveUpWaiting() == [])
    #expect(reader.feed("A".utf8) == [.text("A")])
  }

  @Test func paste() {
    check("\u{1B}[200~two\r\nlines\rhere\u{1B}[201~!", [.paste("two\nlines\nhere"), .text("!")])
    check("\u{1B}[200~a\u{1B}[31mb\u{3}\u{202E}c\u{1B}[201~", [.paste("a[31mbc")])
    check("\u{1B}[200~\u{1B}[201~", [.paste("")])
  }

  @Test("a paste over the limit ends where it ends, and the rest is left out")
  func longPaste() {
    var reader = KeyReader()
    var keys = reader.feed("\u{1B}[200~".utf8)
    for _ in 0..<5 { keys += reader.feed([UInt8](repeating: 0x61, count: 1 << 20)) }
    keys += reader.feed("\u{1B}[201~b".utf8)
    guard case .paste(let text)? = keys.first else {
      Issue.record("no paste")
      return
    }
    #expect(text.utf8.count == 4 << 20)
    #expect(keys.dropFirst() == [.text("b")])
  }

  @Test("whatever bytes come, it goes on afterwards")
  func anything() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var reader = KeyReader()
      for _ in 0..<200 {
        _ = reader.feed([[0x1B, 0x5B, 0x4F, 0x7E, 0x32, 0xE2, 0x82, 0x61, 0x0D, 0xF0][Int(random.next() % 10)]])
      }
      _ = reader.giveUpWaiting()
      #expect(reader.feed("\u{1B}[201~x".utf8).last == .text("x"))
    }
  }
}
