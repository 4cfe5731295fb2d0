import Assistant
import TestSupport
import Testing

/// What of a source is written anew, and what form the new text takes.
@Suite struct FormTests {
  private struct Row: Sendable {
    let source: String
    var language: String?
    /// What the model is given, piece by piece.
    let prose: [String]
  }

  private static let rows: [Row] = [
    Row(source: "Hello there.", prose: ["Hello there."]), Row(source: "  Hello there.\n", prose: ["Hello there."]),
    Row(source: "hello", prose: ["hello"]), Row(source: "", prose: []), Row(source: " \r\n\t", prose: []),
    Row(source: "One is here.\n\nTwo is there.\r\n", prose: ["One is here.", "Two is there."]),
    // Hard wrapping is undone; a line that had room left was ended on purpose.
    Row(
      source: "This is a long line of words\nthat goes on here.",
      prose: ["This is a long line of words that goes on here."]),
    Row(
      source: "Dear John,\nthis is a long line of words that goes on\nand ends here.",
      prose: ["this is a long line of words that goes on and ends here."]),
    Row(source: "昨日の会議はとても\n長くて疲れた。", prose: ["昨日の会議はとても長くて疲れた。"]),
    // Quotes and comments.
    Row(
      source: "> I dont think so at all.\n> Can we revert it?\n", prose: ["I dont think so at all. Can we revert it?"]),
    Row(source: "> > deep words here\n> shallow words here\n", prose: ["deep words here", "shallow words here"]),
    Row(
      source: "\t/// Gets the thing from the place,\n\t/// unless it isnt there.\n", language: "swift",
      prose: ["Gets the thing from the place, unless it isnt there."]),
    Row(
      source: "    /* This function is doing it to\n     * the buffer. */\n", language: "c",
      prose: ["This function is doing it to the buffer."]),
    Row(
      source: "let a = 1\n// Two words here.\nlet b = \"no prose at all\"\n", language: "swift",
      prose: ["Two words here."]),
    Row(source: "# sets the path\n# of the program\n", language: "python", prose: ["sets the path of the program"]),
    Row(source: "# sets the path\n# of the program\n", prose: ["sets the path of the program"]),
    Row(source: "-- picks the rows\n", language: "sql", prose: ["picks the rows"]),
    Row(
      source: "% says what follows\nWe show this here.\n", language: "latex",
      prose: ["says what follows", "We show this here."]),
    Row(
      source: "/// - Parameter name: how it is called\n/// @param x what it is worth\n", language: "swift",
      prose: ["how it is called", "what it is worth"]),
    // Lists, tables, headings, code.
    Row(
      source: "- the parser is slow\n- it also leaks\n  when cancelled\n3) third thing here\n- [ ] not yet done\n",
      prose: ["the parser is slow", "it also leaks when cancelled", "third thing here", "not yet done"]),
    Row(
      source: "## Getting started now\n\nYou need to install it.\n\n1. install\n2. run\n", language: "markdown",
      prose: ["You need to install it."]),
    Row(source: "## getting startd now\n", language: "markdown", prose: ["getting startd now"]),
    Row(
      source: "To build it:\n\n```sh\nmake demo now\n```\n\nand then call me.\n", language: "markdown",
      prose: ["To build it:", "and then call me."]),
    Row(source: "First this runs.\n~~~~\na b c\n~~~\nd e f\n~~~~\n", prose: ["First this runs."]),
    Row(source: "---\ntitle: a b c\n---\nSome text here.\n", language: "markdown", prose: ["Some text here."]),
    Row(
      source: "| name | what it does for you |\n|---|---|\n| a | it does a lot |\n", language: "markdown",
      prose: ["what it does for you", "it does a lot"]),
    Row(source: "<div class=\"x\">\nSome text here.\n</div>\n", language: "html", prose: ["Some text here."]),
    Row(source: "A title of it\n=======\n\nSome text here.\n", language: "markdown", prose: ["Some text here."]),
    Row(
      source: "\\begin{itemize}\n  \\item the first thing\n  \\item the second one\n\\end{itemize}\n",
      language: "latex",
      prose: ["the first thing", "the second one"]),
    Row(
      source: "* Notes\n** DONE write to the vendor\n   DEADLINE: <2026-12-01 Tue>\n", language: "org",
      prose: ["write to the vendor"]),
    Row(
      source: "fix stuff in parser\n\nit was crashing again\n\nSigned-off-by: A B <a@b.c>\n# a comment of git\n",
      language: "git-commit", prose: ["fix stuff in parser", "it was crashing again"]),
    // Also when nobody says what it is.
    Row(
      source: "\\begin{itemize}\n  \\item the first thing\n  \\item[B] the second one\n\\end{itemize}\n",
      prose: ["the first thing", "the second one"]),
    Row(source: "  \\item the first thing\n", prose: ["the first thing"]),
    Row(source: "  \\item\n  the first thing here\n", language: "tex", prose: ["the first thing here"]),
    // A heading alone is written anew; its marks stay.
    Row(source: "** \u{54}ODO write to the vendor\n", language: "org", prose: ["write to the vendor"]),
    Row(source: "* \u{54}ODO [#A] write to the vendor\n", language: "org", prose: ["write to the vendor"]),
    Row(source: "* write to the vendor\n", language: "org", prose: ["write to the vendor"]),
    Row(source: "** \u{54}ODO write to the vendor\n", prose: ["write to the vendor"]),
    Row(source: "* \u{54}ODO write to the vendor\n", prose: ["write to the vendor"]),
    Row(source: "* write to the vendor\n", prose: ["write to the vendor"]),
    Row(
      source: "* \u{54}ODO a heading of it\n: verbatim text it is\n  * one more item here\n- and one more of it\n",
      language: "org", prose: ["one more item here", "and one more of it"]),
    Row(
      source: "#+Begin_Src sh\nwe all go there\n#+End_Src\nWe all go there.\n", language: "org",
      prose: ["We all go there."]),
    // A pair of marks around the whole is kept, and so is what is too short.
    Row(source: "“Hello to you all.”", prose: ["Hello to you all."]),
    Row(source: "\"A\" and \"B\"", prose: ["\"A\" and \"B\""]),
    Row(source: "See this page:\n\nhttps://example.org/a\n", prose: ["See this page:"]),
  ]

