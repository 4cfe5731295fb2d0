import JSON

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What changes when a file is written anew: a look instead of a checksum.
public struct FileStamp: JSONMessage, Equatable {
  public var sizeBytes = 0
  /// Nanoseconds since 1970.
  public var modified = 0
  public init() {}
  public init(sizeBytes: Int, modified: Int) {
    self.sizeBytes = sizeBytes
    self.modified = modified
  }
  public static let fields: [JSONField<FileStamp>] = [
    .required("sizeBytes", \.sizeBytes, "Its size."),
    .required("modified", \.modified, "When it was last written, in nanoseconds since 1970."),
  ]

  /// nil when there is no regular file, or only one through a link.
  static func ofFile(_ path: String) -> FileStamp? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    #if canImport(Glibc)
      let time = status.st_mtim
    #else
      let time = status.st_mtimespec
    #endif
    return FileStamp(sizeBytes: Int(status.st_size), modified: time.tv_sec * 1_000_000_000 + time.tv_nsec)
  }
}

/// The system calls that preparing needs.
enum Files {
  /// The text of a small file; nil when it cannot be read or is larger than a mebibyte.
  static func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: (1 << 20) + 1)
    var filled = 0
    while filled < bytes.count {
      let count = bytes[filled...].withUnsafeMutableBytes { Self.read(descriptor, $0) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { return Array(bytes[..<filled]) }
      filled += count
    }
    return nil
  }

  /// Makes a file that nobody else may read, with these bytes, and has them on the disk.
  static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw SystemError("writing \(path)") }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Self.write(descriptor, $0) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemError("writing \(path)") }
      rest = rest.dropFirst(count)
    }
    guard fsync(descriptor) == 0 else { throw SystemError("writing \(path)") }
  }

  /// `open(2)`: a descriptor, or -1 and `errno`. A file that is made is the user's alone.
  static func open(_ path: String, _ flags: Int32) -> Int32 { systemOpen(path, flags | O_CLOEXEC, 0o600) }

  /// Has a file's bytes on the disk.
  static func sync(_ path: String) throws(SystemError) {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw SystemError("reading \(path)") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw SystemError("writing \(path)") }
  }

  static func rename(_ path: String, to target: String) throws(SystemError) {
    guard moveFile(path, target) == 0 else { throw SystemError("writing \(target)") }
  }

  /// Makes a folder for this user alone, and those above it that are missing.
  static func makeFolder(_ path: String) throws(SystemError) {
    for (index, byte) in path.utf8.enumerated() where byte == UInt8(ascii: "/") && index > 0 {
      mkdir(String(decoding: path.utf8.prefix(index), as: UTF8.self), 0o700)
    }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError("making the folder \(path)") }
    guard chmod(path, 0o700) == 0 else { throw SystemError("making the folder \(path)") }
  }

  /// The names in a folder; none when it cannot be read.
  static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Bytes that can still be written there; nil when the system does not tell.
  static func freeSpace(in folder: String) -> Int? {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return nil }
    return Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
  }

  /// The path without links; the path itself when there is no such file.
  static func realPath(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    #else
      Darwin.read(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }

  private static func write(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, buffer.baseAddress, buffer.count)
    #else
      Darwin.write(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }
}

// Under names that do not collide with the methods.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func moveFile(_ path: String, _ target: String) -> Int32 { rename(path, target) }

/// A system call failed.
struct SystemError: Error {
  let code: Int32
  let message: String

  /// Takes `errno`.
  init(_ action: String) {
    code = errno
    message = "\(action): \(String(cString: strerror(errno)))"
  }
}
