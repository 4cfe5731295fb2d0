import AssistantProtocol
import JSON

/// A value as a person reads it: texts, lists and labelled parts, in no format yet.
package indirect enum Outline: Sendable {
  case text(String)
  case list([Outline])
  case fields([Field])

  package struct Field: Sendable {
    var label: String
    var style: PropertyStyle
    var content: Outline
  }

  /// Any JSON value: the names of members are its labels.
  package init(_ json: JSONValue) {
    self =
      switch json {
      // What is not there, and what is empty, is seen to be so.
      case .null: .text("–")
      case .bool(let flag): .text(flag ? "true" : "false")
      case .number(let number): .text(number.text)
      case .string(let text): .text(text.onOneLine.isEmpty ? "–" : text.onOneLine)
      case .array(let values): values.isEmpty ? .text("–") : .list(values.map(Outline.init))
      case .object(let object):
        object.isEmpty
          ? .text("–")
          : .fields(
            object.members.map { member in
              let label = member.name.onOneLine
              return Field(label: label.isEmpty ? "–" : label, style: .bullets, content: Outline(member.value))
            })
      }
  }

  /// All of it in one line, for what is nested deeper than a format can go.
  var inline: String {
    switch self {
    case .text(let text): text
    case .list(let items): items.map(\.inline).joined(separator: ", ")
    case .fields(let fields): fields.map { "\($0.label): \($0.content.inline)" }.joined(separator: "; ")
    }
  }

  /// Whether it takes one line: a text, or a list of texts that is to stand on one.
  func isOneLine(_ style: PropertyStyle) -> Bool {
    switch self {
    case .text: true
    case .list, .fields:
      switch style {
      case .line, .bare: true
      case .bullets, .numbers: false
      }
    }
  }
}

extension String {
  /// On one line: each run of line breaks, tabs and control characters is a space, and there is none at the ends.
  fileprivate var onOneLine: String {
    var scalars = String.UnicodeScalarView()
    var isSpaceDue = false
    for scalar in unicodeScalars {
      let breaks = scalar.properties.generalCategory == .control || scalar.value == 0x2028 || scalar.value == 0x2029
      if breaks || scalar == " " {
        isSpaceDue = true
        continue
      }
      if isSpaceDue, !scalars.isEmpty { scalars.append(" ") }
      isSpaceDue = false
      scalars.append(scalar)
    }
    return String(scalars)
  }
}
