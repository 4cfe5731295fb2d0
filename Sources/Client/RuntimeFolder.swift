import JSONRPC

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The folder of a user's shared daemons: each has a socket there and a lock. Nobody but the user can look into it.
public struct RuntimeFolder: Sendable {
  public let path: String

  public init(_ path: String) { self.path = path }

  /// `$XDG_RUNTIME_DIR/inkling` when there is such a folder, else `~/.cache/inkling/run`.
  public static func usual() throws(DaemonError) -> RuntimeFolder {
    if let runtime = environment("XDG_RUNTIME_DIR"), isFolder(runtime) { return RuntimeFolder(runtime + "/inkling") }
    guard let home = environment("HOME") else {
      throw DaemonError("There is no place for the daemon's socket.", remedy: "Set HOME or XDG_RUNTIME_DIR.")
    }
    return RuntimeFolder(home + "/.cache/inkling/run")
  }

  /// Makes the folder when it is missing, and refuses one in which others could put a socket of theirs.
  public func prepare() throws(DaemonError) {
    for (index, byte) in path.utf8.enumerated() where byte == UInt8(ascii: "/") && index > 0 {
      mkdir(String(decoding: path.utf8.prefix(index), as: UTF8.self), 0o700)
    }
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      let reason = String(cString: strerror(errno))
      throw DaemonError(
        "The folder \(path) cannot be made (\(reason)).", remedy: "Name a folder of yours in XDG_RUNTIME_DIR.")
    }
    try check()
  }

  /// Refuses the folder when it is not this user's alone.
  public func check() throws(DaemonError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      throw DaemonError(
        "The folder \(path) cannot be used (\(String(cString: strerror(errno)))).", remedy: "Mend or remove it.")
    }
    let problem: String? =
      if status.st_mode & S_IFMT != S_IFDIR {
        "is not a folder"
      } else if status.st_uid != geteuid() {
        "belongs to another user"
      } else if status.st_mode & 0o077 != 0 {
        "is open to other users"
      } else {
        nil
      }
    guard let problem else { return }
    throw DaemonError(
      "\(path) \(problem), so a socket in it cannot be trusted.",
      remedy: "Remove it, or make it a folder of yours with mode 0700.")
  }

  /// The daemon of this protocol and build.
  /// - Parameter build: tells one build from another; letters, digits and hyphens.
  public func daemon(protocolVersion: Int, build: String) -> DaemonPlace {
    DaemonPlace(folder: self, name: "daemon-\(protocolVersion)-\(build)")
  }

  /// All daemons that have been here, of whatever build.
  public var daemons: [DaemonPlace] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: Set<String> = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard name.hasPrefix("daemon-") else { continue }
      for suffix in [DaemonPlace.lockSuffix, DaemonPlace.socketSuffix] where name.hasSuffix(suffix) {
        names.insert(String(name.dropLast(suffix.count)))
      }
    }
    return names.sorted().map { DaemonPlace(folder: self, name: $0) }
  }

  /// The value of a variable that is an absolute path.
  private static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee == CChar(bitPattern: UInt8(ascii: "/")) else { return nil }
    return String(cString: value)
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

/// Where one daemon is to be found.
public struct DaemonPlace: Sendable, Equatable {
  static let lockSuffix = ".lock"
  static let socketSuffix = ".sock"

  public let folder: String
  public let name: String

  init(folder: RuntimeFolder, name: String) {
    self.folder = folder.path
    self.name = name
  }

  public var socketPath: String { "\(folder)/\(name)\(Self.socketSuffix)" }
  var lockPath: String { "\(folder)/\(name)\(Self.lockSuffix)" }

  /// The process that is this daemon, ready or still starting; nil when there is none. Somebody may have removed its
  /// lock or its socket; either is enough.
  public var processID: Int32? {
    if let holder = lockHolder { return holder }
    guard let listener = try? UnixSocket.processID(listeningAt: socketPath), listener > 0 else { return nil }
    return Int32(exactly: listener)
  }

  /// What stands here now, for the daemon that has made it.
  public var marks: DaemonMarks { DaemonMarks(of: self) }

  private var lockHolder: Int32? {
    let descriptor = openFile(lockPath, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var lock = Self.wholeFile
    guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
    return lock.l_pid
  }

  /// Becomes this daemon for as long as the process lives; false when another process is. The lock goes with the
  /// process, whatever ends it; but the process must not look who holds it, since closing the file would give it up.
  public func claim() throws(DaemonError) -> Bool {
    while true {
      let descriptor = openFile(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw failure("cannot be made") }
      var lock = Self.wholeFile
      guard fcntl(descriptor, F_SETLK, &lock) == 0 else {
        defer { close(descriptor) }
        if errno == EACCES || errno == EAGAIN { return false }
        throw failure("cannot be locked")
      }
      // A file that somebody has removed meanwhile locks nobody out.
      var held = stat()
      var named = stat()
      if fstat(descriptor, &held) == 0, lstat(lockPath, &named) == 0, held.st_ino == named.st_ino { return true }
      close(descriptor)
    }
  }

  /// Removes what a daemon that is no more has left. Called by the daemon itself, or for one that does not run.
  public func removeSocket() { unlink(socketPath) }

  /// Removes all that is left of a daemon that does not run.
  public func remove() {
    guard processID == nil else { return }
    unlink(socketPath)
    unlink(lockPath)
  }

  private func failure(_ what: String) -> DaemonError {
    DaemonError("\(lockPath) \(what) (\(String(cString: strerror(errno)))).", remedy: "Make \(folder) writable.")
  }

  /// A write lock on all of a file. Of this kind, since it can be looked at without being taken.
  private static var wholeFile: flock {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    return lock
  }
}

/// The lock and the socket of a daemon, as it has made them. They may be removed under it, and others put in their
/// place: then nobody finds it any more.
public struct DaemonMarks: Sendable, Equatable {
  private let place: DaemonPlace
  private let numbers: [UInt64]

  fileprivate init(of place: DaemonPlace) {
    self.place = place
    numbers = [place.lockPath, place.socketPath].map { path in
      var status = stat()
      return lstat(path, &status) == 0 ? UInt64(status.st_ino) : 0
    }
  }

  /// Whether both are still there.
  public var areIntact: Bool { self == place.marks }
}

/// `open(2)`, for a file that may be made.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
