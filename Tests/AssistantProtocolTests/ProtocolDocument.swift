import TestSupport

/// protocol.md, taken apart: prose, generated blocks between `<!-- generated: NAME -->` and `<!-- end -->`, and
/// fenced examples.
struct ProtocolDocument {
  static let file = "protocol.md"

  struct Example: Sendable {
    let line: Int
    let text: String
  }

  let lines: [Substring]

  init() throws {
    lines = try readText(Repository.path(Self.file)).split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The names of the generated blocks, in their order.
  var generatedBlocks: [String] { lines.compactMap(Self.blockName) }

  /// The headings' words, without the signs before them.
  var headings: Set<String> {
    Set(lines.filter { $0.hasPrefix("#") }.map { String($0.drop { $0 == "#" || $0 == " " }) })
  }

  /// The blocks fenced as `json`, with the line each begins in.
  var examples: [Example] {
    var result: [Example] = []
    var start: Int?
    for (index, line) in lines.enumerated() {
      if let first = start, line == "```" {
        result.append(Example(line: first + 1, text: lines[first..<index].joined(separator: "\n")))
        start = nil
      } else if start == nil, line == "```json" {
        start = index + 1
      }
    }
    return result
  }

  /// The whole text with every generated block made anew. A block without an end is an error.
  func regenerated(_ render: (String) throws -> String) throws -> String {
    var result: [String] = []
    var index = 0
    while index < lines.count {
      result.append(String(lines[index]))
      if let name = Self.blockName(lines[index]) {
        guard let end = lines[index...].firstIndex(of: "<!-- end -->") else { throw UnfinishedBlock(name: name) }
        result.append(try render(name))
        index = end
      } else {
        index += 1
      }
    }
    return result.joined(separator: "\n")
  }

  struct UnfinishedBlock: Error { let name: String }

  private static func blockName(_ line: Substring) -> String? {
    let opening = "<!-- generated: "
    let closing = " -->"
    guard line.hasPrefix(opening), line.hasSuffix(closing) else { return nil }
    return String(line.dropFirst(opening.count).dropLast(closing.count))
  }
}
