import JSON
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A record of both directions of one connection, for finding faults. It holds everything that was said, texts
/// included, so it is off unless a person asks for it, and only that person can read the file.
///
/// Each line is an object: `time` (seconds since 1970), `direction` (`in` or `out`), and `message` (the JSON), or
/// `text` where the bytes were not JSON.
public final class WireMirror: Sendable {
  enum Direction: String {
    case `in`, out
  }

  /// The file that is written.
  public let path: String
  private struct File {
    let descriptor: Int32
    var hasFailed = false
  }

  private let file: Mutex<File>
  private let onFailure: @Sendable (String) -> Void
  private static let created = Atomic(0)

  /// Makes a new file in the directory, which is made (for its owner alone) when it is missing.
  ///
  /// - Parameter onFailure: called once, when something cannot be recorded.
  public init(
    directory: String, onFailure: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(ChannelError) {
    if mkdir(directory, 0o700) != 0, errno != EEXIST { throw .system(call: "mkdir \(directory)", code: errno) }
    let number = Self.created.wrappingAdd(1, ordering: .relaxed).newValue
    path = "\(directory)/\(time(nil))-\(getpid())-\(number).jsonl"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_APPEND, 0o600)
    if descriptor < 0 { throw .system(call: "open \(path)", code: errno) }
    file = Mutex(File(descriptor: descriptor))
    self.onFailure = onFailure
  }

  deinit { closeDescriptor(file.withLock { $0.descriptor }) }

  func record(_ direction: Direction, _ body: [UInt8]) {
    let content: (String, JSONValue)
    do throws(JSONParseError) {
      content = ("message", try JSONParser.parse(body))
    } catch {
      content = ("text", .string(String(decoding: body, as: UTF8.self)))
    }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let seconds = Double(now.tv_sec) + Double(now.tv_nsec / 1_000) / 1e6
    let entry = JSONObject([
      ("time", .number(JSONNumber(seconds))), ("direction", .string(direction.rawValue)), content,
    ])
    append(JSONWriter.bytes(of: .object(entry)) + [Byte.lineFeed])
  }

  /// A full disk must not end the connection: what cannot be recorded is left out, and the first time said.
  private func append(_ line: [UInt8]) {
    file.withLock { file in
      var rest = line[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(file.descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if errno != EINTR {
          if !file.hasFailed { onFailure(ChannelError.system(call: "write \(path)", code: errno).message) }
          file.hasFailed = true
          return
        }
      }
    }
  }
}
