import JSON
import TestSupport
import Testing

extension EndToEnd {
  /// What apps know from Apple's FoundationModels; see README.md beside this file.
  @Suite(.serialized) struct FoundationModels {
    /// Nested objects and lists, numbers with bounds, counts.
    private static let itinerary: JSONValue = [
      "type": "object",
      "properties": [
        "title": ["type": "string", "maxLength": 60],
        "days": [
          "type": "array", "minItems": 2, "maxItems": 3,
          "items": [
            "type": "object",
            "properties": [
              "place": ["type": "string", "maxLength": 30], "hours": ["type": "integer", "minimum": 1, "maximum": 12],
              "cost": ["type": "number", "minimum": 0, "maximum": 500],
              "mood": ["enum": ["calm", "lively"]],
            ],
            "required": ["place", "hours", "cost", "mood"], "additionalProperties": false,
          ],
        ],
      ],
      "required": ["title", "days"], "additionalProperties": false,
    ]

    @Test("nested types, numbers, counts and ranges are what the schema says")
    func nested() throws {
      let chat = try Conversation()
      let made = try chat.result(
        "assistant/generate", [("prompt", "Plan a trip to Lisbon."), ("schema", Self.itinerary)])
      let value = try #require(made["value"])
      #expect(try JSONSchema(Self.itinerary).validate(value).isEmpty, "\(JSONWriter.text(of: value))")
      #expect((2...3).contains(try #require(value["days"]?.arrayValue).count))
      try chat.end()
    }

    @Test("snapshots grow into the value: members come, none that was whole changes")
    func snapshots() throws {
      let chat = try Conversation()
      let outcome = try chat.client.request(
        "assistant/generate",
        ["prompt": "Plan a trip to Lisbon.", "schema": Self.itinerary, "partialResultToken": "p"], within: 120)
      let value = try #require(outcome.result?["value"], "\(outcome.reply)")
      let snapshots = outcome.progress.filter { $0["token"] == "p" }.compactMap { $0["value"]?["value"] }
      #expect(snapshots.count >= 4)
      #expect(snapshots.last == value)
      for (before, after) in zip(snapshots, snapshots.dropFirst()) {
        #expect(Self.grows(before, into: after), "\(JSONWriter.text(of: before)) → \(JSONWriter.text(of: after))")
      }
      try chat.end()
    }

    private static func grows(_ before: JSONValue, into after: JSONValue) -> Bool {
      switch (before, after) {
      case (.object(let old), .object(let new)):
        old.members.allSatisfy { member in new[member.name].map { grows(member.value, into: $0) } ?? false }
      case (.array(let old), .array(let new)):
        old.count <= new.count && zip(old, new).allSatisfy { grows($0, into: $1) }
      case (.string(let old), .string(let new)): new.utf8.starts(with: old.utf8)
      case (_, _): before == after
      }
    }

    @Test("a value that has to end early is whole, and says so")
    func cutShort() throws {
      let chat = try Conversation()
      let schema: JSONValue = [
        "type": "object", "properties": ["story": ["type": "string"], "moral": ["type": "string"]],
        "required": ["story", "moral"], "additionalProperties": false,
      ]
      let made = try chat.result(
        "assistant/generate",
        [("prompt", "Tell a long story of a lamp."), ("schema", schema), ("options", ["maxTokens": 24, "seed": 1])])
      #expect(try JSONSchema(schema).validate(try #require(made["value"])).isEmpty)
      #expect(made["finishReason"] == "length")
      #expect(made["warnings"]?.arrayValue?.contains { $0["code"] == "truncatedByLimit" } == true)
      try chat.end()
    }

    @Test("content is tagged")
    func tags() throws {
      let chat = try Conversation()
      let made = try chat.result(
        "assistant/brainstorm", [("topic", .string(Texts.long)), ("kind", "tags"), ("count", 4)])
      let tags = try #require(made["value"]?["tags"]?.arrayValue).compactMap(\.stringValue)
      #expect(tags.count == 4 && Set(tags).count == 4)
      try chat.end()
    }

    @Test("the schema is part of the prompt, or is not")
    func schemaInPrompt() throws {
      let chat = try Conversation()
      let tokens = try [true, false].map { isIncluded in
        let made = try chat.result(
          "assistant/generate",
          [
            ("prompt", "Plan a trip to Lisbon."), ("schema", Self.itinerary),
            ("includeSchemaInPrompt", .bool(isIncluded)),
          ])
        #expect(try JSONSchema(Self.itinerary).validate(try #require(made["value"])).isEmpty)
        return try #require(made["usage"]?["promptTokens"]?.intValue)
      }
      #expect(tokens[0] > tokens[1] + 50)
      try chat.end()
    }

    @Test("a transcript that was written down makes a session that goes on where it was")
    func restoring() throws {
      let chat = try Conversation([], [("instructions", "You talk about the sea.")])
      _ = try chat.say("My boat is called Nora.")
      let held = try chat.held()
      let copy = try chat.result(
        "session/create", [("sessionId", "copy"), ("transcript", try #require(held["transcript"]))])["session"]
      #expect(copy?["turns"] == 1 && copy?["instructions"] == "You talk about the sea.")
      let (here, there) = (
        try chat.say("What is it called?"),
        try chat.client.request("assistant/chat", Conversation.chat("copy", "What is it called?"))
      )
      // The model was shown the same.
      #expect(here.result?["usage"]?["promptTokens"] == there.result?["usage"]?["promptTokens"])
      try chat.end()
    }
  }
}
