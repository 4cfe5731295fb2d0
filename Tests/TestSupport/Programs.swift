#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Programs of others that tests need. Where one is not there its tests are not run, but in continuous integration its
/// absence is a failure.
public enum Programs {
  public static func isInstalled(_ program: String) -> Bool {
    (Environment["PATH"] ?? "").split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
  }

  public static func isTested(_ program: String) -> Bool { isInstalled(program) || Environment["CI"] != nil }

  /// The search path with our own program in front.
  public static var searchPath: String {
    let folder = BuiltProgram.path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    return folder + ":" + (Environment["PATH"] ?? "")
  }
}
