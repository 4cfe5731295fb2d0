import CSQLite

/// An open database of SQLite. Belongs to one thread; closed with its last reference.
final class SQLiteDatabase {
  private let handle: OpaquePointer

  /// - Parameter busyTimeout: milliseconds that a lock of another process is waited for.
  init(_ path: String, isReadOnly: Bool = false, busyTimeout: Int32) throws(StoreError) {
    var handle: OpaquePointer?
    let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let code = sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let handle else {
      let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(handle)
      throw .sqlite(code: code & 0xFF, message: message)
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, busyTimeout)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Runs statements that give nothing back.
  func execute(_ sql: String) throws(StoreError) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error }
  }

  /// Prepares one statement, with its parameters.
  func prepare(_ sql: String, _ values: [SQLiteValue] = []) throws(StoreError) -> SQLiteStatement {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else { throw error }
    let prepared = SQLiteStatement(statement, self)
    try prepared.bind(values)
    return prepared
  }

  /// Runs one statement to its end.
  func run(_ sql: String, _ values: [SQLiteValue] = []) throws(StoreError) {
    let statement = try prepare(sql, values)
    while try statement.step() {}
  }

  /// The number in the first column of the first row; nil when there is no row.
  func number(_ sql: String, _ values: [SQLiteValue] = []) throws(StoreError) -> Int? {
    let statement = try prepare(sql, values)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// The text in the first column of the first row; nil when there is no row.
  func text(_ sql: String) throws(StoreError) -> String? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.text(0) : nil
  }

  /// Does all of the body or nothing. The lock for writing is taken first, so that what the body reads stays true.
  func transaction<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    try execute("BEGIN IMMEDIATE")
    do throws(StoreError) {
      let value = try body()
      try execute("COMMIT")
      return value
    } catch {
      // After some failures (a full disk, for one) SQLite has done so itself, and there is none to end.
      sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }

  /// The last failure.
  var error: StoreError {
    .sqlite(code: sqlite3_errcode(handle) & 0xFF, message: String(cString: sqlite3_errmsg(handle)))
  }

  /// A failure as the end of a sentence, without what the statement was about.
  static func reason(_ code: Int32, _ message: String) -> String {
    switch code {
    case SQLITE_FULL: "the disk is full, or the file may not grow"
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN: "the file of sessions cannot be written"
    case SQLITE_BUSY, SQLITE_LOCKED: "another program keeps the file of sessions locked"
    case SQLITE_IOERR: "the file of sessions cannot be read or written (\(message))"
    case _: "SQLite says “\(message)” (code \(code))"
    }
  }
}

extension StoreError {
  /// What a check of the file has found.
  static func damage(_ finding: String) -> StoreError { .sqlite(code: SQLITE_CORRUPT, message: finding) }

  /// Whether the file is no sound database.
  var isDamage: Bool {
    if case .sqlite(SQLITE_CORRUPT, _) = self { return true }
    if case .sqlite(SQLITE_NOTADB, _) = self { return true }
    return false
  }
}

/// What SQLite keeps in a column.
enum SQLiteValue {
  case integer(Int)
  case text(String)
  case null

  init(_ number: Int?) { self = number.map(SQLiteValue.integer) ?? .null }
  init(_ text: String?) { self = text.map(SQLiteValue.text) ?? .null }
}

/// A prepared statement and, while it is stepped through, its current row.
final class SQLiteStatement {
  /// The memory of a bound text is copied at once.
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  private let handle: OpaquePointer
  private let database: SQLiteDatabase

  fileprivate init(_ handle: OpaquePointer, _ database: SQLiteDatabase) {
    self.handle = handle
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  /// Sets the parameters and begins again.
  func bind(_ values: [SQLiteValue]) throws(StoreError) {
    sqlite3_reset(handle)
    for (index, value) in values.enumerated() {
      let place = Int32(index + 1)
      let code =
        switch value {
        case .integer(let number): sqlite3_bind_int64(handle, place, Int64(number))
        case .null: sqlite3_bind_null(handle, place)
        case .text(let text): bind(text, at: place)
        }
      guard code == SQLITE_OK else { throw database.error }
    }
  }

  private func bind(_ text: String, at place: Int32) -> Int32 {
    var text = text
    // With its length: a text may hold U+0000.
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text64(
          handle, place, $0.baseAddress ?? UnsafePointer(bitPattern: 1), UInt64($0.count), Self.copied,
          UInt8(SQLITE_UTF8))
      }
    }
  }

  /// Goes on to the next row; false when there is none.
  func step() throws(StoreError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case _: throw database.error
    }
  }

  func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

  func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  func optionalInteger(_ column: Int32) -> Int? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : integer(column)
  }

  func optionalText(_ column: Int32) -> String? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : text(column)
  }
}
