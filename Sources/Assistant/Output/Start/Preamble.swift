/// Recognises the words that a model puts before its answer: “Sure! Here is the rewritten text:”.
///
/// A text that only begins like one must lose nothing. So a preamble is cut only when each of its words is of the small
/// vocabulary below, when it speaks of the answer (“text”, “version”, “rewritten”) and the source does not, and when it
/// ends in a colon, or is an interjection that has a line of its own. One that has presented the answer (“Here's a
/// rewritten version …”) may go on in any words up to its colon.
package enum Preamble {
  /// Longer ones are not waited for.
  private static let longest = 140

  /// - Parameters:
  ///   - text: the start of the answer, without white space before it.
  ///   - names: words that name the answer, such as the tone.
  ///   - isWhole: nothing follows.
  /// - Returns: the number of scalars to cut; what follows may begin with white space.
  package static func length(
    in text: Substring, source: inout FilterSource, names: [String] = [], isWhole: Bool = false
  ) -> Decision<Int> {
    let scalars = text.unicodeScalars
    if let script = scalars.first, script.isSpaceless || (0xAC00...0xD7A3).contains(script.value) {
      return spaceless(text, source: &source, isWhole: isWhole)
    }
    var words: [String] = []
    var word = ""
    var count = 0
    var interjectionEnd: Int?
    // Words that are not of the vocabulary, behind a presentation.
    var hasOtherWords = false
    let vocabulary = PreambleWords.plain.union(PreambleWords.telling).union(names)
    for scalar in scalars {
      count += 1
      if scalar.properties.isAlphabetic || scalar == "'" || scalar == "’" || scalar == "-" {
        if interjectionEnd != nil, isAnswer(words, &source) { return .yes(interjectionEnd ?? count) }
        word.unicodeScalars.append(scalar == "’" ? "'" : scalar)
        continue
      }
      if !word.isEmpty {
        words.append(word.lowercased())
        word = ""
        if let last = words.last, !vocabulary.contains(last) {
          guard presents(words.dropLast(), &source) else { return .no }
          hasOtherWords = true
        }
      }
      switch scalar {
      case ":", "：": return tells(words, &source, names) ? colonEnd(scalars, count, isWhole) : .no
      // The sentence was no preamble.
      case _ where hasOtherWords && "\n\r!.".unicodeScalars.contains(scalar): return .no
      case "\n", "\r": interjectionEnd = interjectionEnd ?? count
      case " ", "!", ",", ".", "*", "_", "#", "(", ")", "\u{A0}": break
      case _: return .no
      }
      if count > longest { return .no }
    }
    if isWhole { return .no }
    if !word.isEmpty {
      let start = word.lowercased()
      guard vocabulary.contains(where: { $0.hasPrefix(start) }) || presents(words[...], &source) else { return .no }
    }
    return words.isEmpty && word.isEmpty && count > 3 ? .no : .maybe
  }

  /// The first words of a text that few preambles begin with: nearly all do with an interjection, or with a word that
  /// presents or names the answer.
  static func unlikelyStart(of text: Substring, names: [String]) -> Substring {
    let telling = PreambleWords.interjections.union(PreambleWords.presenting).union(PreambleWords.telling).union(names)
    var end = text.startIndex
    var index = text.startIndex
    while index < text.endIndex {
      let word = text[index...].prefix { $0.isLetter || $0 == "'" || $0 == "’" }
      let folded = word.lowercased().replacing("’", with: "'")
      guard !word.isEmpty, PreambleWords.plain.contains(folded), !telling.contains(folded) else { return text[..<end] }
      end = word.endIndex
      guard end < text.endIndex, text[end] == " " else { return text[..<end] }
      index = text.index(after: end)
    }
    return text[..<end]
  }

  /// Behind the colon stands the answer, or a mark of bold text first.
  private static func colonEnd(_ scalars: Substring.UnicodeScalarView, _ count: Int, _ isWhole: Bool) -> Decision<Int> {
    let rest = scalars.dropFirst(count)
    let marks = rest.prefix { $0 == "*" || $0 == "_" }.count
    let after = rest.dropFirst(marks)
    guard let next = after.first else { return isWhole ? .no : .maybe }
    // “10:30”, “http://”: no end of a preamble.
    guard next.isWhitespace || Quotes.pairs.contains(where: { $0.open == next }) else { return .no }
    return .yes(count + marks)
  }

  /// Whether the words speak of the answer, and of nothing that the source speaks of.
  private static func tells(_ words: [String], _ source: inout FilterSource, _ names: [String]) -> Bool {
    let telling = words.filter { PreambleWords.telling.contains($0) || names.contains($0) }
    guard !telling.isEmpty else { return false }
    return source.words.isDisjoint(with: telling)
  }

  /// Whether they begin by presenting the answer: “Here's a rewritten version”.
  private static func presents(_ words: ArraySlice<String>, _ source: inout FilterSource) -> Bool {
    let rest = words.drop { PreambleWords.interjections.contains($0) }
    guard let first = rest.first, PreambleWords.presenting.contains(first) else { return false }
    return rest.contains { PreambleWords.telling.contains($0) && !source.words.contains($0) }
  }

  /// An interjection that stands alone on its line: “Certainly!”.
  private static func isAnswer(_ words: [String], _ source: inout FilterSource) -> Bool {
    guard (1...2).contains(words.count), let first = words.first, PreambleWords.interjections.contains(first) else {
      return false
    }
    return !source.words.contains(first)
  }

  /// Chinese, Japanese and Korean: known openings up to a colon.
  private static func spaceless(_ text: Substring, source: inout FilterSource, isWhole: Bool) -> Decision<Int> {
    let start = text.prefix(4)
    let fits = PreambleWords.spaceless.contains { opening in
      start.count < opening.count ? opening.hasPrefix(start) : text.hasPrefix(opening)
    }
    guard fits, !source.contains(":"), !source.contains("：") else { return .no }
    var count = 0
    for scalar in text.unicodeScalars {
      count += 1
      if scalar == ":" || scalar == "：" { return .yes(count) }
      if scalar.isLineEnd || count > 30 { return .no }
    }
    return isWhole ? .no : .maybe
  }
}

