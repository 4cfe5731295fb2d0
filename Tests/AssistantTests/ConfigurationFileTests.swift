import Assistant
import AssistantProtocol
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The configuration's file on a disk: where it is, when it is read again, what is not read.
@Suite struct ConfigurationFileTests {
  private static func tone(_ word: String) -> [UInt8] { Array("{\"tone\": \"\(word)\"}".utf8) }

  @Test func aChangeIsTakenUp() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("c.json", Self.tone("simpler"))
    let readings = Box<Int>()
    let file = ConfigurationFile(path: path, interval: .zero) { readings.append($0.problems.count) }
    #expect(file.current.customization.tone == .simpler)
    #expect(file.current.customization.tone == .simpler && readings.all == [0])
    _ = try folder.file("c.json", Self.tone("longer"))
    #expect(file.current.customization.tone == .longer)
    // A file that takes its place, as many editors save.
    _ = try folder.file("new.json", Self.tone("formel"))
    rename(folder.path("new.json"), path)
    #expect(file.current.customization.tone == .formal && file.reading.problems.count == 1)
    #expect(readings.all == [0, 0, 1])
    // Half written: what was good is kept, and the mistake is told.
    _ = try folder.file("c.json", Self.tone("exciting"))
    #expect(file.current.customization.tone == .exciting)
    _ = try folder.file("c.json", Array("{\"tone\": ".utf8))
    #expect(file.current.customization.tone == .exciting && file.reading.isUnreadable)
    unlink(path)
    #expect(
      file.reading.problems.map(\.message) == ["the file is gone, and the defaults hold"]
        && file.current.customization.tone == .formal)
  }

  @Test func itIsLookedAtOnlyOnceInAWhile() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("c.json", Self.tone("simpler"))
    let file = ConfigurationFile(path: path, interval: .seconds(3600))
    _ = try folder.file("c.json", Self.tone("proofread"))
    #expect(file.current.customization.tone == .simpler)
  }

  @Test func theCatalogIsAPartOfIt() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("c.json", Array(#"{"catalog": {"path": "books.json"}}"#.utf8))
    _ = try folder.file("books.json", Array(#"[{"title": "Emma"}]"#.utf8))
    let file = ConfigurationFile(path: path, interval: .zero)
    #expect(file.current.catalog.matches("emma").count == 1)
    _ = try folder.file("books.json", Array(#"[{"title": "Dracula"}]"#.utf8))
    #expect(file.current.catalog.matches("dracula").count == 1)
    // Damaged, the films stand in for it; and it comes back.
    _ = try folder.file("books.json", Array("{}".utf8))
    #expect(file.reading.problems.count == 1 && file.current.catalog.matches("dracula").isEmpty)
    unlink(folder.path("books.json"))
    #expect(file.reading.problems.map(\.message) == ["the file cannot be read, or is longer than 1 MiB"])
    _ = try folder.file("books.json", Array(#"[{"title": "Dracula"}]"#.utf8))
    #expect(file.reading.problems.isEmpty && file.current.catalog.matches("dracula").count == 1)
  }

  @Test func whatIsNoFileIsAProblem() throws {
    let folder = try TemporaryFolder()
    func problems(_ path: String, isRequired: Bool = false) -> [String] {
      ConfigurationFile(path: path, isRequired: isRequired).reading.problems.map(\.description)
    }
    #expect(problems(folder.path("none")) == [])
    #expect(problems(folder.path("none"), isRequired: true) == ["1:1: the file cannot be found"])
    #expect(problems(folder.root) == ["1:1: it is not a regular file"])
    mkfifo(folder.path("pipe"), 0o600)
    #expect(problems(folder.path("pipe")) == ["1:1: it is not a regular file"])
    let long = try folder.file("long", Array(repeating: UInt8(ascii: " "), count: (1 << 20) + 1))
    #expect(problems(long) == ["1:1: the file is longer than 1 MiB"])
    #expect(ConfigurationFile(path: nil).reading.problems.isEmpty)
  }

  @Test func namesInItBeginAtItsFolder() throws {
    let file = ConfigurationFile(path: "/a/b/config.json")
    #expect(file.resolved("m.gguf") == "/a/b/m.gguf" && file.resolved("/m.gguf") == "/m.gguf")
    if let home = Environment["HOME"] { #expect(file.resolved("~/m.gguf") == home + "/m.gguf") }
  }
}
