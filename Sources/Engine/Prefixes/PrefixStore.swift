import Inference
import JSONRPC
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The states of built-in instructions, in files of one folder, so that a new process need not read the instructions
/// again. Whatever is wrong with a file, it is removed and made anew; nothing fails for it. Several processes may use
/// one folder: a file appears whole, under a name that says what is in it.
package final class PrefixStore: Sendable {
  package struct Limits: Sendable {
    /// In the whole folder, whatever the models.
    package var files = 32
    package var bytes = 256 << 20
    /// Of one file.
    package var fileBytes = 64 << 20
    package init() {}
  }

  private static let ending = ".prefix"
  private static let partialEnding = ".partial"
  /// Seconds after which a file that was never finished is nobody's.
  private static let abandoned = 600
  /// Seconds after which the time of the last use is noted again.
  private static let useInterval = 3_600

  private let folder: String
  private let group: String
  private let key: [UInt8]
  private let limits: Limits
  private let note: @Sendable (String) -> Void
  private let isWriting = Atomic(false)
  /// Nothing can be written, which was said once.
  private let gaveUp = Atomic(false)

  /// - Parameters:
  ///   - group: what names the model; of its files those with another key are old.
  ///   - key: everything that a state depends on besides the tokens.
  ///   - note: hears what went wrong, once.
  package init(
    folder: String, group: String, key: String, limits: Limits = Limits(),
    note: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.folder = folder
    self.key = Array(key.utf8)
    self.group = Self.hash(Array(group.utf8))
    self.limits = limits
    self.note = note
  }

  /// Gives a request the state of its instructions when it is here; else it is asked to have it saved.
  package func complete(_ request: inout GenerationRequest) {
    guard request.savedLength > 0 else { return }
    request.savedPrefix = prefix(of: Array(request.prompt.prefix(request.savedLength)))
    if request.savedPrefix != nil || gaveUp.load(ordering: .relaxed) { request.savedLength = 0 }
  }

  /// The state of exactly these tokens. A file that is not what its name says is removed.
  package func prefix(of tokens: [Token]) -> SavedPrefix? {
    let path = path(of: tokens)
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & (S_IFMT | 0o077) == S_IFREG, status.st_uid == geteuid(),
      let state = state(in: descriptor, size: Int(status.st_size), tokens: tokens)
    {
      if time(nil) - Self.modified(status) > Self.useInterval { futimens(descriptor, nil) }
      return SavedPrefix(tokens: tokens, state: state)
    }
    unlink(path)
    return nil
  }

  /// Removes a state that the model would not have.
  package func discard(_ tokens: [Token]) { unlink(path(of: tokens)) }

  /// Writes a prefix on a thread of its own; while one is written others are let go.
  func keep(_ prefix: SavedPrefix) {
    guard !isWriting.exchange(true, ordering: .acquiring) else { return }
    do throws(ChannelError) {
      try DedicatedThread.start(name: "prefixes") {
        self.write(prefix)
        self.isWriting.store(false, ordering: .releasing)
      }
    } catch {
      isWriting.store(false, ordering: .releasing)
    }
  }

  /// Writes a prefix, and removes what was not used for longest when there is too much.
  package func write(_ prefix: SavedPrefix) {
    let head = PrefixFile.head(of: prefix, key: key)
    guard head.count + prefix.state.count <= limits.fileBytes, !gaveUp.load(ordering: .relaxed) else { return }
    let path = path(of: prefix.tokens)
    // Of this attempt alone, also beside other processes.
    let partial = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 16))\(Self.partialEnding)"
    if makeFolder(), Self.write([head, prefix.state], to: partial), rename(partial, path) == 0 {
      trim()
    } else {
      let reason = String(cString: strerror(errno))
      unlink(partial)
      gaveUp.store(true, ordering: .relaxed)
      note("what was read of the instructions is not kept in \(folder): \(reason)")
    }
  }

  /// Removes files of this model that another build or another state of the model's file has left.
  package func removeOld() {
    let start = group + "-"
    let ours = start + Self.hash(key) + "-"
    for name in names() where name.hasPrefix(start) && !name.hasPrefix(ours) { unlink(folder + "/" + name) }
    trim()
  }

  // MARK: - Reading

  private func state(in descriptor: Int32, size: Int, tokens: [Token]) -> [UInt8]? {
    let headSize = PrefixFile.headerSize + key.count + 4 * tokens.count
    guard size > headSize, size <= limits.fileBytes, let head = Self.read(descriptor, headSize),
      PrefixFile.stateSize(head[...], tokens: tokens, key: key) == size - headSize,
      let state = Self.read(descriptor, size - headSize), PrefixFile.isWhole(head[...], state: state)
    else { return nil }
    return state
  }

  /// The next bytes of a file; nil when there are not so many.
  private static func read(_ descriptor: Int32, _ count: Int) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = systemRead(descriptor, buffer.baseAddress! + filled, count - filled)
        if got < 0, errno == EINTR { continue }
        if got <= 0 { return }
        filled += got
      }
    }
    return bytes.count == count ? bytes : nil
  }

  // MARK: - Writing

  /// A folder for this user alone, and those above it that are missing.
  private func makeFolder() -> Bool {
    for (index, byte) in folder.utf8.enumerated() where byte == UInt8(ascii: "/") && index > 0 {
      mkdir(String(decoding: folder.utf8.prefix(index), as: UTF8.self), 0o700)
    }
    return (mkdir(folder, 0o700) == 0 || errno == EEXIST) && chmod(folder, 0o700) == 0
  }

  private static func write(_ parts: [[UInt8]], to path: String) -> Bool {
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    // Not forced to the disk: a file that a crash of the machine has cut short is seen by its checksum.
    defer { close(descriptor) }
    return parts.allSatisfy { part in
      part.withUnsafeBytes { buffer in
        var done = 0
        while done < buffer.count {
          let count = systemWrite(descriptor, buffer.baseAddress! + done, buffer.count - done)
          if count < 0, errno == EINTR { continue }
          if count <= 0 { return false }
          done += count
        }
        return true
      }
    }
  }

  /// Keeps the folder within its limits; files that are in no list any more do not count.
  private func trim() {
    var files: [(path: String, size: Int, used: Int)] = []
    for name in names() {
      let path = folder + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      if name.hasSuffix(Self.ending) {
        files.append((path, Int(status.st_size), Self.modified(status)))
      } else if name.hasSuffix(Self.partialEnding), time(nil) - Self.modified(status) > Self.abandoned {
        unlink(path)
      }
    }
    files.sort { $0.used > $1.used }
    var bytes = 0
    for (index, file) in files.enumerated() {
      bytes += file.size
      if index >= limits.files || bytes > limits.bytes { unlink(file.path) }
    }
  }

  // MARK: - Names

  private func path(of tokens: [Token]) -> String {
    let parts = PrefixFile.parts(of: tokens, key: [])
    return "\(folder)/\(group)-\(Self.hash(key))-\(Self.hash(parts))\(Self.ending)"
  }

  private func names() -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names
  }

  private static func hash(_ bytes: [UInt8]) -> String {
    var sum = Checksum()
    sum.add(bytes)
    return String(sum.value, radix: 16)
  }

  private static func modified(_ status: stat) -> Int {
    #if canImport(Darwin)
      status.st_mtimespec.tv_sec
    #else
      status.st_mtim.tv_sec
    #endif
  }
}

// Under names that do not collide with the methods.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
  read(descriptor, bytes, count)
}
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
