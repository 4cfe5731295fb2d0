import AssistantProtocol
import JSON
import LanguageServer
import Testing

@Suite struct ActionMenuTests {
  private let menu = ActionMenu(.sample)

  /// The titles at a range, and which text they are for.
  private func check(
    _ text: String, _ range: DocumentRange, _ context: CodeActionContext = CodeActionContext(only: ["refactor"]),
    titles expected: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let titles = menu.actions(in: document(text), at: range, context).map(\.title)
    #expect(titles == expected, sourceLocation: sourceLocation)
  }

  @Test func everythingForASelection() {
    let actions = menu.actions(in: document("some text"), at: DocumentRange(0, 0, 0, 9))
    #expect(
      actions.map { "\($0.kind) | \($0.title)" } == [
        "refactor.rewrite.inkling.formal | Rephrase: Formal", "refactor.rewrite.inkling.pirate | Rephrase: Pirate",
        "inkling.summarize.sentences | Summarize: Sentences", "inkling.summarize.bullets | Summarize: Bullets",
        "inkling.summarize.headline | Summarize: Headline", "inkling.brainstorm.ideas | Brainstorm: Ideas",
        "inkling.brainstorm.tags | Brainstorm: Tags", "refactor.rewrite.inkling.fix | Fix it",
        "inkling.command.greet | Greet",
      ])
  }

  @Test func selections() {
    let (whole, paragraph) = (["Rephrase: Formal", "Rephrase: Pirate", "Fix it"], " (this paragraph)")
    check("some text", DocumentRange(0, 0, 0, 4), titles: whole)
    check("some text", DocumentRange(0, 4, 0, 0), titles: whole)
    check("some text", DocumentRange(0, 2, 0, 2), titles: whole.map { $0 + paragraph })
    // The cursor of Helix and Kakoune is a selection of one character, of however many units.
    check("some text", DocumentRange(0, 2, 0, 3), titles: whole.map { $0 + paragraph })
    check("e\u{301}😀👩‍👩‍👧 text", DocumentRange(0, 4, 0, 12), titles: whole.map { $0 + paragraph })
    check("some text\r\nb", DocumentRange(0, 9, 1, 0), titles: whole.map { $0 + paragraph })
    check("a\n \t\nb", DocumentRange(1, 0, 1, 0), titles: [])
    check("a\n\nb", DocumentRange(1, 0, 2, 0), titles: [])
    check("a  \n\n b", DocumentRange(0, 1, 2, 1), titles: [])
    check("a   b", DocumentRange(0, 1, 0, 4), titles: [])
    check("", DocumentRange(0, 0, 0, 0), titles: [])
    check("some text", DocumentRange(9, 9, 9, 9), titles: whole.map { $0 + paragraph })
    // What needs no text is there everywhere.
    check("a\n\nb", DocumentRange(1, 0, 1, 0), CodeActionContext(), titles: ["Greet"])
  }

  @Test func kinds() {
    func check(_ only: [String]?, _ count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
      let actions = menu.actions(
        in: document("some text"), at: DocumentRange(0, 0, 0, 9), CodeActionContext(only: only))
      #expect(actions.count == count, sourceLocation: sourceLocation)
    }
    check(nil, 9)
    check([], 9)
    check([""], 9)
    check(["refactor.rewrite"], 3)
    check(["refactor.rewrite.inkling.formal"], 1)
    check(["refactor.rewrit", "quickfix", "source"], 0)
    check(["inkling"], 6)
    check(["inkling.summarize", "refactor.rewrite"], 6)
  }

  @Test("of its own accord a client is offered something for a selection only")
  func automatic() {
    let automatic = CodeActionContext(only: ["refactor"], triggerKind: 2)
    check("some text", DocumentRange(0, 2, 0, 2), automatic, titles: [])
    check("some text", DocumentRange(0, 2, 0, 3), automatic, titles: [])
    check(
      "some text", DocumentRange(0, 0, 0, 4), automatic, titles: ["Rephrase: Formal", "Rephrase: Pirate", "Fix it"])
  }

  @Test func paragraphs() {
    let text = "one\ntwo\n\nthree\nfour\n  \nfive"
    func check(_ line: Int, _ expected: Selection, sourceLocation: SourceLocation = #_sourceLocation) {
      let document = document(text)
      let range = document.text.offsets(of: DocumentRange(line, 0, line, 0), in: .utf16)
      #expect(document.text.selection(in: range) == expected, sourceLocation: sourceLocation)
    }
    check(0, .paragraph(0..<7))
    check(1, .paragraph(0..<7))
    check(2, .nothing)
    check(3, .paragraph(9..<19))
    check(5, .nothing)
    check(6, .paragraph(23..<27))
  }

  @Test func options() {
    func check(
      _ json: JSONValue, _ expected: [Placement], problems: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      var options = FaceOptions()
      #expect(options.read(json).count == problems, sourceLocation: sourceLocation)
      #expect([options.summarize, options.brainstorm] == expected, sourceLocation: sourceLocation)
    }
    check(nil, [.above, .below])
    check(["inkling": nil], [.above, .below])
    check(["summarize": ["placement": "message"]], [.message, .below])
    check(["inkling": ["brainstorm": ["placement": "newDocument"]]], [.above, .newDocument])
    check(["summarize": ["placement": "left"], "brainstorm": ["placement": 1]], [.above, .below], problems: 2)
    check(["summarize": "above", "other": [1]], [.above, .below])
  }
}

extension AssistantCapabilities {
  /// Two tones, two kinds, the methods, and two commands of a configuration.
  static var sample: AssistantCapabilities {
    var sample = AssistantCapabilities()
    sample.methods = ["rephrase", "summarize", "brainstorm", "generate", "chat"].map { "assistant/" + $0 }
    sample.features = [
      FeatureDescription(id: "rephrase", title: "Rephrase", description: "", input: .selection, output: .replace),
      FeatureDescription(id: "summarize", title: "Summarize", description: "", input: .selection, output: .insert),
      FeatureDescription(id: "brainstorm", title: "Brainstorm", description: "", input: .topic, output: .insert),
      FeatureDescription(id: "chat", title: "Chat", description: "", input: .topic, output: .show),
      FeatureDescription(id: "fix", title: "Fix it", description: "", input: .selection, output: .replace),
      FeatureDescription(id: "greet", title: "Greet", description: "", input: .none, output: .insert),
    ]
    sample.tones = [
      Tone.formal.choice, Choice(id: "pirate", title: "Pirate", description: ""),
    ]
    sample.kinds = [BrainstormKind.ideas.choice, BrainstormKind.tags.choice]
    return sample
  }
}
