/// The manual page, in the macros of man(7).
enum ManualPage {
  static func text(_ commands: [CommandDescription]) -> String {
    var lines = [
      ".TH INKLING 1 \"\" \"inkling \(Program.version)\" \"User Commands\"", ".SH NAME",
      #"inkling \- a private writing assistant with a local language model"#, ".SH SYNOPSIS", ".B inkling",
      #".I COMMAND"#, "[options]", ".SH DESCRIPTION", escaped(Program.summary), ".PP", escaped(Program.modelPlaces),
      ".SH OPTIONS",
    ]
    lines += Program.options.flatMap { tagged(bold($0.0), $0.1) }
    lines.append(".SH COMMANDS")
    for command in commands { lines += section(command) }
    lines += [".SH ENVIRONMENT"] + environment.flatMap { tagged(bold($0.0), $0.1) }
    lines += [".SH FILES"] + files.flatMap { tagged(italic($0.0), $0.1) }
    return lines.joined(separator: "\n") + "\n"
  }

  private static let environment = [
    ("INKLING_MODEL", "The model, a GGUF file."), ("INKLING_MODEL_DIR", "The folder of models."),
    ("INKLING_CONFIG", "The configuration."),
    ("XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_CACHE_HOME", "The folders that the following begin with."),
    ("HF_ENDPOINT", "The server that “inkling models pull hf:…” asks."),
  ]

  private static let files = [
    ("~/.config/inkling/config.json", "The configuration."), ("~/.local/share/inkling/models", "Models."),
    ("~/.local/state/inkling", "Persisted sessions."), ("~/.cache/inkling/prepared", "Prepared copies of models."),
  ]

  private static func section(_ command: CommandDescription) -> [String] {
    var lines = [".SS " + escaped(command.usage), escaped(command.summary)]
    for paragraph in command.details { lines += [".PP", escaped(paragraph)] }
    if !command.choices.isEmpty {
      lines += [".PP", escaped(command.choicesTitle) + ":"] + command.choices.flatMap { tagged(bold($0.0), $0.1) }
    }
    lines += [".PP", "Options:"]
    for option in command.options {
      let value = option.placeholder.map { " " + italic($0) } ?? ""
      lines += tagged(bold(option.name) + value, option.summary)
    }
    if !command.exitStatuses.isEmpty {
      lines += [".PP", "Exit status:"] + command.exitStatuses.flatMap { tagged(bold(String($0.0)), $0.1) }
    }
    return lines
  }

  private static func tagged(_ tag: String, _ text: String) -> [String] { [".TP", tag, escaped(text)] }

  private static func bold(_ text: String) -> String { #"\fB"# + escaped(text) + #"\fR"# }
  private static func italic(_ text: String) -> String { #"\fI"# + escaped(text) + #"\fR"# }

  /// Text in which nothing is a request or an escape, in ASCII, so that it does not depend on the reader's locale.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += #"\e"#
      case "-": result += #"\-"#
      case "'": result += #"\(aq"#
      case "~": result += #"\(ti"#
      case "^": result += #"\(ha"#
      case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
      case _:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits + "]"
      }
    }
    return result.hasPrefix(".") ? #"\&"# + result : result
  }
}
