import GGUF

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Fetches one model with `curl`, the only thing of Inkling's that reaches the network, and only when a person says so.
/// What has come is kept in FILE.part, from which the next try goes on when it is of the same file.
public struct ModelPull: Sendable {
  /// Why there is no model; a whole sentence, and what to do.
  public struct Failure: Error {
    public let message: String
  }

  /// How far it is.
  public enum Progress: Sendable {
    /// What had come is of no use; why, as a whole sentence.
    case beginningAnew(String)
    case fetching(bytes: Int, of: Int?, bytesPerSecond: Int)
    case checking
  }

  private let source: PullSource
  private let curl: String
  private let target: String
  private let replaces: Bool
  private var part: String { target + ".part" }
  /// What the part is the beginning of.
  private var record: String { part + ".source" }

  /// - Parameters:
  ///   - target: the path of the file.
  ///   - path: where programs are looked for.
  ///   - replaces: a file of that name may go.
  public init(_ source: PullSource, to target: String, path: String, replaces: Bool) throws(Failure) {
    guard let curl = ToolProcess.find("curl", path: path) else {
      throw Failure(
        message: "Fetching needs the program curl, which is not in PATH. Install it (apt-get install curl, brew "
          + "install curl), or fetch \(source.url) by other means and put it beside \(target).")
    }
    (self.source, self.curl, self.target, self.replaces) = (source, curl, target, replaces)
    try refuseToReplace()
  }

  private func refuseToReplace() throws(Failure) {
    guard !replaces, access(target, F_OK) == 0 else { return }
    throw Failure(message: "\(target) is there already; --force replaces it, --name gives the new one another name.")
  }

  /// - Parameters:
  ///   - checksum: the SHA-256 that the user names.
  ///   - digest: computes the SHA-256 of a file.
  /// - Throws: also when the task is cancelled, with an empty message.
  public func run(
    checksum: String?, digest: (String) -> String?, report: (Progress) -> Void
  ) async throws(Failure) {
    let lock = try lockPart()
    defer { close(lock) }
    let remote = await examine(lock)
    // What was not examined to the end says nothing, and would cost what has come.
    guard !Task.isCancelled else { throw Failure(message: "") }
    let expected = checksum ?? remote?.checksum(isHuggingFace: source.isHuggingFace)
    let size = remote?.size
    try prepare(remote, report)
    if size == nil || partSize < size ?? 0 { try await fetch(size, lock, report) }
    try check(size)
    if let expected {
      report(.checking)
      guard let found = digest(part) else { throw Failure(message: Task.isCancelled ? "" : "\(part) cannot be read.") }
      guard found.lowercased() == expected.lowercased() else {
        throw Failure(
          message:
            "The checksum is wrong: \(found) instead of \(expected.lowercased()). \(part) is kept; --force fetches "
            + "it anew.")
      }
    }
    try refuseToReplace()
    guard fsync(lock) == 0, rename(part, target) == 0 else {
      throw Failure(message: "\(target) cannot be written: \(String(cString: strerror(errno))).")
    }
    unlink(record)
  }

  /// Goes on with what has come only when it is surely the beginning of what the server has now.
  private func prepare(_ remote: RemoteHeaders?, _ report: (Progress) -> Void) throws(Failure) {
    let now = PullRecord(address: source.url, validator: remote?.validator, size: remote?.size)
    if partSize > 0 {
      let first = PullRecord(path: record)
      // A server that is down for a while must not cost what has come.
      if !replaces, remote == nil, let first, first.address.utf8.elementsEqual(source.url.utf8) {
        throw Failure(
          message: "\(source.url) cannot be fetched: the server does not tell what it has. \(part) is kept: the same "
            + "command goes on from there once it does, --force begins anew.")
      }
      var reason = first.map { $0.difference(from: now) } ?? "nobody knows where it came from"
      if let size = now.size, partSize > size { reason = "it is longer than what is to be fetched" }
      // Whoever asks for it has seen that what is whole is of no use.
      if replaces, partSize >= now.size ?? 0 { reason = reason ?? "--force was given" }
      guard let reason else { return }
      report(.beginningAnew("\(part) is fetched anew: \(reason)."))
      guard truncate(part, 0) == 0 else {
        throw Failure(message: "\(part) cannot be written: \(String(cString: strerror(errno))).")
      }
    }
    guard now.write(to: record) else {
      let words = String(cString: strerror(errno))
      forget()
      throw Failure(message: "\(record) cannot be written: \(words).")
    }
  }

  private func forget() {
    unlink(part)
    unlink(record)
  }

