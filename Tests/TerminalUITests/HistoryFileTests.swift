import TerminalUI
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct HistoryFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("state/inkling/chat-history") }

  init() throws { folder = try TemporaryFolder() }

  @Test("entries of several lines, quotes and any script come back, the same twice in a row is one")
  func entries() throws {
    let history = HistoryFile(path: path)
    #expect(history.entries() == [])
    let all = ["hello", "two\nlines", "a \"quote\" \\ \u{1}", "日本 👩‍👧", "hello"]
    for entry in all + ["hello", ""] { history.add(entry) }
    #expect(history.entries() == all)
    #expect(try readText(path).split(separator: "\n").count == all.count)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(Files.list(folder.path("state/inkling")) == ["chat-history", "chat-history.lock"])
  }

  @Test("only the last entries are kept, and lines that are damaged are left out")
  func limit() throws {
    let history = HistoryFile(path: path, limit: 3)
    try writeFile(path, Array("\"a\"\nnonsense\n12\n\n\"b\"\n\"c\"\n\"half".utf8))
    #expect(history.entries() == ["a", "b", "c"])
    #expect(history.add("d") == ["b", "c", "d"])
    #expect(try readText(path) == "\"b\"\n\"c\"\n\"d\"\n")
    #expect(history.add(String(repeating: "x", count: 1 << 17)).last == "d")
  }

  @Test("two chats at once lose nothing")
  func together() async throws {
    let path = path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          try await onThread {
            let history = HistoryFile(path: path)
            for number in 0..<25 { history.add("\(writer)-\(number)") }
          }
        }
      }
      try await group.waitForAll()
    }
    let entries = HistoryFile(path: path).entries()
    #expect(entries.count == 100)
    for writer in 0..<4 {
      #expect(entries.filter { $0.hasPrefix("\(writer)-") } == (0..<25).map { "\(writer)-\($0)" })
    }
  }

  @Test("a file takes the place of another only when it may, and nothing is left beside it")
  func privateFile() throws {
    let target = folder.path("a.md")
    try PrivateFile.write(Array("one".utf8), to: target, overwrites: false)
    #expect(throws: PrivateFileError.exists) { try PrivateFile.write([], to: target, overwrites: false) }
    #expect(try readText(target) == "one")
    try PrivateFile.write(Array("two".utf8), to: target, overwrites: true)
    #expect(try readText(target) == "two")
    #expect(throws: PrivateFileError.self) {
      try PrivateFile.write([], to: folder.path("none/a.md"), overwrites: true)
    }
    var status = stat()
    #expect(stat(target, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(Files.list(folder.root) == ["a.md"])
  }
}
