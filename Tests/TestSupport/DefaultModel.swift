#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The default model, for tests that need a real one.
public enum DefaultModel {
  /// Without it a test fails; it is never skipped.
  public struct Missing: Error, CustomStringConvertible {
    public let description: String
  }

  /// The file's path, where `make model` puts it.
  public static func path() throws(Missing) -> String {
    let path = folder + "/SmolLM2-135M-Instruct-Q4_1.gguf"
    guard access(path, R_OK) == 0 else { throw Missing(description: "\(path) is missing: run “make model”") }
    return path
  }

  private static var folder: String {
    if let folder = variable("INKLING_MODEL_DIR") { return folder }
    let data = variable("XDG_DATA_HOME") ?? (variable("HOME") ?? "") + "/.local/share"
    return data + "/inkling/models"
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
