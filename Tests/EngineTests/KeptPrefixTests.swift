import EngineProtocol
import JSONRPC
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What one engine has read of the instructions, another finds on the disk. With the real model, and exact.
@Suite(.serialized) struct KeptPrefixTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.path("prefixes") }
  private var files: [String] { Self.files(in: path) }

  private static func files(in path: String) -> [String] {
    (Files.list(path) ?? []).filter { $0.hasSuffix(".prefix") }
  }

  private static let instructions =
    "You rewrite texts. Keep every fact, every name and every number. Answer with the new text only, and never explain."

  private func params(_ request: Int, _ text: String, builtIn: Int = 1) -> GenerateParams {
    var params = GenerateParams(request, text, maxTokens: 16, system: Self.instructions)
    params.builtInMessages = builtIn
    return params
  }

  private struct Answer: Equatable {
    var text: String
    var logProbability: Double
    var cached: Int
  }

  private func answer(_ engine: EngineHarness, _ params: GenerateParams) async throws -> Answer {
    let result = try await engine.request(EngineGenerate.self, params)
    return Answer(
      text: engine.text(of: params.request), logProbability: result.logProbability, cached: result.cachedTokens)
  }

  /// An engine that was started anew.
  private func engine(reusing: Bool = true) async throws -> EngineHarness {
    let engine = EngineHarness()
    try await engine.load {
      $0.prefixFolder = path
      $0.reusesPrefixes = reusing
    }
    return engine
  }

  private func waitForFiles(_ count: Int) async throws {
    try await withDeadline(.seconds(20), "\(count) files") { [path] in
      while Self.files(in: path).count != count { await Task.yield() }
    }
  }

  @Test func aNewEngineGoesOnWhereTheOldOneWas() async throws {
    let first = try await engine()
    let fresh = try await answer(first, params(1, "The sea was calm."))
    #expect(fresh.cached == 0)
    try await waitForFiles(1)

    var restored = try await answer(try await engine(), params(1, "The sea was calm."))
    #expect(restored.cached > 20)
    restored.cached = 0
    #expect(restored == fresh)

    // With the cache off neither memory nor disk is used.
    let plain = try await engine(reusing: false)
    for request in 1...2 {
      let whole = try await answer(plain, params(request, "The sea was calm."))
      #expect(whole == fresh)
    }

    // A damaged file is as good as none, and a good one takes its place.
    let file = path + "/" + (try #require(files.first))
    let whole = try readFile(file)
    for damaged in [Array(whole.prefix(whole.count / 2)), [1, 2, 3], whole.map { $0 ^ 1 }] {
      try writeFile(file, damaged)
      #expect(chmod(file, 0o600) == 0)
      // It writes when it has nothing else to do, so it must live that long.
      let healing = try await engine()
      #expect(try await answer(healing, params(1, "The sea was calm.")) == fresh)
      try await withDeadline(.seconds(20), "the file is made anew") {
        // Not byte for byte the one before: the number of a sequence is in it.
        while true {
          if let bytes = try? readFile(file), bytes.count == whole.count, bytes != damaged { return }
          await Task.yield()
        }
      }
      withExtendedLifetime(healing) {}
    }

    // Removed while an engine runs: what it holds is not touched, and the file comes back.
    let running = try await engine()
    _ = try await answer(running, params(1, "The sea was calm."))
    #expect(unlink(file) == 0)
    #expect(try await answer(running, params(2, "The sea was rough.")).cached > 20)
    try await waitForFiles(1)
  }

  /// Only what is marked as the program's own is kept.
  @Test func nothingElseIsKept() async throws {
    let engine = try await engine()
    _ = try await answer(engine, params(1, "A secret.", builtIn: 0))
    _ = try await answer(engine, params(2, "Another secret.", builtIn: 0))
    // What comes after is written after: the first file is its.
    _ = try await answer(engine, params(3, "A third one."))
    try await waitForFiles(1)
    #expect(try await answer(try await self.engine(), params(1, "A secret.", builtIn: 0)).cached == 0)
  }

  /// The requests do not suffer, and the daemon's log hears of it once.
  @Test func aFolderThatCannotBeWrittenIsToldOfOnce() async throws {
    _ = try folder.file("prefixes", [1])
    let engine = try await engine()
    _ = try await answer(engine, params(1, "One."))
    try await engine.wait("a notice") { notes in
      notes.contains { if case .notice(let text) = $0 { text.contains("prefixes") } else { false } }
    }
    _ = try await answer(engine, params(2, "Two."))
    _ = try await answer(engine, params(3, "Three."))
    #expect(engine.seen.count { if case .notice = $0 { true } else { false } } == 1)
  }
}
