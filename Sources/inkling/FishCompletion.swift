/// Completion for fish.
enum FishCompletion {
  static func text(_ commands: [CommandDescription]) -> String {
    var lines = [
      "# Completion of inkling for fish, made by “inkling completions fish”.", "",
      "# Whether the line is of that command.", "function __inkling_is", "  set -l words (commandline -opc)",
      "  test (count $words) -gt 1; and test \"$words[2]\" = $argv[1]", "end", "",
      "# Whether one of these words stands behind the command.", "function __inkling_has",
      "  set -l words (commandline -opc)", "  for word in $words[3..-1]", "    contains -- $word $argv; and return 0",
      "  end", "  return 1", "end", "",
      "complete -c inkling -f",
    ]
    let isFirst = "test (count (commandline -opc)) -eq 1".shellQuoted
    for option in Program.options {
      lines.append("complete -c inkling -n \(isFirst) -l \(option.0.dropFirst(2)) -d \(quoted(option.1))")
    }
    for command in commands {
      lines.append("complete -c inkling -n \(isFirst) -a \(command.name) -d \(quoted(command.summary))")
    }
    for command in commands {
      let isCommand = "__inkling_is \(command.name)"
      for option in command.options {
        let value = option.placeholder == nil ? "" : " " + value(of: option.kind)
        lines.append(
          "complete -c inkling -n \(isCommand.shellQuoted) -l \(option.name.dropFirst(2))\(value) -d "
            + quoted(option.summary))
      }
      lines += arguments(of: command, isCommand)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func arguments(of command: CommandDescription, _ isCommand: String) -> [String] {
    let kinds = command.argumentKinds
    var condition = isCommand
    if case .words(let words) = kinds.first { condition += "; and not __inkling_has " + words.joined(separator: " ") }
    let all =
      [(condition, kinds.first)]
      + kinds.behindWord.map { ("\(isCommand); and __inkling_has \($0.word)", $0.kind) }
    return all.compactMap { condition, kind in
      argument(of: kind).map { "complete -c inkling -n \(condition.shellQuoted) \($0)" }
    }
  }

  private static func value(of kind: ValueKind) -> String {
    switch kind {
    case .file: "-r -F"
    case .text, .number, .folder, .words, .names: ["-x", argument(of: kind)].compactMap { $0 }.joined(separator: " ")
    }
  }

  /// nil when nothing can be said of it.
  private static func argument(of kind: ValueKind) -> String? {
    switch kind {
    case .text, .number: nil
    case .file: "-F"
    case .folder: "-a '(__fish_complete_directories)'"
    case .words(let words): "-a " + words.joined(separator: " ").shellQuoted
    case .names(let kind): "-a '(inkling names \(kind.rawValue) 2>/dev/null)'"
    }
  }

  /// Fish knows two escapes within single quotes.
  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: #"\\"#).replacing("'", with: #"\'"#) + "'"
  }
}
