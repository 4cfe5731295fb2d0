import Foundation
import JSON

/// Our parser and writer against JSONSerialization, on documents of about 1 MB.
let jsonBenchmark = Benchmark(
  name: "json", summary: "parsing and writing 1 MB, processor time, against JSONSerialization"
) {
  for (name, document) in [("records", recordsDocument()), ("one long text", textDocument())] {
    let bytes = JSONWriter.bytes(of: document)
    let data = Data(bytes)
    let object = try JSONSerialization.jsonObject(with: data)
    guard try JSONParser.parse(bytes) == document else { throw BenchmarkFailure("\(name) came back different") }
    report(
      "parse \(name)", bytes.count,
      try compare(
        ours: { _ = try JSONParser.parse(bytes) },
        theirs: { _ = try JSONSerialization.jsonObject(with: data) }))
    report(
      "write \(name)", bytes.count,
      try compare(
        ours: { _ = JSONWriter.bytes(of: document) },
        theirs: { _ = try JSONSerialization.data(withJSONObject: object) }))
  }
  let escaped = escapedDocument()
  let data = Data(escaped)
  report(
    "parse one long text in escapes", escaped.count,
    try compare(
      ours: { _ = try JSONParser.parse(escaped) }, theirs: { _ = try JSONSerialization.jsonObject(with: data) }))
}

struct BenchmarkFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

private func report(_ what: String, _ size: Int, _ result: Comparison) {
  print("  \(what), \(size) bytes: ours \(result.ours) ms, Foundation \(result.theirs) ms, ratio \(result.ratio)")
}

/// Many small values of every kind, as in lists of sessions, symbols or diagnostics.
private func recordsDocument() -> JSONValue {
  .array(
    (0..<4200).map { index in
      [
        "id": .number(JSONNumber(index)), "name": .string("session-\(index)"), "busy": .bool(index % 3 == 0),
        "score": .number(JSONNumber(Double(index) * 0.37)), "parent": .null,
        "title": .string("Notes on “the quay at night”, part \(index)\n\tdraft \"\(index % 7)\""),
        "path": .string("C:\\texts\\\(index)\\日本語\\émigré.md"),
        "range": ["start": ["line": .number(JSONNumber(index)), "character": 4], "end": ["line": 9, "character": 0]],
        "tags": ["draft", "night", .string("n\(index)")],
      ]
    })
}

/// A request with a long selection, what editors send most.
private func textDocument() -> JSONValue {
  let paragraph = """
    The lamps along the quay came on one by one, and the water took each of them and broke it into pieces. "Not \
    tonight," she said, and pulled the boat's cover tight.\n\tÀ demain — 明日 — 🙂.\n\n
    """
  return [
    "jsonrpc": "2.0", "id": 1, "method": "assistant/rephrase",
    "params": ["text": .string(String(repeating: paragraph, count: 4800)), "tone": "formal"],
  ]
}

/// A text of which nothing is ASCII, written as Python's `json.dumps` does.
private func escapedDocument() -> [UInt8] {
  let paragraph = "明日の夜の船で、海を渡る。🙂"
  let escapes = paragraph.utf16.map { unit in
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
  return Array(("[\"" + String(repeating: escapes.joined(), count: 11_000) + "\"]").utf8)
}
