import Synchronization
import TestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is gone when the test is.
final class TemporaryFile: Sendable {
  let path: String
  private static let made = Atomic(0)

  init(_ content: String) throws {
    let number = Self.made.add(1, ordering: .relaxed).newValue
    path = "/tmp/inkling-test-\(getpid())-\(number)"
    try write(content)
  }

  deinit { unlink(path) }

  func write(_ content: String) throws { try writeFile(path, Array(content.utf8)) }

  func remove() throws {
    guard unlink(path) == 0 else { throw Missing() }
  }

  private struct Missing: Error {}
}
