/// `inkling completions`: what a shell needs to complete the command line, from the tables of the commands.
enum CompletionsCommand {
  enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    var installation: String {
      switch self {
      case .bash: "inkling completions bash > ~/.local/share/bash-completion/completions/inkling"
      case .zsh: "inkling completions zsh > FOLDER/_inkling, where FOLDER is in $fpath"
      case .fish: "inkling completions fish > ~/.config/fish/completions/inkling.fish"
      }
    }
  }

  struct Settings: Sendable {
    var shell = Shell.bash
  }

  private static let shells = Shell.allCases.map(\.rawValue)

  static let command = Command<Settings>(
    name: "completions", summary: "Writes the completions of a shell.", arguments: shells.joined(separator: "|"),
    argumentKinds: ArgumentKinds(first: .words(shells)),
    details: ["“make install” puts them where the shells look."],
    choicesTitle: "For one user", choices: Shell.allCases.map { ($0.rawValue, $0.installation) }, options: [],
    exitStatuses: [(0, "Done."), (2, "The command line is wrong.")], defaults: { Settings() },
    takeArguments: { (settings, words) throws(UsageError) in
      guard let word = words.first, words.count == 1 else {
        throw UsageError("completions wants one of \(shells.joined(separator: ", "))")
      }
      guard let shell = Shell.allCases.first(where: { $0.rawValue == word }) else {
        throw UsageError(unknown("shell", word, shells))
      }
      settings.shell = shell
    },
    run: { settings in
      let commands = Program.visibleCommands
      let text =
        switch settings.shell {
        case .bash: BashCompletion.text(commands)
        case .zsh: ZshCompletion.text(commands)
        case .fish: FishCompletion.text(commands)
        }
      return Terminal.write(text)
    })
}

/// `inkling man`: the manual page.
enum ManualCommand {
  static let command = Command<Void>(
    name: "man", summary: "Writes the manual page.", details: ["“inkling man | man -l -” shows it."], options: [],
    exitStatuses: [(0, "Done."), (2, "The command line is wrong.")], defaults: {},
    run: { Terminal.write(ManualPage.text(Program.visibleCommands)) })
}

extension String {
  /// As one word of a shell.
  var shellQuoted: String { "'" + replacing("'", with: #"'\''"#) + "'" }
}
