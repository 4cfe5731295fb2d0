/// Recognises an answer that is no answer: “I'm sorry, but I can't help with that.”
///
/// A text may well speak like that itself; so nothing is taken for a refusal when the source apologises, cannot
/// something, or speaks of an AI.
package enum Refusal {
  private static let openings = [
    "i'm sorry", "i am sorry", "sorry,", "i apologize", "i apologise", "unfortunately, i", "i can't", "i cannot",
    "i'm unable", "i am unable", "i'm not able", "i am not able", "as an ai", "i'm an ai", "i am an ai",
    "i won't", "i must decline", "es tut mir leid", "tut mir leid", "als ki", "ich kann nicht", "je suis désolé",
    "désolé,", "en tant qu'ia", "je ne peux pas", "lo siento", "como ia", "no puedo", "mi dispiace", "non posso",
    "desculpe", "sinto muito", "não posso", "извините", "к сожалению", "我很抱歉", "抱歉", "对不起", "作为", "申し訳",
    "죄송", "عذرا", "آسف", "מצטער",
  ]

  /// What a refusal speaks of, each with words of the source that make it harmless.
  private static let subjects = [
    "assist", "help with that", "help you with", "comply", "fulfill", "fulfil", "your request", "this request",
    "that request", "an ai", "language model", "provide", "generate", "create content", "rewrite", "rephrase",
    "engage in", "dabei nicht helfen", "anfrage", "sprachmodell", "eine ki", "vous aider", "votre demande",
    "modèle de langage", "une ia", "ayudar", "solicitud", "modelo de lenguaje", "una ia", "aiutar", "richiesta",
    "modello linguistico", "ajudar", "solicitação", "modelo de linguagem", "помочь", "запрос", "языковая модель",
    "帮助", "协助", "请求", "语言模型", "お手伝い", "リクエスト", "言語モデル", "도와", "요청", "언어 모델", "مساعد", "طلب", "לעזור", "מודל שפה",
  ]

  private static let harmless = Set(
    """
    sorry apologies apologize apologise apology unfortunately can't cant cannot unable won't wont refuse decline ai \
    assist leid leider ki désolé siento dispiace desculpe извините жаль 抱歉 对不起 申し訳
    """.split(separator: " ").map(String.init))

  /// - Parameters:
  ///   - text: the start of the answer, without white space before it.
  ///   - isWhole: nothing follows.
  package static func check(_ text: Substring, source: inout FilterSource, isWhole: Bool = false) -> Decision<Bool> {
    let start = FilterSource.folded(text.prefix(240))
    let isOpening = openings.contains { start.hasPrefix($0) }
    let mayBecome = !isWhole && openings.contains { $0.utf8.starts(with: start.utf8) }
    guard isOpening || mayBecome else { return .no }
    if speaksLikeOne(&source) { return .no }
    guard isOpening else { return .maybe }
    if subjects.contains(where: { start.contains($0) }) { return .yes(true) }
    // The first sentence decides.
    let hasEnded = isWhole || start.count >= 240 || start.dropFirst(12).contains { ".!?。！？\n".contains($0) }
    return hasEnded ? .no : .maybe
  }

  private static func speaksLikeOne(_ source: inout FilterSource) -> Bool {
    if !source.words.isDisjoint(with: harmless) { return true }
    for words in ["抱歉", "对不起", "申し訳", "죄송", "不能", "无法", "can not", "not able", "don't", "dont "]
    where source.says(words) {
      return true
    }
    return false
  }
}
