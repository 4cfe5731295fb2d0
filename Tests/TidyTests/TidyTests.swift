import TestSupport
import Testing

/// The house rules that neither compiler nor formatter knows, held against the files of this checkout.
@Suite struct TidyTests {
  /// Longer files that are one topic all the same, each with its reason.
  private let longFiles: [String: String] = [
    "editor-configs/emacs/inkling.el": "a package of Emacs is one file, so that it can be installed by name"
  ]

  /// What stands in the root beside dot files. A new entry here is a decision, not an accident.
  private let topLevel: Set<String> = [
    "LICENSE", "Makefile", "Package.swift", "README.md", "Sources", "Tests", "editor-configs", "protocol.md", "scripts",
  ]

  /// The one door: every file of a kind is looked at, and each finding is named with its place.
  private func check(
    _ files: [SourceFile], sourceLocation: SourceLocation = #_sourceLocation, _ rule: (SourceFile) -> [Finding]
  ) {
    #expect(!files.isEmpty, "no file was looked at", sourceLocation: sourceLocation)
    for finding in files.flatMap(rule) { Issue.record("\(finding)", sourceLocation: sourceLocation) }
  }

  @Test func codeHoldsNoForbiddenWord() throws {
    check(try Checkout.swiftSources(under: "Sources") + Checkout.swiftSources(under: "Tests")) { file in
      forbiddenWords.flatMap { $0.findings(in: file) }
    }
  }

  @Test func exceptionsAreStillNeeded() throws {
    let paths = Set(try Checkout.paths())
    for path in forbiddenWords.flatMap(\.exceptions.keys) + longFiles.keys {
      #expect(paths.contains(path), "\(path) is excepted from a rule and does not exist")
    }
  }

  @Test func noGenericNoncopyableTypeHasDeinit() throws {
    check(try Checkout.swiftSources(under: "Sources"), genericNoncopyableDeinits)
  }

  @Test func linesAndFilesAreShort() throws {
    let code = try Checkout.sources().filter { !$0.path.hasSuffix(".md") && !$0.path.hasSuffix(".txt") }
    check(code.filter { longFiles[$0.path] == nil }) { sizeFindings(in: $0) }
  }

  @Test func nothingIsLeftOver() throws {
    check(try Checkout.sources(), leftoverFindings)
  }

  @Test func modulesImportAlongTheArrows() throws {
    check(try Checkout.swiftSources(under: "Sources")) { importFindings(in: $0) }
  }

  @Test func onlyLlamaImportsTheCLibrary() throws {
    let importers = try Checkout.swiftSources(under: "").filter { imports(in: $0).contains { $0.module == "CLlama" } }
    #expect(Set(importers.compactMap(\.folder)).subtracting(["Llama"]).isEmpty)
  }

  @Test func onlyTheStoreImportsSQLite() throws {
    let importers = try Checkout.swiftSources(under: "").filter { imports(in: $0).contains { $0.module == "CSQLite" } }
    #expect(importers.allSatisfy { $0.path.hasPrefix("Sources/Assistant/Store/") })
  }

  @Test func codeMapNamesEveryModule() throws {
    let folders = try Checkout.names(in: "Sources").filter { Checkout.isFolder("Sources/" + $0) }
    let named = modulesInCodeMap(try readText(Repository.path("Sources/README.md")))
    #expect(named.sorted() == folders, "the code map in Sources/README.md and the folders of Sources differ")
    #expect(allowedImports.keys.sorted() == folders, "allowedImports and the folders of Sources differ")
  }

  @Test func everyFileOfTheArchitectureExists() throws {
    let named = filesNamed(in: try readText(Repository.path("Sources/README.md")))
    #expect(named.count > 20, "the path of one request names its files")
    let sources = try Checkout.swiftSources(under: "Sources").map(\.path)
    for name in named {
      #expect(sources.contains { $0.hasSuffix("/" + name) }, "Sources/README.md names \(name), which does not exist")
    }
  }

  @Test func rootIsShort() throws {
    let strangers = try Checkout.names(in: "").filter { !$0.hasPrefix(".") && !topLevel.contains($0) }
    #expect(strangers == [])
  }

  @Test func noFileIsOverOneMebibyte() throws {
    for path in try Checkout.paths() {
      let size = try readFile(Repository.path(path)).count
      #expect(size <= 1 << 20, "\(path): data of this size is fetched, not kept in git")
    }
  }
}
