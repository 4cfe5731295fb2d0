/// Models of a few layers with random weights, one of each kind of memory. `scripts/make-tiny-models.py` writes them
/// into `.build`, once for each test process.
public enum TinyModel: String, CaseIterable, Sendable, CustomStringConvertible {
  case llama, gemma3, lfm2, mamba

  /// Without them a test fails; it is never skipped.
  public struct Missing: Error, CustomStringConvertible {
    public let description: String
  }

  public var description: String { rawValue }

  /// The model's file.
  public func path() throws -> String { try Self.folder.get() + "/tiny-\(rawValue).gguf" }

  private static let folder = Result<String, any Error> { try make() }

  private static func make() throws -> String {
    let packages = Repository.path(".deps/test-packages")
    guard Files.list(packages + "/gguf") != nil else {
      throw Missing(description: "the package gguf is not in .deps/test-packages: run “make build-tests”")
    }
    let folder = Repository.path(".build/tiny-models")
    let python = try SpawnedProcess(
      Repository.path(".deps/venv/bin/python"), [Repository.path("scripts/make-tiny-models.py"), folder],
      environment: ["PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1"])
    guard try python.waitForExit(within: 120) == .status(0) else {
      throw Missing(description: "scripts/make-tiny-models.py failed: \(python.standardError())")
    }
    return folder
  }
}
