import Assistant
import EngineProtocol
import JSONRPC
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `inkling prepare` with engines that are scripted: what is kept, what is done again, and what is left behind.
@Suite(.timeLimit(.minutes(1))) struct ModelPreparationTests {
  /// A model file, a folder for copies, and engines that follow a script.
  struct House {
    let folder: TemporaryFolder
    let model: String
    let models: PreparedModels
    let launcher: ScriptedWorkshop

    init(_ script: ScriptedWorkshop.Script = .init()) throws {
      folder = try TemporaryFolder()
      model = try folder.file("models/m.gguf", Array("GGUF the model".utf8))
      models = PreparedModels(root: folder.path("cache/prepared"), machine: "this")
      launcher = ScriptedWorkshop(script)
    }

    func preparation(_ machine: String = "this") -> ModelPreparation {
      ModelPreparation(
        models: PreparedModels(root: folder.path("cache/prepared"), machine: machine), launcher: launcher,
        buildID: "build")
    }

    /// The names of all files for copies but the lock.
    var files: [String] {
      (Files.list(folder.path("cache/prepared")) ?? []).flatMap { model in
        (Files.list(folder.path("cache/prepared/" + model)) ?? []).filter { $0 != "lock" }
      }
    }

    /// The path of a file beside the manifest.
    func path(_ name: String) throws -> String {
      let models = try #require(Files.list(folder.path("cache/prepared")))
      return folder.path("cache/prepared/" + (try #require(models.first)) + "/" + name)
    }
  }

  private func outcome(
    _ house: House, _ machine: String = "this", maxDrift: Double? = nil, force: Bool = false
  ) async -> String {
    await Self.outcome(house.preparation(machine), house.model, maxDrift, force)
  }

  private static func outcome(
    _ preparation: ModelPreparation, _ model: String, _ maxDrift: Double?, _ force: Bool
  ) async -> String {
    do throws(ModelPreparation.Failure) {
      switch try await preparation.prepare(model, maxDrift: maxDrift, force: force) {
      case .measured(let manifest, let failures):
        return (["measured", manifest.copy?.format.rawValue ?? "none"] + failures).joined(separator: " ")
      case .unchanged(let manifest): return "unchanged " + (manifest.copy?.format.rawValue ?? "none")
      case .notSuitable(let why): return "not suitable: " + why
      }
    } catch {
      switch error.kind {
      case .cancelled: return "cancelled"
      case .failed(let error): return "failed: \(error.message) \(error.remedy)"
      }
    }
  }

  @Test func theBestCopyIsKeptAndFound() async throws {
    let house = try House()
    #expect(house.models.find(house.model) == .none)
    #expect(await outcome(house) == "measured Q8_0")
    #expect(house.files == ["Q8_0.gguf", "manifest.json"])
    guard case .copy(let path, let manifest) = house.models.find(house.model) else {
      Issue.record("no copy is found")
      return
    }
    #expect(try readText(path) == "GGUF Q8_0")
    #expect(PreparedModels.isIntact(path, manifest))
    #expect(manifest.candidates.map(\.sizeBytes) == [14, 9, 9])
    var status = stat()
    for (name, mode) in [("Q8_0.gguf", 0o600), ("manifest.json", 0o600), ("lock", 0o600), ("", 0o700)] {
      #expect(stat(try house.path(name), &status) == 0 && status.st_mode & 0o777 == mode, "\(name)")
    }
    #expect(house.launcher.started == 3)
  }

  @Test func nothingIsDoneTwice() async throws {
    let house = try House()
    _ = await outcome(house)
    #expect(await outcome(house) == "unchanged Q8_0")
    // Another limit that leads to the same choice, and one that does not; without one the last holds.
    #expect(await outcome(house, maxDrift: 0.15) == "unchanged Q8_0")
    #expect(house.launcher.started == 3)
    #expect(await outcome(house, maxDrift: 0.5) == "measured Q4_0")
    #expect(house.files == ["Q4_0.gguf", "manifest.json"])
    #expect(await outcome(house) == "unchanged Q4_0")
    #expect(await outcome(house, force: true) == "measured Q4_0")
    #expect(await outcome(house, maxDrift: 0) == "measured none")
    #expect(house.files == ["manifest.json"])
    #expect(await outcome(house) == "unchanged none")
    guard case .sourceIsBest = house.models.find(house.model) else {
      Issue.record("the source is not found to be best")
      return
    }
    // Another machine with the same home.
    #expect(await outcome(house, "that", maxDrift: 0.1) == "measured Q8_0")
    #expect(house.models.find(house.model) == .ignored("was measured on another kind of processor"))
  }

  @Test func whatIsDamagedIsIgnoredAndMadeAgain() async throws {
    let house = try House()
    _ = await outcome(house)
    let copy = try house.path("Q8_0.gguf")
    let damages: [(String, () throws -> Void)] = [
      ("is damaged", { #expect(truncate(copy, 4) == 0) }),
      ("was written since", { try writeFile(copy, Array("GGUF 8_0Q".utf8)) }),
      ("is missing", { #expect(unlink(copy) == 0) }),
      ("is missing", { #expect(unlink(copy) == 0 && symlink(house.model, copy) == 0) }),
      ("cannot be read", { try writeFile(try house.path("manifest.json"), Array("{\"version\":".utf8)) }),
      ("cannot be read", { try writeFile(try house.path("manifest.json"), [0, 255, 7]) }),
      ("has changed", { try writeFile(house.model, Array("GGUF another model".utf8)) }),
    ]
    for (says, damage) in damages {
      try damage()
      guard case .ignored(let why) = house.models.find(house.model) else {
        Issue.record("\(says): not ignored")
        continue
      }
      #expect(why.contains(says), "\(why)")
      #expect(await outcome(house) == "measured Q8_0", "\(says)")
      #expect(house.files == ["Q8_0.gguf", "manifest.json"], "\(says)")
    }
  }

  @Test func theSameBytesWithAnotherTimeAreTheSameModel() async throws {
    let house = try House()
    _ = await outcome(house)
    var times = [timespec(tv_sec: 5, tv_nsec: 0), timespec(tv_sec: 5, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, house.model, &times, 0) == 0)
    #expect(house.models.find(house.model) != .none)
    #expect(await outcome(house) == "unchanged Q8_0")
    guard case .copy = house.models.find(house.model) else {
      Issue.record("the copy is not found again")
      return
    }
    #expect(house.launcher.started == 3)
  }

  @Test func failuresLeaveNothing() async throws {
    let rows: [(ScriptedWorkshop.Script, says: String)] = [
      (.init(quantize: .dies), "signal 6 while making the Q8_0 copy"),
      (.init(quantize: .fails("no such tensor")), "No such tensor."),
      (.init(measure: .dies), "signal 6 while measuring the copies"),
      (.init(measure: .fails("not finite")), "Not finite."),
      (.init(buildID: "other"), "is of another build"),
      (.init(quantize: .unsuitable("it is large")), "not suitable: it is large"),
    ]
    for (script, says) in rows {
      let house = try House(script)
      let outcome = await outcome(house)
      #expect(outcome.contains(says), "\(outcome)")
      #expect(Files.list(house.folder.path("cache/prepared")) == [], "\(says)")
    }
    // A model that no copy is made of is refused by the first engine.
    let large = try House(.init(quantize: .unsuitable("it is large")))
    _ = await outcome(large)
    #expect(large.launcher.started == 1)
    let house = try House()
    _ = try house.folder.file("cache/prepared", [])
    let blocked = await outcome(house)
    #expect(blocked.hasPrefix("failed") && blocked.contains("XDG_CACHE_HOME"), "\(blocked)")
    let none = await Self.outcome(house.preparation(), "/nonexistent.gguf", nil, false)
    #expect(none.contains("There is no file"))
  }

  @Test func aCopyThatCannotBeMadeLeavesTheOther() async throws {
    let rows: [(ScriptedWorkshop.Script, outcome: String, formats: [CopyFormat?])] = [
      (
        .init(fourBit: .dies), "measured Q8_0 The engine was ended by signal 6 while making the Q4_0 copy.",
        [nil, .eightBit]
      ),
      (
        .init(quantize: .fails("no such tensor"), fourBit: .works),
        "measured Q4_0 Something failed while making the Q8_0 copy: No such tensor.", [nil, .fourBit]
      ),
      (.init(quantize: .sameForm, fourBit: .works), "measured Q4_0", [nil, .fourBit]),
    ]
    for (script, says, formats) in rows {
      let house = try House(script)
      #expect(await outcome(house, maxDrift: 1) == says)
      #expect(house.models.find(house.model).manifest?.candidates.map(\.format) == formats)
    }
  }

  @Test func cancellingEndsTheEngineAndLeavesWhatThereWas() async throws {
    let house = try House()
    _ = await outcome(house)
    let gate = Gate<Void>()
    house.launcher.hang(gate)
    let preparation = house.preparation()
    let model = house.model
    // With a limit that would lead to the same choice: also that is written at the end only.
    let work = Task { await Self.outcome(preparation, model, 0.15, true) }
    await gate.wait()
    // The lock is held meanwhile.
    for force in [false, true] {
      #expect(await outcome(house, force: force).contains("Another “inkling prepare”"))
    }
    work.cancel()
    #expect(await work.value == "cancelled")
    #expect(house.files == ["Q8_0.gguf", "manifest.json"])
    guard case .copy(_, let manifest) = house.models.find(house.model) else {
      Issue.record("the copy is gone")
      return
    }
    #expect(manifest.maxDrift == PreparedManifest.defaultMaxDrift)
  }

  @Test func leftoversAreCleanedAndAllCanBeRemoved() async throws {
    let house = try House()
    _ = await outcome(house)
    try writeFile(try house.path(".Q4_0.partial"), [1, 2, 3])
    try writeFile(try house.path("Q4_0.gguf"), [1, 2, 3])
    _ = await outcome(house, force: true)
    #expect(house.files == ["Q8_0.gguf", "manifest.json"])
    #expect(try house.preparation().remove(house.model))
    #expect(Files.list(house.folder.path("cache/prepared")) == [])
    #expect(try !house.preparation().remove(house.model))
    #expect(house.models.find(house.model) == .none)
  }
}

extension PreparedModels.Finding {
  fileprivate var manifest: PreparedManifest? {
    switch self {
    case .copy(_, let manifest), .sourceIsBest(let manifest): manifest
    case .none, .ignored: nil
    }
  }
}