  /// Opens the file of what has come, made when there is none. One process at a time writes it.
  private func lockPart() throws(Failure) -> Int32 {
    let descriptor = open(part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else {
      throw Failure(message: "\(part) cannot be written: \(String(cString: strerror(errno))).")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw Failure(message: "Another “inkling models pull” writes \(part). Wait until it has ended.")
    }
    return descriptor
  }

  private var partSize: Int {
    var status = stat()
    return stat(part, &status) == 0 ? Int(status.st_size) : 0
  }

  // MARK: curl

  /// What all calls share. `--disable` comes first: no file of settings changes what is meant here.
  private var options: [String] {
    return [
      "--disable", "--silent", "--show-error", "--fail", "--location", "--max-redirs", "10", "--globoff", "--proto",
      source.isLoopback ? "=http,https" : "=https", "--proto-redir", "=https", "--connect-timeout", "30",
    ] + (source.isLoopback ? ["--noproxy", "*"] : [])
  }

  /// What the server says of the file before it is fetched. Not every server answers this; then nothing is known.
  private func examine(_ lock: Int32) async -> RemoteHeaders? {
    guard
      let process = ToolProcess(
        curl, options + ["--head", "--max-time", "60", "--url", source.url], keeping: .output,
        inheriting: lock),
      await status(of: process, {}) == 0
    else { return nil }
    return RemoteHeaders(String(decoding: process.said, as: UTF8.self))
  }

  private func fetch(_ size: Int?, _ lock: Int32, _ report: (Progress) -> Void) async throws(Failure) {
    let resumes = partSize > 0
    var outcome = try await fetchOnce(size, lock, report)
    if outcome.status == CurlStatus.cannotResume, resumes {
      guard truncate(part, 0) == 0 else {
        throw Failure(message: "\(part) cannot be written: \(String(cString: strerror(errno))).")
      }
      outcome = try await fetchOnce(size, lock, report)
    }
    guard outcome.status != 0 else { return }
    // Nothing has come: nothing is left behind.
    if partSize == 0 { forget() }
    let kept = partSize > 0 ? " What has come is kept in \(part); the same command goes on from there." : ""
    throw Failure(message: "\(source.url) cannot be fetched (\(outcome.words)).\(kept)")
  }

  private enum CurlStatus {
    static let cannotResume: Int32 = 33
  }

  private func fetchOnce(
    _ size: Int?, _ lock: Int32, _ report: (Progress) -> Void
  ) async throws(Failure) -> (status: Int32, words: String) {
    let stalled = ["--speed-limit", "1", "--speed-time", "120"]
    let arguments = options + stalled + ["--continue-at", "-", "--output", part, "--url", source.url]
    guard let process = ToolProcess(curl, arguments, keeping: .error, inheriting: lock) else {
      throw Failure(message: "\(curl) cannot be started.")
    }
    let clock = ContinuousClock()
    let start = (time: clock.now, bytes: partSize)
    var isModel = true
    let status = await status(of: process) {
      let bytes = partSize
      let elapsed = start.time.duration(to: clock.now)
      let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
      report(
        .fetching(bytes: bytes, of: size, bytesPerSecond: Int(Double(max(0, bytes - start.bytes)) / max(seconds, 0.1))))
      // Nobody waits for the end of a file that is no model.
      if isModel, bytes >= 4, !Self.isGGUF(part) {
        isModel = false
        process.end()
      }
    }
    guard let status else {
      if partSize == 0 { forget() }
      throw Failure(message: "")
    }
    guard isModel else { throw refuseStranger() }
    let words = String(decoding: process.said, as: UTF8.self).split(whereSeparator: \.isNewline).last ?? ""
    return (status, words.isEmpty ? "curl ended with status \(status)" : String(words))
  }

  /// Waits for its end; nil when the task was cancelled, and the process ended for it.
  private func status(of process: ToolProcess, _ look: () -> Void) async -> Int32? {
    while true {
      if let status = process.poll() { return Task.isCancelled ? nil : status }
      if Task.isCancelled {
        process.end()
        return nil
      }
      look()
      // A cancelled sleep ends at once, and the loop with it.
      do { try await Task.sleep(for: .milliseconds(50)) } catch { continue }
    }
  }

  // MARK: What has come

  private func check(_ size: Int?) throws(Failure) {
    guard Self.isGGUF(part) else { throw refuseStranger() }
    if let size, partSize != size {
      throw Failure(message: "\(part) has \(partSize) of \(size) bytes. The same command goes on from there.")
    }
    do throws(GGUFHeader.Problem) {
      _ = try GGUFFile.header(of: part)
    } catch {
      throw Failure(message: "\(part) \(error.text). --force fetches it anew.")
    }
  }

  private static func isGGUF(_ path: String) -> Bool {
    guard let file = try? BoundedFileReader(path: path) else { return false }
    return file.descriptor.read(at: 0, count: 4).elementsEqual("GGUF".utf8)
  }

  /// What begins with something else than a model is of no use, and would spoil the next try.
  private func refuseStranger() -> Failure {
    forget()
    return Failure(message: "\(source.url) is not a GGUF model; nothing of it is kept.")
  }
}
