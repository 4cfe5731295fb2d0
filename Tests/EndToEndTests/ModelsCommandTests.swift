import JSON
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension EndToEnd {
  /// `inkling models`, in a made-up home.
  @Suite(.serialized) struct ModelsCommand {
    /// A home folder in which several programs keep models.
    struct Home {
      let folder: TemporaryFolder

      init() throws { folder = try TemporaryFolder() }

      var configuration: String { folder.path("config/inkling/config.json") }

      var environment: [String: String] {
        var variables = [
          "HOME": folder.root, "INKLING_MODEL_DIR": folder.path("own"), "XDG_CONFIG_HOME": folder.path("config"),
        ]
        for name in ["XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE", "OLLAMA_MODELS", "LLAMA_CACHE", "INKLING_MODEL"] {
          variables[name] = ""
        }
        return variables
      }

      func write(_ name: String, _ bytes: [UInt8]) throws { try writeFile(folder.path(name), bytes) }

      func run(_ arguments: [String], _ more: [String: String] = [:]) throws -> CommandLineTool.Run {
        try CommandLineTool.run(["models"] + arguments, environment: environment.merging(more) { $1 })
      }

      /// What `models --json` says, by name.
      func models(_ more: [String: String] = [:]) throws -> [String: JSONValue] {
        let run = try run(["--json"], more)
        #expect(run.exit == .status(0) && run.error.isEmpty, "\(run.error)")
        let models = try JSONParser.parse(run.output)["models"]?.arrayValue ?? []
        return Dictionary(models.map { ($0["name"]?.stringValue ?? "", $0) }) { first, _ in first }
      }
    }

    /// A small file that is a model by its header.
    static func model(_ more: [(String, GGUFWriter.Value)] = [], rows: UInt64 = 8) -> [UInt8] {
      var writer = GGUFWriter()
      writer.metadata += [
        ("general.file_type", .integer(15)), ("general.license", .string("mit")),
        ("llama.context_length", .integer(4096)),
        ("llama.block_count", .integer(2)), ("llama.attention.head_count", .integer(4)),
        ("llama.attention.head_count_kv", .integer(2)), ("llama.embedding_length", .integer(64)),
      ]
      for pair in more {
        writer.metadata.removeAll { $0.0 == pair.0 }
        writer.metadata.append(pair)
      }
      writer.tensors = [("token_embd.weight", [32, rows], 0, 0)]
      writer.dataBytes = Int(rows) * 128
      return writer.bytes
    }

    private static func fill(_ home: Home) throws {
      try home.write("own/mine.gguf", model())
      let huge = UInt32.max
      try home.write(
        "own/huge.gguf",
        model([("llama.block_count", .integer(huge)), ("llama.attention.key_length", .integer(huge))]))
      let digest = String(repeating: "a", count: 64)
      let license = String(repeating: "b", count: 64)
      let manifest = """
        {"layers": [
          {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:\(digest)", "size": 1},
          {"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:\(license)"}
        ]}
        """
      let ollama = ".ollama/models/"
      try home.write(ollama + "manifests/registry.ollama.ai/library/llama/3b", Array(manifest.utf8))
      try home.write(
        ollama + "manifests/registry.ollama.ai/ann/odd/x", Array(#"{"layers": [{"digest": "../../x"}]}"#.utf8))
      try home.write(
        ollama + "blobs/sha256-" + digest, model([("general.license", .integer(0)), ("general.name", .string("o"))]))
      try home.write(ollama + "blobs/sha256-" + license, Array("\n  LLAMA LICENSE\nand so on".utf8))
      let studio = ".lmstudio/models/pub/repo/"
      try home.write(studio + "two-00001-of-00002.gguf", model([("split.count", .integer(2))]))
      try home.write(studio + "two-00002-of-00002.gguf", model())
      try home.write(studio + "lone-00001-of-00003.gguf", model())
      try home.write(studio + "mmproj-two.gguf", model())
      try home.write(studio + "vision.gguf", model([("general.architecture", .string("clip"))]))
      let hub = ".cache/huggingface/hub/models--org--name/"
      try home.write(hub + "blobs/abc", model([("general.file_type", .integer(1))]))
      for revision in ["r1", "r2"] {
        try home.write(hub + "snapshots/\(revision)/README.md", [])
        #expect(symlink("../../blobs/abc", home.folder.path(hub + "snapshots/\(revision)/full.gguf")) == 0)
      }
      let cache = ".cache/llama.cpp/"
      try home.write(cache + "cut.gguf", Array(model().dropLast(9)))
      try home.write(cache + "words.gguf", GGUFWriter().bytes)
      try home.write(cache + "bad\u{1B}[31m\nname.gguf", model())
      try home.write(cache + "page.gguf", Array("<html>".utf8))
      #expect(symlink("..", home.folder.path(cache + "circle")) == 0)
    }

    @Test("the list has what five programs keep, each file once, and says what is broken")
    func list() throws {
      let home = try Home()
      try Self.fill(home)
      let models = try home.models(["INKLING_MODEL": home.folder.path("own/mine.gguf")])
      let mine = try #require(models["mine"])
      #expect(mine["inUse"] == true && mine["keeper"] == "inkling" && mine["quantization"] == "Q4_K_M")
      #expect(mine["contextWindow"] == 4096 && mine["license"] == "mit" && mine["fits"] == "yes")
      #expect(mine["sizeBytes"]?.intValue == Self.model().count)
      // Layers, cells, heads, numbers of a key and a value, bytes of each.
      #expect(mine["memoryBytes"]?.intValue == Self.model().count + 2 * 4096 * 2 * 32 * 2)
      #expect(models["huge"]?["fits"] == "no")
      #expect(models["llama:3b"]?["keeper"] == "ollama" && models["llama:3b"]?["license"] == "LLAMA LICENSE")
      #expect(models["pub/repo/two"]?["sizeBytes"]?.intValue ?? 0 > Self.model().count * 2 - 1)
      #expect(models["pub/repo/lone"]?["problem"]?.stringValue?.contains("part 2 of 3") == true)
      #expect(models["org/name/full"]?["keeper"] == "huggingFace" && models["org/name/full"]?["quantization"] == "F16")
      #expect(models["cut"]?["problem"]?.stringValue?.contains("cut off") == true)
      #expect(models["page"]?["problem"]?.stringValue?.contains("web page") == true)
      #expect(models["bad[31m name"]?["keeper"] == "llamaCpp", "\(models.keys)")
      for name in ["words", "pub/repo/mmproj-two", "pub/repo/vision", "pub/repo/two-00002-of-00002", "ann/odd:x"] {
        #expect(models[name] == nil, "\(name)")
      }
      let text = try home.run([])
      #expect(text.exit == .status(0) && !text.output.contains("\u{1B}"))
      let lines = text.output.split(separator: "\n")
      #expect(lines.filter { $0.contains("org/name/full") }.count == 1)
      #expect(lines.contains { $0.contains("cut.gguf is cut off") })
      // The default model is not there, and is shown all the same: it is what would be used.
      #expect(lines.contains { $0.hasPrefix("*  SmolLM2") && $0.contains("broken") }, "\(text.output)")
    }

    @Test("use sets one member of the configuration, and every other byte, the mode and a link stay")
    func use() throws {
      let home = try Home()
      try Self.fill(home)
      let path = home.folder.path("own/mine.gguf")
      // No file yet.
      #expect(try home.run(["use", "mine"]).exit == .status(0))
      #expect(try readText(home.configuration) == "{\n  \"model\": \"\(path)\"\n}\n")
      #expect(try home.models()["mine"]?["inUse"] == true)
      let before = "{ // mine\n  // of a tone\n  \"tone\": \"simpler\", /* end */\n}\n"
      try home.write("kept.json", Array(before.utf8))
      let kept = home.folder.path("kept.json")
      unlink(home.configuration)
      #expect(symlink(kept, home.configuration) == 0 && chmod(kept, 0o640) == 0)
      let run = try home.run(["use", "org/name/full"])
      #expect(run.exit == .status(0) && run.error.isEmpty, "\(run.error)")
      let full = home.folder.path(".cache/huggingface/hub/models--org--name/snapshots/r1/full.gguf")
      let after = before.replacing("{ // mine\n", with: "{ // mine\n  \"model\": \"\(full)\",\n")
      #expect(try readText(kept) == after)
      var status = stat()
      #expect(stat(kept, &status) == 0 && status.st_mode & 0o777 == 0o640)
      #expect(lstat(home.configuration, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
      #expect(try home.run(["use", path]).exit == .status(0))
      #expect(try readText(kept) == after.replacing(full, with: path))
      #expect(try CommandLineTool.run(["config", "check"], environment: home.environment).exit == .status(0))
      #expect(Files.list(home.folder.path("config/inkling")) == ["config.json"])
    }

    @Test("a link to a configuration that is not there yet stays a link, and the file is made where it leads")
    func danglingLink() throws {
      let home = try Home()
      try Self.fill(home)
      try home.write("config/inkling/x", [])
      try home.write("dotfiles/x", [])
      #expect(symlink("../../dotfiles/c.json", home.configuration) == 0)
      let run = try home.run(["use", "mine"])
      #expect(run.exit == .status(0), "\(run.error)")
      #expect(try readText(home.folder.path("dotfiles/c.json")).contains("mine.gguf"))
      var status = stat()
      #expect(lstat(home.configuration, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
      unlink(home.configuration)
      #expect(symlink("../../gone/c.json", home.configuration) == 0)
      let refused = try home.run(["use", "mine"])
      #expect(refused.exit == .status(1) && refused.error.contains("whose folder is not there"), "\(refused.error)")
      #expect(Files.list(home.folder.path("gone")) == nil)
    }

    @Test("use refuses what it does not find, what is broken, and a configuration that it cannot read")
    func refused() throws {
      let home = try Home()
      try Self.fill(home)
      for (word, says) in [
        ("mien", "did you mean “mine”"), ("cut", "cut off"), (home.folder.path("gone.gguf"), "is not there"),
        (home.folder.path(".lmstudio/models/pub/repo/vision.gguf"), "not a model that writes"),
      ] {
        let run = try home.run(["use", word])
        #expect(run.exit == .status(1) && run.output.isEmpty && run.error.contains(says), "\(word): \(run.error)")
        #expect(Files.list(home.folder.path("config")) == nil)
      }
      try home.write("config/inkling/config.json", Array("{\n  \"tone\" 1\n}".utf8))
      let run = try home.run(["use", "mine"])
      #expect(run.exit == .status(1) && run.error.contains("config.json:2:10: "), "\(run.error)")
      #expect(try readText(home.configuration) == "{\n  \"tone\" 1\n}")
      for arguments in [
        ["use"], ["use", "a", "b"], ["pull"], ["lisst"], ["use", "a", "--force"], ["use", "a", "--json"],
      ] {
        let run = try home.run(arguments)
        #expect(run.exit == .status(2) && run.output.isEmpty && !run.error.isEmpty, "\(arguments)")
      }
    }
  }
}
