#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The program that was built together with the tests.
public enum BuiltProgram {
  public static let path: String = {
    if let path = Environment["INKLING_BINARY"] { return path }
    var buffer = [CChar](repeating: 0, count: 4096)
    #if canImport(Glibc)
      let length = readlink("/proc/self/exe", &buffer, buffer.count)
      let own = String(decoding: buffer[..<max(0, length)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    #else
      let own = CommandLine.arguments[0]
    #endif
    return own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/inkling"
  }()
}
