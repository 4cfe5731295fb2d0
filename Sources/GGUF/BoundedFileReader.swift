#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A regular file open for reading at any place. Opening never blocks, whatever the path names.
package struct BoundedFileReader: ~Copyable {
  package enum OpenProblem: Error {
    case missing
    /// Errno's text.
    case refused(String)
    /// Not a regular file: what it is.
    case notAFile(String)
  }

  /// The open file, for whoever reads while the owner lives.
  package struct Descriptor {
    fileprivate let number: Int32

    /// Up to `count` bytes at that place; fewer at the end of the file or when the disk fails.
    package func read(at offset: UInt64, count: Int) -> [UInt8] {
      unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        filled = 0
        while filled < count {
          let wanted = count - filled
          let got = unsafe pread(number, buffer.baseAddress! + filled, wanted, off_t(offset) + off_t(filled))
          if got < 0, errno == EINTR { continue }
          guard got > 0 else { break }
          filled += got
        }
      }
    }
  }

  package let descriptor: Descriptor
  /// Bytes, when it was opened.
  package let size: UInt64

  package init(path: String) throws(OpenProblem) {
    // C would read a path with a NUL in it as another path.
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .missing }
    // O_NONBLOCK: opening a FIFO must not wait for its writer.
    let number = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard number >= 0 else {
      let code = errno
      if code == ENOENT || code == ENOTDIR { throw .missing }
      throw .refused(unsafe String(cString: strerror(code)))
    }
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else {
      let text = unsafe String(cString: strerror(errno))
      close(number)
      throw .refused(text)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(number)
      throw .notAFile(Self.kind(of: status.st_mode))
    }
    descriptor = Descriptor(number: number)
    size = UInt64(max(0, status.st_size))
  }

  deinit { close(descriptor.number) }

  private static func kind(of mode: mode_t) -> String {
    switch mode & S_IFMT {
    case S_IFDIR: "a directory"
    case S_IFIFO: "a pipe"
    case S_IFSOCK: "a socket"
    case S_IFCHR, S_IFBLK: "a device"
    default: "a special file"
    }
  }
}
