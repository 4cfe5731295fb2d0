import GGUF
import Llama
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files that are no model: each is refused with a reason and a remedy, within 5 seconds, and the process lives.
@Suite struct ModelFileTests {
  enum Content {
    case missing, directory, fifo, linkLoop
    case bytes([UInt8])
    /// The default model, cut off after that many bytes.
    case model(cutTo: Int)
  }

  struct Case: CustomTestStringConvertible {
    var name: String
    var content: Content
    var reason: ModelLoadError.Reason
    /// A part of the message.
    var says: String
    var testDescription: String { name }
  }

  static let cases: [Case] = {
    var truncatedTensor = GGUFWriter()
    truncatedTensor.tensors = [("a", [32, 4], 0, 0)]
    truncatedTensor.dataBytes = 511
    var farTensor = GGUFWriter()
    farTensor.tensors = [("a", [32], 0, UInt64.max - 64)]
    var hugeTensor = GGUFWriter()
    hugeTensor.tensors = [("a", [1 << 40, 1 << 40], 0, 0)]
    var oddRow = GGUFWriter()
    oddRow.tensors = [("a", [33], 2, 0)]
    var unknownType = GGUFWriter()
    unknownType.tensors = [("a", [32], 250, 0)]
    var removedType = GGUFWriter()
    removedType.tensors = [("a", [32], 4, 0)]
    var manyPairs = GGUFWriter()
    manyPairs.claimedPairs = 1 << 60
    var morePairs = GGUFWriter()
    morePairs.claimedPairs = 5
    var longArray = GGUFWriter()
    longArray.metadata.append(("tokens", .raw(type: 9, le(UInt32(8)) + le(UInt64.max))))
    var nested = GGUFWriter()
    nested.metadata.append(
      ("deep", .raw(type: 9, (0..<50).flatMap { _ in le(UInt32(9)) + le(UInt64(1)) })))
    var badType = GGUFWriter()
    badType.metadata.append(("x", .raw(type: 99, [])))
    var badAlignment = GGUFWriter()
    badAlignment.metadata.append(("general.alignment", .integer(0)))
    var longKey = GGUFWriter()
    longKey.metadata.append((String(repeating: "k", count: 70_000), .integer(1)))
    var old = GGUFWriter()
    old.version = 1
    var swapped = GGUFWriter()
    swapped.version = UInt32(3).byteSwapped
    var unknownArchitecture = GGUFWriter()
    unknownArchitecture.metadata = [("general.architecture", .string("nothing-like-it"))]
    var splitPart = GGUFWriter()
    splitPart.metadata.append(("split.count", .integer(3)))
    var generator = SplitMix64(seed: 7)
    let noise = (0..<4096).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    return [
      Case(name: "missing", content: .missing, reason: .modelNotFound, says: "There is no file"),
      Case(name: "directory", content: .directory, reason: .modelInvalid, says: "a directory"),
      Case(name: "fifo", content: .fifo, reason: .modelInvalid, says: "a pipe"),
      Case(name: "symlink loop", content: .linkLoop, reason: .modelInvalid, says: "cannot be opened"),
      Case(name: "empty", content: .bytes([]), reason: .modelInvalid, says: "is empty"),
      Case(
        name: "web page", content: .bytes(Array("\n<!DOCTYPE html><html>no</html>".utf8)), reason: .modelInvalid,
        says: "a web page"),
      Case(
        name: "lfs pointer", content: .bytes(Array("version https://git-lfs.github.com/spec/v1\n".utf8)),
        reason: .modelInvalid, says: "git lfs pull"),
      Case(name: "noise", content: .bytes(noise), reason: .modelInvalid, says: "not a GGUF model"),
      Case(
        name: "noise after the magic", content: .bytes(Array("GGUF".utf8) + noise), reason: .modelInvalid,
        says: "GGUF file of version"),
      Case(
        name: "noise after the version", content: .bytes(Array("GGUF".utf8) + le(UInt32(3)) + noise),
        reason: .modelInvalid, says: "damaged header"),
      Case(name: "magic only", content: .bytes(Array("GGUF".utf8)), reason: .modelInvalid, says: "cut off"),
      Case(name: "cut in the header", content: .model(cutTo: 100_000), reason: .modelInvalid, says: "cut off"),
      Case(name: "cut in the data", content: .model(cutTo: 60_000_000), reason: .modelInvalid, says: "cut off"),
      Case(name: "last byte gone", content: .model(cutTo: -1), reason: .modelInvalid, says: "cut off"),
      Case(name: "tensor over the end", content: .bytes(truncatedTensor.bytes), reason: .modelInvalid, says: "cut off"),
      Case(name: "tensor far away", content: .bytes(farTensor.bytes), reason: .modelInvalid, says: "impossible place"),
      Case(name: "tensor too big", content: .bytes(hugeTensor.bytes), reason: .modelInvalid, says: "impossible shape"),
      Case(name: "row of half a block", content: .bytes(oddRow.bytes), reason: .modelInvalid, says: "do not fit"),
      Case(name: "unknown tensor type", content: .bytes(unknownType.bytes), reason: .modelInvalid, says: "(250)"),
      Case(name: "removed tensor type", content: .bytes(removedType.bytes), reason: .modelInvalid, says: "(4)"),
      Case(name: "too many pairs", content: .bytes(manyPairs.bytes), reason: .modelInvalid, says: "damaged header"),
      Case(name: "more pairs than there are", content: .bytes(morePairs.bytes), reason: .modelInvalid, says: "header"),
      Case(name: "endless array", content: .bytes(longArray.bytes), reason: .modelInvalid, says: "an array of"),
      Case(name: "nested arrays", content: .bytes(nested.bytes), reason: .modelInvalid, says: "nested too deeply"),
      Case(name: "unknown value type", content: .bytes(badType.bytes), reason: .modelInvalid, says: "value type 99"),
      Case(name: "alignment 0", content: .bytes(badAlignment.bytes), reason: .modelInvalid, says: "alignment 0"),
      Case(name: "long key", content: .bytes(longKey.bytes), reason: .modelInvalid, says: "a name of 70000 bytes"),
      Case(name: "version 1", content: .bytes(old.bytes), reason: .modelInvalid, says: "version 1"),
      Case(name: "other byte order", content: .bytes(swapped.bytes), reason: .modelInvalid, says: "byte order"),
      Case(
        name: "unknown architecture", content: .bytes(unknownArchitecture.bytes), reason: .modelInvalid,
        says: "nothing-like-it"),
      Case(
        name: "no hyper-parameters", content: .bytes(GGUFWriter().bytes), reason: .modelInvalid, says: "cannot load"),
      Case(name: "part of a split model", content: .bytes(splitPart.bytes), reason: .modelInvalid, says: "3 parts"),
    ]
  }()

