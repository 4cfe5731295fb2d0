#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A folder of a test's own, removed with what is in it when the value goes.
public final class TemporaryFolder {
  public let root: String

  public init() throws {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((base + "/inkling-test-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SpawnedProcess.Failure("mkdtemp: \(String(cString: strerror(errno)))")
    }
    root = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { Self.remove(root) }

  public func path(_ name: String) -> String { name.isEmpty ? root : root + "/" + name }

  /// Writes a file and gives its path.
  public func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    try writeFile(path(name), bytes)
    return path(name)
  }

  private static func remove(_ path: String) {
    var info = stat()
    guard lstat(path, &info) == 0 else { return }
    if info.st_mode & S_IFMT == S_IFDIR, let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { remove(path + "/" + name) }
      }
      closedir(directory)
      rmdir(path)
    } else {
      unlink(path)
    }
  }
}
