import Assistant
import TerminalUI

/// What a chat says besides the answers.
struct ChatView: Sendable {
  let isInteractive: Bool

  private static let usesColours =
    Terminal.outputIsTerminal && Terminal.errorIsTerminal && !Terminal.isDumb
    && ModelLocation.environment("NO_COLOR") == nil

  static func bold(_ text: String) -> String { usesColours ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
  private static func dim(_ text: String) -> String { usesColours ? "\u{1B}[2m\(text)\u{1B}[0m" : text }

  /// Something in one line that is good to know.
  func note(_ text: String) {
    let line = TerminalText.oneLine(text)
    Terminal.writeError(isInteractive ? Self.dim(line) + "\n" : "inkling: \(line)\n")
  }

  /// What was asked for.
  func show(_ text: String) { Terminal.write(TerminalText.neutralise(text)) }

  /// Words side by side, as many as the window has room for.
  static func columns(_ words: [String]) -> String {
    let width = (words.map(DisplayWidth.of).max() ?? 0) + 2
    let count = max(1, Terminal.size.width / width)
    var text = ""
    for (index, word) in words.enumerated() {
      let isLast = index % count == count - 1 || index == words.count - 1
      text += word + (isLast ? "\n" : String(repeating: " ", count: width - DisplayWidth.of(word)))
    }
    return text
  }
}
