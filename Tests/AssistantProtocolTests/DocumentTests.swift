import AssistantProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

@Suite struct DocumentTests {
  /// With `INKLING_UPDATE_GOLDEN=1`, which `make golden` sets, this rewrites the generated blocks.
  @Test func generatedBlocksAreUpToDate() throws {
    try checkGolden(try ProtocolDocument().regenerated(GeneratedBlocks.render), ProtocolDocument.file)
  }

  @Test func everyMethodIsDescribed() throws {
    let document = try ProtocolDocument()
    let blocks = document.generatedBlocks
    for entry in MethodList.all {
      #expect(document.headings.contains("`\(entry.name)`"), "\(entry.name) has no section")
      if entry.params is any JSONMessage.Type { #expect(blocks.contains("params \(entry.name)")) }
      if entry.result is any JSONMessage.Type { #expect(blocks.contains("result \(entry.name)")) }
    }
  }

  @Test func everyTypeIsDescribedOnce() throws {
    let document = try ProtocolDocument()
    for type in GeneratedBlocks.types {
      let name = type.jsonTypeName
      #expect(document.generatedBlocks.filter { $0 == "type \(name)" }.count == 1, "\(name)")
      #expect(document.headings.contains(name), "\(name) has no section")
    }
  }

  /// Every link in the document leads to one of its headings, or to a file of the repository.
  @Test func linksLeadSomewhere() throws {
    let document = try ProtocolDocument()
    let anchors = Set(
      document.headings.map { heading in
        String(heading.lowercased().filter { !"`/$.,:()".contains($0) }.map { $0 == " " ? "-" : $0 })
      })
    for line in document.lines {
      for piece in line.split(separator: "](").dropFirst() {
        let target = piece.prefix { $0 != ")" }
        if target.hasPrefix("#") {
          #expect(anchors.contains(String(target.dropFirst())), "\(target)")
        } else if !target.hasPrefix("http") {
          #expect(throws: Never.self, "\(target)") { try readFile(Repository.path(String(target))) }
        }
      }
    }
  }

  @Test func theFrameShownHasItsLength() throws {
    let lines = try ProtocolDocument().lines
    let header = try #require(lines.firstIndex { $0.hasPrefix("Content-Length: ") })
    #expect(lines[header] == "Content-Length: \(lines[header + 2].utf8.count)\\r\\n")
  }

  @Test func everyTableHasItsBlock() throws {
    let blocks = Set(try ProtocolDocument().generatedBlocks)
    for name in [
      "methods", "limits", "standard-errors", "errors", "warnings", "unavailability", "engine-failures", "tones",
      "summary-styles", "personalities", "kinds", "schema-keywords",
    ] {
      #expect(blocks.contains(name), "\(name)")
    }
  }
}
