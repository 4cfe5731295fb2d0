import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// What can be switched off to compare, and what a new daemon finds of an old one, with a cache folder of the test's
  /// own.
  @Suite(.serialized) struct Comparison {
    private static let text: JSONValue = "The meeting is tomorrow at ten and Anna brings the plans."

    /// Prompt tokens of a rephrase that were known, and its text.
    private func rephrase(_ client: WireClient) throws -> (cached: Int, text: String) {
      let reply = try client.request(
        "assistant/rephrase", ["text": Self.text, "tone": "formal", "options": ["maxTokens": 24]])
      let usage = try #require(reply.result?["usage"], "\(reply)")
      return (usage["cachedTokens"]?.intValue ?? -1, reply.result?["text"]?.stringValue ?? "")
    }

    @Test("a new daemon has read the instructions already; with --no-cache it reads all, always")
    func prefixes() throws {
      let folder = try TemporaryFolder()
      let environment = ["XDG_CACHE_HOME": folder.root]
      let first = try Daemon.ready(["--reproducible"], environment: environment)
      let fresh = try rephrase(first)
      let deadline = Deadline(10)
      while (Files.list(folder.path("inkling/prefixes")) ?? []).filter({ $0.hasSuffix(".prefix") }).isEmpty {
        try #require(!deadline.hasPassed, "nothing is written")
        _ = poll(nil, 0, 10)
      }
      _ = try Daemon.shutDown(first)

      let second = try Daemon.ready(["--reproducible"], environment: environment)
      let warm = try rephrase(second)
      #expect(warm.cached > fresh.cached + 80 && warm.text == fresh.text)
      _ = try Daemon.shutDown(second)

      let plain = try Daemon.ready(["--reproducible", "--no-cache", "--no-draft"], environment: environment)
      for _ in 0..<2 {
        let whole = try rephrase(plain)
        #expect(whole.cached == 0 && whole.text == fresh.text)
      }
      _ = try Daemon.shutDown(plain)
    }

    @Test("--no-prewarm reads nothing beforehand")
    func prewarm() throws {
      let coming: JSONValue = ["method": "assistant/rephrase", "params": ["text": Self.text, "tone": "formal"]]
      for (arguments, reads) in [([], true), (["--no-prewarm"], false)] as [([String], Bool)] {
        let folder = try TemporaryFolder()
        let client = try Daemon.ready(arguments, environment: ["XDG_CACHE_HOME": folder.root])
        let result = try client.request("assistant/prewarm", coming).result
        #expect((result?["promptTokens"]?.intValue ?? -1 > 0) == reads)
        _ = try Daemon.shutDown(client)
      }
    }
  }
}
