import Assistant
import Testing

/// What a model writes is printed on a terminal as text, whatever a terminal would do with it.
@Suite struct TerminalTextTests {
  @Test(
    arguments: [
      ("plain\ttext\n", "plain\ttext\n"),
      // Colours, a title, the clipboard (OSC 52), the screen cleared, a C1 sequence, a bell.
      ("\u{1B}[31mred\u{1B}[0m", "[31mred[0m"), ("\u{1B}]0;title\u{7}x", "]0;titlex"),
      ("\u{1B}]52;c;cm0gLXJmIC8=\u{1B}\\", "]52;c;cm0gLXJmIC8=\\"), ("a\u{1B}cb", "acb"),
      ("\u{9B}2Jx\u{9D}0;y\u{9C}", "2Jx0;y"),
      ("a\u{8}\u{7F}b\rc\u{0}", "abc"),
      // The order of characters is what it seems to be.
      ("a\u{202E}b\u{2066}c\u{2069}", "abc"), ("a\u{200B}b\u{FEFF}", "ab"),
      // But people, flags and scripts that need joiners stay whole.
      ("👩‍👩‍👧‍👦 🏴󠁧󠁢󠁷󠁬󠁳󠁿 می‌خواهم", "👩‍👩‍👧‍👦 🏴󠁧󠁢󠁷󠁬󠁳󠁿 می‌خواهم"),
    ])
  func nothingIsObeyed(_ text: String, _ shown: String) {
    #expect(TerminalText.neutralise(text).unicodeScalars.elementsEqual(shown.unicodeScalars))
  }
}
