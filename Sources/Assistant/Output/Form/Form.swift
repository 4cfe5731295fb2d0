/// What a source is made of, in its order: parts that stay as they are, and prose that is written anew. Put together,
/// the parts are the source.
package struct Form: Sendable, Equatable {
  package enum Part: Sendable, Equatable {
    /// White space, markers at the start of lines, headings, code, tables' rules: whatever the model does not see.
    case kept(String)
    case prose(Prose)
  }

  package private(set) var parts: [Part] = []

  /// - Parameter language: what the text is written in, as an editor names it (`markdown`, `swift`); nil when unknown.
  package init(_ source: String, language: String? = nil) {
    let syntax = Syntax(language: language)
    var reader = FormReader(source, syntax: syntax)
    var lines = reader.read()
    // Nothing but headings: then it is they that are to be written anew.
    if !lines.contains(where: \.isProse) {
      reader = FormReader(source, syntax: syntax, keepsHeadings: false)
      lines = reader.read()
    }
    let hasMore = lines.contains { $0.prose?.isWorthWriting ?? false }
    // What is kept and lies side by side is one part. It grows here, where nobody else holds it: no copies are made.
    var kept = ""
    for part in lines {
      switch part {
      case .kept(let text): kept += text
      case .prose(let prose) where hasMore && !prose.isWorthWriting: kept += prose.original
      case .prose:
        if !kept.isEmpty { parts.append(.kept(kept)) }
        kept = ""
        parts.append(part)
      }
    }
    if !kept.isEmpty { parts.append(.kept(kept)) }
  }

  /// What is written anew, in order.
  package var prose: [Prose] { parts.compactMap(\.prose) }
}

extension Form.Part {
  var prose: Prose? {
    switch self {
    case .kept: nil
    case .prose(let prose): prose
    }
  }
  var isProse: Bool { prose != nil }
}

/// A stretch of text that the model writes anew as one.
package struct Prose: Sendable, Equatable {
  /// As it stands in the source, from the first word to the last.
  package var original = ""
  /// What the model is given: the same as one line.
  package var text = ""
  /// How its lines are made; nil when it is one line and stays one.
  package var wrap: Wrap?
  /// The column where it begins.
  package var column = 0
  /// Character sequences that would end what it stands in, with what is written for them.
  package var replacements: [Replacement] = []

  package struct Wrap: Sendable, Equatable {
    /// What stands between two lines: the line's end and the prefix of the next.
    package var lineBreak: String
    /// The last column of a line.
    package var width: Int
  }

  package struct Replacement: Sendable, Equatable {
    package var from: String
    package var to: String
  }

  /// A word or two, a number or an address say nothing that can be said in other words.
  var isWorthWriting: Bool {
    var words = 0
    var spaceless = 0
    for word in text.split(whereSeparator: \.isWhitespace) {
      if word.contains("://") || !word.unicodeScalars.contains(where: \.properties.isAlphabetic) { continue }
      words += 1
      for scalar in word.unicodeScalars where scalar.isSpaceless { spaceless += 1 }
    }
    return words >= 3 || spaceless >= 4
  }
}
