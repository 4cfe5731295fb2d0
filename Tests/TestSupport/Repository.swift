/// Where the files of this checkout are, for tests that read documents, sources and goldens.
public enum Repository {
  /// The folder that holds Package.swift, without a slash at the end.
  public static let root: String = {
    // #filePath is <root>/Tests/TestSupport/Repository.swift.
    let components = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return components.dropLast(3).joined(separator: "/")
  }()

  /// The absolute path of a file named from the root: `protocol.md`, `Tests/JSONTests/Goldens/a.txt`.
  public static func path(_ relative: String) -> String { root + "/" + relative }
}
