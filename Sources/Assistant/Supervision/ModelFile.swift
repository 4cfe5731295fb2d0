import AssistantProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What can be said of a model file without loading it. Answers at once for what no engine needs to be asked:
/// nothing there, not a file, not GGUF. A named pipe is not opened.
public enum ModelFile {
  /// Looks at the file; returns its size in bytes.
  @discardableResult
  public static func check(_ path: String) throws(Unavailability) -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let problem =
        switch errno {
        case ENOENT, ENOTDIR: "There is no file at \(path)."
        case ELOOP: "The links at \(path) lead in a circle."
        case EACCES: "The folder of \(path) may not be read."
        case let code: "\(path) cannot be looked at: \(String(cString: strerror(code)))."
        }
      throw notFound(problem)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw invalid(
        status.st_mode & S_IFMT == S_IFDIR ? "\(path) is a folder, not a GGUF file." : "\(path) is not a regular file.")
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw notFound("\(path) cannot be read: \(String(cString: strerror(errno))).") }
    defer { close(descriptor) }
    var magic: [UInt8] = [0, 0, 0, 0]
    let count = magic.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, 4) }
    guard count > 0 else { throw invalid("\(path) is empty.") }
    guard count == 4, magic == Array("GGUF".utf8) else {
      throw invalid("\(path) is not a GGUF file: it does not begin with “GGUF”.")
    }
    return Int(status.st_size)
  }

  private static func notFound(_ message: String) -> Unavailability {
    Unavailability(
      .modelNotFound, message: message,
      remedy: "Name a GGUF file that is there: “inkling models” lists what this machine has, and “make model” in "
        + "Inkling's source folder fetches the default model.")
  }

  private static func invalid(_ message: String) -> Unavailability {
    Unavailability(
      .modelInvalid, message: message, remedy: "Fetch the file again, or name another GGUF file.")
  }
}
