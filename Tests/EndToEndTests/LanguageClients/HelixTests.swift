import JSON
import TestSupport
import Testing

extension EndToEnd.LanguageClients {
  /// A client that behaves as Helix does, with a daemon of its own and through the shared one.
  @Suite(.serialized) struct Helix {
    private let bench: Workbench
    private let uri = "file:///notes.md"

    init() throws { bench = try Workbench() }

    private func start(_ command: String = "connect", settings: JSONValue? = nil) throws -> HelixClient {
      let client = try HelixClient([command], at: bench, settings: settings)
      try client.open(uri, Sample.text)
      return client
    }

    private func run(_ title: String, _ selected: String, _ client: HelixClient) throws {
      try client.choose(title, among: client.actions(for: client.find(selected, in: uri), in: uri))
    }

    private func leave(_ client: HelixClient) throws {
      #expect(try Daemon.shutDown(client.wire) == .status(0))
    }

    @Test("Helix rephrases a part of a line")
    func rephrase() throws {
      let client = try start()
      let actions = try client.actions(for: client.find(Sample.sentence, in: uri), in: uri)
      try expectMenu(actions)
      try client.choose("Rephrase: Formal", among: actions)
      try client.handle(until: "for the end of progress") { client.progress.last == "end" }
      #expect(client.answers == [true])
      #expect(client.progress.first == "begin")
      try expectReplaced(Sample.sentence, in: Array(Sample.text.utf8), by: Array(client.text(uri).utf8))
      try leave(client)
    }

    @Test("Helix with a daemon of its own")
    func alone() throws {
      let client = try start("serve")
      try run("Swap", "second line", client)
      try client.handle(until: "for the end of progress") { client.progress.last == "end" }
      #expect(client.text(uri) == Sample.text.replacing("second line", with: Workbench.known))
      try leave(client)
    }

    @Test("Helix: a cursor of one character means the paragraph, and one in a blank line nothing")
    func cursor() throws {
      let client = try start()
      try client.open(uri, "One line\nof a paragraph.\n\nAnother 🎈 paragraph.\n")
      let balloon = try client.find("🎈", in: uri)
      let actions = try client.actions(for: balloon, in: uri)
      #expect(actions.allSatisfy { $0["title"]?.stringValue?.hasSuffix(" (this paragraph)") == true })
      try client.choose("Swap (this paragraph)", among: actions)
      try client.handle(until: "for an edit") { !client.answers.isEmpty }
      #expect(client.text(uri) == "One line\nof a paragraph.\n\n\(Workbench.known)\n")
      let blank = try client.find("\n\(Workbench.known)", in: uri).lowerBound
      #expect(try client.actions(for: blank..<blank + 1, in: uri).isEmpty)
      try leave(client)
    }

    @Test("Helix: two commands in one document compose, with a text typed before them and one between")
    func together() throws {
      let client = try start()
      try run("Swap", "second line", client)
      try run("Swap", "the last line", client)
      try client.type("Some ", before: "Notes", in: uri)
      try client.type("\n", before: "the last", in: uri)
      try client.handle(until: "for two edits") { client.answers.filter { $0 }.count == 2 }
      #expect(
        client.text(uri)
          == "Some "
          + Sample.text.replacing("second line", with: Workbench.known)
          .replacing("the last line", with: "\n" + Workbench.known))
      try leave(client)
    }

    @Test("Helix: what is typed inside or closed is not edited, and nothing edits another document")
    func unwanted() throws {
      let client = try start()
      try client.open("file:///other.md", Sample.text)
      try run("Slow", "second line", client)
      try client.type("X", before: "line\n", in: uri)
      try client.handle(until: "for a message") { !client.messages.isEmpty }
      #expect(client.messages.first?.contains("changed") == true && client.answers.isEmpty)
      try run("Endless", "the last line", client)
      try client.close(uri)
      let other = "file:///other.md"
      try client.choose("Swap", among: client.actions(for: client.find("second line", in: other), in: other))
      try client.handle(until: "for an edit") { !client.answers.isEmpty }
      #expect(client.answers == [true])
      #expect(client.text(other) == Sample.text.replacing("second line", with: Workbench.known))
      try leave(client)
    }

    @Test("Helix: a summary stands above with the document's line ends; what needs a new document is shown")
    func blocks() throws {
      let client = try start(settings: ["brainstorm": ["placement": "newDocument"]])
      let text = Sample.text.replacing("\n", with: "\r\n")
      try client.open(uri, text)
      try run("Summarize: Headline", Sample.sentence, client)
      try client.handle(until: "for a summary") { client.answers == [true] }
      let summarized = client.text(uri)
      let place = try #require(text.utf8.firstRange(of: "\tHi".utf8)).lowerBound
      let (head, tail) = (text[..<place], text[place...])
      #expect(
        summarized.utf8.starts(with: head.utf8) && summarized.utf8.suffix(tail.utf8.count).elementsEqual(tail.utf8))
      let summary = summarized.utf8.dropFirst(head.utf8.count).dropLast(tail.utf8.count)
      #expect(Array(summary.suffix(4)) == Array("\r\n\r\n".utf8) && summary.count > 4)
      try run("Brainstorm: Tags", "the last line", client)
      try client.handle(until: "for the ideas") { client.messages.contains { $0.contains("Brainstorm: Tags\n") } }
      #expect(client.text(uri) == summarized)
      try leave(client)
    }
  }
}
