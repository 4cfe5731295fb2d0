import Assistant
import Synchronization

/// Where the configuration is looked for.
enum ConfigurationLocation: Sendable {
  /// INKLING_CONFIG, else the XDG configuration folder's file, if it is there.
  case usual
  /// A file that must be there.
  case file(String)
  case none

  static let name = "/inkling/config.json"

  var isUsual: Bool { if case .usual = self { true } else { false } }

  /// nil when there is no place for one.
  var path: String? {
    switch self {
    case .none: return nil
    case .file(let path): return ModelLocation.absolute(path)
    case .usual:
      if let path = ModelLocation.environment("INKLING_CONFIG") { return ModelLocation.absolute(path) }
      // The XDG specification has relative paths ignored.
      if let folder = ModelLocation.environment("XDG_CONFIG_HOME"), folder.utf8.first == UInt8(ascii: "/") {
        return folder + Self.name
      }
      return ModelLocation.environment("HOME").map { $0 + "/.config" + Self.name }
    }
  }

  /// Whether it is a problem when there is no such file: somebody has named it.
  var isRequired: Bool {
    switch self {
    case .none: false
    case .file: true
    case .usual: ModelLocation.environment("INKLING_CONFIG") != nil
    }
  }

  /// How problems are said on standard error.
  enum Warnings: Sendable {
    case none
    /// In one line, for a command whose user wants something else.
    case counted
    /// A line each, with their places.
    case each
  }

  func open(_ warnings: Warnings) -> ConfigurationFile {
    let path = path
    let atStart = StartValues()
    return ConfigurationFile(path: path, isRequired: isRequired) { reading in
      guard let path else { return }
      switch warnings {
      case .none: return
      case .counted where reading.problems.count > 1:
        OneShot.warn("\(path) has \(reading.problems.count) problems; “inkling config check” lists them")
      case .counted, .each: for problem in reading.problems { OneShot.warn("\(path):\(problem.description)") }
      }
      if !atStart.hold(in: reading.configuration) {
        OneShot.warn("\(path): “model” and “context” are taken up at the next start")
      }
    }
  }
}

/// What is taken from the configuration once, when the program starts.
private final class StartValues: Sendable {
  private struct Values: Equatable {
    var model: String?
    var context: Int?
  }

  private let first = Mutex<Values?>(nil)

  /// Whether the configuration says the same as the first one.
  func hold(in configuration: Configuration) -> Bool {
    let now = Values(model: configuration.model, context: configuration.context)
    return first.withLock { first in
      let start = first ?? now
      first = start
      return start == now
    }
  }
}

extension Option where Settings: ModelSettings {
  static var config: Option {
    .value("--config", "FILE", "The configuration, instead of INKLING_CONFIG or the usual file.", kind: .file) {
      (settings, path) throws(UsageError) in
      guard !path.isEmpty else { throw UsageError("--config wants a path") }
      settings.engine.configurationLocation = .file(path)
    }
  }

  static var noConfig: Option {
    Option(name: "--no-config", placeholder: nil, summary: "Reads no configuration; the defaults hold.") {
      settings, _ in
      settings.engine.configurationLocation = .none
    }
  }
}
