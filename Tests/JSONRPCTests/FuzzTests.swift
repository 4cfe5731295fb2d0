import Dispatch
import JSON
import JSONRPC
import Synchronization
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Hostile input by the ten thousand, in a process of its own, so that a crash is one failed test and the memory that
/// is measured is the fuzzer's.
///
/// `INKLING_SOAK=1` runs a million streams. `INKLING_FUZZ_SEED` moves the start; a failure names its stream's seed.
@Suite struct FuzzTests {
  @Test(
    "mutated sessions: no crash, no hang, one reply each, well framed output, flat memory", .timeLimit(.minutes(60)))
  func mutatedSessions() async throws {
    // The child's words come through a file: reading its output would hold a thread that the other tests need.
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let report = folder.path("report")
    await #expect(processExitsWith: .success) { [report = report as String] in
      do {
        let text = try await onThread(stackSize: 2 << 20, deadline: .seconds(3_000), "the fuzzer") {
          try FuzzRun().run()
        }
        try writeFile(report, Array(text.utf8))
      } catch {
        Issue.record(error)
        exit(EXIT_FAILURE)
      }
    }
    print(try readText(report))
  }
}

private struct FuzzFailure: Error, CustomStringConvertible {
  let description: String
}

private struct FuzzRun {
  private let seed = variable("INKLING_FUZZ_SEED").flatMap { UInt64($0) } ?? 20_260_101
  private let count: Int = {
    #if DEBUG
      let normal = 5_000
    #else
      let normal = 50_000
    #endif
    return variable("INKLING_SOAK") == "1" ? 1_000_000 : normal
  }()
  /// Every so many streams one goes through a connection with its threads.
  private let threaded = 20
  private let slowest = Duration.seconds(2)

  /// Returns what was done, for people.
  func run() throws -> String {
    let start = ContinuousClock.now
    let warm = count / 10
    var before = 0
    var statistics = Statistics()
    for number in 0..<count {
      if number == warm { before = try residentBytes() }
      let streamSeed = seed &+ UInt64(number)
      do {
        let began = ContinuousClock.now
        let stream = FuzzStream(seed: streamSeed)
        let outcome = try play(stream)
        if number % threaded == 0 { try playThreaded(stream) }
        statistics.add(outcome, took: ContinuousClock.now - began)
        if statistics.slowest > slowest { throw FuzzFailure(description: "took \(statistics.slowest)") }
      } catch {
        throw FuzzFailure(description: "stream \(number) (INKLING_FUZZ_SEED=\(streamSeed)): \(error)")
      }
    }
    let growth = try residentBytes() - before
    let report =
      "fuzzed \(count) streams from seed \(seed) in \(ContinuousClock.now - start), \(count / threaded + 1) of them "
      + "through threads: \(statistics), resident memory grew by \(growth / 1024) KiB"
    if growth > 16 << 20 { throw FuzzFailure(description: report) }
    return report
  }

  /// The stream through the core of a connection, without threads: whole, then in pieces.
  private func play(_ stream: FuzzStream) throws -> Outcome {
    let whole = try deliver(stream, [0..<stream.bytes.count])
    let inPieces = try deliver(stream, stream.pieces)
    guard whole.output == inPieces.output, whole.end == inPieces.end else {
      throw FuzzFailure(description: "in pieces it is answered differently")
    }
    return whole
  }

  private func deliver(_ stream: FuzzStream, _ pieces: [Range<Int>]) throws -> Outcome {
    let record = Record()
    let (_, far) = InMemoryChannel.pair()
    let connection = Connection(
      channel: far, framing: stream.setting.framing, router: record.router(concurrent: false),
      lifecycle: stream.setting.lifecycle, limits: stream.setting.limits)
    var receiver = connection.makeReceiver()
    var outcome = Outcome()
    stream.bytes.withUnsafeBytes { bytes in
      for piece in pieces where outcome.end == nil {
        outcome.end = receiver.receive(UnsafeRawBufferPointer(rebasing: bytes[piece]))
      }
    }
    outcome.isInStep = outcome.end == nil && receiver.isBetweenMessages
    if outcome.isInStep { try sendOneMore(&receiver, connection) }
    if outcome.end == nil { outcome.end = receiver.finish() }
    outcome.output += connection.takeAllOutput()
    let replies = try record.check(outcome.output)
    outcome.replies = replies.count
    if outcome.isInStep, !replies.contains(where: { $0.hasPrefix("\"one more\" ") }) {
      throw FuzzFailure(description: "the next valid request was not answered")
    }
    return outcome
  }

