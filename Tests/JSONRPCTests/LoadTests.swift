import JSON
import JSONRPC
import Synchronization
import TestSupport
import Testing

/// The rows of “Load and faults” that concern the wire.
@Suite struct LoadTests {
  @Test("64 requests at once on one connection: all answered; one more: overloaded, with the limit")
  func requestsAtOnce() async throws {
    let gate = Gate()
    var router = Router.testServer
    router.on(Work.self) { params, _ in
      await gate.wait()
      return params
    }
    var limits = ConnectionLimits()
    limits.overloadedError = { limit in
      RPCError(code: 1012, message: "too much", data: ["kind": "overloaded", "limit": .number(JSONNumber(limit))])
    }
    let peer = Peer(router, limits: limits)
    try peer.startReading()
    for id in 0..<65 { try await peer.send(call("\(id)", "work")) }
    #expect(try await peer.next() == "64 ! 1012")
    // What is answered in order, and what cannot be refused, needs no place.
    try await peer.send(call("100"), call("101", "initialize"), call("102", "shutdown"))
    #expect(try await peer.next(3) == ["100 = {}", #"101 = {"ok":true}"#, "102 = null"])
    gate.open()
    let all = (0..<64).map { "\($0) = {}" }
    #expect(try await peer.next(64) == all.sorted())
    try await peer.send(call("200", "work"))
    #expect(try await peer.next() == "200 = {}")
  }

  @Test("the limit of all connections together")
  func sharedLimit() async throws {
    let shared = SharedRequestLimit(3)
    var limits = ConnectionLimits()
    limits.sharedRequests = shared
    let peers = [Peer(limits: limits), Peer(limits: limits)]
    for peer in peers { try peer.startReading() }
    try await peers[0].send(call("1", "hang"), call("2", "hang"), call("3", "hang"), call("4", "work"))
    #expect(try await peers[0].next() == "4 ! -32803")
    try await peers[1].send(call("1", "work"))
    #expect(try await peers[1].next() == "1 ! -32803")
    #expect(shared.running == 3)
    peers[0].finishWriting()
    #expect(try await peers[0].next(3) == ["1 ! -32800", "2 ! -32800", "3 ! -32800"])
    #expect(shared.running == 0)
    try await peers[1].send(call("2", "work"))
    #expect(try await peers[1].next() == "2 = {}")
  }

