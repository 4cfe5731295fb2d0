import Assistant
import JSON

/// `inkling config`: what is configured, where, and what may be.
enum ConfigCommand {
  enum Action: String, CaseIterable, Sendable {
    case check, path, schema, show

    var summary: String {
      switch self {
      case .check: "Says what is wrong with the file, as file:line:column: what."
      case .path: "Writes where the file is, or would be."
      case .schema: "Writes the JSON Schema of the file, for editors."
      case .show: "Writes what holds, defaults included, as JSON."
      }
    }
  }

  struct Settings: ModelSettings {
    var engine = EngineSetup(warnings: .none)
    var action = Action.check
  }

  static let command = Command<Settings>(
    name: "config", summary: "Shows and checks the configuration.", arguments: "check|path|schema|show",
    argumentKinds: ArgumentKinds(first: .words(Action.allCases.map(\.rawValue))),
    details: [
      "The file is $XDG_CONFIG_HOME/inkling/config.json (~/.config/inkling/config.json), JSON with comments. A bad "
        + "value never keeps Inkling from starting: its default holds, and a warning says where it is."
    ],
    choicesTitle: "What is done", choices: Action.allCases.map { ($0.rawValue, $0.summary) },
    options: [.config, .noConfig],
    exitStatuses: [
      (0, "Done; with check: nothing is wrong."), (1, "Something is wrong with the file."),
      (2, "The command line is wrong."),
    ],
    defaults: { Settings() },
    takeArguments: { (settings, words) throws(UsageError) in
      let known = Action.allCases.map(\.rawValue)
      guard let word = words.first, words.count == 1 else {
        throw UsageError("config wants one of \(known.joined(separator: ", "))")
      }
      guard let action = Action.allCases.first(where: { $0.rawValue.hasSameBytes(as: word) }) else {
        throw UsageError(unknown("config command", word, known))
      }
      settings.action = action
    },
    run: { run($0) })

  private static func run(_ settings: Settings) -> Int32 {
    let file = settings.engine.configurationFile
    switch settings.action {
    case .path:
      guard let path = file.path else { return OneShot.fail("there is no configuration file", Program.Status.failed) }
      return Terminal.write(path + "\n")
    case .schema: return Terminal.write(PrettyJSON.text(of: ConfigurationSchema.value))
    case .show: return Terminal.write(PrettyJSON.text(of: file.current.effective))
    case .check:
      let problems = file.reading.problems
      let lines = problems.map { TerminalText.neutralise("\(file.path ?? ""):\($0.description)") + "\n" }
      let written = Terminal.write(lines.joined())
      return problems.isEmpty ? written : Program.Status.failed
    }
  }
}

/// JSON to be read by people: a member a line.
enum PrettyJSON {
  /// Two columns for each level; ends with a line feed.
  static func text(of value: JSONValue) -> String { lines(of: value).joined(separator: "\n") + "\n" }

  private static func lines(of value: JSONValue) -> [String] {
    switch value {
    case .object(let object) where !object.isEmpty:
      let members = object.members.map { member in
        var lines = lines(of: member.value)
        lines[0] = JSONWriter.text(of: .string(member.name)) + ": " + lines[0]
        return lines
      }
      return ["{"] + indented(members) + ["}"]
    case .array(let values) where values.contains { $0.isContainer }:
      return ["["] + indented(values.map(lines(of:))) + ["]"]
    case .null, .bool, .number, .string, .array, .object: return [JSONWriter.text(of: value)]
    }
  }

  private static func indented(_ parts: [[String]]) -> [String] {
    parts.enumerated().flatMap { index, lines in
      var lines = lines
      if index < parts.count - 1 { lines[lines.count - 1] += "," }
      return lines.map { "  " + $0 }
    }
  }
}

extension JSONValue {
  fileprivate var isContainer: Bool {
    switch self {
    case .object, .array: true
    case .null, .bool, .number, .string: false
    }
  }
}
