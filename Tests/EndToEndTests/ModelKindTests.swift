import JSON
import TestSupport
import Testing

extension EndToEnd {
  /// The program with models of random weights whose memory is of each kind. What they write is noise; that it is
  /// written, and that the engine lives on, is not.
  @Suite(.serialized) struct ModelKinds {
    @Test("a rewrite and a chat with a recurrent model, which have the process to themselves")
    func commands() throws {
      let model = try TinyModel.mamba.path()
      let rewrite = try CommandLineTool.run(
        ["rephrase", "--private", "--model", model, "--max-tokens", "24"], input: Texts.short)
      #expect(rewrite.exit == .status(0) && !rewrite.output.isEmpty, "\(rewrite.error)")
      let chat = try CommandLineTool.run(
        ["chat", "--private", "--model", model, "--max-tokens", "24"], input: "Hello.\nAnd again.\n")
      #expect(chat.exit == .status(0) && !chat.output.isEmpty, "\(chat.error)")
    }

    @Test(
      "requests beside each other, one of them cancelled, and the next turn of a session",
      arguments: TinyModel.allCases)
    func daemon(_ tiny: TinyModel) throws {
      let client = try Daemon.ready(["--model", try tiny.path()])
      let engine = try Daemon.engineProcess(of: client)
      let text = String(repeating: "The boat came home late, and the sea was calm. ", count: 5)
      let ids = try ["assistant/rephrase", "assistant/summarize", "assistant/rephrase"].map {
        try client.start($0, ["text": .string(text), "options": ["maxTokens": 24]])
      }
      try client.notify("$/cancelRequest", ["id": .number(JSONNumber(ids[2]))])
      let outcomes = try client.outcomes(ids, within: 120)
      for id in ids {
        let outcome = try #require(outcomes[id])
        // Noise may be refused as a rewrite, by an error that has a kind.
        let isTold = outcome.errorKind != nil || (id == ids[2] && outcome.reply["error"]?["code"] == -32800)
        #expect(outcome.result != nil || isTold, "\(JSONWriter.text(of: outcome.reply))")
      }
      _ = try client.request("session/create", ["sessionId": "a"])
      let turns = try ["Tell me more.", "And the harbour?"].map { message in
        try client.request(
          "assistant/chat", ["sessionId": "a", "message": .string(message), "options": ["maxTokens": 24]])
      }
      func usage(_ turn: Int, _ name: String) throws -> Int {
        try #require(turns[turn].result?["usage"]?[name]?.intValue, "\(JSONWriter.text(of: turns[turn].reply))")
      }
      // The state at the end of the first turn is gone on with.
      #expect(try usage(1, "cachedTokens") >= usage(0, "contextUsed") - 1)
      #expect(try Daemon.engineProcess(of: client) == engine)
      #expect(try Daemon.shutDown(client) == .status(0))
    }
  }
}
