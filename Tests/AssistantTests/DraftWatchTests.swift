import Assistant
import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

/// Answers that end as soon as nothing of what follows can be used. The engine would write on for ever.
@Suite(.timeLimit(.minutes(1))) struct DraftWatchTests {
  private static let source = "come to the meeting in the hall at noon, pls"
  private static let good = "Please come to the meeting in the hall at noon."

  /// A first draft that never ends by itself, and what further ones say.
  private func engine(first: String, _ later: String) -> ScriptedEngine {
    // In pieces of a few scalars, as a model writes.
    var pieces: [ScriptedEngine.Step] = []
    var rest = Substring(first).unicodeScalars
    while !rest.isEmpty {
      pieces.append(.event(.text(String(rest.prefix(5)))))
      rest = rest.dropFirst(5)
    }
    let never = Gate<Void>()
    return ScriptedEngine([pieces + [.wait(never)], [.event(.text(later)), .event(.finished(.scripted()))]])
  }

  @Test func whatCannotBeUsedIsNotWritten() async throws {
    let firsts = [
      Self.good + " " + String(repeating: "It is a very good meeting, and everybody is going to be there. ", count: 3),
      "Yesterday we moved the large table to room 12, as",
    ]
    for first in firsts {
      let engine = engine(first: first, Self.good)
      let client = await TestClient(engine)
      try await client.initialize()
      let token = ProgressToken(RequestID(5))
      var params = Rephrase.Params(text: Self.source, tone: .formal)
      params.common.partialResultToken = token
      let result = try await client.connection.request(Rephrase.self, params, timeout: .seconds(20))
      #expect(result.text == Self.good)
      #expect(result.common.warnings.map(\.code) == [.retried], "\(first)")
      #expect(engine.prompts.count == 2 && engine.finishCount == 1, "\(first)")
      #expect(assembled(client.partials(token), .utf16)?.hasSameBytes(as: result.text) ?? false)
      // What was written of it counts.
      #expect(result.common.usage.completionTokens == 2 * GenerateResult.scripted().completionTokens)
      _ = await client.end()
    }
  }

  /// When nothing better comes, the source stays: an answer without an end is none.
  @Test func aDraftThatWasEndedIsNoResult() async throws {
    let never = Gate<Void>()
    let long =
      "The meeting in the hall is at noon, and whoever comes there will find me and the others with our papers, since "
      + "we want to hear what they think of it, which is why I ask you, and everybody else who has been a part of this "
      + "for so many years now, to come"
    let engine = ScriptedEngine([[.event(.text(long)), .wait(never)]])
    let client = await TestClient(engine)
    try await client.initialize()
    let params = Rephrase.Params(text: Self.source, tone: .formal)
    let result = try await client.connection.request(Rephrase.self, params, timeout: .seconds(20))
    #expect(result.text == Self.source)
    #expect(result.common.warnings.map(\.code) == [.retried, .unchanged])
    #expect(result.common.finishReason == .stop)
    _ = await client.end()
  }

  /// A limit of the caller's bounds the text, so its length is no reason to end it.
  @Test func aLimitedTextMayBeLong() async throws {
    let long = Array(repeating: Self.good, count: 6).joined(separator: " ")
    let engine = ScriptedEngine(pieces: [long, " Then"], .scripted(.length))
    let client = await TestClient(engine)
    try await client.initialize()
    var params = Rephrase.Params(text: Self.source, tone: .formal)
    params.common.options = GenerationOptions()
    params.common.options?.maxTokens = 40
    _ = try await client.connection.request(Rephrase.self, params, timeout: .seconds(20))
    #expect(engine.finishCount == 0)
    _ = await client.end()
  }

  /// A value that has copied a text of the example is asked for again at once; its last text may still go on.
  @Test func aCopiedValueIsNotWrittenToItsEnd() async throws {
    let never = Gate<Void>()
    let said = ["personality", "motivation", "flaw", "catchphrase"].map { #","\#($0)":"She is never late for it.""# }
    let own = #"{"name":"Ada Ray","species":"fox""# + said.joined() + "}"
    let first: [ScriptedEngine.Step] = [
      .event(.structured(["name": "Marta Quill"])), .event(.structured(["name": "Marta Quill", "species": "f"])),
      .wait(never),
    ]
    let engine = ScriptedEngine([first, [.event(.text(own)), .event(.finished(.scripted()))]])
    let client = await TestClient(engine)
    try await client.initialize()
    let params = Brainstorm.Params(topic: "ships", kind: .character)
    let result = try await client.connection.request(Brainstorm.self, params, timeout: .seconds(20))
    #expect(result.value["name"] == "Ada Ray")
    #expect(result.common.warnings.map(\.code) == [.retried])
    #expect(engine.finishCount == 1 && engine.prompts.count == 2)
    _ = await client.end()
  }
}
