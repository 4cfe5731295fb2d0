import Assistant
import AssistantProtocol
import JSON
import Testing

/// Values as text of each format.
@Suite struct RenderingTests {
  private func check(
    _ outline: Outline, _ format: TextFormat, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let rendered = OutlineRenderer(format).render(outline)
    #expect(rendered.hasSameBytes(as: expected), "\(rendered)", sourceLocation: sourceLocation)
  }

  @Test func ideas() throws {
    let outline = try BrainstormKind.ideas.shape(count: 2).outline([
      "concepts": ["A cat flies.", "50% & more"], "themes": ["joy", "fear"], "suggestedTitle": "Cats_1",
    ])
    check(
      outline, .plaintext,
      "Concepts\n1. A cat flies.\n2. 50% & more\n\nThemes: joy, fear\n\nSuggested title: Cats_1")
    check(
      outline, .markdown,
      "**Concepts**\n\n1. A cat flies.\n2. 50% & more\n\n**Themes:** joy, fear\n\n**Suggested title:** Cats_1")
    check(
      outline, .org,
      "*Concepts*\n\n1. A cat flies.\n2. 50% & more\n\n*Themes:* joy, fear\n\n*Suggested title:* Cats\\under{}1")
    check(
      outline, .latex,
      """
      \\textbf{Concepts}
      \\begin{enumerate}
        \\item A cat flies.
        \\item 50\\% \\& more
      \\end{enumerate}

      \\textbf{Themes:} joy, fear

      \\textbf{Suggested title:} Cats\\_1
      """)
  }

  @Test func theOtherKinds() throws {
    let character = try BrainstormKind.character.shape(count: 9).outline([
      "name": "Rex", "species": "dog", "personality": "kind", "motivation": "bones", "flaw": "loud",
      "catchphrase": "Woof!",
    ])
    check(
      character, .plaintext,
      "Name: Rex\n\nSpecies: dog\n\nPersonality: kind\n\nMotivation: bones\n\nFlaw: loud\n\nCatchphrase: Woof!")
    let tags = try BrainstormKind.tags.shape(count: 2).outline(["tags": ["# one", "two"]])
    check(tags, .markdown, "\\# one, two")
    check(tags, .plaintext, "# one, two")
    check(tags, .org, "#\u{200B} one, two")
    check(tags, .latex, "\\# one, two")
  }

  private static let nested: JSONValue = [
    "a": ["x", ["y", ["deep": ["deeper": ["deepest"]]]]], "b": nil, "c": [], "d": [:], "": true, "e": "two\n \tlines ",
  ]

  @Test func anyValueIsNestedLists() {
    check(
      Outline(Self.nested), .markdown,
      """
      - **a:**
        - x
        -
          - y
          -
            - **deep:**
              - **deeper:**
                - deepest
      - **b:** –
      - **c:** –
      - **d:** –
      - **–:** true
      - **e:** two lines
      """)
    // LaTeX goes four lists deep.
    check(
      Outline(Self.nested), .latex,
      """
      \\begin{itemize}
        \\item \\textbf{a:}
          \\begin{itemize}
            \\item x
            \\item
              \\begin{itemize}
                \\item y
                \\item
                  \\begin{itemize}
                    \\item \\textbf{deep:} deeper: deepest
                  \\end{itemize}
              \\end{itemize}
          \\end{itemize}
        \\item \\textbf{b:} –
        \\item \\textbf{c:} –
        \\item \\textbf{d:} –
        \\item \\textbf{–:} true
        \\item \\textbf{e:} two lines
      \\end{itemize}
      """)
    for (value, text) in [(JSONValue.null, "–"), (true, "true"), (1.5, "1.5"), ("a\u{0}b", "a b"), ("", "–")] {
      check(Outline(value), .plaintext, text)
    }
  }

  @Test func depthIsBounded() {
    var value: JSONValue = "end"
    for _ in 0..<120 { value = [value] }
    for format in TextFormat.allCases {
      #expect(OutlineRenderer(format).render(Outline(value)).contains("end"), "\(format)")
    }
  }

  /// A text, and the same for a list item in Markdown, Org and LaTeX.
  @Test(
    arguments: [
      ("plain text, even “quoted” – 100 % ok?", nil, nil, "plain text, even “quoted” – 100 \\% ok?"),
      (
        "*bold* _it_ `code`", "\\*bold\\* \\_it\\_ \\`code\\`", "\\ast{}bold* \\under{}it_ `code`",
        "*bold* \\_it\\_ `code`"
      ),
      ("snake_case", "snake_case", "snake\\under{}case", "snake\\_case"),
      ("a * b", "a \\* b", "a * b", "a * b"),
      (
        "/it/ =v= ~c~ +s+", "/it/ =v= \\~c\\~ +s+",
        "\\slash{}it/ \\equal{}v= \\tilde{}c~ \\plus{}s+", "/it/ =v= \\textasciitilde{}c\\textasciitilde{} +s+"
      ),
      ("[x](y)", "\\[x\\](y)", "[\u{200B}x](y)", "{[}x](y)"),
      (
        "<b>&amp; & c</b>", "\\<b>\\&amp; & c\\</b>", "\\lt{}b>&amp; & c\\lt{}/b>",
        "\\textless{}b\\textgreater{}\\&amp; \\& c\\textless{}/b\\textgreater{}"
      ),
      ("$5 and $6", "\\$5 and \\$6", "\\dollar{}5 and \\dollar{}6", "\\$5 and \\$6"),
      ("# head", "\\# head", "#\u{200B} head", "\\# head"), ("#tag", "#tag", "#\u{200B}tag", "\\#tag"),
      ("1. one", "1\\. one", "1. one", "1. one"), ("2024) x", "2024\\) x", "2024) x", "2024) x"),
      ("3.5", "3.5", "3.5", "3.5"),
      ("- x", "\\- x", "-\u{200B} x", "- x"), ("> q", "\\> q", "> q", "\\textgreater{} q"),
      ("a | b", "a | b", "a \\vbar{} b", "a \\textbar{} b"),
      (
        "term :: text", "term :: text",
        "term \\colon{}\\colon{} text", "term :: text"
      ),
      (
        "\\alpha{x}^2", "\\\\alpha{x}^2", "\\\u{200B}alpha{x}\\asciicirc{}2",
        "\\textbackslash{}alpha\\{x\\}\\textasciicircum{}2"
      ),
      ("{{{m}}} @@h@@", "{{{m}}} @@h@@", "{\u{200B}{\u{200B}{m}}} @\u{200B}@h@\u{200B}@", "\\{\\{\\{m\\}\\}\\} @@h@@"),
      (
        "see https://x.org/a_b/*c*", "see https://x.org/a_b/\\*c\\*", "see https://x.org/a_b/*c*",
        "see https://x.org/a\\_b/*c*"
      ),
      ("[ ] task", "\\[ \\] task", "[\u{200B} ] task", "{[} ] task"),
      ("* item", "\\* item", "*\u{200B} item", "* item"),
      ("a--b", "a--b", "a--b", "a-{}-b"),
    ] as [(String, String?, String?, String)])
  func markupIsEscaped(_ text: String, _ markdown: String?, _ org: String?, _ latex: String) {
    let outline = Outline([.string(text)])
    check(outline, .plaintext, "- " + text)
    check(outline, .markdown, "- " + (markdown ?? text))
    check(outline, .org, "- " + (org ?? text))
    check(outline, .latex, "\\begin{itemize}\n  \\item \(latex)\n\\end{itemize}")
  }
}
