import JSON
import TestSupport
import Testing

extension EndToEnd {
  /// README.md promises things; here they are done.
  @Suite(.serialized) struct Readme {
    @Test("the README's script gets a streamed rephrase, in at most 20 lines")
    func script() throws {
      let readme = try readText(Repository.path("README.md"))
      let blocks = readme.split(separator: "```python\n").dropFirst().map {
        $0.prefix(upTo: $0.firstRange(of: "```")?.lowerBound ?? $0.endIndex)
      }
      let script = String(try #require(blocks.first))
      #expect(script.split(separator: "\n").count <= 20)
      let folder = Daemon.executable.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
        separator: "/")
      let path = try #require(Environment["PATH"])
      let process = try SpawnedProcess(
        "python3", ["-c", script, "gonna", "be", "late,", "sorry"], environment: ["PATH": folder + ":" + path])
      process.closeInput()
      let output = String(decoding: try process.readToEnd(within: 90), as: UTF8.self)
      #expect(try process.waitForExit() == .status(0), "\(process.standardError())")
      #expect(output.trimmingWhitespace.count > 3)
    }

    @Test("every make target that README names exists, and the Makefile's help names every target of README")
    func targets() throws {
      let readme = try readText(Repository.path("README.md"))
      let makefile = try readText(Repository.path("Makefile"))
      let named = Set(readme.matches(of: /make ([a-z]+)/).map { String($0.output.1) })
      for target in named {
        #expect(makefile.contains("\n\(target):"), "make \(target)")
      }
    }
  }
}
