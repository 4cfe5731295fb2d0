import TestSupport
import Testing

extension EndToEnd.LanguageClients {
  /// pytest-lsp, which reads messages with the types of lsprotocol and stands in for three editors.
  @Suite(.serialized) struct Pytest {
    private static let packages = Repository.path(".deps/test-packages")
    private static let isTested =
      Environment["CI"] != nil || Files.list(packages)?.contains("pytest_lsp") == true
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    @Test("pytest-lsp as three editors (not run where Python is older than 3.10)", .enabled(if: isTested))
    func threeEditors() throws {
      let run = try bench.run(
        Repository.path(".deps/venv/bin/python"),
        [
          "-m", "pytest", "-rA", "-p", "no:cacheprovider", "-W", "error::pytest_lsp.LspSpecificationWarning", "-o",
          "asyncio_default_fixture_loop_scope=function",
          Repository.path("Tests/EndToEndTests/LanguageClients/test_pygls.py"),
        ],
        adding: ["PYTHONPATH": Self.packages, "PYTHONDONTWRITEBYTECODE": "1"], within: 180)
      #expect(run.exit == .status(0), "\(run.output)\(run.error)")
      let passed = run.output.matches(of: #/(?m)^PASSED .*::(test_\w+)\[(.+)\]$/#).map { "\($0.1) \($0.2)" }
      let editors = ["visual-studio-code", "neovim@v0.11", "emacs"]
      let expected =
        ["test_actions_and_edits", "test_progress_and_cancellation", "test_typed_inside_and_closed"].flatMap { test in
          editors.map { "\(test) \($0)" }
        } + ["test_rephrase visual-studio-code"]
      #expect(passed.sorted() == expected.sorted(), "\(run.output)")
    }
  }
}