  @Test(arguments: cases) func refused(_ test: Case) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("model.gguf")
    try make(test.content, at: path)
    let start = ContinuousClock.now
    do throws(ModelLoadError) {
      _ = try LlamaModel.load(path: path)
      Issue.record("it loaded")
    } catch {
      #expect(error.reason == test.reason)
      #expect(error.message.contains(test.says), "\(error.message)")
      #expect(error.message.contains(path))
    }
    #expect(ContinuousClock.now - start < .seconds(5))
  }

  @Test func pathWithNulNamesNothing() throws {
    let path = try DefaultModel.path()
    #expect { try LlamaModel.load(path: path + "\0.txt") } throws: {
      ($0 as? ModelLoadError)?.reason == .modelNotFound
    }
  }

  /// Every byte of a small header damaged in turn, and random damage to it: the check ends, with an answer.
  @Test func headerSurvivesDamage() throws {
    var writer = GGUFWriter()
    writer.metadata += [
      ("llama.block_count", .integer(2)), ("tokenizer.ggml.tokens", .strings(["a", "b", "<s>"])),
      ("general.name", .string("small")),
    ]
    writer.tensors = [("one", [64, 2], 0, 0), ("two", [32], 8, 512)]
    writer.dataBytes = 1024
    let whole = writer.bytes
    let folder = try TemporaryFolder()
    let path = folder.path("model.gguf")
    try writeFile(path, whole)
    #expect(try ModelFileCheck.check(path).tensors.map(\.size) == [512, 34])

    var generator = SplitMix64(seed: 11)
    var refused = 0
    for round in 0..<3000 {
      var damaged = whole
      if round < 600 {
        damaged[round % (whole.count - 1024)] ^= UInt8(1 << (generator.next() % 8))
      } else {
        for _ in 0...(generator.next() % 6) {
          damaged[Int(generator.next() % UInt64(whole.count - 1024))] = UInt8(truncatingIfNeeded: generator.next())
        }
        if generator.next() % 4 == 0 { damaged.removeLast(Int(generator.next() % UInt64(damaged.count))) }
      }
      try writeFile(path, damaged)
      do { _ = try ModelFileCheck.check(path) } catch { refused += 1 }
      // What lists models reads the same, and knows the types of tensors by itself.
      _ = try? GGUFFile.header(of: path).header.cacheBytes(window: 8192)
    }
    #expect(refused > 1000)
  }

  @Test func theSpecifiedTypesAreThoseOfTheLibrary() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("model.gguf")
    var known = 0
    for type in UInt32(0)..<64 where GGUFHeader.Block.specified(type) != nil {
      var writer = GGUFWriter()
      writer.tensors = [("a", [256], type, 0)]
      writer.dataBytes = 4096
      try writeFile(path, writer.bytes)
      #expect(
        try ModelFileCheck.check(path).tensors.map(\.size) == GGUFFile.header(of: path).header.tensors.map(\.size))
      known += 1
    }
    #expect(known > 25)
  }

  @Test func headersThatNeverEndAreRefused() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("model.gguf")
    var far = GGUFWriter()
    far.metadata.append(("tokens", .raw(type: 9, le(UInt32(0)) + le(UInt64(300 << 20)))))
    far.claimedPairs = 3
    try writeFile(path, far.bytes)
    #expect(truncate(path, 400 << 20) == 0)
    #expect { try GGUFFile.header(of: path) } throws: { ($0 as? GGUFHeader.Problem)?.text.contains("256 MiB") == true }
    var long = GGUFWriter()
    let text = String(repeating: "x", count: 1 << 20)
    for index in 0..<65 { long.metadata.append(("long.\(index)", .string(text))) }
    try writeFile(path, long.bytes)
    #expect { try GGUFFile.header(of: path) } throws: { ($0 as? GGUFHeader.Problem)?.text.contains("too long") == true }
  }

  private func make(_ content: Content, at path: String) throws {
    switch content {
    case .missing: break
    case .directory: #expect(mkdir(path, 0o755) == 0)
    case .fifo: #expect(mkfifo(path, 0o644) == 0)
    case .linkLoop: #expect(symlink(path, path) == 0)
    case .bytes(let bytes): try writeFile(path, bytes)
    case .model(let count):
      let model = try readFile(try DefaultModel.path())
      try writeFile(path, Array(model.prefix(count < 0 ? model.count + count : count)))
    }
  }
}
