#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// This process's environment variables.
public enum Environment {
  public static subscript(name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// Folders.
public enum Files {
  /// The names in a folder, without `.` and `..`; nil when it cannot be read.
  public static func list(_ path: String) -> [String]? {
    guard let directory = opendir(path) else { return nil }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}

extension String {
  /// Without white space at either end.
  public var trimmingWhitespace: Substring {
    var rest = self[...]
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}
