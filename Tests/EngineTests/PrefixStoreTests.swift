import Engine
import Inference
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The files of saved prefixes, without a model.
@Suite struct PrefixStoreTests {
  private let folder: TemporaryFolder
  private let prefix = SavedPrefix(
    tokens: Array(1...200), state: (0..<10_007).map { UInt8(truncatingIfNeeded: $0 &* 31) })

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.path("cache/prefixes") }

  private func store(
    key: String = "build; file", group: String = "model", limits: PrefixStore.Limits = .init(),
    note: @escaping @Sendable (String) -> Void = { Issue.record("noted: \($0)") }
  ) -> PrefixStore {
    PrefixStore(folder: path, group: group, key: key, limits: limits, note: note)
  }

  private var files: [String] { (Files.list(path) ?? []).sorted() }

  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  @Test func anotherProcessFindsWhatWasWritten() throws {
    #expect(store().prefix(of: prefix.tokens) == nil && files.isEmpty)
    store().write(prefix)
    #expect(store().prefix(of: prefix.tokens) == prefix)
    #expect(store().prefix(of: Array(prefix.tokens.dropLast())) == nil)
    #expect(store(key: "another build").prefix(of: prefix.tokens) == nil)
    #expect(store(group: "another model").prefix(of: prefix.tokens) == nil)
    #expect(files.count == 1)
    #expect(mode(path) == 0o700 && mode(path + "/" + files[0]) == 0o600)
  }

  /// A request gets the state, or is asked to have it saved.
  @Test func requestsAreCompleted() {
    var request = GenerationRequest(id: 1, prompt: prefix.tokens + [7, 8])
    store().complete(&request)
    #expect(request.savedPrefix == nil && request.savedLength == 0)
    request.savedLength = 200
    store().complete(&request)
    #expect(request.savedPrefix == nil && request.savedLength == 200)
    store().write(prefix)
    store().complete(&request)
    #expect(request.savedPrefix == prefix && request.savedLength == 0)
  }

  /// Every byte of the file counts, and so does its length: what is not right is removed, and can be made anew.
  @Test func aDamagedFileIsRemoved() throws {
    let store = store()
    store.write(prefix)
    let file = path + "/" + (try #require(files.first))
    let whole = try readFile(file)
    var damages: [[UInt8]] = [
      [], Array(whole.dropLast()), whole + [0], Array(whole.prefix(39)), Array(whole.prefix(8)),
    ]
    let offsets = Array(0..<1_100) + stride(from: 1_100, to: whole.count, by: 37) + [whole.count - 1]
    for offset in offsets {
      var damaged = whole
      damaged[offset] ^= 0x40
      damages.append(damaged)
    }
    for (index, damaged) in damages.enumerated() {
      try writeFile(file, damaged)
      #expect(chmod(file, 0o600) == 0)
      #expect(store.prefix(of: prefix.tokens) == nil, "damage \(index)")
      #expect(files.isEmpty, "damage \(index)")
    }
    store.write(prefix)
    #expect(store.prefix(of: prefix.tokens) == prefix)
  }

  /// Neither a link, nor a folder, nor what others may write is read.
  @Test func onlyAFileOfOnesOwnIsRead() throws {
    let store = store()
    store.write(prefix)
    let file = path + "/" + (try #require(files.first))
    #expect(chmod(file, 0o644) == 0)
    #expect(store.prefix(of: prefix.tokens) == nil && files.isEmpty)
    store.write(prefix)
    #expect(rename(file, folder.path("elsewhere")) == 0 && symlink(folder.path("elsewhere"), file) == 0)
    #expect(store.prefix(of: prefix.tokens) == nil)
    store.write(prefix)
    #expect(store.prefix(of: prefix.tokens) == prefix)
    store.discard(prefix.tokens)
    #expect(files.isEmpty)
    #expect(mkdir(file, 0o700) == 0)
    #expect(store.prefix(of: prefix.tokens) == nil)
  }

  @Test func filesOfAnOldBuildGoAndThoseOfOtherModelsStay() {
    store(key: "old").write(prefix)
    store(group: "other").write(prefix)
    store().write(prefix)
    #expect(files.count == 3)
    store().removeOld()
    #expect(files.count == 2)
    #expect(store().prefix(of: prefix.tokens) == prefix && store(group: "other").prefix(of: prefix.tokens) == prefix)
  }

  /// The oldest go; a file that is too large is not written.
  @Test(arguments: [(3, 1 << 20), (100, 33_000)]) func theFolderIsBounded(files most: Int, bytes: Int) throws {
    var limits = PrefixStore.Limits()
    limits.files = most
    limits.bytes = bytes
    limits.fileBytes = 20_000
    let store = store(limits: limits)
    var written: [SavedPrefix] = []
    for number in 1...5 {
      var next = prefix
      next.tokens[0] = Token(1000 + number)
      store.write(next)
      written.append(next)
      // Seconds apart, the first one the oldest.
      for name in files {
        var status = stat()
        #expect(lstat(path + "/" + name, &status) == 0)
        #if canImport(Glibc)
          let time = status.st_mtim.tv_sec
        #else
          let time = status.st_mtimespec.tv_sec
        #endif
        let earlier = timespec(tv_sec: time - 10, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, path + "/" + name, [earlier, earlier], 0) == 0)
      }
    }
    #expect(files.count == 3)
    #expect(written.map { store.prefix(of: $0.tokens) != nil } == [false, false, true, true, true])
    store.write(SavedPrefix(tokens: [1], state: Array(repeating: 1, count: 20_001)))
    #expect(files.count == 3)
  }

  /// Several processes write the same and other files: whoever reads finds whole ones or none.
  @Test func manyWritersAtOnce() async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        let store = store()
        group.addTask { [prefix] in
          for _ in 0..<25 {
            store.write(prefix)
            if let found = store.prefix(of: prefix.tokens) { #expect(found == prefix) }
            if number == 3 { store.discard(prefix.tokens) }
          }
        }
      }
    }
    store().write(prefix)
    #expect(store().prefix(of: prefix.tokens) == prefix)
  }

  /// Said once, and nothing is tried any more.
  @Test func aPlaceThatCannotBeWrittenIsNoted() throws {
    _ = try folder.file("cache", [1])
    let notes = Mutex<[String]>([])
    let store = store { note in notes.withLock { $0.append(note) } }
    for _ in 0..<3 { store.write(prefix) }
    #expect(notes.withLock { $0 }.count == 1)
    #expect(notes.withLock { $0 }.first?.contains(path) == true)
    var request = GenerationRequest(id: 1, prompt: prefix.tokens + [7])
    request.savedLength = 200
    store.complete(&request)
    #expect(request.savedLength == 0 && request.savedPrefix == nil)
  }

  /// The folder is removed while it is used.
  @Test func aFolderThatIsGoneIsMadeAgain() throws {
    let store = store()
    store.write(prefix)
    #expect(unlink(path + "/" + (try #require(files.first))) == 0 && rmdir(path) == 0)
    #expect(store.prefix(of: prefix.tokens) == nil)
    store.write(prefix)
    #expect(store.prefix(of: prefix.tokens) == prefix)
  }

  /// What a process that was killed has left goes after a while.
  @Test func unfinishedFilesGo() throws {
    store().write(prefix)
    for (name, time) in [("a.prefix.1.partial", 1_000_000_000), ("b.prefix.2.partial", 4_000_000_000)] {
      try writeFile(path + "/" + name, [1])
      let times = [timespec(tv_sec: time, tv_nsec: 0), timespec(tv_sec: time, tv_nsec: 0)]
      #expect(utimensat(AT_FDCWD, path + "/" + name, times, 0) == 0)
    }
    store().removeOld()
    #expect(files.filter { $0.hasSuffix(".partial") } == ["b.prefix.2.partial"])
  }
}
