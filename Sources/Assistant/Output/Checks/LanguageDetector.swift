/// A language that can be told from others by its letters and its most frequent words.
package enum Language: String, Sendable, CaseIterable {
  case en, de, fr, es, it, pt, ru, ar, he, zh, ja, ko

  /// For people.
  package var name: String {
    switch self {
    case .en: "English"
    case .de: "German"
    case .fr: "French"
    case .es: "Spanish"
    case .it: "Italian"
    case .pt: "Portuguese"
    case .ru: "Russian"
    case .ar: "Arabic"
    case .he: "Hebrew"
    case .zh: "Chinese"
    case .ja: "Japanese"
    case .ko: "Korean"
    }
  }
}

/// Finds the language of a text from its script and its frequent words; always the same for the same text.
package enum LanguageDetector {
  /// Enough to decide; longer texts are not read to their end.
  private static let mostScalars = 20_000
  private static let leastLetters = 12

  /// nil when the text is too short or too mixed, or in a language that is not known here.
  package static func language(of text: String) -> Language? {
    let sample = String(text.unicodeScalars.prefix(mostScalars))
    let letters = Letters(of: sample)
    guard letters.count >= (letters.isDense ? 4 : leastLetters) else { return nil }
    switch letters.script {
    case .latin: return latin(sample)
    case .cyrillic: return letters.isForeignCyrillic ? nil : .ru
    case .arabic: return letters.isPersian ? nil : .ar
    case .hebrew: return .he
    case .han: return letters.kana > 0 ? .ja : .zh
    case .hangul: return .ko
    case nil: return nil
    }
  }

  /// Whether the text is in another language than its source: in another script, or its frequent words are another
  /// language's. False when that cannot be told.
  package static func hasChanged(from source: String, to text: String) -> Bool {
    guard let expected = language(of: source) else { return false }
    if let found = language(of: text) { return found != expected }
    let letters = Letters(of: String(text.unicodeScalars.prefix(mostScalars)))
    guard letters.count >= 4, let script = letters.script else { return false }
    guard script == Letters(of: String(source.unicodeScalars.prefix(mostScalars))).script else { return true }
    guard script == .latin else { return false }
    let hits = hits(in: text)
    return hits[expected, default: 0] == 0 && (hits.values.max() ?? 0) >= 2
  }

  private static func latin(_ text: String) -> Language? {
    let hits = hits(in: text).sorted { ($0.value, $1.key.rawValue) > ($1.value, $0.key.rawValue) }
    guard let best = hits.first, best.value >= 2 else { return nil }
    let second = hits.dropFirst().first?.value ?? 0
    return best.value * 2 >= second * 3 ? best.key : nil
  }

  /// How many words of the text are frequent in each language; a word of several counts for each.
  private static func hits(in text: String) -> [Language: Int] {
    var hits: [Language: Int] = [:]
    for word in ContentWords.words(of: text) {
      for language in FrequentWords.languages[word] ?? [] { hits[language, default: 0] += 1 }
      for (mark, languages) in FrequentWords.letters where word.unicodeScalars.contains(mark) {
        for language in languages { hits[language, default: 0] += 1 }
      }
    }
    return hits
  }
}

/// The letters of a text by script.
private struct Letters {
  enum Script: CaseIterable { case latin, cyrillic, arabic, hebrew, han, hangul }

  private var counts: [Script: Int] = [:]
  private(set) var kana = 0
  private(set) var isForeignCyrillic = false
  private(set) var isPersian = false

  init(of text: String) {
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x41...0x5A, 0x61...0x7A, 0xC0...0x24F, 0x1E00...0x1EFF: counts[.latin, default: 0] += 1
      case 0x400...0x52F:
        counts[.cyrillic, default: 0] += 1
        if "іїєґўјљњђћџқңәө".unicodeScalars.contains(scalar) { isForeignCyrillic = true }
      case 0x620...0x6FF:
        counts[.arabic, default: 0] += 1
        if "پچژگ".unicodeScalars.contains(scalar) { isPersian = true }
      case 0x5D0...0x5EA: counts[.hebrew, default: 0] += 1
      case 0x3041...0x30FF where scalar.value != 0x30FB:
        counts[.han, default: 0] += 1
        kana += 1
      case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0x20000...0x3FFFD: counts[.han, default: 0] += 1
      case 0xAC00...0xD7A3: counts[.hangul, default: 0] += 1
      case _: break
      }
    }
  }

  var count: Int { counts.values.reduce(0, +) }

  /// Whether a character says as much as a word elsewhere.
  var isDense: Bool { script == .han || script == .hangul }

  /// The script of more than half of the letters, where a Han letter weighs as much as three others.
  var script: Script? {
    let weights = Script.allCases.map { script in
      (script, counts[script, default: 0] * (script == .han || script == .hangul ? 3 : 1))
    }
    let total = weights.reduce(0) { $0 + $1.1 }
    return weights.first { $0.1 * 2 > total }?.0
  }
}
