import JSON

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The program: finds the command and runs it.
enum Program {
  static let version = "0.1.0"

  /// Exit statuses that all commands share.
  enum Status {
    static let failed: Int32 = 1
    static let usage: Int32 = 2
    static let interrupted: Int32 = 130
  }

  /// A command without its type of settings.
  private struct Entry {
    let description: CommandDescription
    let run: @Sendable ([String]) async -> Int32

    /// A command that heeds the configuration.
    init<Settings: ModelSettings>(configured command: Command<Settings>) {
      var configured = command
      configured.run = { settings in
        var settings = settings
        settings.engine.configure()
        return await command.run(settings)
      }
      self.init(configured)
    }

    init<Settings>(_ command: Command<Settings>) {
      description = CommandDescription(command)
      run = { arguments in
        let settings: Settings
        do throws(UsageError) {
          settings = try command.parse(arguments)
        } catch {
          return Program.refuse(error.message, command: command.name)
        }
        return await command.run(settings)
      }
    }
  }

  private static let commands = [
    Entry(configured: RephraseCommand.command), Entry(configured: SummarizeCommand.command),
    Entry(configured: BrainstormCommand.command), Entry(configured: GenerateCommand.command),
    Entry(configured: RunCommand.command), Entry(configured: ChatCommand.command),
    Entry(configured: ConnectCommand.command),
    Entry(configured: ServeCommand.command), Entry(StatusCommand.command), Entry(StopCommand.command),
    Entry(configured: ConfigCommand.command), Entry(configured: DoctorCommand.command),
    Entry(configured: PrepareCommand.command), Entry(configured: ModelsCommand.command),
    Entry(CompletionsCommand.command), Entry(ManualCommand.command), Entry(configured: NamesCommand.command),
    Entry(EngineCommand.command),
  ]

  /// The commands that people are shown.
  static var visibleCommands: [CommandDescription] { commands.map(\.description).filter { !$0.isHidden } }

  /// The options of the program itself.
  static let options = [
    ("--help", "Shows this text; after a command, that command's."), ("--version", "Shows the version."),
  ]
  static let summary = "A private writing assistant for editors: a local language model. Nothing leaves this machine."
  static let modelPlaces =
    "The model is --model FILE, else INKLING_MODEL, else the configuration's, else \(ModelLocation.defaultName) in "
    + "INKLING_MODEL_DIR, else in $XDG_DATA_HOME/inkling/models (~/.local/share/inkling/models). The configuration is "
    + "described by “inkling config --help”. Inkling itself has no network code; “inkling models pull” runs curl."

  /// Runs the command line in a task, and then ends the process.
  static func start(_ arguments: [String]) {
    Task { exit(await run(arguments)) }
  }

  private static func run(_ arguments: [String]) async -> Int32 {
    // Swift has replaced what is not UTF-8, and nobody wants that in a result.
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = CommandLine.unsafeArgv[index] else { continue }
      if String(validatingCString: argument) == nil { return refuse("argument \(index) is not UTF-8") }
    }
    guard let first = arguments.first else {
      Terminal.writeError(help)
      return Status.usage
    }
    if ["--help", "-h", "help"].contains(where: { $0.hasSameBytes(as: first) }) {
      return showHelp(of: arguments.dropFirst().first)
    }
    if ["--version", "-V"].contains(where: { $0.hasSameBytes(as: first) }) {
      return Terminal.write("inkling \(version)\n")
    }
    guard let command = commands.first(where: { $0.description.name.hasSameBytes(as: first) }) else {
      let kind = first.utf8.starts(with: "-".utf8) ? "option" : "command"
      return refuse(unknown(kind, first, visibleCommands.map(\.name) + ["--help", "--version"]))
    }
    let rest = Array(arguments.dropFirst())
    let asksForHelp = rest.prefix { !$0.hasSameBytes(as: "--") }.contains {
      $0.hasSameBytes(as: "--help") || $0.hasSameBytes(as: "-h")
    }
    if asksForHelp { return Terminal.write(command.description.help) }
    return await command.run(rest)
  }

  private static func showHelp(of name: String?) -> Int32 {
    guard let name else { return Terminal.write(help) }
    guard let command = commands.first(where: { $0.description.name.hasSameBytes(as: name) }) else {
      return refuse(unknown("command", name, visibleCommands.map(\.name)))
    }
    return Terminal.write(command.description.help)
  }

  private static var help: String {
    let rows = visibleCommands.map { ($0.name, $0.summary) }
    let lines =
      ["Usage: inkling COMMAND [options]", ""] + wrap(summary) + ["", "Commands:"] + table(rows) + ["", "Options:"]
      + table(options) + [""] + wrap(modelPlaces)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func refuse(_ message: String, command: String? = nil) -> Int32 {
    let help = (command.map { "inkling \($0)" } ?? "inkling") + " --help"
    Terminal.writeError("inkling: \(message) (see “\(help)”)\n")
    return Status.usage
  }
}
