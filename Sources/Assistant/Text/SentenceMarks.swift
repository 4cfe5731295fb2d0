/// What a sentence can end with, and what looks like its end but is none.
enum SentenceMarks {
  static func endsSentence(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case ".", "!", "?", "…", "‼", "⁇", "⁈", "⁉", "؟", "۔", "।", "॥": true
    case _: needsNoSpace(scalar)
    }
  }

  /// Ends a sentence even when the next one follows at once, as in Chinese and Japanese.
  static func needsNoSpace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "。", "！", "？", "｡", "．": true
    case _: false
    }
  }

  /// Quotes and brackets that belong to the sentence they close, and marks of Markdown's emphasis.
  static func closes(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\"", "'", "”", "’", "“", "»", "«", "›", ")", "]", "}", "」", "』", "）", "】", "》", "〉", "*", "_", "`": true
    case _: false
    }
  }

  /// What may stand before the first letter of a sentence.
  static func opens(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\"", "'", "“", "‘", "„", "‚", "«", "»", "‹", "(", "[", "{", "「", "『", "（", "【", "《", "〈", "*", "_", "`", "¿",
      "¡":
      true
    case _: false
    }
  }

  /// Cannot begin a sentence: the one before it goes on.
  static func goesOn(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case ",", ";", ":", "、", "，", "；", "：", "،": true
    case _: endsSentence(scalar) && scalar != "…"
    }
  }

  /// Belongs to the word before a dot. Dots inside do: “e.g”.
  static func isInWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "." || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }

  /// Words that mostly stand before a dot that does not end a sentence, in lower case. What may as well end one (etc.,
  /// Inc.) is not here: before a small letter no dot ends a sentence anyway.
  static let abbreviations: Set<String> = [
    // English
    "mr", "mrs", "ms", "dr", "prof", "st", "mt", "rev", "hon", "gen", "col", "capt", "lt", "sgt", "sen", "rep", "gov",
    "vs", "cf", "approx", "fig", "figs", "eq", "sec", "vol", "pp", "ed", "eds", "dept", "est", "jan", "feb", "mar",
    "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
    // German
    "bzw", "ca", "evtl", "ggf", "nr", "str", "hr", "fr", "abb", "kap", "bd", "hrsg", "vgl", "sog", "inkl", "zzgl",
    "tel",
    // French, Spanish, Italian, Portuguese
    "mme", "mlle", "mgr", "av", "apr", "sr", "sra", "srta", "dra", "ud", "uds", "núm", "pág", "sig", "dott", "ing",
    "avv", "exmo",
    // Russian
    "г", "ул", "им", "стр", "рис",
  ]
}
