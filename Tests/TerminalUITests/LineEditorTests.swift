import TerminalUI
import Testing

/// Presses keys; the cursor is shown as a bar.
struct Typing {
  var editor: LineEditor
  var outcomes: [LineEditor.Outcome] = []

  init(history: [String] = []) { editor = LineEditor(prompt: "> ", history: history) }

  mutating func press(_ keys: Key...) { for key in keys { outcomes.append(editor.handle(key)) } }

  var shown: String { editor.textBeforeCursor + "|" + editor.text.dropFirst(editor.textBeforeCursor.count) }
}

@Suite struct LineEditorTests {
  private func check(
    _ text: String, _ keys: Key..., shows expected: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var typing = Typing()
    typing.press(.paste(text))
    for key in keys { typing.press(key) }
    #expect(typing.shown == expected, sourceLocation: sourceLocation)
  }

  @Test func moving() {
    check("abc", .left, .text("x"), shows: "abx|c")
    check("abc", .home, .right, .text("x"), shows: "ax|bc")
    check("abc", .control("a"), .control("f"), .control("e"), .control("b"), shows: "ab|c")
    check("one two-three", .wordLeft, shows: "one two-|three")
    check("one two-three", .alt("b"), .alt("b"), .alt("b"), .alt("b"), shows: "|one two-three")
    check("one two-three", .home, .alt("f"), .wordRight, shows: "one two|-three")
    check("abc", .right, .end, .home, .left, shows: "|abc")
  }

  @Test func removing() {
    check("abc", .backspace, .control("a"), .delete, shows: "|b")
    check("one two three", .control("w"), .control("w"), shows: "one |")
    check("one two  ", .control("w"), .control("y"), .control("y"), shows: "one two  two  |")
    check("one two", .home, .wordRight, .control("k"), shows: "one|")
    check("one two", .left, .left, .left, .control("u"), shows: "|two")
    check("one two", .alt("\u{7F}"), .alt("b"), .alt("d"), shows: "| ")
    check("ab", .control("d"), .left, .control("d"), shows: "a|")
    check("abc", .control("t"), shows: "acb|")
    check("abc", .left, .control("t"), shows: "acb|")
    check("a", .control("t"), .home, .control("t"), shows: "|a")
  }

  @Test("a cluster of several scalars is one character, also when its parts come one by one")
  func clusters() {
    check("e", .text("\u{301}"), .left, shows: "|e\u{301}")
    check("👩", .text("\u{200D}"), .text("👧"), .backspace, shows: "|")
    check("🇩", .text("🇪"), .left, shows: "|🇩🇪")
    check("ab", .left, .text("\u{308}"), shows: "a\u{308}|b")
    check("\r\n", .backspace, shows: "|")
  }

  @Test func lines() {
    check("first\nsecond", .up, shows: "first|\nsecond")
    check("a\nlong line", .up, .down, shows: "a\nl|ong line")
    check("one\ntwo", .home, .control("u"), shows: "one|two")
    check("one\ntwo", .up, .control("k"), shows: "one|two")
    check("one\ntwo", .home, .text("x"), .control("e"), .text("y"), shows: "one\nxtwoy|")
    check("word\\", .enter, .text("next"), shows: "word\nnext|")
    check("a", .lineFeed, .text("b"), shows: "a\nb|")
  }

  @Test func outcomes() {
    var typing = Typing()
    typing.press(.control("c"), .control("d"), .text("hi"), .control("c"), .text("x"), .enter, .tab, .escape)
    typing.press(.control("z"), .control("l"), .control("o"))
    #expect(
      typing.outcomes == [
        .interrupted(wasEmpty: true), .ended, .changed, .interrupted(wasEmpty: false), .changed, .submitted("x"),
        .wantsCompletion, .ignored, .suspended, .clearsScreen, .ignored,
      ])
  }

  @Test("earlier messages come back, and what was typed or changed is kept")
  func recall() {
    var typing = Typing(history: ["one", "two\nlines"])
    typing.press(.text("draft"), .up)
    #expect(typing.shown == "two\nlines|")
    typing.press(.up, .up, .text("!"))
    #expect(typing.shown == "one!|")
    typing.press(.control("p"))
    #expect(typing.shown == "one!|")
    typing.press(.down, .down)
    #expect(typing.shown == "draft|")
    typing.press(.down, .control("p"), .control("p"), .control("p"))
    #expect(typing.shown == "one!|")
    typing.press(.control("c"), .up, .up, .up)
    #expect(typing.shown == "one|")
  }

  @Test("Ctrl-R finds the latest message with a word in it, then those before")
  func search() {
    var typing = Typing(history: ["a red fox", "a dog", "a red hat"])
    typing.press(.text("draft"), .control("r"), .text("re"), .text("d"))
    #expect(typing.editor.layout(width: 80).rows == ["search “red”: a red hat"])
    typing.press(.control("r"))
    #expect(typing.editor.layout(width: 80).rows == ["search “red”: a red fox"])
    typing.press(.control("r"))
    #expect(typing.editor.layout(width: 80).rows == ["not found “red”: a red fox"])
    typing.press(.left)
    #expect(typing.shown == "a red fo|x")
    typing.press(.control("r"), .text("dog"), .control("g"))
    #expect(typing.shown == "a red fo|x")
    typing.press(.control("r"), .text("dox"), .backspace, .text("g"), .enter)
    #expect(typing.outcomes.last == .submitted("a dog"))
  }

  @Test func completion() {
    var typing = Typing()
    typing.press(.text("/s x"), .left, .left)
    #expect(typing.editor.complete(Completion(length: 2, candidates: ["/save ", "/sessions", "/session "])).count == 3)
    #expect(typing.editor.complete(Completion(length: 2, candidates: ["/sessions", "/session "])) == [])
    #expect(typing.shown == "/session| x")
    #expect(typing.editor.complete(Completion(length: 8, candidates: ["/sessions"])) == [])
    #expect(typing.shown == "/sessions| x")
    #expect(typing.editor.complete(Completion(length: 0, candidates: [])) == [])
    #expect(typing.editor.complete(Completion(length: 0, candidates: ["\u{1B}[31m"])) == [])
    #expect(typing.shown == "/sessions| x")
  }
}
