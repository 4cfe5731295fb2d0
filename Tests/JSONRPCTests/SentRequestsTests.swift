import JSON
import JSONRPC
import TestSupport
import Testing

/// Requests from the server to the client, and what merges in the outgoing queue.
@Suite struct SentRequestsTests {
  private enum Number: RequestMethod {
    static let name = "echo"
    typealias Params = JSONValue
    typealias Result = Int
  }

  private enum Unknown: RequestMethod {
    static let name = "nothing"
    typealias Params = Empty
    typealias Result = Empty
  }

  /// Two connections that talk to each other; the second serves the test server's methods.
  private func pair(_ router: Router = .testServer) -> (Connection, Connection) {
    let (near, far) = InMemoryChannel.pair()
    let here = Connection(channel: near, framing: .header, router: Router(), lifecycle: .none)
    let there = Connection(channel: far, framing: .header, router: router, lifecycle: .none)
    here.start()
    there.start()
    return (here, there)
  }

  private func failure<R: RequestMethod>(
    of connection: Connection, _: R.Type, _ params: R.Params, timeout: Duration? = nil
  ) async throws -> RPCError? {
    try await withDeadline(patience) {
      do throws(RPCError) {
        _ = try await connection.request(R.self, params, timeout: timeout)
        return nil
      } catch {
        return error
      }
    }
  }

