import Assistant
import EngineProtocol
import JSON

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `inkling prepare`: the fastest form of a model's weights for this machine.
enum PrepareCommand {
  struct Settings: ModelSettings {
    var engine = EngineSetup()
    var maxDrift: Double?
    var json = false
    var force = false
    var removes = false
  }

  static let command = Command<Settings>(
    name: "prepare", summary: "Makes a copy of the model that is faster on this machine, when there is one.",
    details: [
      "Models with at most half a billion weights only. Copies with 8 and 4 bits a weight are made aside and measured "
        + "against the model: how fast they read \(ModelPreparation.runTokens.read) tokens and write "
        + "\(ModelPreparation.runTokens.written), the perplexity of a sample text, and their drift, the mean KL "
        + "divergence of their predictions from the model's. The fastest within --max-drift is kept if it saves a "
        + "tenth of the time, and from then on used by all commands instead of the model's file, which stays as it is.",
      "Copies are kept in $XDG_CACHE_HOME/inkling/prepared (~/.cache/inkling/prepared). When nothing has changed since "
        + "the last time, nothing is done.",
    ],
    options: [
      .model, .config, .noConfig,
      .value(
        "--max-drift", "NATS",
        "The most drift allowed (default: as the last time, else \(PreparedManifest.defaultMaxDrift)).", kind: .number
      ) { (settings, text) throws(UsageError) in
        guard let value = Double(text), (0...100).contains(value) else {
          throw UsageError("--max-drift wants a number from 0 to 100, not “\(text)”")
        }
        settings.maxDrift = value
      },
      .flag("--json", "Writes what was measured as JSON.", \.json),
      .flag("--force", "Makes and measures copies again.", \.force),
      .flag("--remove", "Removes what was prepared for the model.", \.removes),
    ],
    exitStatuses: [
      (0, "Done, or nothing was to be done."), (1, "It failed; standard error says why. The model works without."),
      (2, "The command line is wrong."), (130, "Interrupted; what there was before is still there."),
    ],
    defaults: { Settings() },
    check: { settings throws(UsageError) in
      if settings.removes, settings.force { throw UsageError("--remove and --force are opposites: give one of them") }
    },
    run: { await prepare($0) })

  private static func prepare(_ settings: Settings) async -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    guard let models = ModelLocation.preparedModels else {
      return fail(
        PreparationError("There is no place for copies: neither XDG_CACHE_HOME nor HOME is set.", remedy: "Set one."))
    }
    let preparation = ModelPreparation(
      models: models, launcher: settings.engine.launcher, buildID: Executable.buildID)
    if settings.removes { return remove(settings, preparation) }
    let interruption = Interruption()
    Signals.onFirst { interruption.receive($0) }
    let screen = Screen(streams: false)
    let work = Task { () async -> Result<ModelPreparation.Outcome, ModelPreparation.Failure> in
      do throws(ModelPreparation.Failure) {
        return .success(
          try await preparation.prepare(
            settings.engine.modelPath, maxDrift: settings.maxDrift, force: settings.force
          ) { screen.showProgress($0.words, Int($1 * 100)) })
      } catch {
        return .failure(error)
      }
    }
    interruption.cancels { work.cancel() }
    let outcome = await work.value
    screen.clearProgress()
    switch outcome {
    case .success(let outcome):
      if case .measured(_, let failures) = outcome { for failure in failures { OneShot.warn(failure) } }
      return Terminal.write(settings.json ? json(outcome) : text(outcome))
    case .failure(let failure):
      switch failure.kind {
      case .cancelled: return interruption.signal.map { 128 + $0 } ?? Program.Status.interrupted
      case .failed(let error): return fail(error)
      }
    }
  }

  private static func remove(_ settings: Settings, _ preparation: ModelPreparation) -> Int32 {
    let path = settings.engine.modelPath
    do throws(PreparationError) {
      let wasThere = try preparation.remove(path)
      if settings.json {
        return Terminal.write(JSONWriter.text(of: ["model": .string(path), "removed": .bool(wasThere)]) + "\n")
      }
      return Terminal.write(
        wasThere ? "What was prepared for \(path) is removed.\n" : "Nothing was prepared for \(path).\n")
    } catch {
      return fail(error)
    }
  }

  private static func fail(_ error: PreparationError) -> Int32 {
    OneShot.fail("\(error.message) \(error.remedy)", Program.Status.failed)
  }

  // MARK: - What was found

  private static func json(_ outcome: ModelPreparation.Outcome) -> String {
    let members: [(String, JSONValue)] =
      switch outcome {
      case .notSuitable(let why): [("outcome", "notSuitable"), ("message", .string(why))]
      case .measured(let manifest, _): [("outcome", "measured"), ("prepared", manifest.json)]
      case .unchanged(let manifest): [("outcome", "unchanged"), ("prepared", manifest.json)]
      }
    return JSONWriter.text(of: .object(JSONObject(members))) + "\n"
  }

  private static func text(_ outcome: ModelPreparation.Outcome) -> String {
    switch outcome {
    case .notSuitable(let why): return "Nothing is to be done: \(TerminalText.neutralise(why))\n"
    case .measured(let manifest, _): return PreparedTable.text(manifest) + PreparedTable.conclusion(manifest) + "\n"
    case .unchanged(let manifest):
      return "Nothing is to be done: nothing has changed since the last time. \(PreparedTable.conclusion(manifest))\n"
    }
  }
}

extension ModelPreparation.Step {
  fileprivate var words: String {
    switch self {
    case .making(let format): "making \(format.rawValue)"
    case .measuring: "measuring"
    }
  }
}

/// What was measured, for people.
enum PreparedTable {
  static func text(_ manifest: PreparedManifest) -> String {
    let head = ["weights", "size", "reads", "writes", "time", "perplexity", "drift", ""]
    let rows = manifest.candidates.map { candidate in
      let figures = candidate.figures
      let isUsed = candidate.format == manifest.copy?.format
      return [
        candidate.format?.rawValue ?? figures.quantization, ByteCount.text(candidate.sizeBytes),
        "\(Int(figures.prefillTokensPerSecond.rounded()))/s", "\(Int(figures.decodeTokensPerSecond.rounded()))/s",
        decimal(figures.relativeTime, 2), decimal(figures.perplexity, 2), decimal(figures.divergence, 4),
        [candidate.format == nil ? "the model" : nil, isUsed ? "used" : nil].compactMap { $0 }.joined(separator: ", "),
      ]
    }
    return TextTable.text([head] + rows, wordColumns: [0, head.count - 1])
  }

  /// One sentence.
  static func conclusion(_ manifest: PreparedManifest) -> String {
    guard let copy = manifest.copy,
      let figures = manifest.candidates.first(where: { $0.format == copy.format })?.figures
    else {
      return "The model's own file is used: no copy saves a tenth of the time within a drift of "
        + "\(manifest.maxDrift)."
    }
    return "The \(copy.format.rawValue) copy is used: it takes \(Int((figures.relativeTime * 100).rounded())) % of the "
      + "time, and drifts \(decimal(figures.divergence, 4)) (at most \(manifest.maxDrift))."
  }

  private static func decimal(_ value: Double, _ places: Int) -> String {
    var scale = 1
    for _ in 0..<places { scale *= 10 }
    guard value.isFinite, value >= 0, value < 1e9 else { return "\(value)" }
    let scaled = Int((value * Double(scale)).rounded())
    let digits = String(scaled % scale)
    return "\(scaled / scale)." + String(repeating: "0", count: places - digits.count) + digits
  }
}
