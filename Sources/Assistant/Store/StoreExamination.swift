/// What `inkling doctor` finds out about the file of persisted sessions. Nothing is written to it, but SQLite may leave
/// its own files beside it.
public enum StoreExamination: Sendable, Equatable {
  /// There is no file yet.
  case nothing
  case usable(sessions: Int, turns: Int, bytes: Int)
  /// The reason is the end of a sentence.
  case unusable(String)
  /// The next daemon moves it aside.
  case damaged(String)

  public static func of(_ path: String) -> StoreExamination {
    guard let file = FileIdentity(path) else { return .nothing }
    do throws(StoreError) {
      let database = try SQLiteDatabase(path, isReadOnly: true, busyTimeout: StoreSettings().busyTimeout)
      let version = try database.number("PRAGMA user_version") ?? 0
      guard (0...StoreSchema.steps.count).contains(version) else {
        return .unusable("it was written by another version of Inkling (its format is \(version))")
      }
      if let finding = try database.text("PRAGMA quick_check(1)"), finding != "ok" { return .damaged(finding) }
      // A daemon that was ended at once may have left it without tables.
      guard version > 0 else { return .usable(sessions: 0, turns: 0, bytes: file.size) }
      return .usable(
        sessions: try database.number("SELECT count(*) FROM sessions") ?? 0,
        turns: try database.number("SELECT count(*) FROM turns") ?? 0,
        bytes: file.size + (FileIdentity(path + "-wal")?.size ?? 0))
    } catch {
      return error.isDamage ? .damaged(error.reason) : .unusable(error.reason)
    }
  }
}
