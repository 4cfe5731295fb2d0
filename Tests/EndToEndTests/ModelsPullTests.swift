import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// `inkling models pull`, from a server on this machine.
  @Suite(.serialized) struct ModelsPull {
    /// A server of one model that does what its paths say. It writes a line for each request.
    private final class Server {
      static let script = """
        import http.server, os, sys
        model = open(sys.argv[1], "rb").read()
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_HEAD(self): self.answer(False)
            def do_GET(self): self.answer(True)
            def log_message(self, *arguments): pass
            def answer(self, wants_body):
                path, begin = self.path.split("?")[0], 0
                kind = path.split("/")[1]
                given = self.headers.get("Range")
                if wants_body: print(kind, given, flush=True)
                if kind == "missing": return self.send_error(404)
                if kind in ("away", "plain"):
                    self.send_response(302)
                    self.send_header("Location", "file:///etc/passwd" if kind == "away" else "/good/model.gguf")
                    return self.end_headers()
                body = b"<html>sign in</html>" * 9 if kind == "page" else model
                if given and kind != "norange": begin = int(given[6:].split("-")[0])
                if begin: body = body[begin:]
                self.send_response(206 if begin else 200)
                self.send_header("Content-Length", str(len(body)))
                if kind == "org": self.send_header("X-Linked-ETag", '"' + sys.argv[2] + '"')
                if kind in ("cut", "slow"): self.send_header("ETag", '"' + open(sys.argv[1] + ".tag").read() + '"')
                if begin: self.send_header("Content-Range", f"bytes {begin}-{len(model) - 1}/{len(model)}")
                self.end_headers()
                if not wants_body: return
                if kind in ("cut", "slow") and not begin:
                    self.wfile.write(body[: len(body) // 2])
                    self.wfile.flush()
                    if kind == "slow": self.connection.recv(1)
                    return self.connection.close()
                self.wfile.write(body)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

      let process: SpawnedProcess
      private(set) var address = ""

      init(_ model: String, checksum: String) throws {
        process = try SpawnedProcess("python3", ["-c", Self.script, model, checksum])
        address = "http://127.0.0.1:" + (try line())
      }

      /// The next line that it writes.
      func line() throws -> String {
        let bytes = try process.read(within: 20, "for the server") { bytes in
          bytes.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 - bytes.startIndex }
        }
        return String(decoding: (bytes ?? []).dropLast(), as: UTF8.self)
      }
    }

    private let home: ModelsCommand.Home
    private let server: Server
    private let bytes = ModelsCommand.model(rows: 4096)
    private let checksum: String

    init() throws {
      home = try ModelsCommand.Home()
      try home.write("served.gguf", bytes)
      try home.write("served.gguf.tag", Array("one".utf8))
      let sum = try SpawnedProcess(
        "python3",
        ["-c", "import hashlib,sys;print(hashlib.sha256(open(sys.argv[1],'rb').read()).hexdigest())"]
          + [home.folder.path("served.gguf")])
      checksum = String(String(decoding: try sum.readToEnd(), as: UTF8.self).trimmingWhitespace)
      server = try Server(home.folder.path("served.gguf"), checksum: checksum)
    }

    private func pull(_ path: String, _ options: [String] = []) throws -> CommandLineTool.Run {
      try home.run(["pull", server.address + "/" + path] + options)
    }

    private var files: [String] { Files.list(home.folder.path("own")) ?? [] }

    @Test("a model is fetched, checked and named; one that is there is replaced only when asked")
    func fetch() throws {
      let run = try pull("good/model.gguf?download=true", ["--sha256", checksum.uppercased()])
      #expect(run.exit == .status(0) && run.error.isEmpty, "\(run.error)")
      #expect(run.output == home.folder.path("own/model.gguf") + "\n")
      #expect(try readFile(home.folder.path("own/model.gguf")) == bytes && files == ["model.gguf"])
      let again = try pull("good/model.gguf")
      #expect(again.exit == .status(1) && again.output.isEmpty && again.error.contains("--force"))
      #expect(try pull("good/model.gguf", ["--force"]).exit == .status(0))
      #expect(try pull("good/x", ["--name", "other.gguf"]).exit == .status(0))
      #expect(files == ["model.gguf", "other.gguf"])
    }

    @Test("hf: names a file at the server of HF_ENDPOINT, whose tag is the checksum")
    func hub() throws {
      let run = try home.run(["pull", "hf:org/name/model.gguf"], ["HF_ENDPOINT": server.address + "/"])
      #expect(run.exit == .status(0), "\(run.error)")
      #expect(files == ["model.gguf"])
      let wrong = try Server(home.folder.path("served.gguf"), checksum: String(repeating: "0", count: 64))
      let refused = try home.run(
        ["pull", "hf:org/name/sub/other.gguf"], ["HF_ENDPOINT": wrong.address])
      #expect(refused.exit == .status(1) && refused.error.contains("checksum is wrong"), "\(refused.error)")
      #expect(files == ["model.gguf", "other.gguf.part", "other.gguf.part.source"])
    }

    @Test("a connection that is cut leaves the part, from which the next try goes on")
    func resume() throws {
      let cut = try pull("cut/model.gguf")
      #expect(cut.exit == .status(1) && cut.output.isEmpty && cut.error.contains("goes on from there"), "\(cut.error)")
      #expect(cut.error.split(separator: "\n").count == 1)
      #expect(files == ["model.gguf.part", "model.gguf.part.source"])
      var status = stat()
      #expect(stat(home.folder.path("own/model.gguf.part.source"), &status) == 0 && status.st_mode & 0o777 == 0o600)
      let half = bytes.count / 2
      #expect(try readFile(home.folder.path("own/model.gguf.part")).count == half)
      #expect(try server.line() == "cut None")
      #expect(try pull("cut/model.gguf").exit == .status(0))
      #expect(try server.line() == "cut bytes=\(half)-")
      #expect(try readFile(home.folder.path("own/model.gguf")) == bytes && files == ["model.gguf"])
      // A server that cannot go on begins anew.
      let third = server.address + "/norange/third.gguf"
      try home.write("own/third.gguf.part", Array(bytes.prefix(half)))
      try home.write("own/third.gguf.part.source", Array("\(third)\n\n\(bytes.count)\n".utf8))
      #expect(try pull("norange/third.gguf").exit == .status(0))
      #expect(try readFile(home.folder.path("own/third.gguf")) == bytes)
    }

    @Test("a part of another address, of a file that was replaced, or of nobody knows what begins anew and says so")
    func otherFile() throws {
      let part = home.folder.path("own/model.gguf.part")
      #expect(try pull("cut/model.gguf").exit == .status(1))
      let other = try pull("good/model.gguf")
      #expect(other.exit == .status(0) && other.error.contains("it came from another address"), "\(other.error)")
      #expect(other.error.split(separator: "\n").count == 1 && files == ["model.gguf"])
      #expect(try pull("cut/model.gguf", ["--force"]).exit == .status(1))
      try home.write("served.gguf.tag", Array("two".utf8))
      let replaced = try pull("cut/model.gguf", ["--force"])
      #expect(replaced.exit == .status(1) && replaced.error.contains("another one now"), "\(replaced.error)")
      #expect(try readFile(part).count == bytes.count / 2)
      unlink(part + ".source")
      let unknown = try pull("good/model.gguf", ["--force"])
      #expect(unknown.exit == .status(0) && unknown.error.contains("nobody knows"), "\(unknown.error)")
      #expect(try readFile(home.folder.path("own/model.gguf")) == bytes && files == ["model.gguf"])
    }

    @Test("curl holds the lock also when inkling was killed")
    func killed() throws {
      let process = try SpawnedProcess(
        Daemon.executable, ["models", "pull", server.address + "/slow/model.gguf"], environment: home.environment)
      #expect(try server.line() == "slow None")
      process.send(signal: SIGKILL)
      _ = try process.waitForExit(within: 10)
      let next = try pull("slow/model.gguf")
      #expect(next.exit == .status(1) && next.error.contains("Another “inkling models pull” writes"), "\(next.error)")
      // It ends with its server.
      server.process.send(signal: SIGKILL)
    }

    @Test("a wrong checksum, a page, nothing there and a redirection off the network are refused")
    func refused() throws {
      let left = ["a.gguf.part", "a.gguf.part.source"]
      let rows: [(String, [String], String, [String])] = [
        ("good/a.gguf", ["--sha256", String(repeating: "f", count: 64)], "checksum is wrong", left),
        ("page/b.gguf", [], "is not a GGUF model", left), ("missing/c.gguf", [], "404", left),
        ("away/d.gguf", [], "cannot be fetched", left), ("plain/e.gguf", [], "cannot be fetched", left),
      ]
      for (path, options, says, left) in rows {
        let run = try pull(path, options)
        #expect(run.exit == .status(1) && run.output.isEmpty && run.error.contains(says), "\(path): \(run.error)")
        #expect(run.error.split(separator: "\n").count == 1, "\(run.error)")
        #expect(files == left, "\(path)")
      }
      // The whole part is there: it is only compared again.
      let again = try pull("good/a.gguf", ["--sha256", checksum])
      #expect(again.exit == .status(0) && again.error.isEmpty && files == ["a.gguf"], "\(again.error)")
      // What is whole and of no use does not stand in the way for ever.
      try home.write("own/f.gguf.part", [UInt8](repeating: 0, count: bytes.count))
      try home.write(
        "own/f.gguf.part.source", Array("\(server.address)/good/f.gguf\n\n\(bytes.count)\n".utf8))
      #expect(try pull("good/f.gguf", ["--force"]).exit == .status(0))
      #expect(try readFile(home.folder.path("own/f.gguf")) == bytes)
      for source in [
        "http://example.com/a.gguf", "ftp://127.0.0.1/a.gguf", "http://127.0.0.1@example.com/a.gguf", "hf:a/b",
        "hf:a/../c",
        "-o/tmp/x", "https://u:p@example.com/a.gguf", "https:///a.gguf", "https://example.com/a b.gguf",
        "https://example.com/a%E2%80%AE.gguf", "https://example.com/a%C2%9B.gguf", "https://example.com/a",
        "https://example.com/..%2Fa.gguf",
      ] {
        let run = try home.run(["pull", "--", source])
        #expect(run.exit == .status(2) && run.output.isEmpty && !run.error.isEmpty, "\(source): \(run.error)")
      }
      #expect(try home.run(["pull", "hf:a/b/c.gguf", "--name", "../x.gguf"]).exit == .status(2))
      #expect(try home.run(["pull", "hf:a/b/c.gguf", "--name", "a\u{200B}b.gguf"]).exit == .status(2))
    }

    @Test("without curl it says what to install")
    func noCurl() throws {
      let run = try home.run(["pull", server.address + "/good/a.gguf"], ["PATH": home.folder.root])
      #expect(run.exit == .status(1) && run.error.contains("Install it"), "\(run.error)")
    }

    @Test("Ctrl-C ends it with 130 and keeps the part")
    func interrupt() throws {
      let process = try SpawnedProcess(
        Daemon.executable, ["models", "pull", server.address + "/slow/model.gguf"], environment: home.environment)
      #expect(try server.line() == "slow None")
      let part = home.folder.path("own/model.gguf.part")
      let deadline = Deadline(20)
      while try readFile(part).count < bytes.count / 4, !deadline.hasPassed { _ = poll(nil, 0, 20) }
      process.send(signal: SIGINT)
      #expect(try process.waitForExit(within: 10) == .status(130))
      #expect(try process.readToEnd(within: 5).isEmpty && process.standardError().isEmpty)
      let kept = try readFile(part)
      #expect(kept.count >= bytes.count / 4 && bytes.starts(with: kept))
      #expect(try pull("slow/model.gguf").exit == .status(0))
      #expect(files == ["model.gguf"])
    }
  }
}
