import JSON
import JSONRPC
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The record of a connection: complete, private, and fit to be played again.
@Suite struct MirrorTests {
  @Test("both directions are recorded, and the record can be replayed")
  func replay() async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let mirror = try WireMirror(directory: folder.path("mirror"))
    let peer = Peer(lifecycle: .languageServer, mirror: mirror)
    try peer.startReading()
    let sent = [
      call("0", "initialize"), call("1", "echo", #","params":["é\n\u0000"]"#), "{", call("2", "nothing"),
      note("note", #","params":{"count":3}"#), "[\(call("3")),1]",
    ]
    try await peer.send(sent)
    let received = try await peer.next(6)
    peer.finishWriting()
    _ = try await peer.end()

    let entries = try readText(mirror.path).split(separator: "\n").map { try JSONParser.parse(String($0)) }
    #expect(entries.count == 12)
    for entry in entries { #expect(JSONWriter.text(of: entry["time"] ?? .null) > "1") }
    let input = entries.filter { $0["direction"] == "in" }.map { entry -> String in
      if case .string(let text)? = entry["text"] { text } else { JSONWriter.text(of: entry["message"] ?? .null) }
    }
    let output = entries.filter { $0["direction"] == "out" }.map { summary($0["message"] ?? .null) }
    #expect(output.sorted() == received)
    try await check(messages: input, .editor, expect: output)
  }

  @Test("directory 0700, file 0600 under umask 0, a new file each time, no link followed")
  func permissions() throws {
    let temporary = try TemporaryFolder()
    defer { withExtendedLifetime(temporary) {} }
    let old = umask(0)
    defer { umask(old) }
    let folder = temporary.path("mirror")
    let mirrors = try (0..<3).map { _ in try WireMirror(directory: folder) }
    #expect(Set(mirrors.map(\.path)).count == 3)
    #expect(try mode(of: folder) == 0o700)
    for mirror in mirrors { #expect(try mode(of: mirror.path) == 0o600) }
    #expect(throws: ChannelError.self) { try WireMirror(directory: "/nowhere/at/all") }
  }

  private func mode(of path: String) throws -> mode_t {
    var status = stat()
    try #require(lstat(path, &status) == 0)
    return status.st_mode & 0o777
  }
}
