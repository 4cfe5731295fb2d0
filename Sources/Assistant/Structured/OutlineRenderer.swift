import AssistantProtocol

/// Writes an outline as text of one format: parts under or behind their labels, lists with a marker for each item.
package struct OutlineRenderer: Sendable {
  private let markup: Markup

  package init(_ format: TextFormat) { markup = Markup(format) }

  package func render(_ outline: Outline) -> String {
    switch outline {
    case .text(let text): markup.escape(text, atStart: true)
    case .list: block(outline, numbered: false, depth: 0).joined(separator: "\n")
    case .fields(let fields):
      // A value of ours has paragraphs; any other value is one list.
      fields.allSatisfy { $0.style == .bullets }
        ? block(outline, numbered: false, depth: 0).joined(separator: "\n")
        : fields.map { paragraph($0) }.joined(separator: "\n\n")
    }
  }

  private func paragraph(_ field: Outline.Field) -> String {
    if field.style == .bare { return markup.escape(field.content.inline, atStart: true) }
    if field.content.isOneLine(field.style) {
      return markup.label(field.label + ":") + " " + markup.escape(field.content.inline, atStart: false)
    }
    let lines = block(field.content, numbered: field.style == .numbers, depth: 0)
    let gap = markup.hasGapBeforeList ? "\n\n" : "\n"
    return markup.label(field.label) + gap + lines.joined(separator: "\n")
  }

  /// The lines of a list.
  /// - Parameter depth: how many lists are around it.
  private func block(_ outline: Outline, numbered: Bool, depth: Int) -> [String] {
    let items: [(label: String?, content: Outline)] =
      switch outline {
      case .text: [(nil, outline)]
      case .list(let items): items.map { (nil, $0) }
      case .fields(let fields): fields.map { ($0.label, $0.content) }
      }
    var lines: [String] = markup.begin(numbered: numbered).map { [$0] } ?? []
    for (index, item) in items.enumerated() {
      let marker = markup.marker(numbered: numbered, index: index)
      let indent = String(repeating: " ", count: markup.indent(marker))
      let label = item.label.map { markup.label($0 + ":") }
      let isNested = !item.content.isOneLine(.bullets) && depth + 1 < markup.deepest
      if isNested {
        lines.append(label.map { marker + $0 } ?? String(marker.dropLast()))
        lines += block(item.content, numbered: false, depth: depth + 1).map { indent + $0 }
      } else {
        let text = markup.escape(item.content.inline, atStart: label == nil)
        lines.append(marker + (label.map { $0 + " " } ?? "") + text)
      }
    }
    return lines + (markup.end(numbered: numbered).map { [$0] } ?? [])
  }
}
