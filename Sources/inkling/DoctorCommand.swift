import Assistant
import AssistantProtocol
import EngineProtocol
import JSON

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `inkling doctor`: what is installed, whether it works, and how fast it is.
enum DoctorCommand {
  struct Settings: ModelSettings {
    var engine = EngineSetup(warnings: .none)
    var json = false
  }

  static let command = Command<Settings>(
    name: "doctor",
    summary: "Checks the installation: configuration, model, engine, speed, memory, persisted sessions.",
    details: ["It starts an engine of its own and disturbs no running daemon."],
    options: [.flag("--json", "Writes the findings as JSON.", \.json), .model, .config, .noConfig],
    exitStatuses: [(0, "All is well."), (1, "Something is wrong; the findings say what to do.")],
    defaults: { Settings() }, run: { await examine($0) })

  private static func examine(_ settings: Settings) async -> Int32 {
    var findings: [Finding] = [
      Finding("version", .good, Program.version, [("version", .string(Program.version))]),
      Finding("program", .good, Executable.path, [("path", .string(Executable.path))]),
      ConfigurationExamination.finding(settings.engine.configurationFile),
      StoreLocation.finding,
    ]
    let path = settings.engine.modelPath
    let file = ModelExamination.file(path)
    findings.append(file)
    if file.verdict != .bad {
      let (engine, facts) = await ModelExamination.engine(settings.engine)
      findings += [PreparedExamination.finding(path, facts)].compactMap { $0 } + engine
    }
    let isWell = findings.allSatisfy { $0.verdict != .bad }
    let written: Int32
    if settings.json {
      let members = findings.map { ($0.name, $0.json) } + [("ok", JSONValue.bool(isWell))]
      written = Terminal.write(JSONWriter.text(of: .object(JSONObject(members))) + "\n")
    } else {
      written = Terminal.write(
        findings.map(\.text).joined() + (isWell ? "All is well.\n" : "Something is wrong: see above.\n"))
    }
    return isWell ? written : Program.Status.failed
  }
}

/// One thing that was looked at.
struct Finding: Sendable {
  enum Verdict: String, Sendable { case good, note, bad }

  let name: String
  let verdict: Verdict
  /// One line, or several.
  let summary: String
  /// What a program may want to know.
  let details: [(String, JSONValue)]
  /// What to do about it.
  var remedy: String?

  init(_ name: String, _ verdict: Verdict, _ summary: String, _ details: [(String, JSONValue)], remedy: String? = nil) {
    self.name = name
    self.verdict = verdict
    self.summary = summary
    self.details = details
    self.remedy = remedy
  }

  init(_ name: String, _ problem: Unavailability) {
    self.init(
      name, .bad, problem.message, [("reason", .string(problem.reason.rawValue))], remedy: problem.remedy)
  }

  var json: JSONValue {
    var members: [(String, JSONValue)] = [("verdict", .string(verdict.rawValue)), ("summary", .string(summary))]
    members += details
    if let remedy { members.append(("remedy", .string(remedy))) }
    return .object(JSONObject(members))
  }

  var text: String {
    let mark =
      switch verdict {
      case .good: "ok  "
      case .note: "note"
      case .bad: "BAD "
      }
    let padding = String(repeating: " ", count: max(0, 9 - name.count))
    let indent = String(repeating: " ", count: 16)
    let line = "\(mark)  \(name)\(padding) \(summary.replacing("\n", with: "\n" + indent))\n"
    return remedy.map { line + indent + $0 + "\n" } ?? line
  }
}
