import GGUF

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the first try knew of a file, kept beside its part, so that two files are never joined.
struct PullRecord {
  private static let mostBytes = 1 << 16

  var address: String
  /// The entity tag, else the time of the last change; empty when the server tells neither.
  var validator: String
  var size: Int?

  init(address: String, validator: String?, size: Int?) {
    (self.address, self.validator, self.size) = (address, validator ?? "", size)
  }

  /// nil when there is none, or only a piece of one.
  init?(path: String) {
    guard let file = try? BoundedFileReader(path: path), file.size <= Self.mostBytes else { return nil }
    let text = String(decoding: file.descriptor.read(at: 0, count: Self.mostBytes), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // The last line has an end, too: a record that was cut off is none.
    guard lines.count == 4, lines[3].isEmpty else { return nil }
    self.init(address: String(lines[0]), validator: String(lines[1]), size: Int(lines[2]))
  }

  /// - Returns: whether all of it was written.
  func write(to path: String) -> Bool {
    // The address may hold a key that is its owner's alone.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return false }
    let bytes = Array("\(address)\n\(validator)\n\(size.map(String.init) ?? "")\n".utf8)
    let count = bytes.withUnsafeBytes { buffer in
      #if canImport(Glibc)
        Glibc.write(descriptor, buffer.baseAddress, buffer.count)
      #elseif canImport(Musl)
        Musl.write(descriptor, buffer.baseAddress, buffer.count)
      #else
        Darwin.write(descriptor, buffer.baseAddress, buffer.count)
      #endif
    }
    return close(descriptor) == 0 && count == bytes.count
  }

  /// Why a part of that file cannot be gone on with; nil when it can.
  func difference(from now: PullRecord) -> String? {
    guard address.utf8.elementsEqual(now.address.utf8) else { return "it came from another address" }
    if size != now.size { return "the file at the server has another length now" }
    let known = !validator.isEmpty && !now.validator.isEmpty
    if known, !validator.utf8.elementsEqual(now.validator.utf8) { return "the file at the server is another one now" }
    return known || size != nil ? nil : "the server does not tell whether its file is still the same"
  }
}
