/// Names of weekdays and months, which are dates: with a capital letter, in full, and only those that are no other word
/// or name. May, March, Mars and Mayo are left out.
enum CalendarName {
  /// Written with a capital letter wherever they stand: English and German.
  private static let capitals = names(
    """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February April June July August September \
    October November December Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonnabend Sonntag Januar Jänner \
    Februar März Juni Juli Oktober Dezember
    """)
  /// With a small letter but at the start of a sentence: French, Spanish, Italian, Portuguese.
  private static let smalls = names(
    """
    Lundi Mardi Mercredi Jeudi Vendredi Samedi Dimanche Janvier Février Avril Juin Juillet Août Septembre Octobre \
    Novembre Décembre Lunes Martes Miércoles Jueves Viernes Sábado Domingo Enero Febrero Marzo Abril Junio Julio \
    Agosto Septiembre Octubre Noviembre Diciembre Lunedì Martedì Mercoledì Giovedì Venerdì Sabato Domenica Gennaio \
    Febbraio Aprile Maggio Giugno Luglio Settembre Ottobre Dicembre Segunda-feira Terça-feira Quarta-feira \
    Quinta-feira Sexta-feira Janeiro Fevereiro Março Maio Junho Julho Setembro Outubro Novembro Dezembro
    """)
  private static let longest = 13

  private static func names(_ text: String) -> Set<[Unicode.Scalar]> {
    Set(text.split(separator: " ").map { Array($0.unicodeScalars) })
  }

  /// The end of the name that is the whole word at this place.
  static func end(in scalars: [Unicode.Scalar], from start: Int) -> Int? {
    guard ("A"..."Z").contains(scalars[start]) else { return nil }
    var end = start
    while end < scalars.count, scalars[end].isWordPart {
      guard end - start < longest else { return nil }
      end += 1
    }
    let word = Array(scalars[start..<end])
    if capitals.contains(word) || smalls.contains(word) { return end }
    // “Segunda-feira” is a day, “Segunda” is none.
    let whole = word + Array("-feira".unicodeScalars)
    return smalls.contains(whole) && scalars[start...].starts(with: whole) ? start + whole.count : nil
  }

  /// The name as it stands inside a sentence; nil when it has its capital letter there as well, or is no such name.
  static func insideSentence(_ name: String) -> String? {
    smalls.contains(Array(name.unicodeScalars)) ? name.lowercased() : nil
  }
}
