import Assistant
import AssistantProtocol
import JSON

/// `inkling run`: a command of the configuration, once.
enum RunCommand {
  struct Settings: OneShotSettings {
    var engine = EngineSetup()
    var request = OneShotRequest()
    var id = ""
    var format = TextFormat.plaintext
  }

  static let command = Command<Settings>(
    name: "run", summary: "Runs a command of your configuration.", arguments: "COMMAND [TEXT...]",
    argumentKinds: ArgumentKinds(first: .names(.commands)),
    details: [
      "The text is the arguments, or standard input when there are none or only “-”; a command without an input reads "
        + "none. “inkling config show” lists the commands."
    ],
    options: [
      .choice("--format", "FORMAT", "The format of a value (default plaintext)", \.format)
    ] + .shared() + [
      .temperature("0 always takes the likeliest word; up to 2 is more varied (default: by the command)."), .seed,
      .maxTokens("The longest result in tokens (default: by the command)."), .model, .config, .noConfig,
    ],
    exitStatuses: OneShot.exitStatuses(
      usage: "The command line is wrong, or there is no such command.",
      unsuitable: "The text is empty, not UTF-8, over 4 MiB, or too long for the context window."),
    defaults: { Settings() },
    takeArguments: { (settings, words) throws(UsageError) in
      guard let id = words.first else { throw UsageError("run wants the id of a command") }
      settings.id = id
      try settings.request.takeArguments(Array(words.dropFirst()))
    },
    run: { await run($0) })

  private static func run(_ given: Settings) async -> Int32 {
    let commands = given.engine.customization.commands
    guard let definition = commands.first(where: { $0.id.hasSameBytes(as: given.id) }) else {
      return OneShot.fail(unknownName("command", given.id, commands.map(\.id)), Program.Status.usage)
    }
    var settings = given
    // What is not used is not waited for.
    if definition.input == .none { settings.request.text = "" }
    return await OneShot.run(
      settings, CustomCommand.self, streams: definition.way != .value,
      params: { [settings] text in
        var params = CustomCommand.Params(id: settings.id, text: text, common: settings.request.common)
        params.format = settings.format
        return params
      },
      finish: { result, screen in
        OneShot.write(
          result.text, of: result, settings, screen,
          addsLineFeed: definition.way != .rewrite || settings.request.text != nil)
      })
  }
}
