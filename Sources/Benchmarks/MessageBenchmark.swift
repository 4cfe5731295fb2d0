import AssistantProtocol
import JSON
import JSONRPC

/// What one message costs the front end: from text to typed parameters, and back.
let messageBenchmark = Benchmark(name: "messages", summary: "reading and writing one message, microseconds each") {
  let request = try Rephrase.Params(json: [
    "text": "gonna be late tmrw, train's broken again", "tone": "formal", "partialResultToken": "draft",
    "options": ["temperature": 0.7, "topP": 0.9, "seed": 42, "maxTokens": 200],
  ])
  let partial = Progress.Params(
    token: ProgressToken(RequestID(7)),
    value: .partial(.delta(TextDelta(offset: 120, delta: " tomorrow", encoding: .utf16))))
  try measure("assistant/rephrase parameters", request)
  try measure("a partial result", partial)
}

private func measure<Message: JSONMessage>(_ what: String, _ message: Message) throws {
  let bytes = JSONWriter.bytes(of: message.json)
  let runs = 2000
  var reading: [Double] = []
  var writing: [Double] = []
  for _ in 0..<15 {
    reading.append(try milliseconds { for _ in 0..<runs { _ = try Message(json: try JSONParser.parse(bytes)) } })
    writing.append(milliseconds { for _ in 0..<runs { _ = JSONWriter.bytes(of: message.json) } })
  }
  let scale = 1000 / Double(runs)
  print("  \(what): read \(Spread(reading.map { $0 * scale })), write \(Spread(writing.map { $0 * scale }))")
}
