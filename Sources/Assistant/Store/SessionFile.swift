import AssistantProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file of persisted sessions: opened when it is first needed, by one thread. Every daemon of the user has it open;
/// SQLite's locks keep their writes apart. Nobody but the user can read it.
final class SessionFile {
  /// Larger files are not read through when they are opened; damage shows when the damaged part is read.
  private static let checkedBytes = 64 << 20

  let path: String
  private let settings: StoreSettings
  private let log: Log
  private var database: SQLiteDatabase?
  /// Which file is open. A damaged one may be moved aside by another daemon, and people delete files.
  private var identity: FileIdentity?
  /// Grows when another file is used from now on: nothing that was written before is in it.
  private(set) var epoch = 0
  /// What a person should be told, once.
  private var notices: [String] = []

  init(_ path: String, _ settings: StoreSettings, log: Log) {
    self.path = path
    self.settings = settings
    self.log = log
  }

  /// What there is to tell since this was last asked.
  func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }

  /// Closes a file that is not the one at its path any more.
  func refresh() {
    guard database != nil, FileIdentity(path) != identity else { return }
    close()
    epoch += 1
  }

  func close() {
    database = nil
    identity = nil
  }

  /// Reads what is there; nil when there is no file yet, and none is made.
  func read<Value>(_ body: (SQLiteDatabase) throws(StoreError) -> Value) throws(StoreError) -> Value? {
    if database == nil, FileIdentity(path) == nil { return nil }
    return try use(body)
  }

  /// Writes, to a new file when there is none.
  func use<Value>(_ body: (SQLiteDatabase) throws(StoreError) -> Value) throws(StoreError) -> Value {
    let database: SQLiteDatabase
    if let open = self.database { database = open } else { database = try open() }
    self.database = database
    do throws(StoreError) {
      return try body(database)
    } catch {
      guard error.isDamage else { throw error }
      let damaged = identity
      close()
      try locked { () throws(StoreError) in try moveAside(damaged, error) }
      throw .movedAside
    }
  }

  // MARK: Opening

  private func open() throws(StoreError) -> SQLiteDatabase {
    try locked { () throws(StoreError) in
      do throws(StoreError) {
        return try openUnlocked()
      } catch {
        guard error.isDamage else { throw error }
        try moveAside(FileIdentity(path), error)
        return try openUnlocked()
      }
    }
  }

  /// Only one daemon at a time opens the file or moves it aside.
  private func locked<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    do throws(SystemError) { try Files.makeFolder(folder) } catch { throw .unusable(error.message) }
    let name = folder + "/sessions.lock"
    let lock = Files.open(name, O_RDWR | O_CREAT | O_NOFOLLOW)
    guard lock >= 0 else { throw .unusable(SystemError("making \(name)").message) }
    defer { Self.close(lock) }
    let clock = ContinuousClock()
    let start = clock.now
    while flock(lock, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EINTR || errno == EWOULDBLOCK else { throw .unusable(SystemError("locking \(name)").message) }
      guard start.duration(to: clock.now) < .milliseconds(Int(settings.busyTimeout)) else {
        throw .unusable("another program holds \(name)")
      }
      // The store's own thread; it has nothing else to do.
      usleep(10_000)
    }
    return try body()
  }

  private func openUnlocked() throws(StoreError) -> SQLiteDatabase {
    try makePrivate()
    let database = try SQLiteDatabase(path, busyTimeout: settings.busyTimeout)
    let version = try database.number("PRAGMA user_version") ?? 0
    guard (0...settings.steps.count).contains(version) else {
      throw .unusable("\(path) was written by another version of Inkling (its format is \(version))")
    }
    guard try database.text("PRAGMA journal_mode = WAL") == "wal" else {
      throw .unusable("the file system of \(path) does not let several programs share a database")
    }
    // Deleted text is overwritten, and what is acknowledged is on the disk.
    try database.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON")
    if let pages = settings.pageLimit { _ = try database.number("PRAGMA max_page_count = \(pages)") }
    guard let identity = FileIdentity(path) else { throw .unusable("\(path) has been removed just now") }
    if identity.size <= Self.checkedBytes, let finding = try database.text("PRAGMA quick_check(1)"), finding != "ok" {
      throw .damage(finding)
    }
    try StoreSchema.migrate(database, settings.steps)
    self.identity = identity
    return database
  }

  /// SQLite gives the files beside it the permissions of this one.
  private func makePrivate() throws(StoreError) {
    let descriptor = Files.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    if descriptor >= 0 {
      Self.close(descriptor)
      return
    }
    guard errno == EEXIST else { throw .unusable(SystemError("making \(path)").message) }
    var status = stat()
    guard lstat(path, &status) == 0 else { throw .unusable(SystemError("looking at \(path)").message) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
      throw .unusable("\(path) is not a regular file of this user")
    }
    if status.st_mode & 0o7777 != 0o600, chmod(path, 0o600) != 0 {
      throw .unusable(SystemError("protecting \(path)").message)
    }
  }

  /// Gives a damaged file another name, unless another daemon has done so meanwhile.
  private func moveAside(_ damaged: FileIdentity?, _ error: StoreError) throws(StoreError) {
    epoch += 1
    guard let damaged, FileIdentity(path) == damaged else { return }
    let base = path + ".corrupt-" + Timestamp.now.filter { $0 != ":" && $0 != "-" }
    var target = base
    var number = 1
    while FileIdentity(target) != nil {
      number += 1
      target = "\(base)-\(number)"
    }
    do throws(SystemError) {
      try Files.rename(path, to: target)
      for suffix in ["-wal", "-shm"] where FileIdentity(path + suffix) != nil {
        try Files.rename(path + suffix, to: target + suffix)
      }
    } catch {
      throw .unusable(error.message)
    }
    let notice = "The file of sessions was damaged. It has been moved to \(target), and a new one is begun."
    log.error(notice + " (\(error.reason))")
    notices.append(notice)
  }

  private static func close(_ descriptor: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }
}

/// Which file stands at a path.
struct FileIdentity: Equatable {
  let device: UInt64
  let number: UInt64
  let size: Int

  /// nil when there is none.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int(status.st_size)
  }

  static func == (left: FileIdentity, right: FileIdentity) -> Bool {
    left.device == right.device && left.number == right.number
  }
}
