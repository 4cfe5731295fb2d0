#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// This process's environment variables.
public enum Environment {
  public static subscript(name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// Whether hostile tests run their long versions: `INKLING_SOAK=1`, which `make soak` sets.
  public static var isSoak: Bool { self["INKLING_SOAK"] == "1" }

  /// Whether tests rewrite the files that they otherwise compare: `INKLING_UPDATE_GOLDEN=1`, which `make golden` sets.
  public static var updatesGoldens: Bool { self["INKLING_UPDATE_GOLDEN"] == "1" }
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
