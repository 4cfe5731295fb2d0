import AssistantProtocol
import JSON
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file that a configuration comes from. It is looked at when somebody wants to know what holds, and read again
/// when it has changed; nothing runs meanwhile.
public final class ConfigurationFile: Sendable {
  /// The file as it was read.
  public struct Reading: Sendable {
    public var configuration = Configuration()
    public var problems: [ConfigurationProblem] = []
    /// Nothing of the file could be read.
    public var isUnreadable = false
    public init() {}
  }

  private struct State {
    var reading = Reading()
    var stamps: [Stamp?] = []
    var lastLook: ContinuousClock.Instant?
  }

  /// Longest file that is read: 1 MiB.
  private static let mostBytes = 1 << 20

  /// nil: nothing is read, and the defaults hold.
  public let path: String?
  private let isRequired: Bool
  private let interval: Duration
  private let wasRead: @Sendable (Reading) -> Void
  private let state = Mutex(State())
  private let watchers = Watchers<Configuration>()

  /// - Parameters:
  ///   - path: nil for the defaults.
  ///   - isRequired: whether it is a problem when there is no such file.
  ///   - interval: how long what is known is taken for true.
  ///   - wasRead: told of each reading, the first one too.
  public init(
    path: String?, isRequired: Bool = false, interval: Duration = .seconds(1),
    wasRead: @escaping @Sendable (Reading) -> Void = { _ in }
  ) {
    self.path = path
    self.isRequired = isRequired
    self.interval = interval
    self.wasRead = wasRead
    _ = current
  }

  deinit { watchers.finish() }

  /// What holds now. Looks at the file at most once in the interval.
  public var current: Configuration { reading.configuration }

  /// The same with what is wrong with the file.
  public var reading: Reading {
    guard let path else { return Reading() }
    let now = ContinuousClock.now
    let (result, isNew) = state.withLock { state -> (Reading, Bool) in
      if let last = state.lastLook, last.duration(to: now) < interval { return (state.reading, false) }
      let isFirst = state.lastLook == nil
      state.lastLook = now
      // The catalog is a part of what holds.
      guard isFirst || state.stamps != stamps(path, state.reading.configuration) else { return (state.reading, false) }
      let stamp = Stamp(path)
      let wasThere = !isFirst && state.stamps.first.flatMap(\.self) != nil
      var reading = read(path, stamp, wasThere: wasThere)
      // Perhaps it is just being written; what was good is kept until it can be read.
      if reading.isUnreadable, !isFirst { reading.configuration = state.reading.configuration }
      state.reading = reading
      state.stamps = [stamp] + stamps(path, reading.configuration).dropFirst()
      return (reading, true)
    }
    if isNew {
      wasRead(result)
      watchers.send(result.configuration)
    }
    return result
  }

  /// Each change from now on, as somebody notices it.
  public func changes() -> AsyncStream<Configuration> { watchers.add(bound: 1) }

  /// A path that the file names: relative ones begin at its folder, `~/` is the home.
  public func resolved(_ name: String) -> String {
    if name.utf8.starts(with: "~/".utf8), let home = getenv("HOME") {
      return String(cString: home) + "/" + name.dropFirst(2)
    }
    guard !name.utf8.starts(with: "/".utf8), let path, let slash = path.lastIndex(of: "/") else { return name }
    return path[...slash] + name
  }

  // MARK: Reading

  private func read(_ path: String, _ stamp: Stamp?, wasThere: Bool) -> Reading {
    guard let stamp else {
      guard isRequired || wasThere else { return Reading() }
      var reading = unreadable(isRequired ? "the file cannot be found" : "the file is gone, and the defaults hold")
      reading.isUnreadable = isRequired
      return reading
    }
    guard stamp.isRegular else { return unreadable("it is not a regular file") }
    guard stamp.size <= Self.mostBytes else { return unreadable("the file is longer than 1 MiB") }
    guard let bytes = Files.read(path) else { return unreadable("the file cannot be read") }
    let outcome = ConfigurationReader.read(bytes) { name in
      let path = resolved(name)
      guard Stamp(path)?.isRegular == true else { return nil }
      return Files.read(path)
    }
    var reading = Reading()
    reading.configuration = outcome.configuration
    reading.problems = outcome.problems
    reading.isUnreadable = outcome.isUnreadable
    return reading
  }

  private func unreadable(_ message: String) -> Reading {
    var reading = Reading()
    reading.isUnreadable = true
    reading.problems = [
      ConfigurationProblem(position: JSONPosition(line: 1, column: 1), path: "", message: message)
    ]
    return reading
  }

  private func stamps(_ path: String, _ configuration: Configuration) -> [Stamp?] {
    [Stamp(path)] + (configuration.catalogPath.map { [Stamp(resolved($0))] } ?? [])
  }

  /// What changes when a file is written anew or another takes its place. Links are followed: many keep such files in
  /// another folder.
  private struct Stamp: Equatable {
    var isRegular: Bool
    var size: Int
    var seconds: Int
    var nanoseconds: Int
    var inode: UInt64

    /// nil when there is no file.
    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      #if canImport(Glibc)
        let time = status.st_mtim
      #else
        let time = status.st_mtimespec
      #endif
      isRegular = status.st_mode & S_IFMT == S_IFREG
      size = Int(status.st_size)
      (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
      inode = UInt64(status.st_ino)
    }
  }
}
