import Assistant
import EngineProtocol
import JSON
import TestSupport
import Testing

/// Which copy is chosen, and which is used.
@Suite struct PreparedModelsTests {
  static func candidate(_ format: CopyFormat?, time: Double, drift: Double) -> PreparedCandidate {
    var figures = MeasuredModel()
    figures.quantization = format?.rawValue ?? "Q4_1"
    figures.relativeTime = time
    figures.divergence = drift
    figures.perplexity = 20
    return PreparedCandidate(format: format, sizeBytes: 100, figures: figures)
  }

  struct Choice: Sendable {
    var eight: (time: Double, drift: Double)
    var four: (time: Double, drift: Double)
    var maxDrift = 0.1
    var best: CopyFormat?
  }

  @Test(
    "the fastest within the drift, if it saves a tenth",
    arguments: [
      Choice(eight: (0.8, 0.01), four: (0.6, 0.05), best: .fourBit),
      Choice(eight: (0.8, 0.01), four: (0.6, 0.2), best: .eightBit),
      Choice(eight: (0.8, 0.01), four: (0.6, 0.2), maxDrift: 0.2, best: .fourBit),
      Choice(eight: (0.8, 0.01), four: (0.6, 0.2), maxDrift: 0, best: nil),
      Choice(eight: (0.9, 0.01), four: (0.91, 0.01), best: .eightBit),
      Choice(eight: (0.91, 0.01), four: (1.2, 0.01), best: nil),
      Choice(eight: (0.8, .nan), four: (0.7, .infinity), best: nil),
    ])
  func choice(_ row: Choice) {
    let candidates = [
      Self.candidate(nil, time: 1, drift: 0), Self.candidate(.eightBit, time: row.eight.time, drift: row.eight.drift),
      Self.candidate(.fourBit, time: row.four.time, drift: row.four.drift),
    ]
    #expect(PreparedManifest.best(of: candidates, maxDrift: row.maxDrift) == row.best)
  }

  static var manifest: PreparedManifest {
    var manifest = PreparedManifest()
    manifest.source = FileRecord(path: "/m.gguf", stamp: FileStamp(sizeBytes: 10, modified: 1), sha256: "aa")
    manifest.machine = "x"
    manifest.candidates = [candidate(nil, time: 1, drift: 0)]
    manifest.copy = PreparedCopy(
      format: .eightBit,
      file: FileRecord(path: "Q8_0.gguf", stamp: FileStamp(sizeBytes: 20, modified: 2), sha256: "bb"))
    return manifest
  }

  @Test("whatever does not agree with the manifest is ignored, and why is said")
  func staleness() {
    let source = FileStamp(sizeBytes: 10, modified: 1)
    let copy = FileStamp(sizeBytes: 20, modified: 2)
    var old = Self.manifest
    old.version = 0
    var without = Self.manifest
    without.copy = nil
    let rows: [(PreparedManifest, FileStamp?, FileStamp?, String, says: String?)] = [
      (Self.manifest, source, copy, "x", nil),
      (without, source, nil, "x", nil),
      (old, source, copy, "x", "another version"),
      (Self.manifest, FileStamp(sizeBytes: 10, modified: 3), copy, "x", "has changed"),
      (Self.manifest, FileStamp(sizeBytes: 11, modified: 1), copy, "x", "has changed"),
      (Self.manifest, nil, copy, "x", "has changed"),
      (Self.manifest, source, copy, "y", "another kind of processor"),
      (Self.manifest, source, nil, "x", "is missing"),
      (Self.manifest, source, FileStamp(sizeBytes: 19, modified: 2), "x", "damaged"),
      (Self.manifest, source, FileStamp(sizeBytes: 20, modified: 9), "x", "was written since"),
      (without, FileStamp(sizeBytes: 11, modified: 1), nil, "x", "has changed"),
    ]
    for (manifest, source, copy, machine, says) in rows {
      let problem = manifest.problem(source: source, copy: copy, machine: machine)
      #expect((problem == nil) == (says == nil), "\(problem ?? "nil")")
      if let says { #expect(problem?.contains(says) == true, "\(problem ?? "nil")") }
    }
  }

  @Test("a manifest is read as it was written, and one that leads elsewhere is refused")
  func reading() throws {
    #expect(try PreparedManifest(json: Self.manifest.json) == Self.manifest)
    for path in ["", "../other.gguf", "/etc/passwd", ".hidden", "a/b"] {
      var manifest = Self.manifest
      manifest.copy?.file.path = path
      #expect(throws: JSONMismatch.self) { try PreparedManifest(json: manifest.json) }
    }
    var empty = Self.manifest
    empty.candidates = []
    #expect(throws: JSONMismatch.self) { try PreparedManifest(json: empty.json) }
  }

  @Test("processors of one kind have one fingerprint")
  func fingerprints() {
    let first = "processor\t: 0\nmodel name\t: Fast 9000\ncpu MHz\t: 1.5\nflags\t: a b c\n\nprocessor\t: 1\n"
    let same = "processor\t: 3\nmodel name\t: Fast 9000\ncpu MHz\t: 3.0\nflags\t: a b c\n"
    let fewer = "processor\t: 0\nmodel name\t: Fast 9000\nflags\t: a b\n"
    let arm = "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\n"
    #expect(Machine.fingerprint(cpuInfo: first) == Machine.fingerprint(cpuInfo: same))
    #expect(Machine.fingerprint(cpuInfo: first).hasPrefix("Fast 9000 ("))
    let all = [first, fewer, arm, ""].map { Machine.fingerprint(cpuInfo: $0) }
    #expect(Set(all).count == all.count)
    #expect(!Machine.fingerprint.isEmpty)
  }

  @Test("SHA-256 of files, by the standard's examples")
  func checksums() throws {
    let rows = [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ]
    for (text, digest) in rows {
      let file = try TemporaryFile(text)
      let sum = withExtendedLifetime(file) { SHA256.ofFile(file.path) }
      #expect(sum == digest)
    }
    #expect(SHA256.ofFile("/nonexistent") == nil)
  }
}