  @Test(arguments: rows.indices) func proseIsFound(index: Int) {
    let row = Self.rows[index]
    let form = Form(row.source, language: row.language)
    #expect(form.prose.map(\.text) == row.prose)
    #expect(Self.joined(form) { $0.original }.hasSameBytes(as: row.source))
  }

  private static func joined(_ form: Form, _ written: (Prose) -> String) -> String {
    form.parts.map { part in
      switch part {
      case .kept(let text): text
      case .prose(let prose): written(prose)
      }
    }.joined()
  }

  @Test func theNewTextTakesTheForm() {
    let rows: [(source: String, language: String?, written: String, expected: String)] = [
      ("  One line here.\n", nil, "Another\n\nline,  really.", "  Another line,  really.\n"),
      (
        "> I dont think so at all.\r\n> Can we revert it?\r\n", nil,
        "I do not think so. Could we take it back on Monday?",
        "> I do not think so.\r\n> Could we take it back\r\n> on Monday?\r\n"
      ),
      (
        "    /* Does the sum of\n     * all of it. */\n", "c", "Computes */ the sum of everything in it.",
        "    /* Computes * /\n     * the sum of\n     * everything\n     * in it. */\n"
      ),
      (
        "- the parser is slow\n- it leaks memory\n  when cancelled\n", nil, "a b c d e f g h i j k l",
        "- a b c d e f g h i j k l\n- a b c d e f g h i\n  j k l\n"
      ),
      (
        "See what I wrote you\nfor you now.", nil, "See https://example.org/a/very/long/address here - now.",
        "See\nhttps://example.org/a/very/long/address\nhere - now."
      ),
      ("昨日の会議はとても\n長くて疲れた。", nil, "昨日の会議は長かったので、疲れました。", "昨日の会議は長かっ\nたので、疲れまし\nた。"),
      ("| a b c d | x |\n", "markdown", "one | two", "| one / two | x |\n"),
    ]
    for row in rows {
      let form = Form(row.source, language: row.language)
      let result = Self.joined(form) { LineFiller.fill(row.written, as: $0) }
      #expect(result.hasSameBytes(as: row.expected), "\(result.debugDescription)")
    }
  }

  /// Whatever the source, its parts are the source, byte for byte.
  @Test(arguments: [nil, "markdown", "swift", "latex", "org", "python", "git-commit"])
  func partsPutTogetherAreTheSource(language: String?) {
    let pieces = [
      "word", "two words", "1", "- ", "* ", "1. ", "> ", "# ", "// ", "/* ", " */", "```", "~~~", "---", "|", "\\item ",
      "\\begin{verbatim}", "\\end{verbatim}", "$$", "<b>", "=", "\n", "\n\n", "\r\n", "\r", " ", "\t", "“", "”", "\"",
      "é", "e\u{301}", "👩‍👩‍👧", "日本", "\u{FE0F}", "*/", "-- ", "[a]: b", "Signed-off-by: x",
    ]
    var random = SplitMix64(seed: 3)
    for _ in 0..<400 {
      let count = Int.random(in: 0...14, using: &random)
      let source = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      let joined = Self.joined(Form(source, language: language)) { $0.original }
      #expect(joined.hasSameBytes(as: source), "\(source.debugDescription)")
    }
  }

  /// Pieces do not matter: filling piece by piece gives what filling at once does.
  @Test func fillingIsTheSameInPieces() {
    let form = Form("// This is one comment of\n// two lines here.\n", language: "swift")
    guard let prose = form.prose.first else { return #expect(Bool(false)) }
    let text = "Some words — 日本語の文章です。 and\n\n others:  e\u{301} 1. x"
    let whole = LineFiller.fill(text, as: prose)
    var random = SplitMix64(seed: 4)
    for _ in 0..<50 {
      var filler = LineFiller(prose)
      var shown = ""
      var rest = Array(text.unicodeScalars)[...]
      while !rest.isEmpty {
        var piece = String.UnicodeScalarView()
        let count = Int.random(in: 1...min(4, rest.count), using: &random)
        piece.append(contentsOf: rest.prefix(count))
        shown += filler.append(String(piece))
        rest = rest.dropFirst(count)
      }
      shown += filler.finish()
      #expect(shown.hasSameBytes(as: whole))
    }
  }

  /// Texts as long as a person may select, of which quadratic work would take hours.
  @Test(arguments: ["- a\n", "|a b c", "> ", "a\tb c d\n", "`", "$$\n", "<a>\n", "  "])
  func hostileTextsTakeLinearTime(_ unit: String) {
    let source = "One sentence to write.\n" + String(repeating: unit, count: (1 << 19) / unit.utf8.count)
    let start = ContinuousClock.now
    let form = Form(source, language: "markdown")
    #expect(form.parts.count > 0)
    #expect(start.duration(to: .now) < .seconds(60))
  }
}
