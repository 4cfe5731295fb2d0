import Assistant
import TestSupport
import Testing

/// What a model puts around its answer is taken away; what only looks like it stays.
@Suite struct OutputFilterTests {
  private static let rows: [(source: String, answer: String, text: String?)] = [
    // Preambles.
    ("hi", "Sure! Here is the rewritten text:\n\nHello.", "Hello."), ("hi", "Sure: Hello.", "Sure: Hello."),
    ("hi", "Here's the rewritten version in a formal tone: \"Hello.\"", "Hello."),
    ("hi", "Rewritten text: Hello.", "Hello."),
    ("hi", "**Rewritten text:** Hello.", "Hello."), ("hi", "Formal: Hello.", "Hello."),
    ("hi", "Output:\nHello.", "Hello."),
    ("hi", "Certainly!\n\nHello.", "Hello."), ("hi", "Hier ist der umformulierte Text: Guten Tag.", "Guten Tag."),
    ("hi", "Voici le texte reformulé : Bonjour.", "Bonjour."), ("hi", "Aquí está el texto corregido:\nHola.", "Hola."),
    ("你好", "以下是改写后的文本：\n您好。", "您好。"), ("привет", "Вот исправленный текст: Здравствуйте.", "Здравствуйте."),
    ("hi", "Here's a rewritten version with the extra detail: Hello.", "Hello."),
    ("hi", "Sure!\n\nHere is the rewritten text:\n\nHello.", "Hello."),
    ("hi", "Here's a rewritten version with the added note: Hello.", "Hello."),
    ("hi", "Sure! Here is the text as you might say it to a colleague:\nHello.", "Hello."),
    ("hi", "Voici une version qui garde le sens: Bonjour.", "Bonjour."),
    // No preambles.
    ("hi", "Here is the text of a song. It goes: la.", "Here is the text of a song. It goes: la."),
    ("hi", "Here is the text of a song\nby me: la.", "Here is the text of a song\nby me: la."),
    ("a version", "Here is a version for dogs: la.", "Here is a version for dogs: la."),
    ("i come at 5", "Sure, I will come at 5.", "Sure, I will come at 5."),
    ("x y", "Here is my plan: we go.", "Here is my plan: we go."),
    ("the text: it is late", "The text: it is late.", "The text: it is late."), ("hi", "Sure.", "Sure."),
    ("sure\nbye", "Sure!\n\nBye.", "Sure!\n\nBye."),
    ("at ten", "The result of 10:30 is in.", "The result of 10:30 is in."),
    ("my answer is no", "Answer: no.", "Answer: no."), ("hi", "Here", "Here"), ("hi", "Here is", "Here is"),
    ("hi", "Of course the text is long.", "Of course the text is long."),
    // Marks around the whole.
    ("hi", "\"Hello.\"", "Hello."), ("hi", "“Hello.”\n", "Hello."), ("hi", "«Bonjour.»", "Bonjour."),
    ("hi", "`Hello.`", "Hello."), ("hi", "```\nHello.\n```", "Hello."),
    ("hi", "```text\nHello\nyou.\n```\n", "Hello\nyou."),
    ("hi", "\"A\" and \"B\"", "\"A\" and \"B\""), ("hi", "“A” is it.", "“A” is it."),
    ("hi", "'tis late.", "'tis late."),
    ("say \"hi\"", "\"Hi\" is said.", "\"Hi\" is said."), ("run `a b`", "`a b` is run.", "`a b` is run."),
    ("hi", "\"Hello", "\"Hello"), ("hi", "Hello \"you\"", "Hello \"you\""), ("hi", "`a` runs", "`a` runs"),
    // Thoughts.
    ("hi", "<think>Hm.\n\nSo.</think>\n\nHello.", "Hello."), ("hi", "<think>never ends", ""),
    ("hi", "<think></think>Sure! Here is the text:\nHello.", "Hello."),
    ("hi", "<think>a</think> <think>b</think>\nHello.", "Hello."),
    ("a <think> b", "<think> is a tag.", "<think> is a tag."),
    // Notes behind.
    ("hi", "Hello.\n\nNote: I made it formal.", "Hello."), ("hi", "Hello.\n\nLet me know if you need more!", "Hello."),
    ("hi", "Hello. Note: it is late.", "Hello. Note: it is late."),
    ("hi\n\nNote: x", "Hello.\n\nNote: y.", "Hello.\n\nNote: y."),
    ("hi", "Hello.\n\nNote: it is late.\n\nBye.", "Hello.\n\nNote: it is late.\n\nBye."),
    ("hi", "\"Hello.\"\n\nI made it formal.", "Hello."), ("hi", "Hello.\r\n\r\nNote that I changed it.", "Hello."),
    // Refusals.
    ("hi", "I'm sorry, but I can't assist with that.", nil), ("hi", "As an AI language model, I cannot do it.", nil),
    ("hi", "I cannot fulfill your request.", nil), ("hallo", "Es tut mir leid, aber ich kann dabei nicht helfen.", nil),
    ("hi", "I’m sorry, but I can’t help with that.", nil),
    ("sorry cant help w that", "I'm sorry, but I can't help with that.", "I'm sorry, but I can't help with that."),
    ("im late", "I'm sorry, I am late.", "I'm sorry, I am late."), ("no", "I cannot.", "I cannot."),
    ("we built an ai that writes", "As an AI company, we write.", "As an AI company, we write."),
    ("", "", ""), ("a", " \n ", ""),
  ]

