import JSON
import JSONRPC
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct UnixSocketTests {
  private func mode(of path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test("the socket is nobody else's, and takes connections until it is closed")
  func connections() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.sock")
    let listener = try UnixListener(path: path)
    #expect(mode(of: path) == 0o600)
    for number in 1...3 {
      let client = try UnixSocket.connect(to: path)
      let server = try #require(try listener.accept())
      try client.writeAll(Array("hello \(number)".utf8))
      #expect(server.readSome() == Array("hello \(number)".utf8))
      client.close()
      #expect(server.readSome() == [])
    }
    #expect(try UnixSocket.processID(listeningAt: path) == Int(getpid()))
    _ = try listener.accept()
    let waiting = Task { try await onThread { try listener.accept() == nil } }
    listener.close()
    #expect(try await waiting.value)
    #expect(try listener.accept() == nil)
    #expect(throws: ChannelError.system(call: "connect", code: ECONNREFUSED)) { try UnixSocket.connect(to: path) }
  }

  @Test("whoever has connected and was not accepted is let go when the listener closes")
  func backlog() async throws {
    let folder = try TemporaryFolder()
    let listener = try UnixListener(path: folder.path("a.sock"))
    let client = try UnixSocket.connect(to: folder.path("a.sock"))
    listener.close()
    // It may be accepted just before.
    while try listener.accept() != nil {}
    let bytes = try await onThread { client.readSome() }
    #expect(bytes == nil || bytes == [])
  }

  @Test(
    "another user's program is let go before a byte of it is read (run as root, who can become another user)",
    .enabled(if: geteuid() == 0))
  func otherUsers() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.sock")
    let listener = try UnixListener(path: path)
    // As it must not be: so that only the look at who is there keeps anybody out.
    chmod(folder.root, 0o755)
    chmod(path, 0o666)
    let script = """
      import os, socket, sys
      os.setuid(65534)
      s = socket.socket(socket.AF_UNIX)
      s.connect(sys.argv[1])
      try:
          s.sendall(b'x')
          print('end' if s.recv(1) == b'' else 'served')
      except ConnectionError:
          print('end')
      """
    let stranger = try SpawnedProcess("python3", ["-c", script, path])
    let accepted = Task { try await onThread(deadline: patience) { try listener.accept()?.readSome() } }
    let output = String(decoding: try stranger.readToEnd(), as: UTF8.self)
    #expect(output == "end\n", "\(stranger.standardError())")
    // It was not the stranger that was accepted, but whoever comes next.
    let friend = try UnixSocket.connect(to: path)
    try friend.writeAll([7])
    #expect(try await accepted.value == [7])
    listener.close()
  }

  @Test("a path that does not fit, a path that is taken, nobody there")
  func failures() throws {
    let folder = try TemporaryFolder()
    let long = folder.root + "/" + String(repeating: "a", count: UnixSocket.longestPath)
    #expect(throws: ChannelError.system(call: "a socket at \(long)", code: ENAMETOOLONG)) {
      try UnixListener(path: long)
    }
    let path = folder.path("a.sock")
    #expect(throws: ChannelError.system(call: "connect", code: ENOENT)) { try UnixSocket.connect(to: path) }
    let listener = try UnixListener(path: path)
    #expect(throws: ChannelError.system(call: "bind \(path)", code: EADDRINUSE)) { try UnixListener(path: path) }
    listener.close()
  }
}
