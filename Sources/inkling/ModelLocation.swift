import Assistant

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the model is looked for.
enum ModelLocation {
  /// The model that `make model` fetches.
  static let defaultName = "SmolLM2-135M-Instruct-Q4_1.gguf"
  /// Its SHA-256.
  static let defaultChecksum = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

  /// The option, else INKLING_MODEL, else the default model in the folder of models. A relative path is made absolute.
  static func path(option: String?) -> String {
    absolute(option ?? environment("INKLING_MODEL") ?? folder + "/" + defaultName)
  }

  /// A relative path begins at the current folder.
  static func absolute(_ path: String) -> String {
    guard !path.utf8.starts(with: "/".utf8), let current = getcwd(nil, 0) else { return path }
    defer { free(current) }
    return String(cString: current) + "/" + path
  }

  /// INKLING_MODEL_DIR, else the XDG data folder's.
  static var folder: String {
    if let folder = environment("INKLING_MODEL_DIR") { return folder }
    let data = environment("XDG_DATA_HOME") ?? (environment("HOME") ?? "") + "/.local/share"
    return data + "/inkling/models"
  }

  /// The copies that `inkling prepare` has made; nil when there is no place for them.
  static var preparedModels: PreparedModels? { cacheFolder.map { PreparedModels(root: $0 + "/prepared") } }

  /// Where the engine keeps what it has read of the built-in instructions.
  static var prefixFolder: String? { cacheFolder.map { $0 + "/prefixes" } }

  /// In $XDG_CACHE_HOME or ~/.cache; nil when neither can be found.
  private static var cacheFolder: String? {
    // The XDG specification has relative paths ignored.
    let named = environment("XDG_CACHE_HOME").flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
    return (named ?? environment("HOME").map { $0 + "/.cache" }).map { $0 + "/inkling" }
  }

  /// A variable that is set and not empty.
  static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
