#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file could not be written.
public struct PrivateFileError: Error, Equatable {
  public let message: String

  init(_ what: String, code: Int32 = errno) { message = "\(what): \(String(cString: strerror(code)))" }

  /// A file is there already.
  public static let exists = PrivateFileError("the file is there already", code: EEXIST)
}

/// Files that only the user can read. A file is there as a whole or not at all: it is written beside its place and then
/// moved there.
public enum PrivateFile {
  /// - Parameter overwrites: takes the place of a file that is there.
  public static func write(_ bytes: [UInt8], to path: String, overwrites: Bool) throws(PrivateFileError) {
    if !overwrites, access(path, F_OK) == 0 { throw .exists }
    // Beside its place, since a file is moved at once only within a file system; under a name that nobody can foresee,
    // and for the user alone from the first byte.
    var name = Array((path + ".XXXXXX").utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw PrivateFileError("it cannot be written") }
    let aside = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    var isMoved = false
    defer { if !isMoved { unlink(aside) } }
    let failure =
      writeAll(bytes, to: descriptor) && fsync(descriptor) == 0 ? nil : PrivateFileError("it cannot be written")
    close(descriptor)
    if let failure { throw failure }
    // A link is made only where nothing is, even when somebody else writes there at the same time.
    if overwrites {
      guard rename(aside, path) == 0 else { throw PrivateFileError("it cannot be written") }
      isMoved = true
    } else if link(aside, path) != 0 {
      throw errno == EEXIST ? .exists : PrivateFileError("it cannot be written")
    }
  }

  /// nil when it is not there or cannot be read.
  static func read(_ path: String, limit: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < limit {
      let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
      if count == 0 { return bytes }
      if count > 0 { bytes += chunk[..<count] } else if errno != EINTR { return nil }
    }
    return bytes
  }

  /// Makes the folder of a file, and those above it.
  static func makeFolder(of path: String) {
    for index in path.utf8.indices.dropFirst() where path.utf8[index] == UInt8(ascii: "/") {
      mkdir(String(path[..<index]), 0o700)
    }
  }

  /// Runs the body while no other process is in it with the same path. Without the lock it is run all the same.
  static func withLock<Value>(_ path: String, _ body: () -> Value) -> Value {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return body() }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    return body()
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return false }
    }
    return true
  }
}

// Under names that the methods above do not hide.
private func systemRead(_ descriptor: Int32, _ target: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, target, count)
}
private func systemWrite(_ descriptor: Int32, _ source: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, source, count)
}