  @Test(arguments: rows.indices) func onlyTheAnswerStays(index: Int) {
    let row = Self.rows[index]
    let text = OutputFilter.text(of: row.answer, source: row.source, names: ["formal"])
    #expect(text == row.text, "\(text?.debugDescription ?? "refusal")")
  }

  /// Whatever the pieces, the text is the same, and what was shown meanwhile is its start, or the start of the text
  /// without the mark that turned out not to enclose it. What was shown too early is taken back.
  @Test(arguments: rows.indices, [false, true]) func piecesDoNotMatter(index: Int, showsEarly: Bool) {
    let row = Self.rows[index]
    var random = SplitMix64(seed: UInt64(index))
    for _ in 0..<8 {
      var filter = OutputFilter(source: row.source, names: ["formal"], showsEarly: showsEarly)
      var shown = ""
      var rest = Array(row.answer.unicodeScalars)[...]
      while !rest.isEmpty {
        var piece = String.UnicodeScalarView()
        let count = Int.random(in: 1...min(5, rest.count), using: &random)
        piece.append(contentsOf: rest.prefix(count))
        let next = filter.append(String(piece))
        shown = filter.takeVoid() ? next : shown + next
        rest = rest.dropFirst(count)
      }
      let text = filter.finish()
      if filter.takeVoid() { shown = "" }
      #expect(text == row.text)
      #expect(shown.isEmpty || (row.text ?? "").contains(shown), "\(shown.debugDescription)")
    }
  }

  /// Text that is no preamble is held back for a word at most.
  @Test func littleIsHeldBack() {
    for (answer, most) in [("We will come.", 3), ("Sure, I will come at five.", 12), ("Hello there.", 6)] {
      var filter = OutputFilter(source: "x")
      var fed = 0
      for scalar in answer.unicodeScalars {
        fed += 1
        if !filter.append(String(scalar)).isEmpty { break }
      }
      #expect(fed <= most, "\(answer): \(fed)")
    }
  }

  /// Words that few preambles begin with are shown at once; when it was one after all, they are taken back.
  @Test func theStartIsShownEarly() {
    let rows: [(pieces: [String], shown: [String])] = [
      (["In", " short", ", the", " tide"], ["In", " short", "", ", the tide"]),
      (["I", "\u{301}t", " is"], ["I", "\u{301}t", " is"]), (["a", "stro", " it"], ["a", "stro", " it"]),
      (["The", " re", "written", " text:", " Well."], ["The", "", "", "", "-Well."]),
      (["I", "'m", " sorry", ", but I cannot assist."], ["I", "", "", "-"]),
      (["Sure", ", here", " is the text:", " Well"], ["", "", "", "Well"]),
      (["<", "think>", "I", "</think>I"], ["", "", "", ""]),
    ]
    for row in rows {
      var filter = OutputFilter(source: "x", showsEarly: true)
      let shown = row.pieces.map { piece in
        let text = filter.append(piece)
        return filter.takeVoid() ? "-" + text : text
      }
      #expect(shown == row.shown, "\(row.pieces)")
    }
  }

  /// The source may be as long as a request: a piece must not cost a walk through it.
  @Test(arguments: [
    "<think>" + String(repeating: "so it is ", count: 2_000), "I'm sorry, but we", "Here is the text", "「",
  ])
  func aLongSourceIsNotReadForEachPiece(_ answer: String) {
    let source = String(repeating: "What a long text this is. ", count: 40_000)
    let start = ContinuousClock.now
    var filter = OutputFilter(source: source)
    for scalar in answer.unicodeScalars { _ = filter.append(String(scalar)) }
    for note in ["\n\nNote: ", String(repeating: "x", count: 2_000)] {
      for scalar in note.unicodeScalars { _ = filter.append(String(scalar)) }
    }
    _ = filter.finish()
    #expect(start.duration(to: .now) < .seconds(60))
  }
}
