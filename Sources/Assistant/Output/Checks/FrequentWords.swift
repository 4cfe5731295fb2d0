/// The most frequent words of languages in Latin letters: articles, pronouns, prepositions, auxiliary verbs.
enum FrequentWords {
  private static let lists: [(Language, String)] = [
    (
      .en,
      """
      the and of to is in that it was for on are with as his they be at this have from or had by but some what there \
      we can were all your when use how said each she which their if will up about then them would these her him has \
      could my than been who its now did get may our you i not do he me an so just don't it's i'm
      """
    ),
    (
      .de,
      """
      der die das und ist in zu den mit von für auf nicht ein eine es ich sie er wir ihr dem des im sich auch als an \
      war wie bei oder nach noch nur aus wenn werden wird hat haben habe hab ob weil dass mal einen einem einer kein \
      keine sind aber so schon bis zum zur über kann können mir mich uns du nix
      """
    ),
    (
      .fr,
      """
      le la les de des du et est en un une dans que qui pour pas sur ce il elle on nous vous ils avec au aux par plus \
      ne se sont mais ou où son sa ses leur je tu été cette ces fait comme tout si être avoir ont va vont très trop \
      c'est d'un n'est j'ai
      """
    ),
    (
      .es,
      """
      el la los las de del y es en un una que por para con no se su lo como más pero sus le ya o este esta sí porque \
      entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante uno al fue ser son está están \
      así nada nosotros yo tú habrá
      """
    ),
    (
      .it,
      """
      il lo la i gli le di del della dei delle e è in un una che per con non si su da al alla sono come più ma anche \
      se nel nella questo questa ho hai ha abbiamo hanno era essere fatto molto io tu noi voi loro ci c'è perché dove \
      quando
      """
    ),
    (
      .pt,
      """
      o a os as de do da dos das e é em um uma que por para com não se no na nos nas ao à mais mas como foi ele ela \
      seu sua ou ser quando muito já está eu também só pelo pela até isso depois sem mesmo aos seus quem você nós são \
      tem
      """
    ),
  ]

  /// Letters that few of them have.
  static let letters: [(Unicode.Scalar, [Language])] = [
    ("ß", [.de]), ("ä", [.de]), ("ö", [.de]), ("ü", [.de]), ("ñ", [.es]), ("ã", [.pt]), ("õ", [.pt]),
    ("ê", [.fr, .pt]),
    ("è", [.fr, .it]), ("ù", [.fr, .it]), ("ò", [.it]), ("ç", [.fr, .pt]), ("œ", [.fr]), ("í", [.es, .pt]),
    ("ó", [.es, .pt]), ("ú", [.es, .pt]),
  ]

  static let languages: [String: [Language]] = {
    var result: [String: [Language]] = [:]
    for (language, words) in lists {
      for word in words.split(separator: " ") { result[String(word), default: []].append(language) }
    }
    return result
  }()

  static let all = Set(languages.keys)
}