/// What preambles are made of.
enum PreambleWords {
  static let interjections = Set(
    split(
      """
      sure certainly absolutely okay ok gerne natürlich klar sicher selbstverständlich certainement claro certo \
      certamente конечно
      """))

  /// Words that present what follows.
  static let presenting = Set(split("here here's below hier voici voilà aquí ecco aqui вот إليك هنا הנה"))

  /// Words that speak of the answer itself.
  static let telling = Set(
    split(
      """
      rewritten rephrased reworded revised corrected rewrite rephrasing revision version text output answer result \
      input sentence paragraph tone paraphrase paraphrased proofread summary translation umformulierte umformuliert \
      überarbeitete überarbeiteter korrigierte fassung version umformulierung ausgabe antwort satz ton réécrit \
      reformulé reformulée corrigé texte phrase reformulation réponse résultat reescrito reformulado corregido texto \
      versión respuesta resultado riscritto riformulato corretto testo versione risposta risultato reescrita \
      corrigido versão resposta переписанный исправленный текст вариант ответ результат النص المعدل الإجابة הטקסט \
      המשוכתב התשובה
      """))

  /// What stands between them.
  static let plain = interjections.union(
    split(
      """
      here is are here's the a an your my of in to for with and as it this that more less fewer words word formal \
      informal friendly exciting simple simpler short shorter long longer original following below above can be \
      follows you go requested extra additional added detail details changes changed improved expanded condensed i \
      have i've i'd be happy help course would could another way say how one possible \
      hier ist sind der die das dein deine ihr ihre ein eine in einem einer formellen formeller mit weniger worten \
      voici voilà le la un une votre en ton plus bien sûr avec moins de mots du aquí está tienes el tu su con más \
      por supuesto palabras ecco il una tuo con meno parole aqui o seu um uma mais вот ваш в إليك هنا הנה
      """))

  /// The first characters of preambles without spaces.
  static let spaceless = [
    "以下是", "以下は", "当然，", "当然可", "好的，", "改写", "修改后", "重写后", "正式", "もちろん", "こちら", "書き直", "다음은", "물론", "수정된", "여기",
  ]

  private static func split(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
}
