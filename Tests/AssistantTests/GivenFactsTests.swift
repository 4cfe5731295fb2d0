import Assistant
import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import Testing

/// Optional members that hold what nobody has said are left out.
@Suite(.timeLimit(.minutes(2))) struct GivenFactsTests {
  private static let schema: JSONValue = [
    "type": "object",
    "properties": [
      "title": ["type": "string"], "on": ["$ref": "#/$defs/day"], "at": ["type": "string", "format": "time"],
      "mail": ["anyOf": [["type": "string", "format": "email"], ["type": "null"]]],
      "needed": ["type": "string", "format": "date"],
      "parts": ["type": "array", "items": ["type": "object", "properties": ["on": ["$ref": "#/$defs/day"]]]],
    ],
    "required": ["title", "needed"], "$defs": ["day": ["type": "string", "format": "date"]],
  ]

  private struct Run {
    var value: JSONValue
    var leftOut: String?
    var snapshots: [JSONValue]
  }

  /// The one door: what becomes of a value for a prompt.
  private func run(
    _ prompt: String, _ value: JSONValue, _ change: (inout Generate.Params) -> Void = { _ in }
  ) async throws -> Run {
    let text = JSONWriter.text(of: value)
    let engine = ScriptedEngine([
      [.event(.structured(value)), .event(.text(text)), .event(.finished(.scripted()))]
    ])
    let client = await TestClient(engine)
    try await client.initialize()
    let token = ProgressToken(RequestID(3))
    var params = Generate.Params(prompt: prompt, schema: Self.schema)
    params.common.partialResultToken = token
    change(&params)
    let result = try await client.call(Generate.self, params)
    let snapshots = client.partials(token).compactMap { partial -> JSONValue? in
      if case .structured(let snapshot) = partial { snapshot.value } else { nil }
    }
    return Run(
      value: result.value, leftOut: result.common.warnings.first { $0.code == .leftOut }?.message, snapshots: snapshots)
  }

  @Test func whatNobodySaidIsLeftOut() async throws {
    let made: JSONValue = [
      "title": "Milk", "on": "2023-01-01", "at": "08:30:00Z", "mail": "a@b.org", "needed": "2023-01-02",
      "parts": [["on": "2024-05-06"], [:]],
    ]
    let run = try await run("Buy milk.", made)
    #expect(run.value == ["title": "Milk", "needed": "2023-01-02", "parts": [[:], [:]]])
    #expect(run.leftOut == "Left out, since the request does not say it: “/on”, “/at”, “/mail”, “/parts/0/on”.")
    // It is never shown either.
    #expect(run.snapshots == [run.value])
  }

  @Test(
    arguments: [
      ("by 2026-12-04", true), ("on 4 December", true), ("on December 4th, 2026", true), ("04.12.2026", true),
      ("am 4. Dezember", true), ("le 4 décembre", true), ("2026年12月4日", true), ("12/4", true), ("4 декабря", true),
      ("tomorrow", false), ("on Friday", false), ("in 2026", false), ("4 apples", false), ("", false),
    ])
  func aDateIsGivenInManyWays(_ words: String, _ isGiven: Bool) async throws {
    let made: JSONValue = ["title": "x", "on": "2026-12-04", "needed": "2026-12-04"]
    let run = try await run("Do it \(words).", made)
    #expect((run.value["on"] != nil) == isGiven)
    #expect((run.leftOut == nil) == isGiven)
  }

  @Test func timesAndAddressesAreGivenInTheirWords() async throws {
    let made: JSONValue = ["title": "x", "at": "15:30:00Z", "mail": "Ana@Example.org", "needed": "2026-12-04"]
    #expect(try await run("At 3:30 pm, write to ana@example.org.", made).value == made)
    // Wherever it was said.
    #expect(try await run("Go on.", made) { $0.common.instructions = "15:30, ana@example.org" }.value == made)
  }
}
