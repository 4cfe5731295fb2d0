import EngineProtocol
import Inference
import JSON

/// Makes the grammars of plain texts with a form: so many sentences, so many bullets, one headline.
///
/// A sentence begins with a letter, a digit, or what opens a quotation or bracket; has three letters at least and no
/// line break; ends with one of `. ! ? …` and perhaps what closes a quotation, or with one of `。！？`. Inside it no end
/// mark stands before a space, and no full-width one at all: so whoever counts sentences counts the same. Between
/// sentences is one space, behind a full-width mark nothing.
package enum ShapeGrammar {
  static let sentenceLength = 400
  static let bulletLength = 200
  static let headlineLength = 120

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
        item: grammar.add(.machine(inner, minimum: 0, maximum: sentenceLength)), separator: [],
        minimum: max(0, count - 1), maximum: max(0, count - 1)))
    let end = grammar.add(.machine(last, minimum: 0, maximum: sentenceLength))
    grammar.root = grammar.add(.sequence([before, end]))
    return grammar
  }

  private static func bullets(_ count: Int) throws(TooLarge) -> Grammar {
    var grammar = Grammar()
    let mark = grammar.add(.literal(Array("- ".utf8)))
    let text = grammar.add(.machine(try ByteMachine(line(end: inLine)), minimum: 0, maximum: bulletLength))
    let bullet = grammar.add(.sequence([mark, text]))
    grammar.root = grammar.add(
      .list(item: bullet, separator: Array("\n".utf8), minimum: max(1, count), maximum: max(1, count)))
    return grammar
  }

  private static func headlines(_ count: Int) throws(TooLarge) -> Grammar {
    var grammar = Grammar()
    let language = line(end: inLine.subtracting(ScalarSet(".。")))
    let text = grammar.add(.machine(try ByteMachine(language), minimum: 0, maximum: headlineLength))
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
    // An end mark inside goes on without a space: 3.14, example.org, wait…what.
    let dotted = RegularLanguage.sequence([
      .repeated(one(ends), minimum: 1, maximum: 3), one(body.subtracting(closers)),
    ])
    let letter = one(letters)
    // Only single spaces, each before something.
    let spaced = RegularLanguage.sequence([one(spaces), .choice([others, letter])])
    let step = any(.choice([others, letter, spaced, dotted]))
    let first = RegularLanguage.choice([letter, .sequence([one(starters.subtracting(letters)), any(others), letter])])
    let gap = any(.choice([others, spacedOther]))
    let next = RegularLanguage.sequence([gap, .choice([letter, .sequence([one(spaces), letter])])])
    return .sequence([first, next, next, step])
  }()

  private static let spacedOther = RegularLanguage.sequence([one(spaces), one(body.subtracting(letters))])

  /// One to three end marks, perhaps behind a space as French writes it, and perhaps what closes.
  private static let ending: RegularLanguage = .sequence([
    .choice([.empty, one(ScalarSet("\u{A0}\u{202F}"))]), .repeated(one(ends), minimum: 1, maximum: 3),
    .repeated(one(closers), minimum: 0, maximum: 2),
  ])

  /// A line of words with single spaces between, the last of which ends with one of `end`.
  private static func line(end: ScalarSet) -> RegularLanguage {
    let rest = any(.sequence([.choice([.empty, one(spaces)]), one(inLine)]))
    let last = RegularLanguage.sequence([.choice([.empty, one(spaces)]), one(end)])
    return .sequence([one(starters), rest, last])
  }
}
