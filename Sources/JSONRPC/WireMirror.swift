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
  private let descriptor: Mutex<Int32>
  private static let created = Atomic(0)

  /// Makes a new file in the directory, which is made (for its owner alone) when it is missing.
  public init(directory: String) throws(ChannelError) {
    if mkdir(directory, 0o700) != 0, errno != EEXIST { throw .system(call: "mkdir \(directory)", code: errno) }
    let number = Self.created.wrappingAdd(1, ordering: .relaxed).newValue
    path = "\(directory)/\(time(nil))-\(getpid())-\(number).jsonl"
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_APPEND, 0o600)
    if file < 0 { throw .system(call: "open \(path)", code: errno) }
    descriptor = Mutex(file)
  }

  deinit { closeDescriptor(descriptor.withLock { $0 }) }

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

  /// A full disk must not end the connection: what cannot be recorded is left out.
  private func append(_ line: [UInt8]) {
    descriptor.withLock { descriptor in
      var rest = line[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if errno != EINTR {
          return
        }
      }
    }
  }
}
