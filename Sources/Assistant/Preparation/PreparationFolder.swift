import EngineProtocol
import JSON

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The folder of one model's copies, locked while this value lives: only its owner writes there. The lock goes with the
/// process, whatever ends it.
struct PreparationFolder: ~Copyable {
  let path: String
  private let lock: Int32

  /// Makes the folder when it is missing.
  init(_ path: String) throws(PreparationError) {
    let lock: Int32
    do throws(SystemError) {
      try Files.makeFolder(path)
      lock = try Self.open(path + "/" + PreparedModels.lockName)
    } catch {
      throw PreparationError(error, in: path)
    }
    var status = stat()
    // A lock without a name was removed with its folder, and somebody may have made a new one.
    guard flock(lock, LOCK_EX | LOCK_NB) == 0, fstat(lock, &status) == 0, status.st_nlink > 0 else {
      close(lock)
      throw PreparationError(
        "Another “inkling prepare” is at work on this model.", remedy: "Wait until it has ended.")
    }
    self.lock = lock
    self.path = path
  }

  private static func open(_ path: String) throws(SystemError) -> Int32 {
    let descriptor = Files.open(path, O_RDWR | O_CREAT | O_NOFOLLOW)
    guard descriptor >= 0 else { throw SystemError("making \(path)") }
    return descriptor
  }

  deinit { close(lock) }

  /// Where a copy is written before it is known whether it will be used. Made empty here, so that nobody else may read
  /// it.
  func makeRoom(for format: CopyFormat) throws(PreparationError) -> String {
    let path = self.path + "/." + format.rawValue + ".partial"
    do throws(SystemError) {
      try Files.write([], to: path)
    } catch {
      throw PreparationError(error, in: self.path)
    }
    return path
  }

  /// Makes the copy written for that format the one that is used; nil when there is to be none. The manifest comes last
  /// and at once, so that at no time a file is used of which it does not tell.
  func publish(_ manifest: PreparedManifest, copy: CopyFormat?) throws(PreparationError) -> PreparedManifest {
    var manifest = manifest
    do throws(SystemError) {
      if let copy {
        let partial = path + "/." + copy.rawValue + ".partial"
        let name = copy.rawValue + ".gguf"
        try Files.sync(partial)
        guard let sum = SHA256.ofFile(partial), let stamp = FileStamp.ofFile(partial) else {
          throw SystemError("reading \(partial)")
        }
        try Files.rename(partial, to: path + "/" + name)
        manifest.copy = PreparedCopy(format: copy, file: FileRecord(path: name, stamp: stamp, sha256: sum))
      }
      try write(manifest)
    } catch {
      throw PreparationError(error, in: path)
    }
    removeStrangers(keeping: manifest)
    return manifest
  }

  /// Writes the manifest anew, about the same copy.
  func update(_ manifest: PreparedManifest) throws(PreparationError) {
    do throws(SystemError) { try write(manifest) } catch { throw PreparationError(error, in: path) }
  }

  private func write(_ manifest: PreparedManifest) throws(SystemError) {
    let name = path + "/" + PreparedModels.manifestName
    try Files.write(JSONWriter.bytes(of: manifest.json), to: name + ".partial")
    try Files.rename(name + ".partial", to: name)
  }

  /// Removes what earlier runs have left: files that were not finished, copies that are not used any more.
  func removeStrangers(keeping manifest: PreparedManifest?) {
    var kept = [PreparedModels.lockName]
    if let manifest { kept += [PreparedModels.manifestName] + [manifest.copy?.file.path].compactMap { $0 } }
    for name in Files.names(in: path) where !kept.contains(where: { $0.hasSameBytes(as: name) }) {
      unlink(path + "/" + name)
    }
  }

  /// Removes the folder and what is in it.
  consuming func remove() {
    removeStrangers(keeping: nil)
    unlink(path + "/" + PreparedModels.lockName)
    rmdir(path)
  }
}

extension PreparationError {
  init(_ error: SystemError, in folder: String) {
    let remedy =
      switch error.code {
      case ENOSPC, EDQUOT: "Make room on that disk, or name another folder in XDG_CACHE_HOME."
      case _: "Make that folder writable, or name another one in XDG_CACHE_HOME."
      }
    self.init("Copies cannot be kept in \(folder) (\(error.message)).", remedy: remedy)
  }

  /// A copy that could not be written because the disk is full: libllama does not say so.
  init?(fullDisk folder: String) {
    guard let free = Files.freeSpace(in: folder), free < 32 << 20 else { return nil }
    self.init(
      "The disk of \(folder) is full.", remedy: "Make room on it, or name another folder in XDG_CACHE_HOME.")
  }
}
