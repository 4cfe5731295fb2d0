import Assistant
import TestSupport
import Testing

/// Language, protected text, loops, new words: by table.
@Suite struct OutputCheckTests {
  @Test func languagesAreDetected() {
    let rows: [(String, Language?)] = [
      ("The committee met on Tuesday to discuss the new proposal.", .en),
      ("gonna be late tmrw cuz the train's broken again, sorry. can u start w/o me", .en),
      ("Ich wollte nur mal fragen ob ihr das Dokument schon bekommen habt.", .de),
      ("On a pas eu le temps de finir le rapport hier, mais on va essayer.", .fr),
      ("La reunión se alargó muchísimo y al final no decidimos nada.", .es),
      ("La riunione è durata molto e alla fine non abbiamo deciso niente.", .it),
      ("A reunião demorou muito e no final não decidimos nada.", .pt),
      ("Вчера собрание было очень долгим, и мы ничего не решили.", .ru),
      ("كان الاجتماع أمس طويلا جدا ولم نقرر شيئا في النهاية", .ar), ("הישיבה אתמול הייתה ארוכה מאוד", .he),
      ("昨天的会议很长，最后什么也没决定。", .zh), ("昨日の会議はとても長くて、何も決まらなかった。", .ja),
      ("어제 회의는 매우 길었고 아무것도 결정되지 않았습니다.", .ko), ("", nil), ("ok", nil), ("12345 67890", nil),
      ("Вчора були збори, які тривали дуже довго, і ми їх не закінчили.", nil), ("Zebra quux frobnicate lorem", nil),
    ]
    for (text, language) in rows { #expect(LanguageDetector.language(of: text) == language, "\(text)") }
    let pairs: [(String, String, Bool)] = [
      (rows[2].0, "I only wanted to ask if you have the document.", true),
      (rows[2].0, "Habt ihr das Dokument schon?", false),
      (rows[11].0, "The meeting was long.", true), (rows[0].0, "The meeting.", false),
      ("ok", "Bonjour à tous les amis", false),
      (rows[4].0, "The meeting was long", true), (rows[10].0, "昨日の会議はとても長かったです。", true),
    ]
    for (source, text, changed) in pairs {
      #expect(LanguageDetector.hasChanged(from: source, to: text) == changed, "\(text)")
    }
  }

  @Test func protectedTextIsFound() {
    let rows: [(String, String?, [String])] = [
      (
        "We shipped version 2.4.1 on 2026-03-14. Memory fell from 512 MiB to 388 MiB, the 99th is 41 ms at 14:30.", nil,
        ["2.4.1", "2026-03-14", "512 MiB", "388 MiB", "99th", "41 ms", "14:30"]
      ),
      ("It cost 1,234.50 $ or 3% in 2025, call 5.", nil, ["1,234.50 $", "3%", "2025", "5"]),
      (
        "See [the report](https://example.org/r?id=42#top), https://a.b/c?d=1, and www.x.org. Mail a.b@c.de!", nil,
        ["[the report](https://example.org/r?id=42#top)", "https://a.b/c?d=1", "www.x.org", "a.b@c.de"]
      ),
      ("Run `inkling serve` or ``a ` b``.", nil, ["`inkling serve`", "``a ` b``"]),
      (
        "By \\citet{knuth1984}, Section~\\ref{sec:m}, $O(n \\log n)$ and \\emph{fast}.", "latex",
        ["\\citet{knuth1984}", "\\ref{sec:m}", "$O(n \\log n)$", "\\emph{"]
      ),
      ("It was $5 and then $6.", nil, ["$5", "$6"]), ("Great 👩‍👩‍👧‍👦🎉 🇩🇪 👍🏽 ❤️ ©", nil, ["👩‍👩‍👧‍👦", "🎉", "🇩🇪", "👍🏽", "❤️"]),
      ("Ends with <|im_end|> or </b> but 3 < 4 > 2.", nil, ["<|im_end|>", "</b>", "3", "4", "2"]),
      (
        "Hello {name}, {{ user }} has ${N} of %d, @ada said #42.", nil,
        ["{name}", "{{ user }}", "${N}", "%d", "@ada", "#42"]
      ),
      ("the =retry= flag", "org", ["=retry="]), ("the =retry= flag", nil, []),
      ("run ~make test~ or =a b=, x=1 (=y=) ~/home", "org", ["~make test~", "=a b=", "1", "=y="]),
      ("nothing here", nil, []),
      ("第3章を読む", nil, []), ("a\\", nil, []), ("`", nil, []), ("[a](b", nil, []),
      // A run of backticks that none like it ends is no code, nor is a part of it.
      ("``a` and `b` or ```c` d", nil, ["` and `", "` or ```c`"]),
      ("[a] [b](c) {d} {e f} {g}", nil, ["[b](c)", "{d}", "{g}"]),
      (
        "It costs $1,234.56 or 1.234,56 €, 12 % of it, 3.5× that.", nil,
        ["$1,234.56", "1.234,56 €", "12 %", "3.5×"]
      ),
      (
        "€12.50, € 8, £3, ¥500, 1\u{202F}234,5\u{A0}€, 7 ₹", nil,
        ["€12.50", "€ 8", "£3", "¥500", "1\u{202F}234,5\u{A0}€", "7 ₹"]
      ),
      (
        "$5–$6, 5 in the box, 6in of 3 × 4, 12 °C; $ 5 for a $", nil,
        ["$5", "$6", "5", "6in", "3", "4", "12 °C", "$ 5"]
      ),
      (
        "Put it in src/utils.py, README.md. Not in e.g. this.that or a.pyx", nil, ["src/utils.py", "README.md"]
      ),
      ("Herr Öztürk and Mrs. Miller, Dr Who's; Mr nobody, Frau", nil, ["Herr Öztürk", "Mrs. Miller", "Dr Who"]),
      ("see a.b/c.d@e and www.a.b (x/y)", nil, ["www.a.b"]), ("", nil, []),
      ("On Friday, or Monday’s 3 May, in March, Sundays and MONDAY, friday", nil, ["Friday", "Monday", "3"]),
      ("Am Dienstag im März, nicht im Märzen", nil, ["Dienstag", "März"]),
      (
        "Lundi. Le mardi. Segunda-feira, não Segunda. Août. Giovedì-sera.", nil,
        ["Lundi", "Segunda-feira", "Août", "Giovedì"]
      ),
      (
        "Click **Network** or __Save all now__ and **that 1**.", "markdown",
        ["**Network**", "__Save all now__", "**that 1**"]
      ),
      ("Click **Network**, __init__", nil, ["**Network**", "__init__"]),
      ("Click **Network** or __Save__", "plaintext", []), ("a **b** c", "org", []),
      ("2**3**4 a__b__c ** a ** ****x**** **a\nb** **a *b* c**", "markdown", ["2", "3", "4"]),
      ("**a sentence of five words** ** **** ***a***", nil, []),
    ]
    for (text, language, strings) in rows {
      let found = ProtectedText.find(in: text, language: language)
      #expect(found == strings, "\(text): \(found)")
    }
    #expect(ProtectedText.find(in: "Woody and Buzz", protect: ["Buzz", "Rex", "Buzz"]) == ["Buzz"])
    #expect(ProtectedText.lost(["5", "Buzz", "e\u{301}"], in: "15 of 52, Buzz, é") == ["5", "e\u{301}"])
    // Inside a sentence French has a small letter, English has not.
    #expect(ProtectedText.lost(["Lundi", "Monday"], in: "On part lundi, on monday.") == ["Monday"])
  }

  @Test func nearlyRightStringsAreRepaired() {
    let rows: [(lost: String, text: String, repaired: String)] = [
      ("`inkling serve`", "Run inkling serve now.", "Run `inkling serve` now."),
      ("`inkling serve`", "Run “Inkling Serve” now.", "Run `inkling serve` now."),
      ("512 MiB", "It fell from 512MiB to less.", "It fell from 512 MiB to less."),
      ("1,234.50", "It cost 1234.50 then.", "It cost 1,234.50 then."),
      ("[the report](https://a.b/c)", "See [our report](https://a.b/c).", "See [the report](https://a.b/c)."),
      ("Buzz", "They saw buzz there.", "They saw Buzz there."),
      ("Buzz", "They saw buzz and BUZZ.", "They saw buzz and BUZZ."),
      ("Buzz", "A buzzer went.", "A buzzer went."), ("2.4.1", "Version 2.4.10 it is.", "Version 2.4.10 it is."),
      ("5", "There were five.", "There were five."),
      ("**Network**", "Click on network now.", "Click on **Network** now."),
      ("**Network**", "Click on *Network* or __network__.", "Click on *Network* or __network__."),
      ("**Network**", "Click on *Network*.", "Click on **Network**."),
      ("Monday", "See you on monday.", "See you on Monday."), ("Lundi", "On part lundi.", "On part lundi."),
      ("<|im_end|>", "It ends with im_end here.", "It ends with <|im_end|> here."),
    ]
    for row in rows {
      let text = ProtectedRepair.repaired(row.text, lost: [row.lost])
      #expect(text == row.repaired, "\(text)")
    }
  }

  @Test func circlesAreCut() {
    let line = "We went home and then we slept well. "
    let rows: [(text: String, source: String, cut: String?)] = [
      (String(repeating: line, count: 4), "x", "We went home and then we slept well."),
      ("Good morning. " + String(repeating: line, count: 2), "x", "Good morning. We went home and then we slept well."),
      ("a b " + String(repeating: "very ", count: 12) + "good", "x", "a b very"), ("no no no", "x", nil),
      (line, "x", nil), (String(repeating: line, count: 3), String(repeating: line, count: 3), nil), ("", "", nil),
    ]
    for row in rows { #expect(Loops.cut(row.text, source: row.source) == row.cut, "\(row.text)") }
  }

  @Test func newWordsAreCounted() {
    let source = "The old lighthouse keeper counted the steps every night."
    #expect(
      ContentWords.inventedShare(of: "Each night the lighthouse's old keepers were counting steps.", source: source).map
      { $0 < 0.2 } ?? false)
    #expect(
      ContentWords.inventedShare(of: "Dragons quickly destroy wonderful castles beyond mountains.", source: source) == 1
    )
    #expect(ContentWords.inventedShare(of: "Good day.", source: source) == nil)
  }

  /// Texts of which quadratic work, or a look ahead from each place, would take minutes.
  @Test(arguments: [
    "`", "` `` ", "[", "[a](", "![", "<a", "{a", "{{", "$a", "$", "\\[", "\\cite{", "a.", "a@", "@-", "#a", "1,", "=a ",
    "(a/b", "**", "**a ", "__a__", "Monday", "a.py/", "Mr ", "a..",
  ])
  func protectedTextOfHostileTextsIsFoundInLinearTime(_ unit: String) {
    let text = String(repeating: unit, count: (1 << 18) / unit.utf8.count)
    let start = ContinuousClock.now
    _ = ProtectedText.find(in: text, language: "org")
    #expect(start.duration(to: .now) < .seconds(60))
  }

  @Test func manyLostStringsAreLookedForInAMoment() {
    let lost = (0..<5_000).map { "`name \($0)`" }
    let text = String(repeating: "The name of it is what it is. ", count: 3_000)
    let start = ContinuousClock.now
    #expect(ProtectedRepair.repaired(text, lost: lost) == text)
    #expect(start.duration(to: .now) < .seconds(60))
  }
}
