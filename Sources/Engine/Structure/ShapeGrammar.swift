import EngineProtocol
import Inference
import JSON

/// Makes the grammars of plain texts with a form: so many sentences, so many bullets, one headline.
///
/// A sentence begins with a letter, a digit, or what opens a quotation or bracket; has three letters at least and no
/// line break; ends with one of `. ! ? …` and perhaps what closes a quotation, or with one of `。！？`. Inside it no end
/// mark stands before a space, and no full-width one at all: so whoever counts sentences counts the same. Between
/// sentences is one space, behind a full-width mark nothing. A small letter and an end mark are followed by no capital
/// letter: a model that may not begin another sentence would else glue it to the one before. The text of a bullet does
/// not begin with the mark of a list.
package enum ShapeGrammar {
  private static let mostInSentence = TextShape.Unit.sentence.mostCharacters
  private static let mostInBullet = TextShape.Unit.bullet.mostCharacters
  private static let mostInHeadline = TextShape.Unit.headline.mostCharacters

  /// - Throws: `tooComplex`, never with the bounds of `TextShape`.
  package static func make(_ shape: TextShape) throws(ConstraintError) -> Grammar {
    do throws(TooLarge) {
      switch shape.unit {
      case .sentence: return try sentences(shape.count)
      case .bullet: return try bullets(shape.count)
      case .headline: return try headlines(shape.count)
      }
    } catch {
      throw .tooComplex("a form with too many states")
    }
  }

  private static func sentences(_ count: Int) throws(TooLarge) -> Grammar {
    var grammar = Grammar()
    let narrow = RegularLanguage.sequence([sentenceStart, ending])
    let wide = RegularLanguage.sequence([sentenceStart, one(fullWidthEnds)])
    let inner = try ByteMachine(.choice([.sequence([narrow, one(ScalarSet(" "))]), wide]))
    let last = try ByteMachine(.choice([narrow, wide]))
    let before = grammar.add(
      .list(
        item: grammar.add(.machine(inner, minimum: 0, maximum: mostInSentence)), separator: [],
        minimum: max(0, count - 1), maximum: max(0, count - 1)))
    let end = grammar.add(.machine(last, minimum: 0, maximum: mostInSentence))
    grammar.root = grammar.add(.sequence([before, end]))
    return grammar
  }

  private static func bullets(_ count: Int) throws(TooLarge) -> Grammar {
    var grammar = Grammar()
    let mark = grammar.add(.literal(Array("- ".utf8)))
    let text = grammar.add(.machine(try ByteMachine(bulletText), minimum: 0, maximum: mostInBullet))
    let bullet = grammar.add(.sequence([mark, text]))
    grammar.root = grammar.add(
      .list(item: bullet, separator: Array("\n".utf8), minimum: max(1, count), maximum: max(1, count)))
    return grammar
  }

  private static func headlines(_ count: Int) throws(TooLarge) -> Grammar {
    var grammar = Grammar()
    let language = line(end: inLine.subtracting(ScalarSet(".。")))
    let text = grammar.add(.machine(try ByteMachine(language), minimum: 0, maximum: mostInHeadline))
    grammar.root = grammar.add(
      .list(item: text, separator: Array("\n".utf8), minimum: max(1, count), maximum: max(1, count)))
    return grammar
  }

  // MARK: - Characters

  private static let ends = ScalarSet(".!?…")
  private static let fullWidthEnds = ScalarSet("。！？")
  private static let closers = ScalarSet("\"')]}»”’›」』）】")
  /// Letters as far as it matters here: those of ASCII, and whatever is not ASCII and no punctuation of a sentence.
  private static let letters = ScalarSet([0x41...0x5A, 0x61...0x7A]).union(
    ScalarSet([0xC0...0x1FFF, 0x2C00...0x2FFF, 0x3040...0xD7FF, 0xF900...0xFDCF, 0x1_0000...0x3_FFFF])
  ).intersection(inLine)
  /// Everything that may stand in a line and is no white space: no controls, no separators of lines or paragraphs, no
  /// marks of byte order and direction.
  private static let inLine = ScalarSet([
    0x00...0x20, 0x7F...0xA0, 0x1680...0x1680, 0x2000...0x200B, 0x200E...0x200F, 0x2028...0x202F, 0x205F...0x2069,
    0x3000...0x3000, 0xFEFF...0xFEFF, 0xFFF0...0xFFFF,
  ]).inverted
  private static let starters = letters.union(ScalarSet([0x30...0x39])).union(ScalarSet("\"'([«“‘‹„¿¡「『（【"))
  /// What a sentence is made of between its marks.
  private static let body = inLine.subtracting(ends).subtracting(fullWidthEnds)
  private static let digits = ScalarSet([0x30...0x39])
  /// Small and capital letters of English and its neighbours, of Greek and of Cyrillic; more would be many states.
  private static let small = ScalarSet([
    0x61...0x7A, 0xDF...0xF6, 0xF8...0xFF, 0x3AC...0x3CE, 0x430...0x45F,
  ])
  private static let capital = ScalarSet([
    0x41...0x5A, 0xC0...0xD6, 0xD8...0xDE, 0x386...0x386, 0x388...0x3AB, 0x400...0x42F,
  ])
  /// Spaces inside a line: the common one, and those that French puts before its marks.
  private static let spaces = ScalarSet(" \u{A0}\u{202F}")

  private static func one(_ set: ScalarSet) -> RegularLanguage { ScalarLanguage.character(set) }

  private static func any(_ language: RegularLanguage) -> RegularLanguage {
    .repeated(language, minimum: 0, maximum: nil)
  }

  // MARK: - Sentences

  /// A sentence without its end, three letters at least.
  private static let sentenceStart: RegularLanguage = {
    let others = one(body.subtracting(letters))
    let letter = one(letters)
    let first = RegularLanguage.choice([letter, .sequence([one(starters.subtracting(letters)), any(others), letter])])
    let gap = any(.choice([others, spacedOther]))
    func next(_ letter: RegularLanguage) -> RegularLanguage {
      .sequence([gap, .choice([letter, .sequence([one(spaces), letter])])])
    }
    let fromSmall = RegularLanguage.sequence([next(one(small)), any(toSmall)])
    let fromOther = next(one(letters.subtracting(small)))
    return .sequence([
      first, next(letter),
      .choice([fromSmall, .sequence([.choice([.sequence([fromSmall, smallToOther]), fromOther]), afterOther])]),
    ])
  }()

  // Inside a sentence comes one character more, perhaps behind a space or behind end marks: 3.14, example.org,
  // wait…what. What may stand behind marks depends on whether a small letter is before them.

  private static let dots = RegularLanguage.repeated(one(ends), minimum: 1, maximum: 3)
  private static let other = body.subtracting(small)
  private static let toSmall = RegularLanguage.sequence([.choice([.empty, one(spaces), dots]), one(small)])
  private static let otherToOther = toOther(dotted: other)
  /// No capital letter, and nothing that opens another sentence.
  private static let smallToOther = toOther(
    dotted: other.subtracting(capital).subtracting(starters.subtracting(letters.union(digits))))

  private static func toOther(dotted: ScalarSet) -> RegularLanguage {
    .choice([
      .sequence([.choice([.empty, one(spaces)]), one(other)]), .sequence([dots, one(dotted.subtracting(closers))]),
    ])
  }

  /// What may follow a character that is no small letter.
  private static let afterOther = RegularLanguage.sequence([
    any(.choice([otherToOther, .sequence([toSmall, any(toSmall), smallToOther])])),
    .choice([.empty, .sequence([toSmall, any(toSmall)])]),
  ])

  private static let spacedOther = RegularLanguage.sequence([one(spaces), one(body.subtracting(letters))])

  /// One to three end marks, perhaps behind a space as French writes it, and perhaps what closes.
  private static let ending: RegularLanguage = .sequence([
    .choice([.empty, one(ScalarSet("\u{A0}\u{202F}"))]), .repeated(one(ends), minimum: 1, maximum: 3),
    .repeated(one(closers), minimum: 0, maximum: 2),
  ])

  // MARK: - Lines

  private static func character(_ set: ScalarSet) -> RegularLanguage {
    .sequence([.choice([.empty, one(spaces)]), one(set)])
  }

  /// A line of words with single spaces between, the last of which ends with one of `end`.
  private static func line(start: ScalarSet = starters, end: ScalarSet) -> RegularLanguage {
    .sequence([one(start), any(character(inLine)), character(end)])
  }

  /// A line of words that does not begin with the number of an item: not “1. One”, “1) One”, but “3.5 million”.
  private static let bulletText: RegularLanguage = {
    let marks = ScalarSet(".):")
    let number = RegularLanguage.repeated(one(digits), minimum: 1, maximum: nil)
    let behindNumber = RegularLanguage.choice([
      one(inLine.subtracting(digits).subtracting(marks)), .sequence([one(spaces), one(inLine)]),
      .sequence([one(marks), one(inLine.subtracting(letters))]),
    ])
    return .choice([
      line(start: starters.subtracting(digits), end: inLine),
      .sequence([number, .choice([one(digits), one(marks), .sequence([behindNumber, any(character(inLine))])])]),
    ])
  }()
}
