import Engine
import EngineProtocol
import Inference
import TestSupport
import Testing

import struct TestSupport.SplitMix64

@Suite struct ShapeGrammarTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var shape: TextShape
    var writes: [String]
    var neverWrites: [String]
    var testDescription: String { "\(shape.unit) \(shape.count)" }

    init(_ unit: TextShape.Unit, _ count: Int, _ writes: [String], _ neverWrites: [String]) {
      shape = TextShape(unit, count: count)
      self.writes = writes
      self.neverWrites = neverWrites
    }
  }

  static let cases = [
    Case(
      .sentence, 1,
      [
        "The sea was calm.", "Is it?", "It costs 3.14 euros at example.org!", "“Yes,” she said.", "He said: “Go now!”",
        "Wait…what happened?", "Just so…so it is.", "Use e.g.this of U.S.A or Ä.Ö here.", "It was 5.Five o'clock.",
        "ABC.Def is X.", "See example.org/a.b and v2.x and a.5 there.",
        "Über Äpfel…", "Привет, мир!", "日本語です。", "Vraiment\u{A0}?", "No way?!", "مرحبا بكم.",
      ],
      [
        "", "The sea", "The sea was calm. ", " The sea.", "The sea. It is.", "A.", "…", "The  sea.", "The\nsea.",
        "The sea.\n", "日本。語です。", "- The sea.", "Dr. Who came.", "The sea .",
        "Forty years.She was built.", "Is it?No.", "Wait…What is it?", "Straße.Äpfel sind da.", "Да вот.Это так.",
        "Such a thing...The end.", "It is so.“No”, she said.", "The end.(No.)",
      ]),
    Case(
      .sentence, 3,
      ["One day. Two days! Three days?", "日本語。です。ね。あれ。語語語。".prefix(4) + "それだ。日本語です。", "Yes I do.” No way. 日本語。"],
      [
        "One day. Two days!", "One day. Two days! Three days? Four days.", "One day.Two days! Three days?",
        "One day.\nTwo days. Three.",
      ]),
    Case(
      .bullet, 2,
      [
        "- One\n- Two things.", "- “a b”\n- 日本", "- 3.5 million\n- 12:30 it is", "- 1st of all\n- 2024",
        "- 7 x\n- 2024.", "- 1 a\n- 1,000 of them",
      ],
      [
        "- One", "- One\n- Two\n", "One\nTwo", "- One\n\n- Two", "-  x\n- y", "- 1. One\n- Two", "- 2) One\n- Two",
        "- 10: One\n- Two", "- 1.One\n- Two", "- - One\n- Two", "- • One\n- Two", "- * One\n- Two", "- One\n- – Two",
      ]),
    Case(
      .headline, 1, ["The Calm Sea", "Is It Over?", "日本の海"],
      ["The Calm Sea.", "日本。", "A\nB", "The sea ", "", " The sea"]),
  ]

  @Test(arguments: cases) func shape(_ test: Case) throws {
    let follower = try GrammarFollower(ShapeGrammar.make(test.shape))
    for (texts, expected) in [(test.writes, true), (test.neverWrites, false)] {
      for text in texts {
        var copy = follower
        let count = copy.advance(text.utf8)
        #expect((count == text.utf8.count && copy.isComplete) == expected, "\(text): \(count) bytes")
      }
    }
  }

  /// Whatever is written, a count of end marks before a space, a full-width one, or the end gives the number asked for.
  @Test(arguments: [1, 2, 7]) func sentencesCountTheSame(_ count: Int) throws {
    var random = SplitMix64(seed: UInt64(count))
    let follower = try GrammarFollower(ShapeGrammar.make(TextShape(.sentence, count: count)))
    let favourites = Array("aeb .!?…。\n”(\" 日é-".utf8)
    for _ in 0..<40 {
      var copy = follower
      var bytes: [UInt8] = []
      while bytes.count < 1_500, !copy.isExhausted {
        if copy.isComplete, random.oneIn(3) { break }
        var byte = random.pick(favourites)
        while !copy.advance(byte) { byte = random.oneIn(3) ? random.pick(favourites) : byte &+ 1 }
        bytes.append(byte)
      }
      bytes += copy.shortestCompletion()
      let text = try #require(String(validating: bytes, as: UTF8.self))
      #expect(sentences(in: text) == count, "\(text)")
      #expect(!text.contains("\n") && !text.contains("  "))
    }
  }

  private func sentences(in text: String) -> Int {
    var count = 0
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      if "。！？".unicodeScalars.contains(scalar) { count += 1 }
      guard ".!?…".unicodeScalars.contains(scalar) else { continue }
      var next = index + 1
      while next < scalars.count, "\"')]}»”’›」』）】".unicodeScalars.contains(scalars[next]) { next += 1 }
      if next == scalars.count || scalars[next] == " " { count += 1 }
    }
    return count
  }
}
