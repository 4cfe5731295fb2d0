import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// The LSP face with clients that others have written: they know nothing of Inkling but its program's name.
  @Suite(.serialized) enum LanguageClients {}
}

/// Documents, a configuration and a shared daemon for one test, apart from all others.
final class Workbench {
  let folder: TemporaryFolder
  let environment: [String: String]

  /// What the command “Swap” answers: the model has no choice, so that a test knows the whole document afterwards.
  static let known = "A text that is known."
  /// “Slow” is at work for a second or so, “Endless” until it is cancelled.
  private static let configuration = """
    {
      "commands": [
        {
          "id": "swap", "title": "Swap", "input": "selection", "output": "replace", "instructions": "Answer.",
          "schema": {"type": "string", "enum": ["\(known)"]},
        },
        {
          "id": "slow", "title": "Slow", "input": "selection", "output": "replace", "instructions": "Answer.",
          "schema": {"type": "string", "minLength": 250, "maxLength": 300},
        },
        {
          "id": "endless", "title": "Endless", "input": "selection", "output": "replace", "instructions": "Go on.",
          "schema": {"type": "array", "minItems": 50, "items": {"type": "string", "minLength": 60}},
        },
      ],
    }
    """

  init() throws {
    folder = try TemporaryFolder()
    let model = try DefaultModel.path().split(separator: "/").dropLast().map { "/" + $0 }.joined()
    let configuration = try folder.file("config.json", Array(Self.configuration.utf8))
    mkdir(folder.path("run"), 0o700)
    environment = [
      "HOME": folder.root, "PATH": Programs.searchPath, "INKLING_MODEL_DIR": model, "INKLING_CONFIG": configuration,
      "XDG_RUNTIME_DIR": folder.path("run"), "XDG_STATE_HOME": folder.path("state"), "LC_ALL": "C.UTF-8",
      "XDG_CONFIG_HOME": folder.path("config"), "XDG_CACHE_HOME": folder.path("cache"),
    ]
  }

  deinit { _ = try? run(Daemon.executable, ["stop", "--force"]) }

  /// A file of the test's folder; the text with other line ends if wanted.
  func document(_ name: String, _ text: String = Sample.text, lineEnd: String = "\n") throws -> String {
    try folder.file(name, Array(text.replacing("\n", with: lineEnd).utf8))
  }

  func text(_ name: String) throws -> String { try readText(folder.path(name)) }

  @discardableResult
  func run(
    _ program: String, _ arguments: [String], adding extra: [String: String] = [:], within seconds: Double = 120
  ) throws -> (exit: SpawnedProcess.Exit, output: String, error: String) {
    let process = try SpawnedProcess(program, arguments, environment: environment.merging(extra) { $1 })
    process.closeInput()
    let output = String(decoding: try process.readToEnd(within: seconds), as: UTF8.self)
    return (try process.waitForExit(), output, process.standardError())
  }
}

/// The document of most tests: what is hard for positions, and a last line without an end.
enum Sample {
  static let text = """
    Notes 📝 of today

    \tHi 👋🏽, hey guys, the train's broken so i'm gonna be late. Bye, Zoë!
      - a second line
    the last line
    """
  static let sentence = "hey guys, the train's broken so i'm gonna be late."
}

/// An editor that a driver beside this file leads through a list of steps.
enum EditorDriver: String {
  case neovim, eglot

  private var driver: String { Repository.path("Tests/EndToEndTests/LanguageClients/\(rawValue)") }
  private var configuration: String { Repository.path("editor-configs/lsp/\(rawValue)") }

  /// What the editor saw.
  struct Observation {
    let json: JSONValue

    var menus: [[JSONValue]] { json["menus"]?.arrayValue?.compactMap(\.arrayValue) ?? [] }
    var messages: [String] { strings("messages") }
    var progress: [String] { strings("progress") }
    /// For each edit that was asked for, whether it was made.
    var answers: [JSONValue] { json["answers"]?.arrayValue ?? [] }

    private func strings(_ name: String) -> [String] { json[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }

    /// The longest wait for the answer to a method, in seconds.
    func seconds(_ method: String) -> Double? {
      guard case .number(let number)? = json["times"]?[method] else { return nil }
      return number.double
    }
  }

  /// Leads the editor through the steps. It must come to its end, and leave no server behind.
  func play(_ steps: [JSONValue], at bench: Workbench) throws -> Observation {
    let list = try bench.folder.file("steps.json", JSONWriter.bytes(of: .array(steps)))
    let (program, arguments, ending) =
      switch self {
      case .neovim:
        ("nvim", ["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", "luafile \(driver).lua"], "lua")
      case .eglot: ("emacs", ["--batch", "--no-init-file", "-l", "\(driver).el"], "el")
      }
    let run = try bench.run(
      program, arguments,
      adding: ["INKLING_STEPS": list, "INKLING_EDITOR_CONFIG": "\(configuration).\(ending)"])
    let line = run.output.split(separator: "\n").last { $0.hasPrefix("OBSERVED ") }
    let json = try #require(line, "\(run.output)\(run.error)").dropFirst("OBSERVED ".count)
    let observation = Observation(json: try JSONParser.parse(Array(json.utf8)))
    #expect(run.exit == .status(0), "\(run.error)")
    let problem = observation.json["problem"]
    #expect(problem == nil || problem == .null, "\(String(describing: problem)): \(run.error)")
    let server = try #require(observation.json["process"]?.intValue)
    #expect(Daemon.waitUntilGone(pid_t(server), within: 5), "the editor's server is still there")
    return observation
  }
}
