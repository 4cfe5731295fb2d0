import Assistant
import AssistantProtocol
import JSONRPC
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file of sessions to which others have done what no daemon does, and a lock that is not given back.
@Suite(.timeLimit(.minutes(2))) struct DamagedStoreTests {
  /// Does something to the file with a program of its own, and gives what that has read.
  private static func sql(_ statement: String, _ store: StoreFolder) throws -> String {
    let script = """
      import sqlite3, sys
      database = sqlite3.connect(sys.argv[1])
      print(database.execute(sys.argv[2]).fetchall())
      database.commit()
      """
    let process = try SpawnedProcess("python3", ["-c", script, store.path, statement])
    process.closeInput()
    let output = String(decoding: try process.readToEnd(within: 60), as: UTF8.self)
    #expect(try process.waitForExit() == .status(0), "\(process.standardError())")
    return output
  }

  /// Does something to a file that has a session of four turns, and gives the client of a new daemon.
  private func damaged(_ statement: String) async throws -> (store: StoreFolder, client: TestClient) {
    let store = try StoreFolder()
    let before = try await store.client()
    try await before.persist("a")
    for text in ["p0", "p1", "p2", "p3"] { try await before.say(text, in: "a") }
    _ = await before.end()
    _ = try Self.sql(statement, store)
    return (store, try await store.client())
  }

  /// What makes no sense is neither handed out nor built upon.
  @Test(
    arguments: [
      "UPDATE sessions SET max_turns = -1", "UPDATE sessions SET max_turns = 0",
      "UPDATE sessions SET context_used = -5", "DELETE FROM turns WHERE number = 1",
      "UPDATE turns SET number = number + 100", "UPDATE turns SET entries = '[]' WHERE number = 2",
    ])
  func rowsThatMakeNoSenseAreRefused(_ statement: String) async throws {
    let (store, client) = try await damaged(statement)
    await client.expect(-32803) { try await $0.held("a") }
    await client.expect(-32803) { try await $0.say("x", in: "a") }
    _ = try await client.call(SessionDelete.self, SessionParams(sessionID: try #require(SessionID("a"))))
    #expect(try await client.persist("a").session.persisted)
    #expect(store.files.allSatisfy { !$0.contains("corrupt") })
    _ = await client.end()
  }

  @Test func aVersionThatThereNeverWasIsLeftAlone() async throws {
    let (store, client) = try await damaged("PRAGMA user_version = -1")
    await client.expect(-32803) { try await $0.held("a") }
    #expect(try await client.persist("b").warnings.codes == [.notPersisted])
    _ = await client.end()
    #expect(try Self.sql("SELECT count(*) FROM sessions", store) == "[(1,)]\n")
  }

  /// Whoever holds the lock file keeps sessions from the disk, and nothing from going on.
  @Test func aLockThatIsNeverGivenBackIsNotWaitedForForEver() async throws {
    let store = try StoreFolder()
    mkdir(store.folder.path("state"), 0o700)
    mkdir(store.folder.path("state/inkling"), 0o700)
    let lock = open(store.folder.path("state/inkling/sessions.lock"), O_RDWR | O_CREAT, 0o600)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX) == 0)
    let client = try await store.client { $0.busyTimeout = 50 }
    let made = try await client.persist("a")
    #expect(!made.session.persisted && made.warnings.codes == [.notPersisted])
    #expect(try await client.say("x", in: "a").common.warnings.codes == [.notPersisted])
    #expect(flock(lock, LOCK_UN) == 0)
    #expect(try await client.say("y", in: "a").common.warnings.codes == [])
    #expect(try await client.held("a").session.persisted)
    _ = await client.end()
  }
}