  @Test("results and errors come back to the one who asked, also many at once")
  func results() async throws {
    let (here, _) = pair()
    try await withDeadline(patience) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<50 {
          group.addTask {
            let result = try await here.request(Work.self, [.number(JSONNumber(index))])
            #expect(result == [.number(JSONNumber(index))])
          }
        }
        try await group.waitForAll()
      }
    }
    let fails = try await failure(of: here, Fail.self, Fail.Params(count: 7))
    #expect(fails == RPCError(code: 7, message: "told to fail"))
    #expect(try await failure(of: here, Unknown.self, Empty())?.code == -32601)
    #expect(try await failure(of: here, Number.self, ["x"])?.code == -32603)
    here.close()
    #expect(try await failure(of: here, Work.self, []) == .connectionClosed)
  }

  @Test("a time limit ends the wait and cancels the request at the peer")
  func timeLimit() async throws {
    let (started, cancelled) = (Gate(), Gate())
    let (here, _) = pair(.hanging(started, cancelled))
    #expect(try await failure(of: here, Hang.self, [], timeout: .milliseconds(20)) == .timedOut)
    try await withDeadline(patience) { await cancelled.wait() }
    #expect(try await failure(of: here, Work.self, [], timeout: patience) == nil)
  }

  @Test("cancelling the task ends the wait and cancels the request at the peer")
  func cancellation() async throws {
    let (started, cancelled) = (Gate(), Gate())
    let (here, _) = pair(.hanging(started, cancelled))
    let task = Task { try await here.request(Hang.self, []) }
    try await withDeadline(patience) { await started.wait() }
    task.cancel()
    let result = try await withDeadline(patience) { await task.result }
    #expect(throws: RPCError.cancelled) { try result.get() }
    try await withDeadline(patience) { await cancelled.wait() }

    let early = Task {
      await started.wait()
      return try await here.request(Hang.self, [])
    }
    early.cancel()
    let earlyResult = try await withDeadline(patience) { await early.result }
    #expect(throws: RPCError.cancelled) { try earlyResult.get() }
  }

  @Test("a request that is sent without waiting is answered once, with whatever the peer says after it is cancelled")
  func sending() async throws {
    let (started, cancelled) = (Gate(), Gate())
    var router = Router.testServer
    router.on(Hang.self) { (params, _) async throws(RPCError) in
      started.open()
      await waitForCancellation()
      cancelled.open()
      return params
    }
    let (here, there) = pair(router)
    let answers = Mailbox<Result<JSONValue, RPCError>?>()
    let id = try #require(here.send(Hang.name, ["a"]) { answers.put($0) })
    try await withDeadline(patience) { await started.wait() }
    here.cancel(id)
    try await withDeadline(patience) { await cancelled.wait() }
    #expect(try await withDeadline(patience) { await answers.take() } == .success(["a"]))
    here.cancel(id)

    // The end of the connection answers what is open, and nothing is sent after it.
    _ = here.send(Hang.name, []) { answers.put($0) }
    there.close()
    #expect(try await withDeadline(patience) { await answers.take() } == .some(.none))
    _ = await here.waitUntilClosed()
    #expect(here.send(Hang.name, []) { answers.put($0) } == nil)
  }

  @Test("the peer's end fails what waits")
  func peerEnds() async throws {
    let (started, cancelled) = (Gate(), Gate())
    let (here, there) = pair(.hanging(started, cancelled))
    let task = Task { try await here.request(Hang.self, []) }
    try await withDeadline(patience) { await started.wait() }
    there.close()
    let result = try await withDeadline(patience) { await task.result }
    #expect(throws: RPCError.connectionClosed) { try result.get() }
    let end = try await withDeadline(patience) { await here.waitUntilClosed() }
    #expect(end == .endOfInput(insideFrame: false))
  }

  @Test("ids of requests to the client are small whole numbers; late, foreign and repeated answers are ignored")
  func ids() async throws {
    let peer = Peer()
    try peer.startReading()
    let first = Task { try await peer.connection.request(Work.self, ["a"]) }
    #expect(try await peer.next() == "1 ? work")
    let second = Task { try await peer.connection.request(Work.self, ["b"]) }
    #expect(try await peer.next() == "2 ? work")
    try await peer.send(
      #"{"jsonrpc":"2.0","id":2,"result":22}"#, #"{"jsonrpc":"2.0","id":2,"result":23}"#,
      #"{"jsonrpc":"2.0","id":"1","result":0}"#, #"{"jsonrpc":"2.0","id":3,"result":0}"#,
      #"[{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"no"}}]"#, call("9"))
    #expect(try await peer.next() == "9 = {}")
    let answer = try await withDeadline(patience) { try await second.value }
    #expect(answer == 22)
    let result = try await withDeadline(patience) { await first.result }
    #expect(throws: RPCError(code: 5, message: "no")) { try result.get() }
  }

  @Test("what merges in the queue, and what does not")
  func merging() throws {
    let (_, far) = InMemoryChannel.pair()
    let connection = Connection(channel: far, framing: .line, router: Router(), lifecycle: .none)
    let merge: (String, String) -> Void = { key, text in
      connection.notifyMerging(TextDelta.self, key: key, TextDelta.Params(delta: text))
    }
    func check(_ expected: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
      let sent = try messages(in: connection.takeAllOutput(), .line).map(summary)
      let inFull = expected.map { $0 == "noted" ? #"noted {"count":1}"# : #"delta {"delta":"\#($0)"}"# }
      #expect(sent == inFull, sourceLocation: sourceLocation)
      #expect(connection.queuedByteCount == 0, sourceLocation: sourceLocation)
    }
    merge("a", "1")
    merge("b", "x")
    merge("a", "2")
    merge("b", "y")
    try check(["12", "xy"])
    // Nothing is merged across another message of the same sender, nor into what has gone out.
    merge("a", "3")
    connection.notify(Noted.self, Fail.Params(count: 1))
    merge("a", "4")
    merge("a", "5")
    try check(["3", "noted", "45"])
    merge("a", "6")
    try check(["6"])
    // Keys are bytes.
    merge("\u{E9}", "1")
    merge("e\u{301}", "2")
    try check(["1", "2"])
    // The places of the queue are used again and again.
    for index in 0..<3_000 { merge("\(index)", "x") }
    for index in 0..<3_000 { merge("\(index)", "y") }
    try check(Array(repeating: "xy", count: 3_000))
  }
}
