import Assistant

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file that this process runs.
enum Executable {
  /// A path that starts the very same file, also when it has been replaced on disk since.
  static var startPath: String {
    #if os(Linux)
      "/proc/self/exe"
    #else
      path
    #endif
  }

  /// Its path, for people.
  static let path: String = {
    #if os(Linux)
      var buffer = [CChar](repeating: 0, count: 4096)
      let count = readlink("/proc/self/exe", &buffer, buffer.count)
      guard count > 0 else { return "inkling" }
      return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    #else
      var size: UInt32 = 0
      _NSGetExecutablePath(nil, &size)
      var buffer = [CChar](repeating: 0, count: Int(size) + 1)
      _NSGetExecutablePath(&buffer, &size)
      return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    #endif
  }()

  /// Tells one build from another: version, file, size and time of the executable as they were at the start.
  static let buildID: String = {
    var status = stat()
    guard stat(startPath, &status) == 0 else { return Program.version }
    #if canImport(Glibc)
      let time = status.st_mtim
    #else
      let time = status.st_mtimespec
    #endif
    return "\(Program.version)-\(status.st_ino)-\(status.st_size)-\(time.tv_sec).\(time.tv_nsec)"
  }()

  /// The same in 16 letters and digits, for names of files.
  static var shortBuildID: String {
    let hash = String(FNV1a.hash(buildID.utf8), radix: 16)
    return String(repeating: "0", count: 16 - hash.utf8.count) + hash
  }
}