  private func sendOneMore(_ receiver: inout Receiver, _ connection: Connection) throws {
    // While the framing is open, a line is always right; after blanks a header would not be.
    let text = call("\"one more\"")
    let bytes = connection.framing == .header ? framed(text) : Array((text + "\n").utf8)
    let end = bytes.withUnsafeBytes { receiver.receive($0) }
    if let end { throw FuzzFailure(description: "a valid request ended the connection: \(end)") }
  }

  /// The stream through a real connection; handlers run in tasks.
  ///
  /// Without tasks of its own: a cancelled sleep keeps its memory until its time is over, and would look like a leak.
  private func playThreaded(_ stream: FuzzStream) throws {
    let record = Record()
    let (near, far) = InMemoryChannel.pair()
    let connection = Connection(
      channel: far, framing: stream.setting.framing, router: record.router(concurrent: true),
      lifecycle: stream.setting.lifecycle, limits: stream.setting.limits)
    connection.start()
    try DedicatedThread.start(name: "fuzz-write") {
      for piece in stream.pieces where (try? near.writeAll(Array(stream.bytes[piece]))) == nil { break }
      near.finishWriting()
    }
    let output = Mutex([UInt8]())
    let ended = DispatchSemaphore(value: 0)
    try DedicatedThread.start(name: "fuzz-read") {
      let all = near.readToEnd()
      output.withLock { $0 = all }
      ended.signal()
    }
    guard ended.wait(timeout: .now() + .seconds(2)) == .success else {
      throw FuzzFailure(description: "the connection did not end")
    }
    _ = try record.check(output.withLock { $0 })
  }
}

private struct Outcome {
  var output: [UInt8] = []
  var end: ConnectionEnd?
  var isInStep = false
  var replies = 0
}

private struct Statistics: CustomStringConvertible {
  private var inStep = 0
  private var broken = 0
  private var replies = 0
  private(set) var slowest = Duration.zero

  mutating func add(_ outcome: Outcome, took: Duration) {
    if outcome.isInStep { inStep += 1 }
    if case .protocolError? = outcome.end { broken += 1 }
    replies += outcome.replies
    slowest = max(slowest, took)
  }

  var description: String {
    "\(replies) replies, \(inStep) went on in step, \(broken) were given up, the slowest took \(slowest)"
  }
}

/// What the handlers did, to be compared with what was answered.
private final class Record: Sendable {
  private let outcomes = Mutex([String]())

  func router(concurrent: Bool) -> Router {
    var router = Router.testServer
    router.onInOrder(Echo.self) { params, context in self.note(context, "= \(JSONWriter.text(of: params))", params) }
    router.onInOrder(Initialize.self) { _, context in self.note(context, "= true", true) }
    router.onInOrder(Shutdown.self) { _, context in self.note(context, "= null", Empty()) }
    router.onInOrder(Fail.self) { (params, context) throws(RPCError) in
      throw self.note(context, "! \(params.count)", RPCError(code: params.count, message: ""))
    }
    if concurrent {
      router.on(Work.self) { (params, context) async throws(RPCError) in
        for _ in 0..<3 { await Task.yield() }
        if Task.isCancelled { throw self.note(context, "! -32800", RPCError.cancelled) }
        return self.note(context, "= \(JSONWriter.text(of: params))", params)
      }
    } else {
      router.onInOrder(Work.self) { params, context in self.note(context, "= \(JSONWriter.text(of: params))", params) }
    }
    return router
  }

  private func note<Value>(_ context: RequestContext, _ outcome: String, _ value: Value) -> Value {
    outcomes.withLock { $0.append("\(JSONWriter.text(of: context.id.json)) \(outcome)") }
    return value
  }

  /// The output is well framed, and the replies are exactly those of the handlers plus refusals of our own, each with a
  /// known code. Returns all replies.
  func check(_ output: [UInt8]) throws -> [String] {
    let replies = try messages(in: output, nil).flatMap { message -> [JSONValue] in
      if case .array(let members) = message { members } else { [message] }
    }.filter { $0["method"] == nil }.map(summary)
    let refusals = ["-32700", "-32600", "-32601", "-32602", "-32002", "-32803"].map { "! \($0)" }
    let served = replies.filter { reply in !refusals.contains { reply.hasSuffix($0) } }
    guard served.map({ Array($0.utf8) }).sorted(by: precedes) == expected() else {
      throw FuzzFailure(description: "answered \(served), but the handlers gave \(outcomes.withLock { $0 })")
    }
    return replies
  }

  private func expected() -> [[UInt8]] {
    outcomes.withLock { $0 }.map { Array($0.utf8) }.sorted(by: precedes)
  }

  private func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }
}

private func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
