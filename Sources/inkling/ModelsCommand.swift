import Assistant
import JSON
import Models

/// `inkling models`: the models on this machine, whoever keeps them.
enum ModelsCommand {
  enum Action: String, CaseIterable, Sendable {
    case list, use, pull

    var summary: String {
      switch self {
      case .list: "Lists what Inkling, Ollama, LM Studio, Hugging Face and llama.cpp have on the disk (the default)."
      case .use: "Writes a model from the list, or a file, into the configuration, which otherwise stays as it is."
      case .pull: "Fetches a GGUF file: from https://…, or from hf:ORGANISATION/NAME/FILE at Hugging Face."
      }
    }
  }

  struct Settings: ModelSettings {
    var engine = EngineSetup(warnings: .none)
    var action = Action.list
    /// What is used or pulled.
    var subject = ""
    var json = false
    var fileName: String?
    var checksum: String?
    var force = false
  }

  static let command = Command<Settings>(
    name: "models", summary: "Lists the models on this machine, chooses one, fetches one.",
    arguments: "[list | use NAME-OR-PATH | pull SOURCE]",
    argumentKinds: ArgumentKinds(
      first: .words(Action.allCases.map(\.rawValue)),
      behindWord: [(Action.use.rawValue, .names(.models)), (Action.pull.rawValue, .text)]),
    details: [
      "Under “fits” stands whether the file and the KV cache of the context window fit into memory: yes; tight, when "
        + "other programs have to give some back; no. A * marks the model in use.",
      "“pull” runs the program curl: Inkling itself has no network code. The file goes to INKLING_MODEL_DIR, else "
        + "$XDG_DATA_HOME/inkling/models (~/.local/share/inkling/models). Until it is whole and has been checked it is "
        + "called FILE.part; after an interruption the same command goes on from there, if the server still has the "
        + "same file (FILE.part.source remembers it). Its SHA-256 is compared with "
        + "--sha256, or with the one that Hugging Face tells (HF_ENDPOINT names another server than "
        + "https://huggingface.co). http:// is taken for servers of this machine only, and redirections are followed "
        + "to https:// only.",
    ],
    choicesTitle: "What is done", choices: Action.allCases.map { ($0.rawValue, $0.summary) },
    options: [
      .flag("--json", "list: writes what was found as JSON.", \.json),
      .value("--name", "FILE", "pull: what the file is called here; it ends in .gguf.") {
        (settings, name) throws(UsageError) in
        guard ModelsPull.isFileName(name) else {
          throw UsageError(
            "--name wants the name of a file, without a folder or invisible characters, and with .gguf "
              + "at its end, not “\(name)”")
        }
        settings.fileName = name
      },
      .value("--sha256", "HEX", "pull: the SHA-256 that the file must have.") { (settings, text) throws(UsageError) in
        guard text.utf8.count == 64, text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
          throw UsageError("--sha256 wants 64 hexadecimal digits")
        }
        settings.checksum = text
      },
      .flag("--force", "pull: replaces a file of the same name, and a whole FILE.part.", \.force), .config,
    ],
    exitStatuses: [
      (0, "Done."), (1, "It failed; standard error says why."), (2, "The command line is wrong."),
      (130, "Interrupted; what has come is kept."),
    ],
    defaults: { Settings() },
    takeArguments: { (settings, words) throws(UsageError) in try settings.take(words) },
    check: { settings throws(UsageError) in
      if settings.json, settings.action != .list { throw UsageError("--json is for “models list”") }
      let isForPull = settings.fileName != nil || settings.checksum != nil || settings.force
      if isForPull, settings.action != .pull {
        throw UsageError("--name, --sha256 and --force are for “models pull”")
      }
    },
    run: { settings in
      switch settings.action {
      case .list: ModelList(settings.engine).write(asJSON: settings.json)
      case .use: use(settings)
      case .pull: await ModelsPull.run(settings)
      }
    })

  private static func use(_ settings: Settings) -> Int32 {
    guard let configuration = settings.engine.configurationLocation.path else {
      return OneShot.fail("there is no place for a configuration file: set HOME", Program.Status.failed)
    }
    let model: FoundModel
    switch ModelList(settings.engine).find(settings.subject) {
    case .success(let found): model = found
    case .failure(let error): return OneShot.fail(error.message, Program.Status.failed)
    }
    if let problem = model.problem {
      return OneShot.fail("\(model.path) \(problem). The configuration is left as it is.", Program.Status.failed)
    }
    do throws(ConfigurationEdit.Failure) {
      try ConfigurationEdit.setModel(model.path, in: configuration)
    } catch {
      return OneShot.fail(error.message, Program.Status.failed)
    }
    if let other = ModelLocation.environment("INKLING_MODEL") {
      OneShot.warn("INKLING_MODEL is set, and goes before the configuration: \(other)")
    }
    return Terminal.write(
      TerminalText.oneLine(
        "\(model.path) is the model of \(configuration) from the next start on; “inkling stop” ends a daemon that runs."
      ) + "\n")
  }
}

extension ModelsCommand.Settings {
  fileprivate mutating func take(_ words: [String]) throws(UsageError) {
    guard let word = words.first else { return }
    let known = ModelsCommand.Action.allCases
    guard let action = known.first(where: { $0.rawValue.hasSameBytes(as: word) }) else {
      throw UsageError(unknown("models command", word, known.map(\.rawValue)))
    }
    self.action = action
    switch (action, words.count) {
    case (.list, 1): break
    case (.list, _): throw UsageError("models list takes no arguments, but was given “\(words[1])”")
    case (.use, 2), (.pull, 2): subject = words[1]
    case (.use, _): throw UsageError("models use wants one name or path")
    case (.pull, _): throw UsageError("models pull wants one address")
    }
  }
}