  @Test("light requests take no place from others, and are still served when all places are taken")
  func lightRequests() async throws {
    var router = Router.testServer
    router.on(Hang.self, isLight: true) { (_, _) async throws(RPCError) in try await untilCancelled() }
    let gate = Gate()
    router.on(Work.self) { params, _ in
      await gate.wait()
      return params
    }
    var limits = ConnectionLimits()
    limits.requestsInFlight = 2
    let peer = Peer(router, limits: limits)
    try peer.startReading()
    for id in 0..<4 { try await peer.send(call("\(id)", "hang")) }
    try await peer.send(call("10", "work"), call("11", "work"), call("12", "work"))
    #expect(try await peer.next() == "12 ! -32803")
    try await peer.send(call("4", "hang"), call("5", "hang"), call("6", "hang"))
    #expect(try await peer.next() == "6 ! -32803")
    try await peer.send(note("$/cancelRequest", #","params":{"id":0}"#))
    #expect(try await peer.next() == "0 ! -32800")
    try await peer.send(call("13", "work"))
    #expect(try await peer.next() == "13 ! -32803")
    gate.open()
    #expect(try await peer.next(2) == ["10 = {}", "11 = {}"])
  }

  @Test("what must be done in order is done in order, whatever the tasks do")
  func placesInOrder() async throws {
    final class Places: Sendable {
      let all = Mutex<[String]>([])
    }
    let places = Places()
    var router = Router.testServer
    router.on(
      Work.self,
      inOrder: { params in
        places.all.withLock { all in
          all.append(JSONWriter.text(of: params.json))
          return all.count
        }
      },
      { params, place, _ in
        #expect(places.all.withLock { $0[place - 1] } == JSONWriter.text(of: params.json))
        return params
      })
    let peer = Peer(router)
    try peer.startReading()
    for id in 0..<50 { try await peer.send(call("\(id)", "work", #","params":{"n":\#(id)}"#)) }
    _ = try await peer.next(50)
    #expect(places.all.withLock { $0 } == (0..<50).map { #"{"n":\#($0)}"# })
  }

  @Test("an id that is still running is refused, the first goes on")
  func duplicateID() async throws {
    let peer = Peer()
    try peer.startReading()
    try await peer.send(call("1", "hang"), call("1", "hang"), call("1", "echo"))
    #expect(try await peer.next(2) == ["1 ! -32600", "1 ! -32600"])
    try await peer.send(note("$/cancelRequest", #","params":{"id":1}"#))
    #expect(try await peer.next() == "1 ! -32800")
    try await peer.send(call("1", "work"))
    #expect(try await peer.next() == "1 = {}")
  }

  @Test(
    "10,000 requests written before any reply is read: all answered, none lost", arguments: [Framing.header, .line])
  func manyRequests(_ framing: Framing) async throws {
    let peer = Peer(framing: framing)
    for start in stride(from: 0, to: 10_000, by: 100) {
      try await peer.send((start..<start + 100).map { call("\($0)", $0 % 2 == 0 ? "echo" : "work") })
    }
    try peer.startReading()
    let replies = try await peer.next(10_000)
    let ids = replies.compactMap { Int($0.prefix { $0 != " " }) }
    #expect(Set(ids) == Set(0..<10_000))
    let wrong = replies.filter { !$0.hasSuffix("= {}") && !$0.hasSuffix("! -32803") }
    #expect(wrong.isEmpty)
    peer.finishWriting()
    #expect(try await peer.end() == .endOfInput(insideFrame: false))
  }

  @Test("32 connections at once")
  func manyConnections() async throws {
    let peers = (0..<32).map { _ in Peer() }
    for peer in peers { try peer.startReading() }
    for peer in peers { try await peer.send(call("1", "work"), call("2", "hang"), call("3")) }
    for peer in peers { #expect(try await peer.next(2) == ["1 = {}", "3 = {}"]) }
    for peer in peers { peer.finishWriting() }
    for peer in peers {
      #expect(try await peer.next() == "2 ! -32800")
      #expect(try await peer.end() == .endOfInput(insideFrame: false))
    }
  }

  @Test("a client that stops reading: generation pauses, deltas merge, memory stays bounded, nothing is lost")
  func slowReader() async throws {
    var limits = ConnectionLimits()
    limits.outgoingSoft = 10_000
    let paused = Gate()
    var router = Router.testServer
    router.on(Work.self) { (_, context) async throws(RPCError) in
      for index in 0..<5_000 {
        context.notifyMerging(TextDelta.self, key: "text", TextDelta.Params(delta: "\(index) "))
        if context.connection.queuedByteCount > 10_000 { paused.open() }
        do { try await context.waitUntilWritable() } catch { throw .cancelled }
      }
      return "done"
    }
    let peer = Peer(router, limits: limits, capacity: 1_000)
    try await peer.send(call("1", "work"))
    try await withDeadline(patience, "the pause") { await paused.wait() }
    #expect(peer.connection.queuedByteCount < 12_000)
    try peer.startReading()
    var text = ""
    var count = 0
    while let message = try await peer.next(), !message.hasPrefix("1 = ") {
      count += 1
      text += try #require(message.hasPrefix("delta ") ? message.dropFirst(16).dropLast(2) : nil)
    }
    let whole = (0..<5_000).map { "\($0) " }.joined()
    #expect(text == whole)
    #expect(count < 2_500)
  }

  @Test("a request that waits for a slow reader can be cancelled")
  func cancelWhilePaused() async throws {
    var limits = ConnectionLimits()
    limits.outgoingSoft = 0
    let waiting = Gate()
    let unwound = Gate()
    var router = Router.testServer
    router.on(Work.self) { (_, context) async throws(RPCError) in
      context.notify(Noted.self, Fail.Params(count: 1))
      waiting.open()
      defer { unwound.open() }
      do { try await context.waitUntilWritable() } catch { throw .cancelled }
      return "was not cancelled"
    }
    let peer = Peer(router, limits: limits, capacity: 5)
    try await peer.send(call("1", "work"))
    try await withDeadline(patience) { await waiting.wait() }
    try await peer.send(note("$/cancelRequest", #","params":{"id":1}"#))
    // The handler unwinds while nobody reads.
    try await withDeadline(patience) { await unwound.wait() }
    try peer.startReading()
    #expect(try await peer.next() == #"noted {"count":1}"#)
    #expect(try await peer.next() == "1 ! -32800")
  }

  @Test("a client that does not read over the hard limit is dropped after a while, over the maximum at once")
  func hardLimit() async throws {
    var patient = ConnectionLimits()
    patient.outgoingHard = 1_000
    patient.outgoingHold = .milliseconds(50)
    var strict = ConnectionLimits()
    strict.outgoingMaximum = 1_000
    for limits in [patient, strict] {
      let peer = Peer(limits: limits, capacity: 10)
      for id in 0..<50 { try await peer.send(call("\(id)")) }
      let end = try await peer.end()
      #expect(end.hasSameCase(as: .ioError("")))
    }
  }

  @Test("a client that reads again within the time is not dropped")
  func slowButReading() async throws {
    var limits = ConnectionLimits()
    limits.outgoingHard = 1_000
    limits.outgoingHold = .seconds(60)
    let peer = Peer(limits: limits, capacity: 10)
    for id in 0..<50 { try await peer.send(call("\(id)")) }
    try peer.startReading()
    #expect(try await peer.next(50).count == 50)
    peer.finishWriting()
    #expect(try await peer.end() == .endOfInput(insideFrame: false))
  }
}
