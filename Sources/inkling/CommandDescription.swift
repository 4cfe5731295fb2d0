/// A command without its type of settings: what help, completions and the manual page are made of.
struct CommandDescription: Sendable {
  struct Option: Sendable {
    let name: String
    /// nil for an option without a value.
    let placeholder: String?
    let kind: ValueKind
    let summary: String
  }

  let name: String
  let summary: String
  let isHidden: Bool
  let arguments: String?
  let argumentKinds: ArgumentKinds
  let details: [String]
  let choicesTitle: String
  let choices: [(String, String)]
  /// With `--help`, which every command has.
  let options: [Option]
  let exitStatuses: [(Int32, String)]

  init<Settings>(_ command: Command<Settings>) {
    name = command.name
    summary = command.summary
    isHidden = command.isHidden
    arguments = command.arguments
    argumentKinds = command.argumentKinds
    details = command.details
    choicesTitle = command.choicesTitle
    choices = command.choices
    options =
      command.options.map {
        Option(name: $0.name, placeholder: $0.placeholder, kind: $0.kind, summary: $0.summary)
      } + [Option(name: "--help", placeholder: nil, kind: .text, summary: "Shows this text.")]
    exitStatuses = command.exitStatuses
  }

  /// How it is called.
  var usage: String { "inkling \(name) [options]" + (arguments.map { " " + $0 } ?? "") }

  var help: String {
    var lines = ["Usage: " + usage, "", summary]
    for paragraph in details { lines += [""] + wrap(paragraph) }
    if !choices.isEmpty { lines += ["", choicesTitle + ":"] + table(choices) }
    let rows = options.map { ($0.name + ($0.placeholder.map { " " + $0 } ?? ""), $0.summary) }
    lines += ["", "Options:"] + table(rows)
    if !exitStatuses.isEmpty {
      lines += ["", "Exit status:"] + table(exitStatuses.map { (String($0.0), $0.1) })
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
