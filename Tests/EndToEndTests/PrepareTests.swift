import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// `inkling prepare` and what the daemon makes of it, with a cache folder of the test's own.
  @Suite(.serialized) struct PrepareTool {
    private func paths(_ environment: [String: String], _ arguments: [String] = []) throws -> (
      loaded: String?, source: String?
    ) {
      let client = try Daemon.ready(arguments, environment: environment)
      _ = try Daemon.engineProcess(of: client, within: 120)
      let model = try client.request("model/status").result?["model"]
      _ = try Daemon.shutDown(client)
      return (model?["path"]?.stringValue, model?["sourcePath"]?.stringValue)
    }

    @Test("prepares once; its copy is loaded, not when damaged, and can be removed")
    func prepare() throws {
      let folder = try TemporaryFolder()
      let environment = ["XDG_CACHE_HOME": folder.root]
      let model = try DefaultModel.path()
      let untried = try CommandLineTool.run(["doctor"], environment: environment, within: 240)
      #expect(untried.exit == .status(0) && untried.output.contains("no copy was tried"), "\(untried.output)")
      let first = try CommandLineTool.run(["prepare", "--json"], environment: environment, within: 600)
      #expect(first.exit == .status(0), "\(first.error)")
      let found = try JSONParser.parse(Array(first.output.utf8))
      #expect(found["outcome"] == "measured")
      guard case .array(let candidates)? = found["prepared"]?["candidates"] else {
        Issue.record("no candidates: \(first.output)")
        return
      }
      #expect(candidates.map { $0["quantization"]?.stringValue } == ["Q4_1", "Q8_0", "Q4_0"])
      let second = try CommandLineTool.run(["prepare"], environment: environment, within: 10)
      #expect(second.exit == .status(0) && second.output.contains("Nothing is to be done"), "\(second.output)")

      // Which copy is the fastest is this machine's affair; here it is the 4-bit one, as if it were.
      let root = folder.path("inkling/prepared")
      let own = root + "/" + (try #require(Files.list(root)?.first))
      let copy = own + "/Q4_0.gguf"
      try writeFile(copy, try readFile(model))
      var status = stat()
      #expect(stat(copy, &status) == 0)
      #if canImport(Glibc)
        let time = status.st_mtim
      #else
        let time = status.st_mtimespec
      #endif
      guard case .object(var manifest) = try #require(found["prepared"]) else {
        Issue.record("the manifest is no object: \(first.output)")
        return
      }
      manifest["copy"] = [
        "format": "Q4_0",
        "file": [
          "path": "Q4_0.gguf", "sizeBytes": Int(status.st_size).json,
          "modified": (time.tv_sec * 1_000_000_000 + time.tv_nsec).json, "sha256": "00",
        ],
      ]
      try writeFile(own + "/manifest.json", JSONWriter.bytes(of: .object(manifest)))
      let prepared = try paths(environment)
      #expect(prepared.loaded == copy && prepared.source == model)
      #expect(try paths(environment, ["--no-prepared"]).loaded == model)
      let doctor = try CommandLineTool.run(["doctor"], environment: environment, within: 240)
      #expect(doctor.exit == .status(1) && doctor.output.contains("checksum is wrong"), "\(doctor.output)")

      #expect(truncate(copy, 1000) == 0)
      let damaged = try paths(environment)
      #expect(damaged.loaded == model && damaged.source == model)

      let removed = try CommandLineTool.run(["prepare", "--remove"], environment: environment)
      #expect(removed.exit == .status(0) && Files.list(root) == [])
      let again = try CommandLineTool.run(["prepare", "--remove"], environment: environment)
      #expect(again.exit == .status(0) && again.output.contains("Nothing was prepared"))
    }

    @Test("Ctrl-C and a kill leave no engine and no file that is used")
    func interrupt() throws {
      for (signal, exit) in [(SIGINT, SpawnedProcess.Exit.status(130)), (SIGKILL, .signal(SIGKILL))] {
        let folder = try TemporaryFolder()
        let environment = ["XDG_CACHE_HOME": folder.root]
        let process = try SpawnedProcess(Daemon.executable, ["prepare"], environment: environment)
        let root = folder.path("inkling/prepared")
        let deadline = Deadline(60)
        while Files.list(root)?.isEmpty ?? true, !deadline.hasPassed { _ = poll(nil, 0, 10) }
        try #require(Files.list(root)?.isEmpty == false, "the folder for copies is not made")
        var engine: pid_t?
        while engine == nil, !deadline.hasPassed {
          _ = poll(nil, 0, 10)
          engine = Daemon.child(of: process.processID)
        }
        let child = try #require(engine, "no engine is started")
        process.send(signal: signal)
        #expect(try process.waitForExit(within: 30) == exit)
        #expect(Daemon.waitUntilGone(child, within: 30), "the engine is still there")
        #expect(try paths(environment).loaded == (try DefaultModel.path()))
        if signal == SIGINT { #expect(Files.list(root) == []) }
      }
    }

    @Test("what cannot be done is said with its remedy")
    func failures() throws {
      let folder = try TemporaryFolder()
      let file = try folder.file("file", [1])
      for (arguments, environment, status, says) in [
        (["prepare"], ["XDG_CACHE_HOME": file], 1, "XDG_CACHE_HOME"),
        (["prepare", "--model", "/nonexistent.gguf"], ["XDG_CACHE_HOME": folder.root], 1, "no file"),
        (["prepare", "--max-drift", "much"], [:], 2, "--max-drift"),
      ] {
        let run = try CommandLineTool.run(arguments, environment: environment)
        #expect(run.exit == .status(Int32(status)) && run.output.isEmpty, "\(arguments)")
        #expect(run.error.contains(says) && run.error.split(separator: "\n").count == 1, "\(run.error)")
      }
    }
  }
}
