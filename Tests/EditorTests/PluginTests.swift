import TestSupport
import Testing

/// The plugins, in their editors. Each folder here has a script `run` that knows its tests; `run --list` names them,
/// and `run NAME` runs one.
@Suite(.serialized) struct PluginTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let editor: String
    let name: String
    var testDescription: String { "\(editor): \(name)" }
  }

  /// What runs the tests of each editor: itself, or for those that are not to be had what stands in for it.
  private static let programs = [
    "emacs": "emacs", "helix": "python3", "kakoune": "kak", "neovim": "nvim", "vim": "vim", "vscode": "node",
  ]

  private static let editors: [String] = (Files.list(Repository.path("Tests/EditorTests")) ?? []).filter { folder in
    Files.list(Repository.path("Tests/EditorTests/\(folder)"))?.contains("run") == true
  }

  static let cases: [Case] = editors.filter { Programs.isTested(programs[$0] ?? $0) }.flatMap { editor in
    let names = (try? output(of: editor, ["--list"]))?.split(separator: "\n").map(String.init) ?? []
    return (names.isEmpty ? ["--list"] : names).map { Case(editor: editor, name: $0) }
  }

  @Test("A plugin in its editor (not run where the editor is not installed)", arguments: cases)
  func plugin(_ test: Case) throws {
    _ = try Self.output(of: test.editor, [test.name])
  }

  @Test("no plugin is without its tests")
  func everyPlugin() {
    for editor in Self.editors where !Programs.isTested(Self.programs[editor] ?? editor) {
      print("not run, since the editor is not installed: the tests of \(editor)")
    }
    let plugins = (Files.list(Repository.path("editor-configs")) ?? []).filter { Self.programs[$0] != nil }
    #expect(plugins.allSatisfy(Self.editors.contains), "\(plugins)")
  }

  private static func output(of editor: String, _ arguments: [String]) throws -> String {
    let process = try SpawnedProcess(
      Repository.path("Tests/EditorTests/\(editor)/run"), arguments, environment: ["INKLING_BINARY": BuiltProgram.path])
    process.closeInput()
    let output = String(decoding: try process.readToEnd(within: 120), as: UTF8.self)
    guard try process.waitForExit() == .status(0), arguments != ["--list"] || !output.isEmpty else {
      throw SpawnedProcess.Failure("\(editor) \(arguments): \(output)\(process.standardError())")
    }
    return output
  }
}
