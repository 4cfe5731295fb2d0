/// The tables of the file of sessions.
package enum StoreSchema {
  /// What brings a file from each version to the next, the first from an empty one. SQLite's `user_version` is the
  /// number of steps that a file has behind it. A step that has been released is never changed.
  ///
  /// A turn is a row, so that an answer adds one and rewrites none. A session's `revision` is the number of the write
  /// that made it what it is, counted over all sessions: so a daemon sees that another has written, even one that
  /// deleted the session and made it again. `turns` and `bytes` are there to be shown without reading the turns.
  package static let steps = [
    """
    CREATE TABLE counter (value INTEGER NOT NULL);
    INSERT INTO counter VALUES (0);
    CREATE TABLE sessions (
      id TEXT PRIMARY KEY NOT NULL,
      title TEXT NOT NULL,
      personality TEXT NOT NULL,
      instructions TEXT NOT NULL,
      policy TEXT NOT NULL,
      max_turns INTEGER,
      tools TEXT NOT NULL,
      context_used INTEGER NOT NULL,
      context_size INTEGER NOT NULL,
      turns INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      summary TEXT,
      revision INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL
    );
    CREATE TABLE turns (
      session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,
      entries TEXT NOT NULL,
      PRIMARY KEY (session, number)
    );
    """
  ]

  /// Brings a file to the newest version, in one transaction.
  static func migrate(_ database: SQLiteDatabase, _ steps: [String]) throws(StoreError) {
    guard try database.number("PRAGMA user_version") != steps.count else { return }
    try database.transaction { () throws(StoreError) in
      // Another daemon may have been first.
      let version = try database.number("PRAGMA user_version") ?? 0
      guard (0..<steps.count).contains(version) else { return }
      for step in steps[version...] { try database.execute(step) }
      try database.execute("PRAGMA user_version = \(steps.count)")
    }
  }
}

/// What tests set otherwise.
package struct StoreSettings: Sendable {
  package var steps = StoreSchema.steps
  /// Pages that the file may have; nil: as many as fit on the disk.
  package var pageLimit: Int?
  /// Milliseconds that another program's lock is waited for.
  package var busyTimeout: Int32 = 5_000
  package init() {}
}
