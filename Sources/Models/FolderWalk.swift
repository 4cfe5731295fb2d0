#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lists what is in a folder and those below it. Links are followed, since many keep their models on another disk; no
/// folder is entered twice.
struct FolderWalk {
  private static let mostDepth = 6
  private static let mostEntries = 20_000

  private var entries = 0
  private var entered = Set<FileIdentity>()
  private var found: [String] = []

  /// The paths of the files, seen from the folder, sorted; none when it cannot be read.
  static func files(in folder: String) -> [String] {
    var walk = FolderWalk()
    walk.enter(folder, prefix: "", depth: 1)
    return walk.found
  }

  private mutating func enter(_ folder: String, prefix: String, depth: Int) {
    guard depth <= Self.mostDepth, let identity = FileIdentity(folder), entered.insert(identity).inserted else {
      return
    }
    for name in Self.names(in: folder) {
      entries += 1
      guard entries <= Self.mostEntries else { return }
      let path = folder + "/" + name
      var status = stat()
      guard stat(path, &status) == 0 else {
        // A link that leads nowhere is a model that somebody misses.
        found.append(prefix + name)
        continue
      }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: enter(path, prefix: prefix + name + "/", depth: depth + 1)
      case S_IFREG: found.append(prefix + name)
      case _: break
      }
    }
  }

  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while names.count < mostEntries, let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.utf8.first != UInt8(ascii: ".") { names.append(name) }
    }
    return names.sorted()
  }
}
