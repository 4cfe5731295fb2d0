import AssistantProtocol
import JSON

/// How sessions stand in the tables.
extension SessionFile {
  /// A session as it is in the file.
  struct Loaded {
    var record: SessionRecord
    var revision: Int
  }

  private static let columns =
    "id, title, personality, instructions, policy, max_turns, context_used, context_size, turns, created_at, "
    + "updated_at, revision"

  // MARK: Reading

  /// nil when there is no such session.
  func revision(of id: SessionID) throws(StoreError) -> Int? {
    try read { (database) throws(StoreError) in
      try database.number("SELECT revision FROM sessions WHERE id = ?", [.text(id.text)])
    } ?? nil
  }

  /// All sessions without what was said in them, the oldest first.
  func sessions() throws(StoreError) -> [(session: Session, revision: Int)] {
    try read { (database) throws(StoreError) in
      let rows = try database.prepare("SELECT \(Self.columns) FROM sessions ORDER BY created_at, rowid")
      var all: [(session: Session, revision: Int)] = []
      while try rows.step() {
        if let session = Self.session(rows) { all.append((session, rows.integer(11))) }
      }
      return all
    } ?? []
  }

  func load(_ id: SessionID) throws(StoreError) -> Loaded? {
    try read { (database) throws(StoreError) -> Loaded? in
      // One transaction, so that the turns are those of the revision.
      try database.execute("BEGIN")
      do throws(StoreError) {
        let loaded = try Self.load(id, database)
        try database.execute("COMMIT")
        return loaded
      } catch {
        // The error that led here is the one to tell.
        _ = Result { () throws(StoreError) in try database.execute("ROLLBACK") }
        throw error
      }
    } ?? nil
  }

  private static func load(_ id: SessionID, _ database: SQLiteDatabase) throws(StoreError) -> Loaded? {
    let row = try database.prepare(
      "SELECT \(columns), tools, summary FROM sessions WHERE id = ?", [.text(id.text)])
    guard try row.step() else { return nil }
    guard let session = session(row) else { throw illegible(id) }
    var record = SessionRecord(session: session)
    do {
      record.tools = try Tool.all([ToolDefinition](json: JSONParser.parse(row.text(12))))
      record.transcript.summary = try row.optionalText(13).map { try TranscriptEntry(json: JSONParser.parse($0)) }
    } catch {
      throw illegible(id)
    }
    let revision = row.integer(11)
    let turns = try database.prepare(
      "SELECT entries, number FROM turns WHERE session = ? ORDER BY number", [.text(id.text)])
    while try turns.step() {
      // What is written next is numbered by what was read.
      guard let read = try? Transcript(json: JSONParser.parse(turns.text(0))), read.turns.count == 1,
        turns.integer(1) == record.transcript.turns.count
      else { throw illegible(id) }
      record.transcript.turns += read.turns
    }
    return Loaded(record: record, revision: revision)
  }

  private static func illegible(_ id: SessionID) -> StoreError {
    .illegible("what is kept of the session “\(id.text)” cannot be understood; session/delete removes it")
  }

  /// nil when a newer daemon has written what this one does not know.
  private static func session(_ row: SQLiteStatement) -> Session? {
    guard let id = SessionID(row.text(0)), let personality = try? Personality(json: .string(row.text(2))),
      let policy = ContextPolicy(rawValue: row.text(4))
    else { return nil }
    let counts = [row.integer(6), row.integer(7), row.integer(8)]
    guard counts.allSatisfy({ $0 >= 0 }), row.optionalInteger(5).map((1...Limits.sessionTurns).contains) ?? true else {
      return nil
    }
    var session = Session()
    session.sessionID = id
    session.title = row.text(1)
    session.personality = personality
    session.instructions = row.text(3)
    session.contextPolicy = policy
    session.maxTurns = row.optionalInteger(5)
    session.contextUsed = row.integer(6)
    session.contextSize = row.integer(7)
    session.turns = row.integer(8)
    session.createdAt = row.text(9)
    session.updatedAt = row.text(10)
    session.persisted = true
    return session
  }

  // MARK: Writing

  /// Writes a session down, all of it or nothing.
  /// - Parameters:
  ///   - revision: the one that it is based on; nil when it is not in the file.
  ///   - saved: how many of its first turns are in the file already.
  /// - Returns: its new revision.
  func write(_ record: SessionRecord, revision: Int?, saved: Int) throws(StoreError) -> Int {
    try use { (database) throws(StoreError) in
      try database.transaction { () throws(StoreError) in
        let id = SQLiteValue.text(record.session.sessionID.text)
        let found = try database.number("SELECT revision FROM sessions WHERE id = ?", [id])
        if revision == nil {
          guard found == nil else { throw .nameTaken }
          let count = try database.number("SELECT count(*) FROM sessions") ?? 0
          guard count < Limits.storedSessions else { throw .full(limit: Limits.storedSessions) }
        } else if found != revision {
          throw found == nil ? .gone : .conflict
        }
        try database.execute("UPDATE counter SET value = value + 1")
        guard let next = try database.number("SELECT value FROM counter") else { throw .damage("no counter") }
        try database.run(Self.upsert, Self.values(record, revision: next))
        try database.run("DELETE FROM turns WHERE session = ? AND number >= ?", [id, .integer(saved)])
        let insert = try database.prepare("INSERT INTO turns (session, number, entries) VALUES (?, ?, ?)")
        for (number, turn) in record.transcript.turns.enumerated().dropFirst(saved) {
          try insert.bind([id, .integer(number), .text(JSONWriter.text(of: turn.entries.json))])
          while try insert.step() {}
        }
        return next
      }
    }
  }

  /// False when there was no such session.
  func delete(_ id: SessionID) throws(StoreError) -> Bool {
    try read { (database) throws(StoreError) in
      try database.transaction { () throws(StoreError) in
        let exists = try database.number("SELECT 1 FROM sessions WHERE id = ?", [.text(id.text)]) != nil
        if exists { try database.run("DELETE FROM sessions WHERE id = ?", [.text(id.text)]) }
        return exists
      }
    } ?? false
  }

  private static let upsert = """
    INSERT INTO sessions (id, title, personality, instructions, policy, max_turns, tools, context_used, context_size,
      turns, bytes, summary, revision, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET title = excluded.title, personality = excluded.personality,
      instructions = excluded.instructions, policy = excluded.policy, max_turns = excluded.max_turns,
      tools = excluded.tools, context_used = excluded.context_used, context_size = excluded.context_size,
      turns = excluded.turns, bytes = excluded.bytes, summary = excluded.summary, revision = excluded.revision,
      updated_at = excluded.updated_at
    """

  private static func values(_ record: SessionRecord, revision: Int) -> [SQLiteValue] {
    let (session, transcript) = (record.session, record.transcript)
    return [
      .text(session.sessionID.text), .text(session.title), .text(session.personality.id),
      .text(session.instructions), .text(session.contextPolicy.rawValue), SQLiteValue(session.maxTurns),
      .text(JSONWriter.text(of: record.tools.map(\.definition).json)), .integer(session.contextUsed),
      .integer(session.contextSize), .integer(transcript.turns.count), .integer(transcript.byteCount),
      SQLiteValue(transcript.summary.map { JSONWriter.text(of: $0.json) }), .integer(revision),
      .text(session.createdAt), .text(session.updatedAt),
    ]
  }
}
