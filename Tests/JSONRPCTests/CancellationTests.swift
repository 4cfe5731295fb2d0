import JSON
import JSONRPC
import TestSupport
import Testing

/// The rows on cancellation, on `exit` and on the end of input while requests run; and that there is one reply.
@Suite struct CancellationTests {
  private func cancel(_ id: String) -> String { note("$/cancelRequest", #","params":{"id":\#(id)}"#) }

  @Test("cancel a running request: -32800, other requests unharmed")
  func running() async throws {
    let peer = Peer()
    try peer.startReading()
    try await peer.send(call("1", "hang"), call("\"1\"", "hang"), call("2", "work"))
    #expect(try await peer.next() == "2 = {}")
    try await peer.send(cancel("1"))
    #expect(try await peer.next() == "1 ! -32800")
    try await peer.send(cancel("\"1\""), cancel("1"), cancel("77"), cancel("2"), cancel("true"), call("3"))
    #expect(try await peer.next(2) == ["\"1\" ! -32800", "3 = {}"])
  }

  @Test("cancel in the same write as the request, and twice")
  func atOnce() async throws {
    let peer = Peer()
    try peer.startReading()
    try await peer.send(call("1", "hang"), cancel("1"), cancel("1"), call("2", "hang"), cancel("2"))
    #expect(try await peer.next(2) == ["1 ! -32800", "2 ! -32800"])
  }

  @Test("cancel works at the limit of running requests, and frees a place")
  func atTheLimit() async throws {
    var limits = ConnectionLimits()
    limits.requestsInFlight = 3
    let peer = Peer(limits: limits)
    try peer.startReading()
    try await peer.send(call("1", "hang"), call("2", "hang"), call("3", "hang"), call("4", "hang"))
    #expect(try await peer.next() == "4 ! -32803")
    try await peer.send(cancel("2"))
    #expect(try await peer.next() == "2 ! -32800")
    try await peer.send(call("5", "work"))
    #expect(try await peer.next() == "5 = {}")
  }

  @Test("cancel overtakes a full outgoing queue of a client that does not read")
  func fullQueue() async throws {
    let cancelled = Gate()
    var router = Router.testServer
    router.on(Hang.self) { (_, _) async throws(RPCError) in
      defer { cancelled.open() }
      return try await untilCancelled()
    }
    let peer = Peer(router, capacity: 64)
    try await peer.send(call("1", "hang"))
    for id in 2..<200 { try await peer.send(call("\(id)")) }
    try await peer.send(cancel("1"))
    try await withDeadline(patience, "the cancellation") { await cancelled.wait() }
    try peer.startReading()
    let replies = try await peer.next(199)
    #expect(replies.count == 199 && replies.contains("1 ! -32800"))
  }

  @Test("a result that is ready wins over the cancellation; another error does not")
  func afterwards() async throws {
    var router = Router()
    router.on(Work.self) { params, _ in
      await waitForCancellation()
      return params
    }
    router.on(Hang.self) { (_, _) async throws(RPCError) in
      await waitForCancellation()
      throw .internalError("stumbled")
    }
    let peer = Peer(router)
    try peer.startReading()
    try await peer.send(call("1", "work"), call("2", "hang"), cancel("1"), cancel("2"))
    #expect(try await peer.next(2) == ["1 = {}", "2 ! -32800"])
  }

  @Test("no partial result after the reply")
  func nothingAfterTheReply() async throws {
    let contexts = Mailbox<RequestContext>()
    var router = Router.testServer
    router.on(Work.self) { (params, context) in
      context.notify(Noted.self, Fail.Params(count: 1))
      contexts.put(context)
      return params
    }
    let peer = Peer(router)
    try peer.startReading()
    try await peer.send(call("1", "work"))
    #expect(try await peer.next() == #"noted {"count":1}"#)
    #expect(try await peer.next() == "1 = {}")
    let context = try #require(try await withDeadline(patience) { await contexts.take() })
    context.notify(Noted.self, Fail.Params(count: 2))
    context.notifyMerging(TextDelta.self, key: "", TextDelta.Params(delta: "late"))
    try await peer.send(call("2"))
    #expect(try await peer.next() == "2 = {}")
  }

  @Test("exit while a request runs: the end comes within a second")
  func exitWhileRunning() async throws {
    let peer = Peer(lifecycle: .languageServer)
    try peer.startReading()
    try await peer.send(call("0", "initialize"), call("1", "hang"))
    #expect(try await peer.next() == #"0 = {"ok":true}"#)
    let start = ContinuousClock.now
    try await peer.send(note("exit"))
    #expect(try await peer.end() == .exit(afterShutdown: false))
    #expect(try await peer.timeToClose(since: start) < .seconds(1))
  }

  @Test("end of input in header framing: quick requests are answered, the rest is cancelled, within 2 s")
  func endOfInputWithHeaders() async throws {
    let peer = Peer()
    try peer.startReading()
    try await peer.send(call("1", "hang"), call("2", "work"))
    let start = ContinuousClock.now
    peer.finishWriting()
    #expect(try await peer.next(2) == ["1 ! -32800", "2 = {}"])
    #expect(try await peer.end() == .endOfInput(insideFrame: false))
    #expect(try await peer.timeToClose(since: start) < .seconds(2))
  }

  @Test("end of input in header framing while nobody reads: the end comes all the same")
  func endOfInputUnread() async throws {
    let peer = Peer(capacity: 10)
    try await peer.send(call("1", "hang"), call("2"))
    peer.finishWriting()
    #expect(try await peer.end() == .endOfInput(insideFrame: false))
  }

  @Test("end of input in line framing: those received are finished")
  func endOfInputWithLines() async throws {
    let gate = Gate()
    var router = Router.testServer
    router.on(Work.self) { params, _ in
      await gate.wait()
      return params
    }
    let peer = Peer(router, framing: .line)
    try peer.startReading()
    try await peer.send(call("1", "work"), "[\(call("2", "work")),\(call("3"))]")
    peer.finishWriting()
    gate.open()
    #expect(try await peer.next(2) == ["1 = {}", "[2 = {}, 3 = {}]"])
    #expect(try await peer.end() == .endOfInput(insideFrame: false))
  }

  @Test("close ends a connection that waits, runs or drains")
  func close() async throws {
    for framing in [Framing.header, .line, .auto] {
      let peer = Peer(framing: framing)
      if framing != .auto { try await peer.send(call("1", "hang")) }
      if framing == .line { peer.finishWriting() }
      peer.connection.close()
      let end = try await peer.end()
      #expect(end == .closed || (framing == .line && end == .endOfInput(insideFrame: false)))
    }
    let (_, far) = InMemoryChannel.pair()
    let unused = Connection(channel: far, framing: .header, router: Router(), lifecycle: .none)
    unused.close()
    let unusedEnd = try await withDeadline(patience) { await unused.waitUntilClosed() }
    #expect(unusedEnd == .closed)
  }

  @Test("a request that is dropped is answered with -32603, one that is answered only once")
  func dropped() throws {
    let (_, far) = InMemoryChannel.pair()
    let connection = Connection(channel: far, framing: .line, router: Router(), lifecycle: .none)
    var receiver = connection.makeReceiver()
    do { _ = receiver.openRequest(RequestID(1)) }
    let responder = receiver.openRequest(RequestID(2))
    responder.reply(.success(true))
    let replies = try messages(in: connection.takeAllOutput(), .line).map(summary)
    #expect(replies == ["1 ! -32603", "2 = true"])
  }
}

/// Text that grows, as partial results do.
enum TextDelta: NotificationMethod {
  static let name = "delta"

  struct Params: JSONMessage, MergeableParams {
    var delta = ""
    init() {}
    init(delta: String) { self.delta = delta }
    static let fields: [JSONField<Params>] = [.required("delta", \.delta, "The text that follows.")]

    mutating func merge(_ later: Params) -> Bool {
      delta += later.delta
      return true
    }

    var approximateByteCount: Int { delta.utf8.count + 40 }
  }
}
