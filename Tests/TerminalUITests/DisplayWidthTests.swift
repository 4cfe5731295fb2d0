import TerminalUI
import Testing

@Suite struct DisplayWidthTests {
  @Test(
    "columns of a terminal",
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("\u{301}", 0), ("日本", 4), ("한국", 4),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("ｱ", 1), ("Ａ", 2), ("😀", 2), ("👍🏽", 2), ("👩‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("🇩", 1),
      ("❤️", 2), ("❤", 1), ("1️⃣", 2), ("🏴󠁧󠁢󠁳󠁣󠁴󠁿", 2), ("ü\u{200B}", 1), ("\u{7}", 0), ("নি", 2), ("…“”", 3), ("𠀀", 2),
    ])
  func width(text: String, columns: Int) {
    #expect(DisplayWidth.of(text) == columns)
  }
}
