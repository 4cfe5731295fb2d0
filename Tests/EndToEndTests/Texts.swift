import TestSupport

/// Selections for the tests of the real model.
enum Texts {
  static let short = "gonna be late tmrw cuz the train's broken again, sorry. can u start w/o me?"

  static let long = """
    The committee met on Tuesday to discuss the new proposal, and after several hours of debate they decided that it \
    would be better to wait until the budget numbers were finalized before making any kind of commitment. The old \
    lighthouse keeper counted the steps every night. There were always three hundred and four, except on the night \
    of the storm, when there were three hundred and five. Nobody in the harbor believed him, and he did not mind.
    """

  private static let pieces = [
    "The storm took the lights down.", "Elle est arrivée trop tard.", "灯塔看守人每晚都数台阶。", "これは短い文です。",
    "👩‍👩‍👧‍👦 went home 🏳️‍🌈", "السفينة في الميناء.", "הספינה בנמל.", "Нас было трое.", "Ends with e\u{301} and n\u{303}.",
    "We shipped 2.4.1 on 2026-03-14.", "한국어 문장입니다.", "“Quoted”, she said — twice…",
  ]

  /// A text of one to four sentences in several scripts, with edges of white space.
  static func random(_ generator: inout SplitMix64) -> String {
    let count = generator.int(in: 1..<5)
    let body = (0..<count).map { _ in generator.pick(pieces) }.joined(
      separator: generator.pick([" ", "\n", "\r\n", "  "]))
    return generator.pick(["", "  ", "\t", "\n", "\r\n"]) + body + generator.pick(["", "\n", "  ", "\r\n\r\n"])
  }

  /// The white space before and after a text's first and last other character.
  static func edges(_ text: String) -> (String, String) {
    let isSpace: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace }
    let scalars = Array(text.unicodeScalars)
    let head = scalars.prefix(while: isSpace)
    let tail = scalars.dropFirst(head.count).reversed().prefix(while: isSpace).reversed()
    var before = String.UnicodeScalarView()
    var after = String.UnicodeScalarView()
    before.append(contentsOf: head)
    after.append(contentsOf: tail)
    return (String(before), String(after))
  }
}
