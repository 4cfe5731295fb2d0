import AssistantProtocol

/// How a format writes labels and lists.
struct Markup: Sendable {
  let format: TextFormat

  init(_ format: TextFormat) { self.format = format }

  func label(_ text: String) -> String {
    switch format {
    case .markdown: "**\(escape(text, atStart: false))**"
    case .plaintext: text
    case .org: "*\(escape(text, atStart: false))*"
    case .latex: "\\textbf{\(escape(text, atStart: false))}"
    }
  }

  func marker(numbered: Bool, index: Int) -> String {
    switch format {
    case .markdown, .plaintext, .org: numbered ? "\(index + 1). " : "- "
    case .latex: "  \\item "
    }
  }

  /// How far what belongs to an item stands from the margin.
  func indent(_ marker: String) -> Int {
    switch format {
    case .markdown, .plaintext, .org: marker.count
    case .latex: 4
    }
  }

  func begin(numbered: Bool) -> String? { environment(numbered).map { "\\begin{\($0)}" } }
  func end(numbered: Bool) -> String? { environment(numbered).map { "\\end{\($0)}" } }

  private func environment(_ numbered: Bool) -> String? {
    switch format {
    case .markdown, .plaintext, .org: nil
    case .latex: numbered ? "enumerate" : "itemize"
    }
  }

  /// How many lists can be within each other: LaTeX has four. What is deeper stands on one line.
  var deepest: Int {
    switch format {
    case .markdown, .plaintext, .org: 32
    case .latex: 4
    }
  }

  /// Markdown and Org take a list right under a line for a part of its paragraph, or may.
  var hasGapBeforeList: Bool {
    switch format {
    case .markdown, .org: true
    case .plaintext, .latex: false
    }
  }

  /// The text with everything escaped that the format would take for markup.
  /// - Parameter atStart: a line or an item begins with it.
  func escape(_ text: String, atStart: Bool) -> String {
    switch format {
    case .plaintext: text
    case .markdown: MarkdownEscaping.escape(text, atStart: atStart)
    case .org: OrgEscaping.escape(text, atStart: atStart)
    case .latex: LaTeXEscaping.escape(text, atStart: atStart)
    }
  }
}
