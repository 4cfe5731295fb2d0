import Assistant
import AssistantProtocol

/// What the commands that need a model share.
struct EngineSetup: Sendable {
  var model: String?
  var load = EngineSupervisor.LoadOptions()
  /// nil: the model stays loaded.
  var idleUnload: Duration? = .seconds(15 * 60)

  /// Whether a prepared copy of the model is loaded instead of the model's file.
  var usesPrepared = true

  var configurationLocation = ConfigurationLocation.usual
  private let warnings: ConfigurationLocation.Warnings
  /// Opened once the command line is known.
  private(set) var configurationFile = ConfigurationFile(path: nil)

  /// - Parameter warnings: how problems of the configuration are said when it is read.
  init(warnings: ConfigurationLocation.Warnings = .counted) { self.warnings = warnings }

  /// Voices and commands of the configuration.
  var customization: Customization { configurationFile.current.customization }

  /// Whether the command line says which model or configuration it is.
  private(set) var isChosen = false

  var modelPath: String { ModelLocation.path(option: model) }

  /// Reads the configuration, and takes from it what neither the command line nor the environment says.
  mutating func configure() {
    isChosen = model != nil || !configurationLocation.isUsual
    configurationFile = configurationLocation.open(warnings)
    let configuration = configurationFile.current
    if model == nil, ModelLocation.environment("INKLING_MODEL") == nil {
      model = configuration.model.map(configurationFile.resolved)
    }
    if load.contextSize == 0, let context = configuration.context { load.contextSize = context }
  }

  var launcher: ProcessLauncher {
    // The library's own debugger hook would stop a crashing child instead of letting it end.
    ProcessLauncher(
      executable: Executable.startPath, arguments: ["inkling", "engine"], environment: ["GGML_NO_BACKTRACE=1"])
  }

  func makeSupervisor(log: Log) -> EngineSupervisor {
    var configuration = SupervisorState.Configuration(buildID: Executable.buildID)
    configuration.idleUnload = idleUnload
    var options = load
    options.prefixFolder = ModelLocation.prefixFolder
    return EngineSupervisor(
      configuration: configuration, modelPath: modelPath, options: options,
      prepared: usesPrepared ? ModelLocation.preparedModels : nil, launcher: launcher, log: log)
  }
}

/// Settings of a command with a model.
protocol ModelSettings: Sendable {
  var engine: EngineSetup { get set }
}

extension Option where Settings: ModelSettings {
  static var model: Option {
    .value("--model", "FILE", "The model, a GGUF file.", kind: .file) { (settings, path) throws(UsageError) in
      guard !path.isEmpty else { throw UsageError("--model wants a path") }
      settings.engine.model = path
    }
  }
}
