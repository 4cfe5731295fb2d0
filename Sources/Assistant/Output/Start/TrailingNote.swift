/// Recognises a paragraph in which a model speaks of its answer: “Note: I have kept the meaning.”
enum TrailingNote {
  private static let openings = [
    "note:", "note that", "*note", "(note", "**note", "please note that i", "let me know", "please let me know",
    "i hope this", "hope this helps", "feel free", "please feel free", "i changed", "i've changed", "i have changed",
    "i made", "i've made", "i have made", "i rewrote", "i've rewritten", "changes made", "**changes", "explanation:",
    "**explanation", "in this version", "this version", "this revised", "this rewritten", "the rewritten text",
    "the revised", "is there anything else", "would you like me", "hinweis:", "anmerkung:", "lassen sie mich wissen",
    "ich habe den", "remarque", "n'hésitez pas", "nota:", "déjame saber", "avísame", "fammi sapere", "observação:",
    "примечание", "注：", "注:", "备注", "说明：", "希望这",
  ]

  /// Whether the paragraph is a note and not part of the answer, as far as its start is known.
  static func check(_ paragraph: Substring, source: inout FilterSource, isWhole: Bool) -> Decision<Bool> {
    let start = FilterSource.folded(paragraph.prefix(32))
    if let opening = openings.first(where: { start.hasPrefix($0) }) {
      return source.says(opening) ? .no : .yes(true)
    }
    return !isWhole && openings.contains { $0.utf8.starts(with: start.utf8) } ? .maybe : .no
  }
}
