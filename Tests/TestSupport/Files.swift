#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file could not be read or written.
public struct FileError: Error, CustomStringConvertible {
  public let description: String

  init(_ action: String, _ path: String, _ number: Int32) {
    description = "cannot \(action) \(path): \(String(cString: strerror(number)))"
  }
}

/// All bytes of a file.
public func readFile(_ path: String) throws(FileError) -> [UInt8] {
  guard let file = fopen(path, "rb") else { throw FileError("open", path, errno) }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&chunk, 1, chunk.count, file)
    bytes += chunk[..<count]
    if count < chunk.count {
      guard ferror(file) == 0 else { throw FileError("read", path, errno) }
      return bytes
    }
  }
}

/// The text of a UTF-8 file.
public func readText(_ path: String) throws(FileError) -> String {
  String(decoding: try readFile(path), as: UTF8.self)
}

/// Writes a file anew, and the folders above it when they are missing.
public func writeFile(_ path: String, _ bytes: [UInt8]) throws(FileError) {
  var end = path.startIndex
  while let slash = path[end...].dropFirst().firstIndex(of: "/") {
    mkdir(String(path[..<slash]), 0o755)
    end = slash
  }
  guard let file = fopen(path, "wb") else { throw FileError("create", path, errno) }
  let written = fwrite(bytes, 1, bytes.count, file)
  guard fclose(file) == 0, written == bytes.count else { throw FileError("write", path, errno) }
}
