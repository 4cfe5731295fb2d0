import JSON
import TestSupport
import Testing

extension EndToEnd {
  /// Tools of the real program, chosen by the real model.
  @Suite(.serialized) struct Tools {
    private static let schema: JSONValue = [
      "type": "object",
      "properties": [
        "city": ["type": "string", "minLength": 1, "maxLength": 20],
        "days": ["type": "integer", "minimum": 1, "maximum": 5],
      ],
      "required": ["city", "days"], "additionalProperties": false,
    ]
    private static let weather: JSONValue = [
      "name": "weather", "description": "Tells the weather of a city.", "parameters": schema, "timeoutMs": 2000,
      "confirm": true,
    ]

    @Test("a tool of the client's is called with arguments true to its schema, and the chat goes on whatever it says")
    func clientTools() throws {
      let client = try Daemon.ready()
      _ = try client.request("session/create", ["sessionId": "a", "tools": [Self.weather]])
      let answers: [(JSONValue?, JSONValue?)] = [
        (["content": "Rain, 12 degrees."], nil), (["content": 1], "invalidResult"), (nil, "timeout"),
      ]
      let schema = try JSONSchema(Self.schema)
      for (content, reason) in answers {
        let params: JSONValue = [
          "sessionId": "a", "message": "How is the weather in Lisbon?", "toolChoice": "required",
          "options": ["maxTokens": 24, "seed": 1],
        ]
        let (reply, calls) = try client.request("assistant/chat", params) { _ in content.map { .result($0) } }
        let result = try #require(reply["result"], "\(JSONWriter.text(of: reply))")
        let made = try #require(result["toolCalls"]?.arrayValue)
        #expect(!made.isEmpty && made.count == calls.count)
        for (call, record) in zip(calls, made) {
          let arguments = try #require(call["arguments"])
          #expect(schema.validate(arguments).isEmpty && record["arguments"] == arguments)
          #expect(call["confirm"] == true && call["sessionId"] == "a" && call["callId"] == record["callId"])
          #expect(record["error"]?["data"]?["reason"] == reason)
        }
        #expect(result["text"]?.stringValue?.isEmpty == false)
      }
      #expect(try Daemon.shutDown(client) == .status(0))
    }

    @Test("a story arc uses the catalog in the same request; dice stay between their bounds")
    func builtinTools() throws {
      let client = try Daemon.ready()
      let story = try client.request(
        "assistant/brainstorm",
        [
          "topic": "a robot who is alone", "kind": "storyArc", "tools": [["builtin": "catalogSearch"]],
          "toolChoice": "required",
        ], within: 180)
      let result = try #require(story.result, "\(story.reply)")
      #expect(result["value"]?["movieTitle"]?.stringValue?.isEmpty == false)
      let call = try #require(result["toolCalls"]?.arrayValue?.first)
      #expect(call["name"] == "catalogSearch" && call["result"]?.stringValue?.contains("title: ") == true)
      let dice = try client.request(
        "assistant/generate",
        [
          "prompt": "Throw a die with six sides.", "schema": ["type": "integer"], "toolChoice": "required",
          "tools": [["builtin": "randomInteger"]],
        ], within: 120)
      let thrown = try #require(dice.result?["toolCalls"]?.arrayValue?.first, "\(dice.reply)")
      if let text = thrown["result"]?.stringValue {
        let number = try #require(Int(text))
        let bounds = ["minimum", "maximum"].compactMap { thrown["arguments"]?[$0]?.intValue }
        #expect(bounds.count == 2 && (bounds[0]...bounds[1]).contains(number))
      } else {
        // The model asked for bounds the wrong way round.
        #expect(thrown["error"]?["data"]?["reason"] == "error")
      }
      #expect(try Daemon.shutDown(client) == .status(0))
    }
  }
}
