import JSON

/// A list of things that can be searched by words: any array of JSON objects.
package struct Catalog: Sendable {
  private static let mostMatches = 3
  /// Members of an entry that the model is told of.
  private static let mostParts = 8

  private let entries: [JSONObject]
  /// What the model reads of the tool that looks in it.
  package let summary: String

  /// - Parameters:
  ///   - name: what the entries are.
  ///   - description: what the model reads; if absent a sentence with the name and what is known of the entries.
  package init(_ entries: [JSONObject], name: String? = nil, description: String? = nil) {
    self.entries = entries
    let parts = (entries.first?.members ?? []).prefix(Self.mostParts).map(\.name).joined(separator: ", ")
    summary = description ?? "Finds \(name ?? "entries of a catalog") by words: \(parts)."
  }

  /// The entries that have most of the query's words, the best first, as lines of text. When none has any, this is said
  /// and the first entries are named, so that a model has something to go by.
  package func answer(to query: String) -> String {
    let found = matches(query)
    guard found.isEmpty else {
      return found.prefix(Self.mostMatches).map(Self.line).joined(separator: "\n")
    }
    let named = entries.prefix(Self.mostMatches).map(Self.line)
    return (["Nothing matches “\(query)”. Others are:"] + named).joined(separator: "\n")
  }

  /// All that have one of the words at least. A word of the first member, the title, counts twice; of two entries with
  /// equally many the first in the catalog is the better one.
  package func matches(_ query: String) -> [JSONObject] {
    let wanted = Set(Self.stems(query))
    let scored = entries.enumerated().map { index, entry in
      let all = Set(entry.members.flatMap { Self.stems(Self.text($0.value)) })
      let title = Set(Self.stems(Self.text(entry.members.first?.value ?? .null)))
      return (score: wanted.intersection(all).count + wanted.intersection(title).count, index: index)
    }
    return scored.filter { $0.score > 0 }.sorted { ($1.score, $0.index) < ($0.score, $1.index) }
      .map { entries[$0.index] }
  }

  private static func line(_ entry: JSONObject) -> String {
    entry.members.map { "\($0.name): \(text($0.value))" }.joined(separator: "; ")
  }

  private static func text(_ value: JSONValue) -> String {
    switch value {
    case .string(let text): text
    case .array(let values): values.map(text).joined(separator: ", ")
    case .null, .bool, .number, .object: JSONWriter.text(of: value)
    }
  }

  /// The starts of the words, without words that are in every text: singular and plural are the same.
  private static func stems(_ text: String) -> [String] {
    ContentWords.words(of: text).filter { !FrequentWords.all.contains($0) }
      .map { String(($0.count > 3 && $0.hasSuffix("s") ? $0.dropLast() : $0[...]).prefix(6)) }
  }
}
