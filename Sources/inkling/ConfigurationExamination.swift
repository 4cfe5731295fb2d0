import Assistant
import JSON

/// What `doctor` says of the configuration.
enum ConfigurationExamination {
  static func finding(_ file: ConfigurationFile) -> Finding {
    guard let path = file.path else { return Finding("config", .note, "none is read", [("path", .null)]) }
    let reading = file.reading
    let details: [(String, JSONValue)] = [
      ("path", .string(path)), ("problems", .array(reading.problems.map { json($0) })),
    ]
    guard !reading.problems.isEmpty else {
      let commands = reading.configuration.customization.commands.count
      return Finding("config", .good, "\(path): \(commands) commands of your own, no problems", details)
    }
    let lines = reading.problems.map { TerminalText.neutralise("\(path):\($0.description)") }
    return Finding(
      "config", .bad, lines.joined(separator: "\n"), details,
      remedy: "What is wrong is left out and the rest holds; “inkling config schema” says what may be.")
  }

  private static func json(_ problem: ConfigurationProblem) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("line", problem.position.line.json), ("column", problem.position.column.json), ("path", problem.path.json),
      ("message", problem.message.json),
    ]
    if let suggestion = problem.suggestion { members.append(("suggestion", suggestion.json)) }
    return .object(JSONObject(members))
  }
}
