/// Names that can be told from other words by their form: of files, and of people with a title before them.
enum ProtectedName {
  private static let longest = 200

  /// Endings that make a word the name of a file, in small letters.
  private static let endings = names(
    """
    bash bib c cc cfg cjs conf cpp cs css csv cxx dart diff docx el env erl ex exs fish gguf gif go gradle gz h hpp hs \
    html ini ipynb java jpeg jpg js json jsonc jsx kak kt lock log lua md mjs ml nix odt org patch pdf php pl plist \
    png pptx proto ps1 py rb rs rst scala sh sql svg swift tar tex tgz toml ts tsx txt vim wasm webp xlsx xml yaml yml \
    zig zip zsh
    """)
  /// What stands before a person's name.
  private static let titles = names(
    """
    Mr Mrs Ms Mx Dr Prof Sir Lady Herr Herrn Frau Monsieur Madame Mme Mlle Señor Señora Sr Sra Signor Signora Sig \
    Senhor Senhora Dona
    """)

  private static func names(_ text: String) -> Set<[Unicode.Scalar]> {
    Set(text.split(separator: " ").map { Array($0.unicodeScalars) })
  }

  /// The end of the name that begins at this place, which is the start of a word.
  static func end(in scalars: [Unicode.Scalar], from start: Int) -> Int? {
    fileEnd(in: scalars, from: start) ?? personEnd(in: scalars, from: start)
  }

  /// `utils.py`, `src/main.swift`.
  private static func fileEnd(in scalars: [Unicode.Scalar], from start: Int) -> Int? {
    var end = start
    var dot: Int?
    while end < scalars.count, end - start < longest {
      let scalar = scalars[end]
      if scalar == "." {
        dot = end
      } else if !(scalar.isASCII && scalar.isWordPart || "_-/+".unicodeScalars.contains(scalar)) {
        break
      }
      end += 1
    }
    // A full stop behind it is the sentence's.
    while let last = dot, last == end - 1 {
      end = last
      dot = scalars[start..<end].lastIndex(of: ".")
    }
    guard let dot, dot > start, end < scalars.count ? !scalars[end].isWordPart : true else { return nil }
    return endings.contains(scalars[(dot + 1)..<end].map { $0.properties.lowercaseMapping.unicodeScalars.first ?? $0 })
      ? end : nil
  }

  /// `Mrs. Miller`, `Herr Öztürk`.
  private static func personEnd(in scalars: [Unicode.Scalar], from start: Int) -> Int? {
    func wordEnd(_ start: Int) -> Int {
      var end = start
      while end < scalars.count, scalars[end].isWordPart, end - start < longest { end += 1 }
      return end
    }
    var end = wordEnd(start)
    guard titles.contains(Array(scalars[start..<end])) else { return nil }
    if end < scalars.count, scalars[end] == "." { end += 1 }
    guard end + 1 < scalars.count, scalars[end] == " ", scalars[end + 1].properties.isUppercase else { return nil }
    return wordEnd(end + 1)
  }
}
