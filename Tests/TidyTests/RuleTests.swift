import Testing

/// The rules themselves: each finds what it is there to find, and nothing else.
@Suite struct RuleTests {
  private func check(
    _ source: String, at path: String = "Sources/JSON/A.swift", _ expected: [Int],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let file = SourceFile(path: path, text: source)
    let findings = forbiddenWords.flatMap { $0.findings(in: file) } + genericNoncopyableDeinits(in: file)
    #expect(findings.map(\.line) == expected, "\(findings)", sourceLocation: sourceLocation)
  }

  @Test func wordsAreFoundInCode() {
    check("let a = 1\nlet b = try! f()\n", [2])
    check("final class A: @unchecked Sendable {}", [1])
    check("nonisolated(unsafe) var a = 1", [1])
    check("Task.detached { }", [1])
    check("x()\nprint(1)", [2])
    check("  fatalError()", [1])
    check("let text = \"\\(try! f())\"", [1])
    check("@testable import JSON", at: "Tests/JSONTests/A.swift", [1])
    check("try await Task.sleep(for: .seconds(1)); usleep(3)", at: "Tests/JSONTests/A.swift", [1])
  }

  @Test func proseAndOtherPlacesAreNotCode() {
    check("// try! is forbidden\n/* print( /* fatalError */ try! */\nlet a = \"try! print(\"", [])
    check("let a = #\"\"\"\n  try! \\(print(1))\n  \"\"\"#", [])
    check("let quote = \"\\\"\"; let b = \"try!\"", [])
    check("debugPrint(1); value.sprint(2)", [])
    check("print(1); fatalError()", at: "Sources/inkling/main.swift", [])
    check("print(1)", at: "Sources/Benchmarks/Run.swift", [])
    check("let a = try! f(); print(a)", at: "Tests/JSONTests/A.swift", [])
  }

  @Test func genericNoncopyableDeinitIsFound() {
    check("struct A<T>: ~Copyable {\n  init() { }\n  deinit { free() }\n}", [1])
    check("let a = 1\nenum B<T: Sendable>: ~Copyable where T: Equatable { case a; deinit {} }", [2])
    check("struct A<T>: ~Copyable {\n  init() { }\n}\nstruct C: ~Copyable { deinit {} }", [])
    check("struct A<T: ~Copyable>: Sendable { var a: T }\nfinal class C { deinit {} }", [])
  }

  @Test func sizesAreCounted() {
    let file = SourceFile(path: "a.swift", text: "123456\n12345\n")
    #expect(sizeFindings(in: file, maximumLines: 2, maximumColumns: 6) == [])
    #expect(sizeFindings(in: file, maximumLines: 2, maximumColumns: 5).map(\.line) == [1])
    #expect(sizeFindings(in: file, maximumLines: 1, maximumColumns: 6).map(\.line) == [2])
  }

  @Test func leftoversAreFound() {
    let text = "a\n// TO" + "DO: b\ncp /ro" + "ot/a b\n"
    #expect(leftoverFindings(in: SourceFile(path: "a.sh", text: text)).map(\.line) == [2, 3])
    #expect(leftoverFindings(in: SourceFile(path: "a.sh", text: "$HOME/.local, /usr/bin")) == [])
  }

  @Test func importsAreReadWithAttributesAndKinds() {
    let text =
      "import JSON\npublic import struct Glibc.stat\n@preconcurrency import Llama\n// import Engine\nlet important = 1"
    #expect(imports(in: SourceFile(path: "Sources/A/a.swift", text: text)).map(\.module) == ["JSON", "Glibc", "Llama"])
  }

  @Test func importsAgainstTheArrowsAreFound() {
    func lines(_ path: String, _ text: String) -> [Int] {
      importFindings(in: SourceFile(path: path, text: text)).map(\.line)
    }
    #expect(lines("Sources/Assistant/a.swift", "import JSON\nimport Llama\nimport Inference") == [2, 3])
    #expect(lines("Sources/Engine/a.swift", "import CLlama") == [1])
    #expect(lines("Sources/Llama/a.swift", "import CLlama\nimport Foundation") == [2])
    #expect(lines("Sources/Unknown/a.swift", "") == [1])
    let fallback = "#if canImport(FoundationEssentials)\nimport FoundationEssentials\n#else\nimport Foundation\n#endif"
    #expect(lines("Sources/JSON/a.swift", fallback) == [])
  }
}
