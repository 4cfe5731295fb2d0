import TestSupport
import Testing

/// The table of features and their tests.
@Suite struct AcceptanceTests {
  @Test("each feature of the acceptance table names tests that are there")
  func table() throws {
    let table = try readText(Repository.path("Tests/EndToEndTests/Acceptance/README.md"))
    let sources = try Checkout.swiftSources(under: "Tests")
    var count = 0
    for row in table.split(separator: "\n") where row.hasPrefix("| ") && !row.hasPrefix("| ---") {
      guard let cell = row.split(separator: "|").last, cell != " tests " else { continue }
      let names = cell.matches(of: #/`(\w+)\.(\w+)`/#)
      #expect(!names.isEmpty, "\(row)")
      for name in names {
        let isThere = sources.contains {
          $0.text.contains("struct \(name.1) ") && $0.text.contains("func \(name.2)(")
        }
        #expect(isThere, "\(name.0)")
        count += 1
      }
    }
    #expect(count > 40, "the table is there")
  }
}
